//! Class loaders of the program's are asked what they are asked without us, in the same order,
//! and what comes of that is the same.

use std::fmt::Write as _;

use xrun_tests::fixture;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::product;
use xrun_tests::run::{Java, Run, agent_path};

/// An agent, and what it is loaded with.
type Mode = (&'static str, &'static str);

const SAMPLES: Mode = ("-Xrunhprof:cpu=samples", "");
const TIMES: Mode = ("-Xrunhprof:cpu=times", "");
const OLD: Mode = ("-Xrunhprof:cpu=old", "");
const MONITORS: Mode = ("-Xrunhprof:monitor=y", "");
const SITES: Mode = ("-Xrunhprof:heap=sites", "");
const DUMP: Mode = ("-Xrunhprof:heap=dump", "");
const ALL_CHECKED: Mode = ("-Xrunhprof:cpu=times,monitor=y,heap=all", "check=on");
const INSTRUCTIONS: Mode = ("-Xrunjvmpi_coverage", "instructions=on");
const RECEIVERS: Mode = (
    "-Xrunjvmpi_trace:file=trace.txt,none,+METHOD_ENTRY2,classes=zoo",
    "",
);
const LEAVING: Mode = (
    "-Xrunjvmpi_trace:file=trace.txt,none,+MONITOR_CONTENDED_EXIT",
    "",
);
const CHECK: Mode = ("-Xrunjvmpi_check:file=check.txt", "");

/// Runs a program without us and in each mode: it says the same.
fn same_in(modes: &[Mode], words: impl Fn(Java) -> Java) {
    each_jdk(|jdk| {
        let plain = words(Java::of(jdk)).run().exits(0);
        let mut found = String::new();
        for (agent, options) in modes {
            let run = words(with(jdk, agent, options)).run();
            let before = found.len();
            compare(&mut found, &plain, &run);
            if found.len() > before {
                found.insert_str(before, &format!("{agent} {options}: {}\n", run.command));
            }
        }
        assert!(found.is_empty(), "without us, and with:\n{found}");
    });
}

fn with(jdk: &Jdk, agent: &str, options: &str) -> Java {
    let java = Java::of(jdk).arg(agent_path(&product::shim(), options));
    java.arg(agent)
}

fn compare(found: &mut String, plain: &Run, run: &Run) {
    if run.code() != 0 {
        let _ = writeln!(found, "  exit code {}", run.code());
        for line in run.stderr.lines().take(10) {
            let _ = writeln!(found, "  | {line}");
        }
    }
    let mut expected = plain.stdout.lines();
    for line in run.stdout.lines() {
        let right = expected.next().unwrap_or("");
        if line != right {
            let _ = writeln!(found, "  - {right}\n  + {line}");
        }
    }
    for missing in expected {
        let _ = writeln!(found, "  - {missing}");
    }
}

/// Loaders that are strict, locked, delegate java. alone, have a named module, are used by
/// several threads; a class that extends none of the program's, and an array of one that is
/// not linked.
#[test]
fn zoo() {
    let classes = fixture::classes_of_11();
    let words = format!("Zoo {}", classes.display());
    let modes = [
        SAMPLES,
        TIMES,
        OLD,
        MONITORS,
        SITES,
        DUMP,
        ALL_CHECKED,
        INSTRUCTIONS,
        RECEIVERS,
        LEAVING,
        CHECK,
    ];
    same_in(&modes, |java| java.main_in(&classes, &words));
}

/// The system class loader is the program's own.
#[test]
fn system_loader() {
    let classes = fixture::classes_of_11();
    same_in(&[TIMES, LEAVING, SITES, INSTRUCTIONS], |java| {
        // JDK 25 warns of such a loader, with the time.
        let java = java.args(["-Xlog:disable", "-Djava.system.class.loader=ZooSystem"]);
        java.main_in(&classes, "ZooSystem$Main")
    });
}

/// A loader is busy under its lock and wants a monitor, whose owner calls a method of a class
/// of that loader for the first time: the owner needs nothing of the loader.
#[test]
fn hooks_wait_for_no_loader() {
    let classes = fixture::classes_of_11();
    let words = format!("ZooLocks {} methods", classes.display());
    same_in(&[TIMES, LEAVING, INSTRUCTIONS, RECEIVERS], |java| {
        java.main_in(&classes, &words)
    });
}

/// The same if the owner makes an array of a class that is not linked.
#[test]
fn arrays_wait_for_no_loader() {
    let classes = fixture::classes_of_11();
    let words = format!("ZooLocks {} arrays", classes.display());
    same_in(&[SITES, CHECK], |java| java.main_in(&classes, &words));
}
