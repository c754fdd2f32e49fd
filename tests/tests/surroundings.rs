//! The same program with the judge and with HPROF where something is not to be had, and with what a VM
//! can be asked for: one row each. Full disks of HPROF's: `hprof::trouble_with_the_output_is_one_line`.

use std::process::Command;

use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk, on_jdk};
use xrun_tests::run::{Java, Run, agent_path, output};
use xrun_tests::{long, product};

use crate::internals::{self, CHECK, HPROF, SAYS};

/// What one run is made in.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    /// The first JDK that has it.
    from: u32,
    /// For the VM.
    flags: &'static [&'static str],
    /// A line of shell that starts `"$@"`; `$HARSH` is `agents/harsh.c`.
    shell: &'static str,
}

const fn without(name: &'static str, shell: &'static str) -> Row {
    Row {
        name,
        from: 0,
        flags: &[],
        shell,
    }
}

const fn with(name: &'static str, from: u32, flags: &'static [&'static str]) -> Row {
    Row {
        name,
        from,
        flags,
        shell: "exec \"$@\"",
    }
}

const FAULTS: &[Row] = &[
    without("no membarrier", "exec \"$HARSH\" membarrier -- \"$@\""),
    without(
        "no perf_event_open",
        "exec \"$HARSH\" perf_event_open -- \"$@\"",
    ),
    without("no rseq", "exec \"$HARSH\" rseq -- \"$@\""),
    without("no memfd_create", "exec \"$HARSH\" memfd_create -- \"$@\""),
    without(
        "1100 descriptors taken",
        "exec \"$HARSH\" descriptors -- \"$@\"",
    ),
    without(
        "SIGPROF blocked and ignored",
        "exec \"$HARSH\" sigprof -- \"$@\"",
    ),
    without("no HOME", "exec env -u HOME \"$@\""),
    without("6 GB of addresses", "ulimit -v 6000000; exec \"$@\""),
];

const BESIDE: &[Row] = &[
    with("no class archive", 0, &["-Xshare:off"]),
    with("interpreter only", 0, &["-Xint"]),
    with("large pages", 0, &["-XX:+UseLargePages"]),
    with(
        "compact object headers",
        25,
        &["-XX:+UseCompactObjectHeaders"],
    ),
    with(
        "memory given back",
        17,
        &["-XX:+UseZGC", "-XX:+ZUncommit", "-XX:ZUncommitDelay=1"],
    ),
    with(
        "transparent huge pages",
        0,
        &["-XX:+UseTransparentHugePages"],
    ),
];

/// The rows of a JDK: every fourth, others on the next one, or all if the long tests are wanted.
fn rows<'a>(jdk: &Jdk, all: &'a [Row]) -> impl Iterator<Item = &'a Row> {
    let turn = jdk.major as usize / 5;
    let rows = all.iter().filter(move |row| row.from <= jdk.major);
    let rows = rows.enumerate();
    rows.filter(move |(number, _)| long() || (number + turn).is_multiple_of(4))
        .map(|(_, row)| row)
}

fn run(jdk: &Jdk, row: &Row, agent: &str) -> Run {
    let java = Java::of(jdk).arg(agent_path(&product::shim(), ""));
    let java = java.args(row.flags).arg(agent).main("Internals");
    let java = java
        .env("HARSH", fixture::program("harsh"))
        .shell(row.shell);
    java.limit(240).run()
}

/// The program does as without us, the judge finds nothing wrong, and HPROF's profile is whole.
fn assert_works(jdk: &Jdk, row: &Row) {
    let judged = run(jdk, row, CHECK).exits(0);
    assert!(judged.stdout.ends_with(SAYS), "{}: {judged}", row.name);
    let report = judged.file("report.txt");
    assert!(!report.contains("VIOLATION"), "{}: {report}", row.name);
    assert!(report.contains("events "), "{}: {report}", row.name);
    let profiled = run(jdk, row, HPROF).exits(0);
    assert!(profiled.stdout.ends_with(SAYS), "{}: {profiled}", row.name);
    internals::assert_whole_profile(&profiled, row.name);
}

#[test]
fn where_something_is_not_to_be_had() {
    product::agent("check");
    product::hprof();
    each_jdk(|jdk| {
        for row in rows(jdk, FAULTS) {
            assert_works(jdk, row);
        }
    });
}

#[test]
fn beside_what_a_vm_can_be_asked_for() {
    product::agent("check");
    product::hprof();
    each_jdk(|jdk| {
        for row in rows(jdk, BESIDE) {
            assert_works(jdk, row);
        }
    });
}

/// The warnings on stderr that name this file.
fn lines_of<'a>(run: &'a Run, file: &'a str) -> impl Iterator<Item = &'a str> {
    let warnings = run.stderr.lines();
    let warnings = warnings.filter_map(|line| line.strip_prefix("jvmpi: warning: "));
    warnings.filter(move |line| line.starts_with(&format!("{file}=")))
}

/// Of each file of ours that cannot be written, the log's own among them, there is one line.
#[test]
fn a_full_disk_is_a_line_of_each_file() {
    product::agent("counter");
    on_jdk(17, |jdk| {
        let options =
            "log=trace,log-file=/dev/full,usage=/dev/full,check=on,check-report=/dev/full";
        let java = Java::of(jdk).arg(agent_path(&product::shim(), options));
        let java = java.arg("-Xrunjvmpi_counter:file=/dev/null");
        let run = java.main("Hello").run().exits(0);
        for file in ["log-file", "usage", "check-report"] {
            let lines: Vec<_> = lines_of(&run, file).collect();
            let [line] = lines[..] else {
                panic!("{file}: {run}");
            };
            assert!(line.contains("No space left on device"), "{line}");
        }
        // Of the log only warnings.
        assert!(!run.stderr.contains("jvmpi: trace: "), "{run}");
    });
}

/// A recording ends where the disk does, and can be read.
#[test]
fn a_recording_ends_where_the_disk_does() {
    product::agent("trace");
    on_jdk(17, |jdk| {
        let java = Java::of(jdk).arg(agent_path(&product::shim(), "trace=run.rec"));
        let java = java
            .arg("-Xrunjvmpi_trace:file=/dev/null")
            .main("Internals");
        // Of 512 bytes each.
        let run = java.shell("ulimit -f 2000; exec \"$@\"").run();
        let run = run.exits(0).says(SAYS);
        let lines: Vec<_> = lines_of(&run, "trace").collect();
        assert!(
            matches!(lines[..], [line] if line.contains("recording stops here")),
            "{run}"
        );
        let mut stats = Command::new(product::xrun());
        stats
            .args(["trace", "stats"])
            .arg(run.folder().join("run.rec"));
        let stats = output(stats, 60);
        assert!(stats.stdout.contains("CLASS_LOAD"), "{stats}");
    });
}
