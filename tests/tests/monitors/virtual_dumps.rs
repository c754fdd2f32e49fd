//! MONITOR_DUMP of virtual threads, which JDK 21 pins where they wait and JDK 25 takes off their carriers.

use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::Java;

use super::{Monitor, dumped};

/// Owned, contended, waited on; parked and running: the same, whether they are mounted or not.
#[test]
fn a_dump_of_virtual_threads() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let java = Java::with_helper(jdk, "monitors", "").arg("-Xcheck:jni");
        // For those that are pinned.
        let java = java.arg("-Djdk.virtualThreadScheduler.parallelism=8");
        let run = java.main("VirtualDumped").run().exits(0).says("done\n");
        let report = run.file("report.txt");
        assert_checks(&report, 2);

        let monitors = dumped(&report);
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        for (class, owner, entering, waiting, count) in [
            (
                "Entered",
                "owner",
                &["enters-1", "enters-2"][..],
                &[][..],
                2,
            ),
            ("Kept", "in-wait", &[], &[], 1),
            ("WaitedOn", "", &[], &["in-wait"], 0),
        ] {
            let expected = Monitor {
                owner: owner.to_owned(),
                entering: names(entering),
                waiting: names(waiting),
            };
            let said = monitors.get(&format!("VirtualDumped${class}"));
            assert_eq!(said, Some(&(expected, count)), "{jdk}\n{report}");
        }

        let threads: Vec<_> = report
            .lines()
            .filter(|line| line.starts_with("THREAD "))
            .collect();
        for (name, status, stack) in [
            ("owner", "0x3", &["parks", "owns"][..]),
            ("enters-1", "0x2", &["enters"]),
            ("enters-2", "0x2", &["enters"]),
            ("in-wait", "0x3", &["waits"]),
            ("parked", "0x3", &["parks"]),
            ("spins", "0x1", &["spins"]),
        ] {
            let start = format!("THREAD {name} ");
            let of_name: Vec<_> = threads
                .iter()
                .filter(|line| line.starts_with(&start))
                .collect();
            let [line] = of_name[..] else {
                panic!("{jdk}: {name}: {of_name:?}\n{report}");
            };
            assert_eq!(field(line, "status"), Some(status), "{jdk}: {line}");
            assert_eq!(field(line, "asked"), Some(status), "{jdk}: {line}");
            let of_program: Vec<_> = line
                .split(' ')
                .filter_map(|frame| frame.strip_prefix("VirtualDumped."))
                .filter(|method| !method.starts_with("lambda"))
                .collect();
            assert_eq!(of_program, stack, "{jdk}: {line}");
        }
        // A carrier has frames of its own only.
        let carriers = threads
            .iter()
            .filter(|line| line.starts_with("THREAD ForkJoinPool"));
        for line in carriers {
            assert!(!line.contains("VirtualDumped."), "{jdk}: {line}");
        }
    });
}
