//! Two agents of "vendors" who had nothing but the specification's text: a sampling
//! explorer in C and an instrumenting tool in C++. They run unchanged, and what they
//! find wrong with the host is what MATRIX.md says of it.

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
        // Classes without a hook or never linked, a class whose fields the VM
        // hides, and jobject2jobjectID, which is not there yet.
        for category in categories {
            let documented = ["nohook", "noload", "fields", "about"];
            assert!(documented.contains(&category), "{category}\n{report}");
        }
        assert!(report.contains("Busy"), "{report}");
    });
}
