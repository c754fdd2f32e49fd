//! Each format, as those write it who do; one place for all that the reader of each is to know, so it is long.

use profile_formats::pprof::{Function, Line, Location, Profile, Sample, ValueType};

use crate::merged::Merged;
use crate::part::Part;
use crate::write;

const OLD_TEXT: &str = "JAVA PROFILE 1.0, created Wed Oct 14 11:06:55 1998

THREAD START (obj=11199050, id = 1, name=\"main\", group=\"main\")
TRACE 1: (thread=1)
\ta.Main.work(Main.java:7)
\ta.Main.main(Main.java:3)
TRACE 2:
\t<empty>
CPU SAMPLES BEGIN (total = 9) Wed Oct 14 11:06:56 1998
rank   self  accum   count trace method
   1 44.44% 44.44%       4     1 a.Main.work
CPU SAMPLES END
CPU SAMPLES BEGIN (total = 12) Wed Oct 14 11:06:57 1998
rank   self  accum   count trace method
   1 58.33% 58.33%       7     1 a.Main.work
   2 16.67% 75.00%       2     2 <empty trace>
CPU SAMPLES END
CPU TIME (ms) BEGIN (total = 10) Wed Oct 14 11:06:57 1998
rank   self  accum   count trace method
   1 66.67% 66.67%       7     1 a.Main.work
   2 33.34% 100.01%      2     2 <empty trace>
CPU TIME (ms) END
SITES BEGIN (ordered by live bytes) Wed Oct 14 11:06:57 1998
          percent         live       alloc'ed  stack class
 rank   self  accum    bytes objs   bytes objs trace name
    1 60.00% 60.00%      600    6     900    9     1 [I
SITES END
";

fn read(name: &str, mut bytes: &[u8]) -> Result<Part, String> {
    super::read(name, &mut bytes)
}

/// Series, process, stack and number, in order.
fn all(part: &Part) -> Vec<String> {
    let mut merged = Merged::default();
    merged.add(part).unwrap();
    told(&merged)
}

fn told(merged: &Merged) -> Vec<String> {
    let mut found = Vec::new();
    for (series, cells) in &merged.series {
        for cell in cells {
            let process = &merged.processes[cell.process as usize];
            let mut stack = Vec::new();
            let mut at = cell.node;
            while at != 0 {
                stack.insert(0, merged.name_of(at));
                at = merged.nodes[at as usize].parent;
            }
            let stack = stack.join(";");
            let whose = format!("{}@{}", process.name, process.host);
            found.push(format!("{} {} {whose} {stack}", series.title, cell.value));
        }
    }
    found.sort();
    found
}

#[test]
fn text_of_1998() {
    let part = read("/x/old.txt", OLD_TEXT.as_bytes()).unwrap();
    assert_eq!(
        all(&part),
        [
            "Allocated 900 old.txt@ [main];a.Main.main;a.Main.work;new int[]",
            "Allocations 9 old.txt@ [main];a.Main.main;a.Main.work;new int[]",
            "CPU samples 2 old.txt@ ",
            "CPU samples 3 old.txt@ (below the cutoff)",
            "CPU samples 7 old.txt@ [main];a.Main.main;a.Main.work",
            // In all no more than the ten that its head says.
            "CPU time 3333000 old.txt@ ",
            "CPU time 6667000 old.txt@ [main];a.Main.main;a.Main.work",
            "Live 600 old.txt@ [main];a.Main.main;a.Main.work;new int[]",
            "Live objects 6 old.txt@ [main];a.Main.main;a.Main.work;new int[]",
        ]
    );
}

fn collapsed(interval: u32, process: &str, lines: &str) -> Part {
    let text = format!(
        "(HPROF for xrun 0.1.0);(CPU samples, samples);(every {interval} ms);({process}) 0\n{lines}"
    );
    read("x.collapsed", text.as_bytes()).unwrap()
}

#[test]
fn lines_of_hprof_and_of_others() {
    let part = collapsed(10, "7 on h", "[main];a.b 5\n<empty> 2\n");
    assert_eq!(part.interval, Some(10_000_000));
    assert_eq!(
        all(&part),
        ["CPU samples 2 7@h ", "CPU samples 5 7@h [main];a.b"]
    );
    let others = read("o.txt", b"a;b c 3\n").unwrap();
    assert_eq!(all(&others), ["Stacks 3 o.txt@ a;b c"]);
}

/// JSON and pprof have what was merged, whose it is included.
#[test]
fn what_is_written_is_read() {
    let mut merged = Merged::default();
    merged
        .add(&collapsed(10, "7 on h", "[main];a.b 5\n"))
        .unwrap();
    merged
        .add(&collapsed(10, "8 on i", "[main];a.b 6\nc 1\n"))
        .unwrap();
    merged
        .add(&read("old.txt", OLD_TEXT.as_bytes()).unwrap())
        .unwrap();
    for written in [write::json, write::pprof] {
        let mut bytes = Vec::new();
        written(&merged, "test", &mut bytes).unwrap();
        let mut again = Merged::default();
        again.add(&read("all", &bytes).unwrap()).unwrap();
        assert_eq!(told(&again), told(&merged));
        assert_eq!(again.processes, merged.processes);
        assert_eq!(again.interval, Some(10_000_000));
        let half = read("all", &bytes[..bytes.len() / 2]).unwrap_err();
        assert!(half.contains("cut off"), "{half}");
    }
    merged.series.truncate(1);
    let mut bytes = Vec::new();
    write::collapsed(&merged, "xrun test", &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(
        text,
        "(xrun test);(CPU samples, samples);(every 10 ms) 0\n<empty> 2\n(below the cutoff) 3\n\
         [main];a.Main.main;a.Main.work 7\n[main];a.b 11\nc 1\n"
    );
}

/// What samples stand for is said as well, and is no reason to write nothing.
#[test]
fn more_time_than_pprof_holds_is_left_out() {
    const MOST: u64 = i64::MAX.cast_unsigned() / 10_000_000;
    for (samples, has_time) in [(MOST, true), (MOST + 1, false), (u64::MAX / 2, false)] {
        let mut merged = Merged::default();
        let part = collapsed(10, "7 on h", &format!("a.b {samples}\n"));
        merged.add(&part).unwrap();
        let mut bytes = Vec::new();
        write::pprof(&merged, "test", &mut bytes).unwrap();
        let file = profile_formats::pprof::read(&bytes).unwrap();
        assert_eq!(file.profile.sample_type.len(), 1 + usize::from(has_time));
        assert_eq!(all(&read("x", &bytes).unwrap()), all(&part));
    }
}

/// Types, periods and times of HPROF's are those of what was merged, from the first's begin to the last's end.
#[test]
fn pprof_says_what_hprofs_does() {
    let mut merged = Merged::default();
    for (started, taken) in [(50, 80), (20, 30), (60, 70)] {
        let text = format!(
            r#"{{"format":"xrun-hprof","version":2,"options":{{"interval":10,"sample":512}},"process":"7 on h",
            "started":{started},"taken":{taken},"threads":[],"methods":[{{"class":"a","name":"b"}}],
            "frames":[[0,1,null]],"traces":[{{"id":1,"thread":null,"frame":0}}],
            "cpu":{{"kind":"samples","entries":[{{"trace":1,"count":2}}]}},
            "sites":[{{"class":"[I","trace":1,"live":{{"objects":1,"bytes":2}},"allocated":{{"objects":3,"bytes":4}}}}]}}"#
        );
        merged
            .add(&read("x.json", text.as_bytes()).unwrap())
            .unwrap();
    }
    let types_of = |merged: &Merged| {
        let mut bytes = Vec::new();
        write::pprof(merged, "test", &mut bytes).unwrap();
        let file = profile_formats::pprof::read(&bytes).unwrap();
        let text = |at: i64| file.profile.string_table[usize::try_from(at).unwrap()].clone();
        let types = file.profile.sample_type.iter();
        let types: Vec<String> = types.map(|it| text(it.r#type)).collect();
        let values: Vec<_> = file.samples().map(|sample| sample.unwrap().value).collect();
        let times = (file.profile.time_nanos, file.profile.duration_nanos);
        assert_eq!(read("x", &bytes).unwrap().time, merged.time);
        (types.join(" "), values, times, file.profile.period)
    };
    let (types, values, times, period) = types_of(&merged);
    assert_eq!(
        types,
        "samples alloc_space alloc_objects inuse_space inuse_objects cpu"
    );
    assert_eq!(
        values[..2],
        [[2, 0, 0, 0, 0, 20_000_000], [0, 4, 3, 2, 1, 0]]
    );
    assert_eq!((times, period), ((20_000_000, 60_000_000), 10_000_000));
    // Beside what was counted.
    merged
        .add(&read("old.txt", OLD_TEXT.as_bytes()).unwrap())
        .unwrap();
    let (types, ..) = types_of(&merged);
    assert!(types.contains("alloc_space_estimate"), "{types}");
    assert_eq!(types.matches("alloc_space ").count(), 1, "{types}");
}

/// What HPROF writes: two classes, a trace of two frames, ids of four bytes as on JDK 1.2.
#[test]
fn binary_of_old() {
    let mut bytes = b"JAVA PROFILE 1.0.1\0\0\0\0\x04\0\0\0\0\0\0\0\0".to_vec();
    let mut record = |tag: u8, parts: &[&[u8]]| {
        let body = parts.concat();
        bytes.extend([tag, 0, 0, 0, 0]);
        bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        bytes.extend(body);
    };
    let n = |number: u32| number.to_be_bytes();
    for (id, name) in [(1, "a/Main"), (2, "main"), (3, "work"), (4, "worker")] {
        record(1, &[&n(id), name.as_bytes()]);
    }
    record(2, &[&n(9), &n(0x50), &n(0), &n(1)]);
    record(4, &[&n(0x60), &n(2), &n(0), &n(0), &n(9), &n(3)]);
    record(4, &[&n(0x61), &n(3), &n(0), &n(0), &n(9), &n(7)]);
    record(0x0a, &[&n(5), &n(0), &n(0), &n(4), &n(0), &n(0)]);
    record(5, &[&n(1), &n(5), &n(2), &n(0x61), &n(0x60)]);
    // A heap dump, and what a later one may have.
    record(0x0c, &[&[0x21; 50]]);
    record(0xff, &[&[1; 3]]);
    // There will be sites and samples.
    record(0x0e, &[&n(3), &[0, 4]]);
    record(0x0d, &[&n(10), &n(1), &n(8), &n(1)]);
    record(
        6,
        &[
            // All there is; as many live bytes as the head can say may be more.
            &[0; 2 + 4],
            &n(u32::MAX),
            &n(7),
            &[0; 4],
            &n(2000),
            &[0; 4],
            &n(9),
            &n(1),
            &[10],
            &n(0),
            &n(1),
            &n(600),
            &n(6),
            &n(900),
            &n(9),
        ],
    );
    let part = read("x", &bytes).unwrap();
    let stack = "[worker];a.Main.main;a.Main.work";
    assert_eq!(
        all(&part),
        [
            "Allocated 1100 x@ (below the cutoff)".to_owned(),
            format!("Allocated 900 x@ {stack};new int[]"),
            format!("Allocations 9 x@ {stack};new int[]"),
            "CPU samples 2 x@ (below the cutoff)".to_owned(),
            format!("CPU samples 8 x@ {stack}"),
            format!("Live 600 x@ {stack};new int[]"),
            "Live objects 1 x@ (below the cutoff)".to_owned(),
            format!("Live objects 6 x@ {stack};new int[]"),
        ]
    );
    // Within a table, within a heap dump and within a record's head.
    let dump = bytes.iter().position(|&byte| byte == 0x21).unwrap();
    for end in [bytes.len() - 3, dump + 7, dump - 4] {
        let said = read("x", &bytes[..end]).unwrap_err();
        assert!(said.contains("cut off"), "{end}: {said}");
    }
    // At the end of a record: what comes behind is not there.
    const SITES: usize = 9 + 30 + 4 + 25;
    const SAMPLES: usize = 9 + 16;
    let said = read("x", &bytes[..bytes.len() - SITES - SAMPLES]).unwrap_err();
    assert!(said.contains("promises CPU samples"), "{said}");
    // A trace of four billion frames, of ids without a byte, or longer than the file.
    let long = [&n(1)[..], &n(5), &n(u32::MAX)].concat();
    for (id, says) in [(0, "damaged"), (4, "cut off"), (16, "damaged")] {
        let mut bytes = b"JAVA PROFILE 1.0.1\0".to_vec();
        bytes.extend([&n(id)[..], &[0; 8], &[5, 0, 0, 0, 0], &n(12), &long].concat());
        let said = read("x", &bytes).unwrap_err();
        assert!(said.contains(says), "{id}: {said}");
    }
}

/// Text has them whole, and where there are commas for points.
#[test]
fn text_with_a_heap_dump_and_commas() {
    let text = OLD_TEXT.replace("66.67%", "66,67%").replace(
        "CPU TIME",
        "HEAP DUMP BEGIN (2 objects, 48 bytes) Wed Oct 14 11:06:57 1998\n\
         CLS 50000100 (name=a.Main, trace=1)\n\tsuper\nTRACE 1:\n\ta.b(c)\nHEAP DUMP END\nCPU TIME",
    );
    let plain = read("x", OLD_TEXT.as_bytes()).unwrap();
    assert_eq!(all(&read("x", text.as_bytes()).unwrap()), all(&plain));
}

/// `c` calls `a`, into which `b` is inlined.
fn pprof_message(types: &[(&str, &str)], value: &[i64]) -> Profile {
    let mut profile = Profile::default();
    let texts = types.iter().flat_map(|(kind, unit)| [*kind, *unit]);
    let texts = ["", "a", "b", "c"].into_iter().chain(texts);
    profile.string_table = texts.map(str::to_owned).collect();
    let places = (4..).step_by(2).take(types.len());
    profile.sample_type = places
        .map(|at| ValueType {
            r#type: at,
            unit: at + 1,
        })
        .collect();
    let function = |id: u64| Function {
        id,
        name: id as i64,
        ..Function::default()
    };
    profile.function = [1, 2, 3].map(function).to_vec();
    let line = |function_id| Line {
        function_id,
        line: 7,
    };
    let location = |id, functions: &[u64]| Location {
        id,
        line: functions.iter().map(|&it| line(it)).collect(),
    };
    profile.location = vec![location(10, &[2, 1]), location(11, &[3])];
    profile.sample = vec![Sample {
        location_id: vec![10, 11],
        value: value.to_vec(),
        label: Vec::new(),
    }];
    profile
}

/// What others write as pprof: inlined methods, no processes, other types.
#[test]
fn pprof_of_others() {
    let written = |types: &[(&str, &str)], comment: &str, values: &[i64]| {
        let mut profile = pprof_message(types, values);
        profile.string_table.push(comment.to_owned());
        profile.comment = vec![i64::try_from(profile.string_table.len()).unwrap() - 1];
        prost::Message::encode_to_vec(&profile)
    };
    let types = [("alloc_space", "bytes"), ("wakeups", "count")];
    let counted = |comment: &str| {
        let bytes = written(&types, comment, &[5, 7]);
        all(&read("x", &bytes).unwrap())
    };
    for comment in ["Command: java -jar estimate.jar", "we estimate nothing"] {
        assert_eq!(
            counted(comment),
            ["Allocated 5 x@ c;a;b", "wakeups 7 x@ c;a;b"]
        );
    }
    for comment in ["Sites are estimates: of all", "allocations are estimates"] {
        let found = counted(comment);
        assert_eq!(found[0], "Allocated (estimate) 5 x@ c;a;b");
    }
    let said = read("x", &written(&types, "", &[5, -7])).unwrap_err();
    assert!(said.contains("below 0"), "{said}");
}

/// A period is one of time only if it says so.
#[test]
fn pprof_of_others_is_timed_if_it_says_so() {
    for (unit, period, interval) in [
        ("nanoseconds", 10_000_000, Some(10_000_000)),
        ("microseconds", 10_000, Some(10_000_000)),
        ("milliseconds", 10, Some(10_000_000)),
        ("cycles", 1_000_000, None),
        ("nanoseconds", 0, None),
        ("milliseconds", i64::MAX, None),
    ] {
        let mut profile = pprof_message(&[("samples", "count"), ("cpu", "nanoseconds")], &[5, 7]);
        profile.string_table.push(unit.to_owned());
        let unit_at = i64::try_from(profile.string_table.len()).unwrap() - 1;
        profile.period_type = Some(ValueType {
            r#type: 6,
            unit: unit_at,
        });
        profile.period = period;
        let part = read("x", &prost::Message::encode_to_vec(&profile)).unwrap();
        assert_eq!(part.interval, interval, "{period} {unit}");
        let cpu = interval
            .is_none()
            .then_some("CPU time 7 x@ c;a;b".to_owned());
        let found = ["CPU samples 5 x@ c;a;b".to_owned()].into_iter().chain(cpu);
        assert_eq!(all(&part), found.collect::<Vec<_>>(), "{period} {unit}");
    }
}

#[test]
fn bad_files_are_said() {
    for (bytes, says) in [
        (&b""[..], "rewrite=60s"),
        (b"\x7fELF\0\0\xff", "no profile that"),
        (b"some text\n", "no profile that"),
        (b"a;b 3\na;c", "cut off"),
        (b"a;b 3\na;c 1", "cut off"),
        (b"a;b 3\nwhat is this\nc 1\n", "line 2"),
        (b"JAVA PROFILE 1.1.0, created", "version 1.1.0"),
        (b"JAVA PROFILE 1.0.1, created x\n", "without CPU SAMPLES"),
        (b"{\"format\":\"xrun-hprof\",\"version\":3}", "version 3"),
        (b"{\"format\":\"xrun-hprof\",\"version\":2,", "cut off"),
        (b"{\"a\":1}", "no profile that"),
        (b"<!DOCTYPE html>\n", "a page"),
        (
            b"\x89xrun trace\r\n\x1a\n\0",
            "xrun trace diff compares two",
        ),
    ] {
        let said = read("x", bytes).unwrap_err();
        assert!(
            said.contains(says),
            "{}: {said}",
            String::from_utf8_lossy(bytes)
        );
    }
    // Within a table, a trace, between two traces, and behind a table in the line that begins the next.
    for (at, behind) in [
        ("SITES END", 0),
        ("a.Main.main(", 0),
        ("TRACE 2", 0),
        ("CPU TIME (ms) BEGIN", 5),
        ("SITES BEGIN", 5),
    ] {
        let cut = OLD_TEXT.find(at).unwrap() + behind;
        let said = read("x", &OLD_TEXT.as_bytes()[..cut]).unwrap_err();
        assert!(said.contains("cut off"), "{at}: {said}");
    }
    let mut merged = Merged::default();
    merged.add(&collapsed(10, "7 on h", "a 1\n")).unwrap();
    let said = merged.add(&collapsed(20, "8 on h", "a 1\n")).unwrap_err();
    assert!(
        said.contains("every 20 ms, and those before every 10 ms"),
        "{said}"
    );
    assert_eq!(told(&merged), ["CPU samples 1 7@h a"]);
}
