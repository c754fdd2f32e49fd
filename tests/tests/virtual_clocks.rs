//! CPU time of virtual threads: what each has used, on whatever carrier.

use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// Never less than before, all of its own, and none of what its carriers do for others.
#[test]
fn each_has_its_own() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let java = Java::with_helper(jdk, "virtual_clocks", "")
            .arg("-Djdk.virtualThreadScheduler.parallelism=2")
            .arg("-Djdk.virtualThreadScheduler.maxPoolSize=2")
            .env("JVMPI_OPTIONS", "include=VirtualClocks");
        let run = java.main("VirtualClocks").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 6);
    });
}
