//! The ids of virtual threads' objects (JDK 21 and later), which have no tags as long as nobody asks.

use xrun_tests::collector::{Collector, each_collector};
use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// Each has one, of its THREAD_START, by its object and back, before that, while it lives and
/// afterwards, with and without a walk over the heap; and one OBJECT_FREE.
#[test]
fn each_has_one_until_it_dies() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        each_collector(jdk, |collector: &Collector| {
            for (first, walks) in [("asks", 1), ("walks", 4)] {
                let java = collector.on(Java::with_helper(jdk, "virtual_ids", ""), jdk, 128);
                let java = java.env("JVMPI_OPTIONS", "check=on,check-suppress=slow-handler");
                let run = java.main(&format!("VirtualIds {first}")).run().exits(0);
                assert!(run.stdout.lines().any(|line| line == "done"), "{run}");
                assert_checks(&run.file("report.txt"), 51 + walks);
            }
        });
    });
}
