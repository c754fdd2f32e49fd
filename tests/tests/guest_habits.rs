//! What agents of the period do as guests in somebody's process, beside listening to events.

use xrun_tests::jdk::each_jdk;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// In the handler of JVM_SHUT_DOWN an agent waits for its threads, which ask for dumps and for events of classes,
/// threads and objects then, and detach themselves.
#[test]
fn the_last_handler_waits_for_the_agents_threads() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "last_requests", "").main("Plain");
        let run = run.run().exits(0).says("begin\nwork\nend\n");
        assert_checks(&run.file("report.txt"), 33);
    });
}

/// A thread of the agent's asks for events while the last ones come: at most what is being asked for when the handler of
/// JVM_SHUT_DOWN begins is refused.
#[test]
fn who_asks_is_answered_to_the_end() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "asks_to_the_end", "").main("Plain");
        let run = run.run().exits(0).says("begin\nwork\nend\n");
        assert_checks(&run.file("report.txt"), 7);
    });
}

/// Who has SIGPROF for its own, or gives it back, while its samples go on: no signal of ours goes to its
/// handler, nor ends the process.
#[test]
fn sigprof_is_whose_it_is() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "own_signal", "takes").main("Hot 60000 end");
        let run = run.run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 5);
    });
}

/// Collectors called it from a handler of theirs, with CLASS_LOAD enabled, which it wants.
#[test]
fn async_get_call_trace_answers_agents() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "own_signal", "walks").main("Hot 60000 end");
        let run = run.run().exits(0).says("done\n");
        let report = run.file("report.txt");
        // Where there is no such function any more.
        let is_there = !report.contains("ok there is none");
        assert!(is_there || jdk.major >= 28, "{report}");
        assert_checks(&report, if is_there { 3 } else { 2 });
    });
}

/// Sleeping and writing are cancellation points, our functions are none: what a thread was in the middle of
/// comes to its end.
#[test]
fn a_thread_is_cancelled_behind_our_functions() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "cancelled", "").main("Plain");
        let run = run.run().exits(0).says("begin\nwork\nend\n");
        assert_checks(&run.file("report.txt"), 16);
    });
}

/// pthread_exit and pthread_cancel end a system thread with its THREAD_END, and what comes later goes on.
#[test]
fn a_system_thread_ends_as_the_agent_likes() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "system_threads", "ends").main("Plain");
        let run = run.run().exits(0).says("begin\nwork\nend\n");
        assert_checks(&run.file("report.txt"), 10);
    });
}

/// Between AttachCurrentThread and DetachCurrentThread, wherever it is: a thread that the agent has not attached stays, and what
/// it has attached goes.
#[test]
fn a_thread_is_detached_by_who_has_attached_it() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "detaches", "").main("Plain");
        let run = run.run().exits(0).says("begin\nwork\nend\n");
        assert_checks(&run.file("report.txt"), 12);
        assert!(
            run.stderr.contains("DetachCurrentThread: "),
            "{}",
            run.stderr
        );
    });
}
