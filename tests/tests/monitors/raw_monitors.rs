//! Raw monitors under stress.

use xrun_tests::jdk::each_jdk;
use xrun_tests::long;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// Recursion, waits, notify-all, calls by others than the owner, destruction under those who
/// wait, inside brackets, from JVM_OnLoad to JVM_SHUT_DOWN; each ENTER has its ENTERED, and
/// nothing comes inside a bracket.
#[test]
fn storm() {
    let times = if long() { 100_000 } else { 3_000 };
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "raw_storm", "")
            .main(&format!("RawStorm {times}"))
            .limit(240)
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 15);
    });
}
