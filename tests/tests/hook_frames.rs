//! The frames of our hooks are in no call trace, wherever they are on the stack.

use xrun_tests::jdk::each_jdk;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// In handlers of method, monitor and allocation events, on their own thread and seen from
/// another one; below Java code that a handler calls; in monitor dumps.
#[test]
fn no_trace_has_them() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "hook_frames", "")
            .arg("-Xcheck:jni")
            .main("HookFrames")
            .limit(120)
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 4);
    });
}
