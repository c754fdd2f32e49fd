//! The program lives: same output and exit code, whatever an agent does.
//! Longer than most: each test is a few lines about one thing that agents do.

use std::cell::LazyCell;
use std::process::Command;

use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{long, target, workspace};

/// Asserts that a run with an agent is as one without, but for what agents print
/// on stderr.
fn assert_untouched(run: Run, without: &Run) -> Run {
    let run = run.no_crash();
    assert_eq!(run.stdout, without.stdout, "{run}");
    assert_eq!(run.code(), without.code(), "{run}");
    for text in [
        "VIOLATION",
        "FATAL ERROR in native",
        "WARNING in native",
        "WARNING: JNI",
        "internal error in",
    ] {
        assert!(
            !run.stdout.contains(text) && !run.stderr.contains(text),
            "{text}: {run}"
        );
    }
    run
}

fn checked(java: Java) -> Java {
    java.arg("-Xcheck:jni")
}

/// The modes that leave the program alone, each, and all at once.
const HARMLESS: [&str; 16] = [
    "null",
    "nonsense",
    "reentrant",
    "monitors",
    "storm",
    "late",
    "pthread",
    "threads",
    "slowhandler",
    "hook",
    "noresume",
    "suspendself",
    "nonotify",
    "latenotify",
    "methods",
    "all",
];

fn rude(jdk: &Jdk, modes: &str, main: &str) -> Run {
    let java = checked(Java::with_shim(jdk)).arg(format!("-Xrunjvmpi_rude:{modes},file=rude.txt"));
    java.main(main).limit(120).run()
}

fn rude_modes(modes: &[&str]) {
    product::agent("rude");
    each_jdk(|jdk| {
        let without = checked(Java::of(jdk)).main("Busy").run().exits(0);
        assert!(without.stdout.ends_with("deep 610\n"), "{without}");
        for mode in modes {
            let run = assert_untouched(rude(jdk, mode, "Busy"), &without);
            let report = run.file("rude.txt");
            assert!(!report.contains("VIOLATION"), "{mode}: {report}\n{run}");
            if *mode != "nonotify" {
                assert!(
                    report.contains("rude: done, 0 violations"),
                    "{mode}: {report}\n{run}"
                );
            }
        }
    });
}

#[test]
fn rude_agents_first_half() {
    rude_modes(&HARMLESS[..8]);
}

#[test]
fn rude_agents_second_half() {
    rude_modes(&HARMLESS[8..]);
}

/// With another exit code than 0, too.
#[test]
fn rude_agent_and_system_exit() {
    product::agent("rude");
    each_jdk(|jdk| {
        let without = checked(Java::of(jdk)).main("Busy 7").run().exits(7);
        assert_untouched(rude(jdk, "all", "Busy 7"), &without);
    });
}

/// Modes that end the VM: with the code they say, without a crash.
#[test]
fn rude_exits() {
    product::agent("rude");
    each_jdk(|jdk| {
        let run = rude(jdk, "exit=9", "Busy").no_crash();
        assert_eq!(run.code(), 9, "{run}");
        assert!(
            !run.file("rude.txt").contains("VIOLATION"),
            "{}",
            run.file("rude.txt")
        );
        let run = rude(jdk, "exitload=8", "Busy").no_crash();
        assert_eq!((run.code(), &*run.stdout), (8, ""), "{run}");
        let run = rude(jdk, "fail", "Busy").no_crash();
        assert_eq!(run.code(), 1, "{run}");
        assert!(
            run.stdout
                .contains("-Xrun library failed to init: jvmpi_rude"),
            "{run}"
        );
    });
}

/// Garbage in place of a class file is that class's problem, not the VM's.
#[test]
fn rude_class_file() {
    product::agent("rude");
    each_jdk(|jdk| {
        let run = rude(jdk, "badhook=Patched$Other", "Patched").no_crash();
        assert_eq!((run.code(), &*run.stdout), (1, "original-1\n"), "{run}");
        let refused = ["ClassFormatError", "UnsupportedClassVersionError"];
        assert!(
            refused.iter().any(|error| run.stderr.contains(error)),
            "{run}"
        );
    });
}

/// The sampler suspends while 200 threads start and end.
#[test]
fn sampler_beside_200_threads() {
    product::agent("sampler");
    each_jdk(|jdk| {
        let java =
            checked(Java::with_shim(jdk)).arg("-Xrunjvmpi_sampler:interval=1,file=profile.txt");
        let run = java
            .main("Churn 3000")
            .limit(90)
            .run()
            .exits(0)
            .says("all ended\nall loaded\n");
        let report = run.file("profile.txt");
        assert!(report.starts_with("CPU samples: "), "{report}");
        assert!(!report.contains("never announced"), "{report}");
    });
}

/// Suspensions against class loading and thread exit; 10 s, or 60 s if long.
fn suspensions(options: &str, millis: u32, inside: bool) {
    each_jdk(|jdk| {
        let java = checked(Java::with_helper(jdk, "suspender", options));
        // It waits up to 40 s for the agent, and that one at the end up to 50 s for its own thread.
        let limit = u64::from(millis) / 1000 + 120;
        let run = java
            .main(&format!("Churn {millis} classes awaited"))
            .limit(limit)
            .run()
            .exits(0)
            .says("all ended\nall loaded\n");
        let report = run.file("report.txt");
        let number = |key: &str| -> u64 {
            field(&report, key)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0)
        };
        assert!(!report.contains("FAIL"), "{report}");
        assert_eq!(
            number("stopped"),
            1,
            "the suspending thread hangs: {report}\n{run}"
        );
        assert!(number("passes") > 5 && number("suspended") > 10, "{report}");
        assert!(
            !inside || number("inside") > 0,
            "threads were never met inside handlers: {report}"
        );
    });
}

fn soak() -> u32 {
    if long() { 60_000 } else { 10_000 }
}

#[test]
fn suspensions_against_class_loading_and_thread_exit() {
    suspensions("", soak(), false);
}

#[test]
fn suspensions_in_lists() {
    suspensions("l", soak() / 5, false);
}

/// Threads are suspended while they are in handlers, in our own callbacks.
#[test]
fn suspensions_inside_handlers() {
    suspensions("h", soak() / 3, true);
}

#[test]
fn suspensions_inside_handlers_that_call_back() {
    suspensions("hlb", soak() / 3, true);
}

/// A thread that is suspended while its first or last handler runs, and resumed
/// after that has returned, goes on.
#[test]
fn suspended_in_the_first_or_last_handler() {
    each_jdk(|jdk| {
        for handler in ["start", "end"] {
            let java = checked(Java::with_helper(jdk, "ending", handler)).main("Plain");
            let run = java.run().exits(0).says("begin\nwork\nend\n");
            assert!(run.file("report.txt").ends_with("resuming\n"), "{run}");
        }
    });
}

/// C++ exceptions through NotifyEvent and out of a system thread: one line, and a
/// program that goes on.
#[test]
fn exceptions_of_agents_end_in_a_line() {
    product::agent("throw");
    each_jdk(|jdk| {
        let without = checked(Java::of(jdk)).main("Busy").run().exits(0);
        for options in [
            "event=THREAD_START",
            "event=THREAD_END",
            "event=CLASS_LOAD",
            "event=CLASS_LOAD_HOOK",
            "event=JVM_INIT_DONE",
            "event=JVM_SHUT_DOWN",
            "event=THREAD_START,int,thread",
        ] {
            let java = checked(Java::with_shim(jdk))
                .arg(format!("-Xrunjvmpi_throw:{options},file=throw.txt"));
            let run = assert_untouched(java.main("Busy").run(), &without);
            let lines: Vec<&str> = run
                .stderr
                .lines()
                .filter(|line| line.starts_with("jvmpi: warning: "))
                .collect();
            let expected = if options.ends_with("thread") {
                1..=2
            } else {
                1..=1
            };
            assert!(expected.contains(&lines.len()), "{options}: {lines:#?}");
            assert!(lines[0].contains("exception"), "{options}: {lines:#?}");
            if !options.contains("SHUT_DOWN") && !options.contains("CLASS_LOAD") {
                assert!(
                    !run.file("throw.txt").contains("survived 0 "),
                    "{options}: {run}"
                );
            }
        }
    });
}

/// A build in which every callback of ours panics: the program does not notice.
#[test]
fn panics_stay_inside() {
    let library = LazyCell::new(|| {
        let folder = target().join("panic");
        // What catches them is not optimised away: the usual run does without, which is built in a quarter of the time.
        let (profile, place) = if long() {
            ("release", "release")
        } else {
            ("dev", "debug")
        };
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(workspace())
            .args([
                "build",
                "--profile",
                profile,
                "-p",
                "shim",
                "--features",
                "panic-in-callbacks",
                "--target-dir",
            ])
            .arg(&folder);
        run::output(cargo, 600).exits(0);
        folder.join(place).join("libjvmpi.so")
    });
    for agent in ["trace", "sampler"] {
        product::agent(agent);
    }
    each_jdk(|jdk| {
        for (main, code) in [("Busy", 0), ("Busy 7", 7)] {
            let without = checked(Java::of(jdk)).main(main).run().exits(code);
            for agent in [
                "-Xrunjvmpi_sampler:file=agent.txt",
                "-Xrunjvmpi_trace:file=agent.txt",
            ] {
                let run = checked(Java::of(jdk))
                    .arg(agent_path(&library, ""))
                    .arg(agent)
                    .main(main)
                    .run()
                    .no_crash();
                assert_eq!((&run.stdout, run.code()), (&without.stdout, code), "{run}");
                assert!(
                    run.stderr.contains("internal error in"),
                    "nothing panicked: {run}"
                );
                assert!(!run.stderr.contains("panicked at"), "{run}");
            }
        }
    });
}

/// A child that the agent forks has no VM: JVMPI's functions return there, as those of a VM did that only set bits.
#[test]
fn functions_return_in_a_forked_child() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "forked", "").main("Dying").run();
        let run = run.exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 4);
    });
}

/// What was found and counted until a child was forked is its parent's.
#[test]
fn forked_children_report_nothing() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "forked", "ends")
            .env("JVMPI_OPTIONS", "check=on,usage=usage.txt");
        let run = java.main("Dying").run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 7);
        assert_eq!(run.stderr.matches("(libjvmpi ").count(), 1, "{run}");
        assert!(run.file("usage.txt").ends_with("end\n"), "{run}");
    });
}

/// The exit handler of an agent that holds its lock when it calls ProfilerExit runs on another thread.
#[test]
fn exit_handlers_have_the_locks_of_who_ends_the_vm() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "exit_lock", "").main("Dying");
        let run = run.run().exits(7);
        assert_checks(&run.file("report.txt"), 2);
    });
}

/// stderr that is closed or full is no reason to end.
#[test]
fn log_without_stderr() {
    product::agent("rude");
    each_jdk(|jdk| {
        let java = Java::with_shim(jdk)
            .arg("-Xrunjvmpi_rude:null,nonsense,file=rude.txt")
            .main("Plain exit");
        let run = java.shell("exec \"$@\" 2>&-").run();
        assert_eq!((run.code(), &*run.stdout), (3, "begin\nwork\n"), "{run}");
        let java = Java::with_shim(jdk)
            .arg("-Xrunjvmpi_rude:null,nonsense,file=rude.txt")
            .main("Plain exit");
        let run = java.shell("exec \"$@\" 2>/dev/full").run();
        assert_eq!((run.code(), &*run.stdout), (3, "begin\nwork\n"), "{run}");
    });
}

/// The VM ends while it tells of deaths and threads stop the world. Without our doing some of
/// these runs never end, on a machine as busy as this makes it.
#[test]
fn ends_while_deaths_are_told() {
    product::agent("check");
    const AT_ONCE: usize = 6;
    const AGENT: &str =
        "-Xrunjvmpi_check:file=check.txt,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT";
    each_jdk(|jdk| {
        // From 26 on a program with `Thread.getAllStackTraces` does not end without us either (JVMTI facts 20).
        let stop = if jdk.major < 26 { "" } else { "deadlocks" };
        for round in 0..if long() { 40 } else { 2 } {
            std::thread::scope(|scope| {
                for place in 0..AT_ONCE {
                    scope.spawn(move || {
                        let millis = 400 + 7 * (AT_ONCE * round + place);
                        let run = Java::with_shim(jdk)
                            .args(["-Xmx24m", "-XX:+UseSerialGC", AGENT])
                            .main(&format!("EndBusy 3 {millis} {stop}"))
                            .limit(60)
                            .run()
                            .exits(0)
                            .says("ends\n");
                        let report = run.file("check.txt");
                        assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
                    });
                }
            });
        }
    });
}
