//! HotSpot's internals, as if each of them were missing: agents go on without.

use std::collections::BTreeSet;

use event_translate::internals::{Internal, Proof};
use xrun_tests::collector::dealt;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::report::field;
use xrun_tests::run::{Java, Run, agent_path};
use xrun_tests::{long, product};

pub(crate) const SAYS: &str = "61 entries, 2 errors, 8 frames\n";

/// Runs the program with an agent, while the VM is `without` some of its internals.
fn run(jdk: &Jdk, without: &str, agent: &str) -> Run {
    let between = if without.is_empty() { "" } else { ",without=" };
    let options = format!("log=info{between}{without}");
    let java = Java::of(jdk).arg(agent_path(&product::shim(), &options));
    // Or the VM has as many threads that compile as it has to do just now.
    let java = java.arg("-XX:-UseDynamicNumberOfCompilerThreads");
    let run = java.arg(agent).main("Internals").limit(120).run();
    run.exits(0).says(SAYS)
}

/// What the log says is not used.
fn missing(run: &Run) -> BTreeSet<&str> {
    let lines = run.stderr.lines();
    let said = lines.filter_map(|line| line.split_once("not used of this VM: "));
    said.filter_map(|(_, line)| line.split(' ').next())
        .collect()
}

/// Events of which there are some.
fn kinds(report: &str) -> BTreeSet<String> {
    let line = report.lines().find(|line| line.starts_with("events "));
    let words = line.unwrap_or_default().split_whitespace().skip(1);
    words
        .filter_map(|word| Some(word.split_once('=')?.0.to_owned()))
        .collect()
}

fn number(report: &str, line: &str, key: &str) -> i64 {
    let line = report.lines().find(|found| found.starts_with(line));
    line.and_then(|line| field(line, key)?.parse().ok())
        .unwrap_or_else(|| panic!("{key} in\n{report}"))
}

pub(crate) const CHECK: &str = "-Xrunjvmpi_check:file=report.txt,dump=20,rungc=40,heap";
pub(crate) const HPROF: &str =
    "-Xrunhprof:cpu=samples,interval=5,monitor=y,heap=all,thread=y,file=profile";

/// Events that the program leads to each time.
const KINDS: [&str; 20] = [
    "CLASS_LOAD",
    "CLASS_LOAD_HOOK",
    "COMPILED_METHOD_LOAD",
    "GC_FINISH",
    "GC_START",
    "JVM_INIT_DONE",
    "JVM_SHUT_DOWN",
    "METHOD_ENTRY",
    "METHOD_ENTRY2",
    "METHOD_EXIT",
    "MONITOR_CONTENDED_ENTER",
    "MONITOR_CONTENDED_ENTERED",
    "MONITOR_CONTENDED_EXIT",
    "MONITOR_WAIT",
    "MONITOR_WAITED",
    "OBJECT_ALLOC",
    "OBJECT_FREE",
    "REQ:HEAP_DUMP",
    "REQ:MONITOR_DUMP",
    "REQ:OBJECT_ALLOC",
];

/// What cannot do its work without what it is found by.
fn lost_with(internal: Internal) -> &'static [&'static str] {
    match internal {
        Internal::Structures => &[
            "thread-number",
            "thread-state",
            "pending-exception",
            "contended-monitor",
            "own-stacks",
            "own-frames",
            "flags",
            "collections",
        ],
        Internal::ThreadEnv => &[
            "thread-number",
            "thread-state",
            "pending-exception",
            "contended-monitor",
            "own-stacks",
            "own-frames",
        ],
        _ => &[],
    }
}

fn expected<'a>(jdk: &Jdk, names: &'a str) -> BTreeSet<&'a str> {
    let mut expected = BTreeSet::new();
    for &internal in Internal::ALL {
        let row = internal.row();
        let is_new = !internal.may_be_tried(jdk.major.cast_signed());
        let untried = is_new || names == "untried" && row.proof == Proof::KnownJdks;
        if untried || names.split('+').any(|name| name == row.name) {
            expected.insert(row.name);
            expected.extend(lost_with(internal));
        }
    }
    if jdk.major >= 26 {
        // Ids of methods lead nowhere there (JVMTI facts 27).
        expected.extend(["hidden-frames", "own-frames"]);
    }
    expected
}

/// All events, dumps and requests, with the judge, which finds nothing wrong. How many threads
/// have begun, which are fewer than the `usual` ones if those of the VM's own are not known.
fn with_the_judge(jdk: &Jdk, without: &str, usual: Option<i64>) -> i64 {
    let run = run(jdk, without, CHECK);
    let mut expected = expected(jdk, without);
    // Looked for where no event names objects by reference: `objects::ids_that_are_asked_for_late`.
    expected.remove("weak-slots");
    // Looked for where an agent wants it: `hprof_readers::vm_dumps`.
    expected.remove("heap-dumper");
    // Looked for where an agent comes late: `attaching::stacks_keep_their_guards`.
    expected.remove("library-loader");
    if jdk.major < 16 {
        // There it is not looked for.
        expected.remove("service-thread");
    }
    if jdk.major < 21 {
        expected.remove("mounts");
    }
    if jdk.major < 22 {
        expected.remove("virtual-thread-makers");
    }
    assert_eq!(missing(&run), expected, "{without}: {run}");
    let report = run.file("report.txt");
    let sizes = ["performance-memory", "heap-space"];
    let no_sizes = sizes.iter().all(|name| expected.contains(name));
    let mut broken = report.lines().filter(|line| line.starts_with("VIOLATION"));
    // A heap of no bytes.
    let allowed = |line: &str| no_sizes && line.starts_with("VIOLATION R22 ");
    assert!(broken.all(allowed), "{without}: {report}\n{run}");
    let kinds = kinds(&report);
    let told = KINDS.iter().all(|&kind| kinds.contains(kind));
    assert!(told, "{without}: {KINDS:?}\n{report}");
    assert!(number(&report, "dumps=", "java") > 0, "{without}: {report}");
    let records = number(&report, "heap dumps", "records");
    assert!(records > 1000, "{without}: {report}");
    let total = number(&report, "gc_info", "total_space");
    assert_eq!(total == 0, no_sizes, "{without}: {report}");
    let threads = number(&report, "threads start", "start");
    if let Some(usual) = usual {
        // They are older than the agent, and never call.
        let unknown = expected.contains("thread-env");
        assert_eq!(
            threads + 2 <= usual,
            unknown,
            "{usual}, {without}: {report}"
        );
    }
    threads
}

fn with_hprof(jdk: &Jdk, without: &str) {
    let run = run(jdk, without, HPROF);
    assert!(
        missing(&run).is_subset(&expected(jdk, without)),
        "{without}: {run}"
    );
    assert_whole_profile(&run, without);
}

/// HPROF has written all that it was asked for.
pub(crate) fn assert_whole_profile(run: &Run, what: &str) {
    let profile = run.file("profile");
    for text in [
        "Internals.busy(",
        "MONITOR TIME BEGIN",
        "MONITOR DUMP BEGIN",
        "SITES BEGIN",
        "HEAP DUMP BEGIN",
        "name=\"busy\"",
    ] {
        assert!(profile.contains(text), "{what}: no {text}\n{run}");
    }
}

/// Without each of them, and without all that a JDK which nobody knows yet cannot be trusted with.
#[test]
fn each_can_be_missing() {
    product::agent("check");
    product::hprof();
    each_jdk(|jdk| {
        let names = Internal::ALL.iter().map(|it| it.row().name);
        let every = names.clone().collect::<Vec<_>>().join("+");
        let usual = with_the_judge(jdk, "", None);
        with_hprof(jdk, "");
        let all: Vec<_> = names.chain(["untried", &every]).collect();
        for (number, without) in dealt(jdk, &all) {
            with_the_judge(jdk, without, Some(usual));
            // A quarter of them on each JDK, another one on the next.
            if long() || (number + jdk.major as usize / 5).is_multiple_of(4) {
                with_hprof(jdk, without);
            }
        }
    });
}

/// ProfilerExit ends the program with its code, by the VM's own halt or not.
#[test]
fn an_exit_without_the_vms_own() {
    each_jdk(|jdk| {
        for (from, code, stdout) in [("init", 12, ""), ("start", 14, "begin\n")] {
            let java = Java::with_helper(jdk, "fn_exit", from);
            let java = java.env("JVMPI_OPTIONS", "log=info,without=halt");
            let run = java.main("Plain").run().exits(code).says(stdout);
            assert!(missing(&run).contains("halt"), "{run}");
            assert_eq!(run.file("buffered.txt"), "buffered\n", "{run}");
        }
    });
}

/// Where the VM has bound Thread.sleep before us, its wrapper calls what libjvm exports; without
/// that the program sleeps, and the agent hears nothing of it.
#[test]
fn sleep_without_the_vms_own() {
    product::agent("trace");
    each_jdk(|jdk| {
        for (without, told) in [("", true), (",without=sleep", false)] {
            let agent = "-Xrunjvmpi:jvmpi_trace:file=trace.txt,none,+MONITOR_WAIT";
            let java = Java::of(jdk).env("JVMPI_OPTIONS", format!("log=info{without}"));
            let run = java.arg(agent).main("Internals").run().exits(0).says(SAYS);
            let trace = run.file("trace.txt");
            let sleeps = trace
                .lines()
                .filter(|line| line.contains("obj=(nil) timeout=100"));
            // Nothing of it can be tried on a JDK that is too new.
            let told = told && Internal::Sleep.may_be_tried(jdk.major.cast_signed());
            assert_eq!(sleeps.count() > 0, told, "{run}\n{trace}");
            assert_eq!(missing(&run).contains("sleep"), !told, "{run}");
        }
    });
}
