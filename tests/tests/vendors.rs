//! Four agents of "vendors" who had nothing but the specification's text: a sampling
//! explorer in C, an instrumenting tool in C++, a heap profiler in C, a visualiser of
//! object lifetimes in C++. They run unchanged, and what they find wrong with the host
//! is what MATRIX.md says of it.

use xrun_tests::census::Said;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::run::{Java, Run};

fn run(jdk: &Jdk, agent: &str, options: &str) -> Run {
    let plain = Java::of(jdk).main("Busy").run().exits(0);
    let run = Java::with_helper(jdk, agent, options)
        .main("Busy")
        .run()
        .exits(0);
    assert_eq!(run.stdout, plain.stdout, "{run}");
    run
}

/// The lines under the report's heading FINDINGS.
fn findings(report: &str) -> Vec<&str> {
    let start = report.find("FINDINGS").expect("a report with findings");
    report[start..].lines().skip(1).collect()
}

#[test]
fn sampling_explorer() {
    each_jdk(|jdk| {
        let run = run(jdk, "vendor1", "out=report.txt,depth=20");
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
    });
}

#[test]
fn instrumenting_tool() {
    each_jdk(|jdk| {
        let run = run(jdk, "vendor2", "report=report.txt,instrument=Busy");
        let report = run.file("report.txt");
        let categories: Vec<&str> = findings(&report)
            .into_iter()
            .filter_map(|line| line.trim().strip_prefix('[')?.split(']').next())
            .collect();
        // Classes without a hook or never linked, and a class whose fields the VM hides; and
        // what its own thread asks for while the handler of JVM_SHUT_DOWN waits for that.
        for category in categories {
            let documented = ["nohook", "noload", "fields", "request"];
            assert!(documented.contains(&category), "{category}\n{report}");
        }
        let asked = report.contains("[request]");
        assert!(!asked || report.contains("[request] 1\n"), "{report}");
        assert!(report.contains("Busy"), "{report}");
    });
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

/// Runs the allocation storm under each of these settings of the shim
/// and compares what it found wrong, and what it counted.
///
/// `at_the_end`: what its own thread asks for while the handler of JVM_SHUT_DOWN waits for that,
/// and how many there may be.
fn storm(agent: &str, options: &str, word: &str, documented: &[&str], at_the_end: &[(&str, u64)]) {
    each_jdk(|jdk| {
        for settings in ["", "arenas=two-space", "arenas=generational,ids=renumber"] {
            let run = Java::with_helper(jdk, agent, &format!("file=report.txt{options}"))
                .env("JVMPI_OPTIONS", settings)
                .arg("-Xmx32m")
                .main("AllocStorm 2 60 churn")
                .limit(120)
                .run()
                .exits(0);
            let report = run.file("report.txt");
            for (what, count) in counted(&report, word) {
                let mut last = at_the_end.iter();
                assert!(
                    documented.contains(&what)
                        || last.any(|&(late, most)| late == what && count <= most),
                    "{what} {count} with `{settings}`\n{report}"
                );
            }
            let said = Said::read(&run.stdout);
            let made = said.made["AllocStorm$Node"];
            let class = format!("class AllocStorm$Node {} {made} ", column(agent));
            assert!(
                report.contains(&class),
                "{class} with `{settings}`\n{report}"
            );
        }
    });
}

/// What the agent calls the number of allocations.
fn column(agent: &str) -> &'static str {
    if agent == "vendor3" { "allocs" } else { "born" }
}

/// It finds unknown: the object of the main thread and of threads that attach, whose
/// OBJECT_ALLOC follows their THREAD_START; and the class of `java.lang.Class`, which
/// is NULL so that agents that go from class to class come to an end.
#[test]
fn heap_profiler() {
    storm(
        "vendor3",
        ",interval=50",
        "anomaly ",
        &["unknown_objects", "null_ids"],
        &[
            ("failed_requests_object_alloc", 2),
            ("rungc_without_gc_events", 1),
        ],
    );
}

/// It holds against us that class objects have no OBJECT_ALLOC of their own.
#[test]
fn lifetime_visualiser() {
    storm(
        "vendor4",
        "",
        "check ",
        &["ref_to_unseen_object", "death_of_unknown_id"],
        &[],
    );
}
