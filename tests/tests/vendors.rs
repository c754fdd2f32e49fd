//! Four agents of "vendors" who had nothing but the specification's text: a sampling
//! explorer in C, an instrumenting tool in C++, a heap profiler in C, a visualiser of
//! object lifetimes in C++. They run unchanged, and what they find wrong with the host
//! is what MATRIX.md says of it: in the VM's process, and built for 32 bits in one of their own.

use xrun_tests::census::Said;
use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk, not_run, on_jdk_if};
use xrun_tests::long;
use xrun_tests::product;
use xrun_tests::programs::program;
use xrun_tests::run::{Java, Run, agent_path};

/// Starts a program with an agent and its options.
type With = fn(&Jdk, &str, &str) -> Java;

/// Built for 32 bits, beside a VM of 64.
fn beside(jdk: &Jdk, agent: &str, options: &str) -> Java {
    let library = fixture::native_as(agent, &format!("lib{agent}.so"), &["-m32"]);
    let words = format!("{}:{options}", library.display());
    Java::of(jdk).arg(agent_path(&product::shim(), &words))
}

fn runs_beside(_: &Jdk) -> Result<(), String> {
    product::agent_of_32_bits("check")?;
    fixture::compiles_for_32_bits()
}

fn run(jdk: &Jdk, java: Java) -> Run {
    let plain = Java::of(jdk).main("Busy").run().exits(0);
    let run = java.main("Busy").limit(120).run().exits(0);
    assert_eq!(run.stdout, plain.stdout, "{run}");
    run
}

/// The lines under the report's heading FINDINGS.
fn findings(report: &str) -> Vec<&str> {
    let start = report.find("FINDINGS").expect("a report with findings");
    report[start..].lines().skip(1).collect()
}

fn explores(jdk: &Jdk, with: With) {
    let run = run(jdk, with(jdk, "vendor1", "out=report.txt,depth=20"));
    let report = run.file("report.txt");
    assert!(report.contains("final report"), "{report}");
    assert!(report.contains("Busy.fib"), "{report}");
    for finding in findings(&report) {
        for wrong in ["unknown method", "unknown class", "twice", "alive"] {
            assert!(
                !finding.contains(wrong) || finding.contains("shutdown"),
                "{finding}\n{report}"
            );
        }
    }
}

#[test]
fn sampling_explorer() {
    each_jdk(|jdk| explores(jdk, Java::with_helper));
}

fn instruments(jdk: &Jdk, with: With) {
    let run = run(
        jdk,
        with(jdk, "vendor2", "report=report.txt,instrument=Busy"),
    );
    let report = run.file("report.txt");
    let categories: Vec<&str> = findings(&report)
        .into_iter()
        .filter_map(|line| line.trim().strip_prefix('[')?.split(']').next())
        .collect();
    // Classes without a hook or never linked, and a class whose fields the VM hides; and
    // what its own thread has asked for when the handler of JVM_SHUT_DOWN begins.
    for category in categories {
        let documented = ["nohook", "noload", "fields", "request"];
        assert!(documented.contains(&category), "{category}\n{report}");
    }
    let asked = report.contains("[request]");
    assert!(!asked || report.contains("[request] 1\n"), "{report}");
    assert!(report.contains("Busy"), "{report}");
}

#[test]
fn instrumenting_tool() {
    each_jdk(|jdk| instruments(jdk, Java::with_helper));
}

/// What a report counts under `word`, zeroes aside.
fn counted<'report>(report: &'report str, word: &str) -> Vec<(&'report str, u64)> {
    report
        .lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix(word)?.split_whitespace();
            Some((words.next()?, words.next()?.parse().ok()?))
        })
        .filter(|&(_, count)| count > 0)
        .collect()
}

/// Who watches objects, and what it says of them.
struct Watcher {
    agent: &'static str,
    options: &'static str,
    /// In front of what it counts as wrong.
    word: &'static str,
    documented: &'static [&'static str],
    /// What its own thread has asked for when the handler of JVM_SHUT_DOWN begins, and how many there may be.
    at_the_end: &'static [(&'static str, u64)],
    /// What it calls the number of allocations.
    column: &'static str,
}

/// Runs an allocation storm, and looks at what it found wrong, and what it counted.
fn storm(jdk: &Jdk, with: With, watcher: &Watcher, settings: &str, objects: u32) {
    let run = with(jdk, watcher.agent, watcher.options)
        .env("JVMPI_OPTIONS", settings)
        .arg("-Xmx32m")
        .main(&format!("AllocStorm 2 {objects} churn"))
        .limit(120)
        .run()
        .exits(0);
    let report = run.file("report.txt");
    nothing_else_is_wrong(watcher, &report, settings);
    let said = Said::read(&run.stdout);
    let made = said.made["AllocStorm$Node"];
    let class = format!("class AllocStorm$Node {} {made} ", watcher.column);
    assert!(
        report.contains(&class),
        "{class} with `{settings}`\n{report}"
    );
}

fn nothing_else_is_wrong(watcher: &Watcher, report: &str, how: &str) {
    for (what, count) in counted(report, watcher.word) {
        let mut last = watcher.at_the_end.iter();
        assert!(
            watcher.documented.contains(&what)
                || last.any(|&(late, most)| late == what && count <= most),
            "{what} {count} with `{how}`\n{report}"
        );
    }
}

fn storms(watcher: &Watcher) {
    each_jdk(|jdk| {
        for settings in ["", "arenas=two-space", "arenas=generational,ids=renumber"] {
            storm(jdk, Java::with_helper, watcher, settings, 60);
        }
    });
}

/// It finds unknown: the object of the main thread and of threads that attach, whose
/// OBJECT_ALLOC follows their THREAD_START; and the class of `java.lang.Class`, which
/// is NULL so that agents that go from class to class come to an end.
const HEAP_PROFILER: Watcher = Watcher {
    agent: "vendor3",
    options: "file=report.txt,interval=50",
    word: "anomaly ",
    documented: &["unknown_objects", "null_ids"],
    at_the_end: &[
        ("failed_requests_object_alloc", 2),
        ("rungc_without_gc_events", 1),
    ],
    column: "allocs",
};

/// It holds against us that class objects have no OBJECT_ALLOC of their own.
const LIFETIME_VISUALISER: Watcher = Watcher {
    agent: "vendor4",
    options: "file=report.txt",
    word: "check ",
    documented: &["ref_to_unseen_object", "death_of_unknown_id"],
    at_the_end: &[],
    column: "born",
};

#[test]
fn heap_profiler() {
    storms(&HEAP_PROFILER);
}

#[test]
fn lifetime_visualiser() {
    storms(&LIFETIME_VISUALISER);
}

#[test]
fn sampling_explorer_over_the_bridge() {
    on_jdk_if(17, runs_beside, |jdk| explores(jdk, beside));
}

#[test]
fn instrumenting_tool_over_the_bridge() {
    on_jdk_if(25, runs_beside, |jdk| instruments(jdk, beside));
}

#[test]
fn heap_profiler_over_the_bridge() {
    on_jdk_if(25, runs_beside, |jdk| {
        storm(jdk, beside, &HEAP_PROFILER, "", 10)
    });
}

#[test]
fn lifetime_visualiser_over_the_bridge() {
    on_jdk_if(17, runs_beside, |jdk| {
        storm(
            jdk,
            beside,
            &LIFETIME_VISUALISER,
            "arenas=generational,ids=renumber",
            10,
        );
    });
}

/// Programs that people run, with those of the agents that are told of each object.
#[test]
fn real_programs_over_the_bridge() {
    if !long() {
        return not_run("real programs", "XRUN_LONG has them");
    }
    on_jdk_if(17, runs_beside, |jdk| {
        for name in ["h2", "fop", "javac"] {
            for watcher in [&HEAP_PROFILER, &LIFETIME_VISUALISER] {
                let java = Java::of(jdk).limit(1800);
                let Ok(real) = program(name, jdk, java.folder()) else {
                    not_run(name, "it is not installed");
                    continue;
                };
                let plain = java.args(real.words).run().exits(0);
                let java = beside(jdk, watcher.agent, watcher.options).limit(1800);
                let real = program(name, jdk, java.folder()).expect("as before");
                let run = java.args(real.words).run().exits(0);
                assert_eq!(run.stdout, plain.stdout, "{name}: {run}");
                let report = run.file("report.txt");
                nothing_else_is_wrong(watcher, &report, name);
                let lines = report.lines().count();
                eprintln!("{name}, {}, {:?}: {lines} lines", watcher.agent, run.took);
                assert!(lines > 50, "{report}");
            }
        }
    });
}
