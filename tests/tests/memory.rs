//! What has gone is given back: a server that deploys its application again and again.

use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::long;
use xrun_tests::long_run::tell;
use xrun_tests::report::field;
use xrun_tests::run::{Java, Run};

const NATIVES: u64 = 5;

/// `Redeploy` with that many loaders; the agent does what `mode` says.
fn redeploy(jdk: &Jdk, mode: &str, loaders: u64) -> Run {
    let java = Java::with_helper(jdk, "redeploy", mode)
        .args(["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .env("MALLOC_ARENA_MAX", "1")
        .env("JVMPI_OPTIONS", "log=info");
    let run = java
        .main(&format!("Redeploy {loaders}"))
        .limit(60 + loaders / 50)
        .run()
        .exits(0);
    let called = format!("CALLED {} ", loaders * NATIVES);
    assert!(run.stdout.starts_with(&called), "{jdk}: {run}");
    run
}

fn number(text: &str, key: &str) -> u64 {
    let number = field(text, key).and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("{key}: {text}"))
}

/// There are thunks for 8192 native methods at a time.
#[test]
fn natives_have_events_to_the_last() {
    let loaders = if long() { 20_000 } else { 2000 };
    each_jdk(|jdk| {
        let run = redeploy(jdk, "methods", loaders);
        let report = run.file("report.txt");
        for event in ["entries", "exits"] {
            assert_eq!(
                number(&report, event),
                loaders * NATIVES,
                "{jdk}: {report}{run}"
            );
        }
        assert!(!run.stderr.contains("too many"), "{jdk}: {run}");
        assert_flat(jdk, loaders, &run);
    });
}

/// An agent that wants neither CLASS_LOAD nor hooks.
#[test]
fn classes_on_stacks_are_forgotten() {
    let loaders = if long() { 20_000 } else { 3000 };
    each_jdk(|jdk| {
        let run = redeploy(jdk, "stacks", loaders);
        // The natives' class, with `run`.
        assert_eq!(
            number(&run.file("report.txt"), "frames"),
            2 * loaders,
            "{jdk}: {run}"
        );
        assert_forgotten(jdk, loaders, &run);
        assert_flat(jdk, loaders, &run);
    });
}

#[test]
fn classes_with_locks_are_forgotten() {
    let loaders = if long() { 20_000 } else { 3000 };
    each_jdk(|jdk| {
        let run = redeploy(jdk, "monitors", loaders);
        let contended = number(&run.file("report.txt"), "contended");
        assert!(contended >= loaders, "{jdk}: {run}");
        assert_forgotten(jdk, loaders, &run);
        assert_flat(jdk, loaders, &run);
    });
}

/// The classes that are gone have no records any more.
fn assert_forgotten(jdk: &Jdk, loaders: u64, run: &Run) {
    let count = |line: &str| -> Option<u64> {
        let (count, rest) = line.strip_prefix("jvmpi: forgot ")?.split_once(' ')?;
        rest.starts_with("unloaded classes")
            .then(|| count.parse().ok())?
    };
    let forgotten: u64 = run.stderr.lines().filter_map(count).sum();
    assert!(
        forgotten > loaders / 3,
        "{jdk}: {forgotten} forgotten\n{run}"
    );
}

/// The second half of 20,000 loaders costs what the VM itself keeps of each, and what waits to be swept up. With
/// method events that is 370 bytes on 25, in eight pieces that malloc puts a head to: 112 for classes and 256 for
/// itself, by its own count of native memory. (Fewer say nothing: the noise is larger.)
fn assert_flat(jdk: &Jdk, loaders: u64, run: &Run) {
    if loaders < 20_000 {
        return;
    }
    const ROOM: i64 = 7 << 10;
    let grown = run.stdout.trim().rsplit(' ').next();
    let grown: i64 = grown.and_then(|kb| kb.parse().ok()).expect("KB");
    let seen = format!("{grown} KB more in the second half");
    tell(Some(jdk), loaders, &seen);
    assert!(grown < ROOM, "{jdk}: {grown} KB\n{run}");
}
