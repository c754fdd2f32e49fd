//! `xrun merge` of files of the shape that the HPROF of JDK 5 to 8 gave them: threads are numbered from
//! 200001 on and traces from 300001, a heap dump stands between the tables, ids have 8 bytes.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

use own_files::Folder;

const TEXT: &str = "JAVA PROFILE 1.0.1, created Fri Mar  7 12:00:00 2008

THREAD START (obj=50000168, id = 200001, name=\"main\", group=\"main\")
THREAD START (obj=5000010c, id = 200002, name=\"HPROF gc_finish watcher\", group=\"system\")
TRACE 300001: (thread=200001)
\ta.Main.work(Main.java:7)
\ta.Main.main(Main.java:Unknown line)
TRACE 300002: (thread=200001)
\ta.Main.<init>(<Unknown Source>:Unknown line)
\ta.Main.main(Main.java:3)
TRACE 300003: (thread=200002)
\t<empty>
HEAP DUMP BEGIN (3 objects, 96 bytes) Fri Mar  7 12:00:01 2008
ROOT 50000168 (kind=<thread>, id=200001, trace=300001)
CLS 50000abc (name=a.Main, trace=300002)
\tsuper\t\t50000123
\tstatic kept\t50000def
OBJ 50000def (sz=24, trace=300002, class=a.Main@50000abc)
\tnext\t\t50000fff
ARR 50000fff (sz=32, trace=300001, nelems=4, elem type=int)
HEAP DUMP END
SITES BEGIN (ordered by live bytes) Fri Mar  7 12:00:01 2008
          percent          live          alloc'ed  stack class
 rank   self  accum     bytes objs     bytes  objs trace name
    1 75.00% 75.00%       600    6       900     9 300001 int[]
    2 25.00% 100.00%      200    2       300     3 300002 a.Main
SITES END
THREAD END (id = 200001)
CPU SAMPLES BEGIN (total = 12) Fri Mar  7 12:00:02 2008
rank   self  accum   count trace method
   1 58.33% 58.33%       7 300001 a.Main.work
   2 16.67% 75.00%       2 300003 <Unknown Method>
CPU SAMPLES END
";

/// The same in binary, and arrays of objects.
fn binary(by_elements: bool) -> Vec<u8> {
    const MILLIS: u64 = 1_204_891_200_000;
    const DUMP: [u8; 200] = [0x21; 200];
    let id = u64::to_be_bytes;
    let n = u32::to_be_bytes;
    let mut bytes = b"JAVA PROFILE 1.0.2\0".to_vec();
    bytes.extend(n(8));
    bytes.extend(id(MILLIS));
    let mut record = |tag: u8, parts: &[&[u8]]| {
        let body = parts.concat();
        bytes.extend([tag, 0, 0, 0, 0]);
        bytes.extend(n(u32::try_from(body.len()).unwrap()));
        bytes.extend(body);
    };
    let texts = [
        "a/Main",
        "main",
        "work",
        "<init>",
        "[I",
        "HPROF gc_finish watcher",
        "",
        "[La/Main;",
    ];
    for (number, text) in (1..).zip(texts) {
        record(0x01, &[&id(0x7f00_0000_0000 + number), text.as_bytes()]);
    }
    let text = |number: u64| id(0x7f00_0000_0000 + number);
    record(0x02, &[&n(1), &id(0x5000_0abc), &n(300_002), &text(1)]);
    record(0x02, &[&n(2), &id(0x5000_0abd), &n(300_002), &text(5)]);
    record(0x02, &[&n(3), &id(0x5000_0abe), &n(300_002), &text(8)]);
    for (frame, method, line) in [(0x60, 2, 3), (0x61, 3, 7), (0x62, 4, -1_i32)] {
        let line = line.to_be_bytes();
        record(
            0x04,
            &[&id(frame), &text(method), &text(7), &text(7), &n(1), &line],
        );
    }
    for (thread, name) in [(200_001, 2), (200_002, 6)] {
        record(
            0x0a,
            &[
                &n(thread),
                &id(0x5000_0168),
                &n(0),
                &text(name),
                &text(2),
                &text(7),
            ],
        );
    }
    record(
        0x05,
        &[&n(300_001), &n(200_001), &n(2), &id(0x61), &id(0x60)],
    );
    record(
        0x05,
        &[&n(300_002), &n(200_001), &n(2), &id(0x62), &id(0x60)],
    );
    record(0x05, &[&n(300_003), &n(200_002), &n(0)]);
    // In one piece until JDK 5, in segments since; what is in them is no business of merge.
    record(0x0c, &[&DUMP]);
    record(0x1c, &[&DUMP]);
    record(0x2c, &[]);
    let site = |kind: u8, class, trace, numbers: [u32; 4]| {
        let numbers = numbers.map(n).concat();
        [&[kind][..], &n(class), &n(trace), &numbers].concat()
    };
    // Of objects an array has the class of its elements, as JVMPI says, or its own.
    let arrays: &[(u32, [u32; 4])] = match by_elements {
        true => &[(1, [0, 0, 50, 1]), (3, [0, 0, 40, 1])],
        false => &[(3, [0, 0, 50, 1])],
    };
    let arrays = arrays
        .iter()
        .map(|&(class, numbers)| site(2, class, 300_002, numbers));
    let arrays: Vec<Vec<u8>> = arrays.collect();
    let count = u32::try_from(2 + arrays.len()).unwrap();
    let sums = [&[0; 6][..], &n(800), &n(8), &id(1200), &id(12)].concat();
    record(
        0x06,
        &[
            &sums,
            &n(count),
            &site(10, 2, 300_001, [600, 6, 900, 9]),
            &site(0, 1, 300_002, [200, 2, 300, 3]),
            &arrays.concat(),
        ],
    );
    record(0x0b, &[&n(200_001)]);
    record(
        0x0d,
        &[&n(12), &n(2), &n(7), &n(300_001), &n(2), &n(300_003)],
    );
    record(0x0e, &[&n(3), &[0, 4]]);
    bytes
}

fn merged(folder: &Path, file: &str, kind: &str) -> String {
    let xrun = Command::new(env!("CARGO_BIN_EXE_xrun"))
        .args([
            "merge",
            "--force",
            "-o",
            "all.collapsed",
            "--kind",
            kind,
            file,
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(xrun.status.success() && xrun.stderr.is_empty(), "{xrun:?}");
    let text = fs::read_to_string(folder.join("all.collapsed")).unwrap();
    text.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn text_and_binary_say_the_same() {
    let folder = Folder::new(&std::env::temp_dir(), "xrun-old-profiles-").unwrap();
    let folder = folder.path();
    fs::write(folder.join("java.hprof.txt"), TEXT).unwrap();
    fs::write(folder.join("java.hprof"), binary(true)).unwrap();
    fs::write(folder.join("java6.hprof"), binary(false)).unwrap();
    let of_one = "[main];a.Main.main;a.Main.<init>;new a.Main[] 50\n";
    let of_two = "[main];a.Main.main;a.Main.<init>;new a.Main[][] 40\n";
    for (file, arrays) in [
        ("java.hprof.txt", String::new()),
        ("java.hprof", format!("{of_one}{of_two}")),
        ("java6.hprof", of_one.to_owned()),
    ] {
        for (kind, stacks) in [
            (
                "CPU samples",
                "(below the cutoff) 3\n[HPROF gc_finish watcher] 2\n[main];a.Main.main;a.Main.work 7\n",
            ),
            (
                "Allocated",
                &format!(
                    "[main];a.Main.main;a.Main.<init>;new a.Main 300\n{arrays}\
                     [main];a.Main.main;a.Main.work;new int[] 900\n"
                ),
            ),
            (
                "Live objects",
                "[main];a.Main.main;a.Main.<init>;new a.Main 2\n\
                 [main];a.Main.main;a.Main.work;new int[] 6\n",
            ),
        ] {
            assert_eq!(merged(folder, file, kind), stacks, "{file}: {kind}");
        }
    }
}
