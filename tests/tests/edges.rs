//! What is rare but happens; see `agents/edges.c`.

use xrun_tests::is_i386;
use xrun_tests::jdk::each_jdk;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

#[test]
fn short_posix_and_early_threads_and_deep_stacks() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "edges", "").main("Deep");
        // The program waits up to 40 s, the agent up to 20 s.
        let run = java.limit(120).run().exits(0).says("up again\n");
        assert_checks(&run.file("report.txt"), 9);
    });
}

/// HotSpot follows what it has freed, some time after it has refused a thread whose stack has no room for Java code: what it
/// keeps free, by a flag, and the frames of the constructor of a Thread.
#[test]
fn stacks_without_room_for_java() {
    each_jdk(|jdk| {
        if is_i386() {
            // The VM itself is asked, which keeps 32 KB free there.
            let run = Java::with_helper(jdk, "short_stacks", "0").main("ShortStacks");
            let run = run.run().exits(0).says("goes on\n");
            return assert_checks(&run.file("report.txt"), 1);
        }
        for shadow in [20, 30] {
            let kilobytes = (shadow + 4) * 4 + 8;
            let run = Java::with_helper(jdk, "short_stacks", &kilobytes.to_string())
                .arg(format!("-XX:StackShadowPages={shadow}"))
                .main("ShortStacks")
                .run();
            let run = run.exits(0).says("goes on\n");
            assert_checks(&run.file("report.txt"), 4);
        }
    });
}
