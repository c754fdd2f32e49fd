//! Handlers that take long, beside what wants them to have ended: brackets, and heap dumps; and
//! what has to wait for the end of a bracket.

use xrun_tests::collector::each_collector;
use xrun_tests::jdk::each_jdk;
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// In each of these ways, with as many checks.
fn handlers(modes: &[(&str, usize)]) {
    each_jdk(|jdk| {
        for &(mode, checks) in modes {
            let java = Java::with_helper(jdk, "long_handlers", mode);
            let run = java.main(&format!("LongHandlers {mode}")).run().exits(0);
            let run = run.says("done\n");
            assert_checks(&run.file("report.txt"), checks);
        }
    });
}

/// A bracket waits for a handler that is in the agent's own code.
#[test]
fn no_bracket_beside_the_agents_own_code() {
    handlers(&[("asked", 4), ("worker", 3)]);
}

/// But not for one that waits for the sender of the bracket.
#[test]
fn locks_in_two_orders() {
    handlers(&[("orders", 3), ("chain", 3), ("nested", 2)]);
}

/// Nor does the VM's end, which goes without a bracket then.
#[test]
fn the_end_of_the_vm_beside_a_handler() {
    handlers(&[("end", 2)]);
}

/// Nor does a thread that collects when the VM ends, with a lock that the handler of JVM_SHUT_DOWN wants: the VM
/// stops a concurrent collector before.
#[test]
fn the_end_of_the_vm_beside_a_collection() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let java = Java::with_helper(jdk, "rungc_to_the_end", "");
            let run = collector.on(java, jdk, 64).main("Dying").run();
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 2);
        });
    });
}

/// The handler of DATA_DUMP_REQUEST waits for a thread of the agent's, which collects: RunGC returns behind its bracket.
#[test]
fn what_a_user_asks_for_is_done_by_another_thread() {
    each_jdk(|jdk| {
        each_collector(jdk, |collector| {
            let java = Java::with_helper(jdk, "asked_collection", "");
            // The VM's own dump of threads goes to where nobody looks.
            let java = java.arg("-XX:+DisplayVMOutputToStderr");
            let run = collector.on(java, jdk, 64).main("Dying").run();
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 2);
        });
    });
}

/// An object that a walk of the heap has met before its own OBJECT_ALLOC is told of once.
#[test]
fn one_id_for_what_a_dump_meets_first() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "two_ids", "").main("TwoIds 6");
        let run = run.limit(120).run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 2);
    });
}

/// Events that a thread could not send in a bracket, the bracket's own sender among them, and
/// another bracket that begins while they are being sent: none is lost, none comes twice, and their
/// order stays.
#[test]
fn a_bracket_in_the_middle_of_what_was_kept() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "kept", "").env("JVMPI_OPTIONS", "include=Kept");
        let run = java.main("Kept").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 11);
    });
}

/// An agent that is still at work on a dump does not hear that a thread in it has ended, however
/// long it takes.
#[test]
fn nobody_ends_in_a_dump_that_is_read() {
    each_jdk(|jdk| {
        let virtual_too = (jdk.major >= 21).then_some(("", " virtual"));
        for (agent, kind) in [("", ""), ("disk", "")].into_iter().chain(virtual_too) {
            let java = Java::with_helper(jdk, "slow_dumps", agent).limit(60);
            let run = java.main(&format!("SlowDumps{kind}")).run();
            let run = run.exits(0).says("done\n");
            let expected = if agent == "disk" { 5 } else { 4 };
            assert_checks(&run.file("report.txt"), expected);
        }
    });
}

/// An agent that has a lock from GC_START to GC_FINISH does not have it for ever if it is told of
/// one of the two alone.
#[test]
fn one_end_of_a_bracket_alone() {
    for agent in ["trace", "check"] {
        product::agent(agent);
    }
    each_jdk(|jdk| {
        for (agent, says) in [
            (
                "trace:file=out.txt,none,counts,+GC_START,+THREAD_START",
                "COUNT GC_START ",
            ),
            (
                "trace:file=out.txt,none,counts,+GC_FINISH,+THREAD_START",
                "COUNT GC_FINISH ",
            ),
            (
                "check:file=out.txt,lock,only=GC_START+THREAD_START",
                " GC_START=",
            ),
        ] {
            let java = Java::with_shim(jdk).arg(format!("-Xrunjvmpi_{agent}"));
            let run = java.main("AllocStorm 2 20 gc").run().exits(0);
            assert!(run.file("out.txt").contains(says), "{agent}: {run}");
        }
    });
}
