//! The function table: each of the 28 slots, with good, NULL and nonsense
//! arguments, in every phase. The checks stand in `agents/fn_*.c`.

use event_translate::internals::NEWEST_KNOWN_JDK;
use xrun_tests::jdk::{Jdk, each_jdk, on_jdk};
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run};

/// Runs a program with a checking agent beside it.
fn checked(jdk: &Jdk, agent: &str, options: &str, main: &str, checks: usize) {
    let run = Java::with_helper(jdk, agent, options)
        .arg("-Xcheck:jni")
        .main(main)
        .run();
    eprintln!("{jdk}");
    let report = run.file("report.txt");
    assert!(!report.contains("FAIL"), "{report}\n{run}");
    run.exits(0).says("done\n");
    assert_checks(&report, checks);
}

#[test]
fn enable_disable_request_event() {
    each_jdk(|jdk| {
        checked(jdk, "fn_events", "", "Events", 102);
    });
}

/// On a thread of the agent's own that the VM does not know.
#[test]
fn events_on_and_off_by_an_unknown_thread() {
    each_jdk(|jdk| {
        checked(jdk, "unknown_caller", "", "UnknownCaller", 10);
    });
}

/// Met as an object, by a reference, and never as a thread.
#[test]
fn threads_are_known_by_their_objects() {
    each_jdk(|jdk| {
        checked(jdk, "thread_objects", "", "Events", 8);
    });
}

#[test]
fn instructions_of_a_thread_that_is_being_attached() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "instruction_order", "");
        let run = java
            .env("JVMPI_OPTIONS", "instructions=on,include=java.lang.Thread")
            .main("Events")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 5);
    });
}

#[test]
fn get_call_trace() {
    each_jdk(|jdk| {
        let java = |agent: &str| {
            Java::with_helper(jdk, agent, "")
                .arg("-Xcheck:jni")
                .main("Stack")
                .run()
        };
        let run = java("fn_stack").exits(0).says("1\ndone\n");
        assert_checks(&run.file("report.txt"), 62);
    });
}

#[test]
fn no_class_load_in_thread_suspended_mode() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "late_names", "");
        let run = java.main("LateNames").run().exits(0);
        assert_checks(&run.file("report.txt"), 9);
    });
}

/// A class that is loaded while the VM ends has no CLASS_LOAD any more: its methods are in no stack.
#[test]
fn no_names_without_class_load_while_the_vm_ends() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "last_names", "");
        let run = java.main("LastNames").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 8);
    });
}

/// Those of `fn_threads`.
const THREAD_CHECKS: usize = 128;

#[test]
fn threads() {
    each_jdk(|jdk| {
        checked(jdk, "fn_threads", "", "States", THREAD_CHECKS);
    });
}

/// Stacks of running threads and numbers of the kernel's, by `xrun_ext.h`; none while calls are recorded.
#[test]
fn running_threads() {
    each_jdk(|jdk| {
        if i64::from(jdk.major) > i64::from(NEWEST_KNOWN_JDK) {
            checked(jdk, "running", "untried", "States", 22);
        } else {
            checked(jdk, "running", "", "States", 45);
            // Nobody names the methods of all classes: they have ids all the same.
            checked(jdk, "running", "on-demand", "States", 45);
        }
        let java = Java::with_helper(jdk, "running", "recorded");
        let java = java.env("JVMPI_OPTIONS", "trace=run.rec");
        let run = java.main("States").run().exits(0);
        assert_checks(&run.file("report.txt"), 5);
    });
}

/// With `cpu-time=wall`, by the environment.
#[test]
fn cpu_time_on_the_wall() {
    each_jdk(|jdk| {
        let java =
            Java::with_helper(jdk, "fn_threads", "wall").env("JVMPI_OPTIONS", "cpu-time=wall");
        let run = java.main("States").run().exits(0);
        assert_checks(&run.file("report.txt"), THREAD_CHECKS);
    });
}

/// Where glibc has registered nothing with the kernel: it is said once, and all else is as elsewhere.
#[test]
fn cpu_time_by_a_system_call() {
    on_jdk(17, |jdk| {
        let java = Java::with_helper(jdk, "fn_threads", "").env("JVMPI_OPTIONS", "log=info");
        let java = java.env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
        let run = java.main("States").run().exits(0);
        assert_checks(&run.file("report.txt"), THREAD_CHECKS);
        let said = run.stderr.matches("CPU time is read by a system call: ");
        assert_eq!(said.count(), 1, "{run}");
    });
}

#[test]
fn raw_monitors() {
    each_jdk(|jdk| {
        checked(jdk, "fn_monitors", "", "Events", 24);
    });
}

#[test]
fn ids_and_gc() {
    each_jdk(|jdk| {
        checked(jdk, "fn_ids", "", "Events", 44);
    });
}

/// Whoever repeats himself is told once.
#[test]
fn each_line_of_the_log_once() {
    each_jdk(|jdk| {
        for agent in ["fn_events", "fn_ids", "fn_monitors"] {
            let run = checked_loosely(jdk, agent);
            let mut lines: Vec<_> = run
                .stderr
                .lines()
                .filter(|line| line.starts_with("jvmpi: "))
                .collect();
            let all = lines.len();
            lines.sort_unstable();
            lines.dedup();
            assert!(!lines.is_empty(), "{run}");
            assert_eq!(lines.len(), all, "{run}");
        }
    });
}

/// Each function says a line of its own about its first bad call.
#[test]
fn each_bad_call_has_a_line() {
    const CALLS: [(&str, &[&str]); 4] = [
        ("fn_events", &["EnableEvent", "RequestEvent"]),
        (
            "fn_ids",
            &[
                "GetThreadObject",
                "GetMethodClass",
                "jobjectID2jobject",
                "jobject2jobjectID",
                "EnableGC",
                "RunGC",
            ],
        ),
        (
            "fn_monitors",
            &[
                "RawMonitorCreate",
                "RawMonitorEnter",
                "RawMonitorExit",
                "RawMonitorWait",
                "RawMonitorNotifyAll",
                "RawMonitorDestroy",
            ],
        ),
        (
            "fn_bad",
            &[
                "GetCallTrace",
                "SuspendThread",
                "ResumeThread",
                "SuspendThreadList",
                "ResumeThreadList",
                "GetThreadStatus",
                "ThreadHasRun",
                "CreateSystemThread",
                "SetThreadLocalStorage",
                "GetThreadLocalStorage",
                "GetThreadObject",
            ],
        ),
    ];
    each_jdk(|jdk| {
        let mut silent = Vec::new();
        for (agent, calls) in CALLS {
            let run = checked_loosely(jdk, agent);
            for call in calls {
                let begins = |line: &str| {
                    line.strip_prefix("jvmpi: warning: ")
                        .and_then(|line| line.strip_prefix(call))
                        .is_some_and(|rest| rest.starts_with(['(', ':']))
                };
                if !run.stderr.lines().any(begins) {
                    silent.push(*call);
                }
            }
        }
        assert!(
            silent.is_empty(),
            "{jdk}: no line about a bad call of {silent:?}"
        );
    });
}

/// In JVM_OnLoad, a handler and a native, on attached threads and others.
#[test]
fn nonsense_everywhere() {
    each_jdk(|jdk| checked(jdk, "fn_bad", "", "Events", 5));
}

/// Addresses of the agent's own memory as method ids.
#[test]
fn get_method_class_of_nonsense() {
    each_jdk(|jdk| checked(jdk, "fn_bad", "methods", "Events", 5));
}

fn checked_loosely(jdk: &Jdk, agent: &str) -> Run {
    Java::with_helper(jdk, agent, "")
        .main("Events")
        .run()
        .exits(0)
}

/// The code is the agent's, its buffered output survives, and JVM_SHUT_DOWN does
/// not follow.
#[test]
fn profiler_exit() {
    each_jdk(|jdk| {
        for (from, code, stdout) in [
            ("load", 11, ""),
            ("init", 12, ""),
            ("start", 14, "begin\n"),
            ("down", 15, "begin\nwork\nend\n"),
        ] {
            let run = Java::with_helper(jdk, "fn_exit", from)
                .main("Plain")
                .run()
                .exits(code)
                .says(stdout);
            let shut_down = if from == "down" { "SHUT_DOWN\n" } else { "" };
            assert_eq!(
                run.file("report.txt"),
                format!("{shut_down}leaving\n"),
                "{run}"
            );
            assert_eq!(run.file("buffered.txt"), "buffered\n", "{run}");
        }
        // By a thread that a sampler has stopped.
        let run = Java::with_helper(jdk, "fn_exit", "stopped")
            .main("Busy")
            .run()
            .exits(16);
        assert_eq!(run.file("report.txt"), "leaving\n", "{run}");
        // From a thread of its own, while the program is loading classes: it may
        // have got anywhere, and must not crash on the way out.
        let whole = Java::of(jdk).main("Busy").run().exits(0).stdout;
        for _ in 0..5 {
            let run = Java::with_helper(jdk, "fn_exit", "thread")
                .main("Busy")
                .run()
                .exits(13);
            assert!(whole.starts_with(&run.stdout), "{run}");
            assert_eq!(run.file("report.txt"), "leaving\n", "{run}");
        }
    });
}

/// Between the CLASS_UNLOAD of a class and the OBJECT_FREE of its Class object its ids name
/// nothing: in the handlers, and while the agent has put the bracket's contents off.
#[test]
fn ids_of_a_class_that_is_being_unloaded() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "unloading", "");
        let run = run.main("Unloading").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 27);
    });
}

/// And before: what the VM has unloaded while GC is disabled is known until its CLASS_UNLOAD.
#[test]
fn a_class_that_is_unloaded_while_gc_is_disabled() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "held_unload", "");
        let run = run.main("Unloading").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 6);
    });
}

/// The class that hooks call, one in each loader, has an id once somebody names it; but the agent never hears of it, nor of
/// its end.
#[test]
fn hidden_classes_are_not_unloaded() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "hidden_unloads", "");
        let run = run.main("Unloading").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 10);
    });
}
