//! errno is the program's: what passes through the shim between a native's system call and its
//! look at errno leaves it alone.

use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run};

/// Runs `Errno`, whose natives report; its stderr takes nothing, so that each line that we try
/// to write there changes errno.
fn look(java: Java) -> Run {
    let java = java.shell("exec \"$@\" 2>/dev/full");
    java.main("Errno").run().exits(0).says("done\n")
}

/// How many checks there are: `fewer` where there is no virtual thread.
fn checks(jdk: &Jdk, fewer: usize, virtual_ones: usize) -> usize {
    fewer + usize::from(jdk.has_virtual_threads().is_ok()) * virtual_ones
}

fn with_agent(jdk: &Jdk, agent: &str, shim: &str) -> Java {
    Java::with_helper(jdk, "errno", agent).env("JVMPI_OPTIONS", shim)
}

/// Nothing is asked of us that the VM alone does not do.
#[test]
fn errno_without_us() {
    each_jdk(|jdk| {
        let java = Java::of(jdk).natives(jdk, &fixture::native("errno"));
        assert_checks(&look(java).file("report.txt"), checks(jdk, 26, 1));
    });
}

/// Each event is a line in a log that cannot be written: a failing system call of ours.
#[test]
fn errno_behind_our_own_failures() {
    each_jdk(|jdk| {
        let shim = "log=trace,instructions=on,include=Errno";
        let run = look(with_agent(jdk, "", shim));
        assert_checks(&run.file("report.txt"), checks(jdk, 46, 5));
        let run = look(with_agent(
            jdk,
            "plain",
            "log=trace,method-events=exact,include=Errno",
        ));
        assert_checks(&run.file("report.txt"), checks(jdk, 46, 5));
    });
}

/// Handlers that change errno; what those of METHOD_ENTRY and METHOD_EXIT do is the agent's own
/// business, unless somebody looks: that is ours.
#[test]
fn errno_behind_handlers() {
    each_jdk(|jdk| {
        let run = look(with_agent(jdk, "spoils+plain", "include=Errno"));
        assert_checks(&run.file("report.txt"), checks(jdk, 46, 5));
        let shim = "check=on,include=Errno";
        let run = look(with_agent(jdk, "spoils+methods+plain", shim));
        assert_checks(&run.file("report.txt"), checks(jdk, 46, 5));
    });
}
