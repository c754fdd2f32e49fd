//! What fits is read; every single change is found.

use super::{read, read_old};

const WHOLE: &str = "\
JAVA PROFILE 1.0.1, created Sat Nov 21 21:30:05 2026

Some prose.

--------

THREAD START (obj=1a0, id = 1, name=\"main\", group=\"main\")
THREAD START (obj=1b0, id = 2, name=\"a \"b\", (c)\", group=\"x\")
TRACE 1:
\t<empty>
TRACE 2: (thread=1)
\ta.Main.<init>(Main.java:7)
\ta.Main.main(<Unknown>:Unknown line)
\tjava.lang.Thread.run(Thread.java:Native method)
THREAD END (id = 2)
THREADS LEFT OUT: 7 virtual ones that have ended and that nothing here names
SITES BEGIN (ordered by live bytes) Sun Nov  1 01:02:03 2026
          percent         live       alloc'ed  stack class
 rank   self  accum    bytes objs   bytes objs trace name
    1 66.67% 66.67%     2000   10    2000   10     2 [C
    2 33.33% 100.00%     1000 1000 12345678 20000     1 java.lang.Object
SITES END
CPU SAMPLES BEGIN (total = 4) Sat Nov 21 21:30:05 2026
rank   self  accum   count trace method
   1 75.00% 75.00%       3     2 a.Main.<init>
   2 25.00% 100.00%       1     1 <empty trace>
CPU SAMPLES END
CPU TIME (ms) BEGIN (total = 40) Sat Nov 21 21:30:05 2026
rank   self  accum   count trace method
   1 90.00% 90.00%      17     2 a.Main.<init>
CPU TIME (ms) END
MONITOR TIME BEGIN (total = 12 ms) Sat Nov 21 21:30:05 2026
rank   self  accum   count trace monitor
   1 80.00% 80.00%       5     2 java.lang.Object(1c0) (Java)
   2 20.00% 100.00%       1     2 \"a lock\"(7f00) (Raw)
MONITOR TIME END
MONITOR DUMP BEGIN
    THREAD 1, trace 2, status: R
    THREAD 2, trace 1, status: S|intr|MW
    MONITOR java.lang.Object(1c0) unowned
    MONITOR java.lang.Object(1d0)
\towner: thread 1, entry count: 2
\twaiting to enter: thread 2, thread 1
\twaiting to be notified: thread 2
    RAW MONITOR \"a lock\"(0x7f00) unowned
MONITOR DUMP END
HEAP DUMP BEGIN (3 objects, 80 bytes) Sat Nov 21 21:30:05 2026
ROOT 1a0 (kind=<thread>, id=1, trace=2)
ROOT 1c0 (kind=<JNI global ref>, id=77, trace=2)
ROOT 1a0 (kind=<Java stack>, thread=1, frame=-1)
ROOT 1a0 (kind=<JNI local ref>, thread=1, frame=0)
ROOT 1d0 (kind=<system class>, name=java.lang.Object)
ROOT 1a0 (kind=<native stack>, thread=1)
ROOT 1a0 (kind=<busy monitor>)
CLS 1d0 (name=java.lang.Object, trace=1)
CLS 1e0 (name=a.Main, trace=1)
\tsuper\t\t1d0
\tloader\t\t1c0
\tconstant[12]\t1c0
\tstatic instance\t1a0
OBJ 1a0 (sz=32, trace=2, class=a.Main@1e0)
\tnext\t\t1c0
\tlong_name_of_it\t1a0
OBJ 1c0 (sz=16, trace=1, class=java.lang.Object@1d0)
ARR 1f0 (sz=32, trace=2, nelems=3, elem type=java.lang.Object@1d0)
\t[2]\t\t1c0
HEAP DUMP END
";

const OLD: &str = "\
count callee caller time
12 a.Main.work()V a.Main.main([Ljava/lang/String;)V 5
1 <unknown callee> <unknown caller> 0
";

#[test]
fn what_fits_is_read() {
    let ascii = read(WHOLE).unwrap();
    assert_eq!(ascii.prelude, ["Some prose."]);
    assert_eq!(ascii.threads[&2].name, "a \"b\", (c)");
    assert!(ascii.threads[&2].ended && !ascii.threads[&1].ended);
    let trace = &ascii.traces[&2];
    assert_eq!((trace.thread, trace.frames.len()), (Some(1), 3));
    assert_eq!(
        trace
            .frames
            .iter()
            .map(|frame| frame.line)
            .collect::<Vec<_>>(),
        [7, -1, -3]
    );
    assert_eq!(ascii.sites[0].rows[1].allocated_objects, 20000);
    assert_eq!(ascii.cpu[0].rows[0].count, 3);
    assert!(ascii.cpu[1].times);
    assert_eq!(
        (ascii.locks[0].rows[1].raw, ascii.locks[0].rows[1].id),
        (true, 0x7f00)
    );
    assert_eq!(ascii.monitors[0].monitors[1].entering, [2, 1]);
    let heap = &ascii.heaps[0];
    assert_eq!(
        heap.classes[&0x1e0].references[3],
        ("instance".to_owned(), 0x1a0)
    );
    assert_eq!(heap.instances[&0x1a0].references.len(), 2);
    assert_eq!(heap.arrays[&0x1f0].references, [("2".to_owned(), 0x1c0)]);
    let calls = read_old(OLD).unwrap();
    assert_eq!(
        (calls[0].count, calls[1].callee.as_str()),
        (12, "<unknown callee>")
    );
}

#[test]
fn a_file_without_a_dump_fits() {
    let (head, _) = WHOLE.split_once("THREAD").unwrap();
    assert!(read(head).is_ok());
}

/// Each line of a file left out, written twice, cut, lengthened at its end and at its first
/// blank. What is still accepted is another file that fits.
#[test]
fn every_change_of_a_line_is_found() {
    let lines: Vec<&str> = WHOLE.lines().collect();
    let mut accepted = String::new();
    for (at, line) in lines.iter().enumerate() {
        let cut = line.get(..line.len().saturating_sub(1)).unwrap_or_default();
        for (how, changed) in [
            ("left out", String::new()),
            ("twice", format!("{line}\n{line}\n")),
            ("cut", format!("{cut}\n")),
            ("blank at the end", format!("{line} \n")),
            ("blank", format!("{}\n", line.replacen(' ', "  ", 1))),
        ] {
            if changed == format!("{line}\n") {
                continue;
            }
            let part = |lines: &[&str]| {
                lines
                    .iter()
                    .map(|line| format!("{line}\n"))
                    .collect::<String>()
            };
            let text = part(&lines[..at]) + &changed + &part(&lines[at + 1..]);
            if read(&text).is_ok() {
                accepted += &format!("{how}: {}\n", line.trim_start());
            }
        }
    }
    assert_eq!(accepted, ACCEPTED);
}

const ACCEPTED: &str = "\
twice: 
twice: Some prose.
cut: Some prose.
blank at the end: Some prose.
blank: Some prose.
twice: 
twice: a.Main.<init>(Main.java:7)
left out: a.Main.main(<Unknown>:Unknown line)
twice: a.Main.main(<Unknown>:Unknown line)
left out: java.lang.Thread.run(Thread.java:Native method)
twice: java.lang.Thread.run(Thread.java:Native method)
left out: THREAD END (id = 2)
left out: THREADS LEFT OUT: 7 virtual ones that have ended and that nothing here names
cut: 1 66.67% 66.67%     2000   10    2000   10     2 [C
left out: 2 33.33% 100.00%     1000 1000 12345678 20000     1 java.lang.Object
cut: 2 33.33% 100.00%     1000 1000 12345678 20000     1 java.lang.Object
left out: 2 25.00% 100.00%       1     1 <empty trace>
left out: 1 90.00% 90.00%      17     2 a.Main.<init>
left out: 2 20.00% 100.00%       1     2 \"a lock\"(7f00) (Raw)
left out: THREAD 1, trace 2, status: R
left out: THREAD 2, trace 1, status: S|intr|MW
left out: MONITOR java.lang.Object(1c0) unowned
left out: waiting to enter: thread 2, thread 1
left out: waiting to be notified: thread 2
left out: RAW MONITOR \"a lock\"(0x7f00) unowned
left out: ROOT 1a0 (kind=<thread>, id=1, trace=2)
twice: ROOT 1a0 (kind=<thread>, id=1, trace=2)
left out: ROOT 1c0 (kind=<JNI global ref>, id=77, trace=2)
twice: ROOT 1c0 (kind=<JNI global ref>, id=77, trace=2)
left out: ROOT 1a0 (kind=<Java stack>, thread=1, frame=-1)
twice: ROOT 1a0 (kind=<Java stack>, thread=1, frame=-1)
left out: ROOT 1a0 (kind=<JNI local ref>, thread=1, frame=0)
twice: ROOT 1a0 (kind=<JNI local ref>, thread=1, frame=0)
left out: ROOT 1d0 (kind=<system class>, name=java.lang.Object)
twice: ROOT 1d0 (kind=<system class>, name=java.lang.Object)
left out: ROOT 1a0 (kind=<native stack>, thread=1)
twice: ROOT 1a0 (kind=<native stack>, thread=1)
left out: ROOT 1a0 (kind=<busy monitor>)
twice: ROOT 1a0 (kind=<busy monitor>)
left out: super\t\t1d0
left out: loader\t\t1c0
left out: constant[12]\t1c0
left out: static instance\t1a0
left out: next\t\t1c0
twice: next\t\t1c0
left out: long_name_of_it\t1a0
twice: long_name_of_it\t1a0
left out: ARR 1f0 (sz=32, trace=2, nelems=3, elem type=java.lang.Object@1d0)
left out: [2]\t\t1c0
";

/// Figures that contradict each other.
#[test]
fn every_change_of_a_figure_is_found() {
    for (from, to) in [
        (
            "Sat Nov 21 21:30:05 2026\n\nS",
            "Sun Nov 21 21:30:05 2026\n\nS",
        ),
        ("Nov  1", "Nov 01"),
        ("id = 2, name", "id = 1, name"),
        ("TRACE 2", "TRACE 1"),
        ("(thread=1)", "(thread=3)"),
        ("\t<empty>\n", ""),
        ("Main.java:7", "Main.java:0"),
        ("Main.java:7", "Main.java:-1"),
        ("obj=1a0", "obj=0x1a0"),
        ("obj=1a0", "obj=1A0"),
        ("THREAD END (id = 2)", "THREAD END (id = 3)"),
        ("    2 33.33%", "    3 33.33%"),
        ("33.33% 100.00%", "33.33% 99.00%"),
        ("66.67% 66.67%", "33.33% 33.33%"),
        ("1000 1000 12345678 20000", "1000 1000     900 20000"),
        (" 20000     1", " 20000     9"),
        ("75.00% 75.00%       3", "75.00% 75.00%       2"),
        ("2 a.Main.<init>\n   2", "2 a.Main.main\n   2"),
        ("(total = 4)", "(total = 5)"),
        ("<empty trace>", "a.Main.main"),
        ("(1c0) (Java)", "(0x1c0) (Java)"),
        ("status: R", "status: X"),
        ("entry count: 2", "entry count: 0"),
        ("THREAD 2, trace", "THREAD 3, trace"),
        ("(0x7f00)", "(7f00)"),
        ("(3 objects", "(2 objects"),
        ("(3 objects", "(9 objects"),
        ("80 bytes", "79 bytes"),
        ("class=a.Main@1e0", "class=a.Main@1e1"),
        ("\tnext\t\t1c0", "\tnext\t\t1c1"),
        ("\tnext\t\t1c0", "\tnext\t\t0"),
        ("\tnext\t\t1c0", "\tnext 1c0"),
        ("[2]", "[3]"),
        ("kind=<busy monitor>", "kind=<busy>"),
        ("HEAP DUMP END\n", "HEAP DUMP END"),
    ] {
        assert!(WHOLE.contains(from), "{from}");
        assert!(
            read(&WHOLE.replacen(from, to, 1)).is_err(),
            "accepted: {from} as {to}"
        );
    }
    for (from, to) in [
        (" 5\n", "\n"),
        ("a.Main.work()V", "work"),
        ("12", "012"),
        ("count callee caller time\n", ""),
    ] {
        assert!(
            read_old(&OLD.replacen(from, to, 1)).is_err(),
            "accepted: {from} as {to}"
        );
    }
}
