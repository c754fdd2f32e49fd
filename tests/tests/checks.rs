//! `check=on`: each rule is found when it is broken, and not when it is kept.

use event_translate::check::{RULES, Severity};
use xrun_tests::jdk::{Jdk, compiler, each_jdk};
use xrun_tests::run::{Java, Run};

/// How long handlers take is the machine's load as well.
const UNTIMED: &str = "check=on,check-suppress=slow-handler";

fn breaks(jdk: &Jdk, options: &str, settings: &str) -> Run {
    Java::with_helper(jdk, "breaks", options)
        .env("JVMPI_OPTIONS", settings)
        .main("Checked")
        .run()
        .no_crash()
        .says("done\n")
}

/// The lines of a run's findings, without what they all begin with.
fn findings(run: &Run) -> Vec<&str> {
    let lines = run.stderr.lines();
    lines
        .filter_map(|line| line.strip_prefix("jvmpi: check: "))
        .collect()
}

/// The ids of the rules that were found broken.
fn broken(run: &Run) -> Vec<&'static str> {
    let found = findings(run);
    let is = |id: &str| found.iter().any(|line| line.contains(&format!("[{id}]")));
    RULES.iter().map(|row| row.id).filter(|id| is(id)).collect()
}

/// What cannot be broken without breaking another rule as well.
fn expected(rule: &'static str) -> Vec<&'static str> {
    match rule {
        "never-resumed" => vec!["gc-left-disabled", "never-resumed"],
        _ => vec![rule],
    }
}

#[test]
fn each_rule_is_found_alone() {
    let jdk = compiler();
    for row in &RULES {
        let settings = if row.id == "slow-handler" {
            "check=on"
        } else {
            UNTIMED
        };
        let run = breaks(jdk, &format!("break,{}", row.id), settings).exits(0);
        assert_eq!(broken(&run), expected(row.id), "{run}");
        let line = format!("{} [{}] {}: ", row.severity.word(), row.id, row.name);
        assert!(
            findings(&run).iter().any(|found| found.starts_with(&line)),
            "{run}"
        );
    }
    for (mode, rule) in [
        ("stale-id.thread", "stale-id"),
        ("stale-id.object", "stale-id"),
        ("event-memory.name", "event-memory"),
    ] {
        let run = breaks(jdk, &format!("break,{mode}"), UNTIMED).exits(0);
        assert_eq!(broken(&run), [rule], "{run}");
    }
}

/// The same calls in the right way.
#[test]
fn rules_that_are_kept_are_not_found() {
    each_jdk(|jdk| {
        let run = breaks(jdk, "keep", UNTIMED).exits(0);
        assert_eq!(findings(&run), ["nothing found"], "{run}");
    });
}

#[test]
fn all_rules_are_found_together() {
    each_jdk(|jdk| {
        let run = breaks(jdk, "break", "check=on").exits(0);
        let found = broken(&run);
        let missed = RULES
            .iter()
            .map(|row| row.id)
            .filter(|id| !found.contains(id));
        // Without a handler there is nothing else to be found.
        assert_eq!(missed.collect::<Vec<_>>(), ["notify-unset"], "{run}");
    });
}

/// Without the option nothing is said, and the agent has the plain table.
#[test]
fn nothing_is_checked_unless_asked_for() {
    let run = breaks(compiler(), "break,gc-enabled", "").exits(0);
    assert_eq!(findings(&run), [""; 0], "{run}");
}

#[test]
fn places_are_named() {
    let run = breaks(compiler(), "break,gc-enabled", UNTIMED).exits(0);
    let found = findings(&run);
    assert!(
        found[0].contains("(once, at libbreaks.so: gc_enabled+0x"),
        "{run}"
    );
    assert!(
        found[1].starts_with("1 error and 0 warnings (once in all)"),
        "{run}"
    );
}

#[test]
fn exit_code_for_ci() {
    let jdk = compiler();
    breaks(jdk, "break,gc-enabled", "check=fail").exits(3);
    breaks(jdk, "keep,gc-enabled", "check=fail").exits(0);
    let warning = RULES.iter().find(|row| row.severity == Severity::Warning);
    let warning = warning.expect("there are warnings").id;
    breaks(jdk, &format!("break,{warning}"), "check=fail").exits(0);
    let run = breaks(
        jdk,
        "break,gc-enabled",
        "check=fail,check-suppress=slow-handler+gc-enabled",
    );
    assert_eq!(findings(&run.exits(0)), ["nothing found"]);
}

/// The agents that we deliver keep the rules.
#[test]
fn our_own_agents_are_clean() {
    let jdk = compiler();
    for (agent, suppressed) in [
        ("jvmpi_trace:file=t.txt", ""),
        ("jvmpi_sampler:interval=5", ""),
        ("jvmpi_counter", ""),
        // It makes sure that hosts refuse.
        ("jvmpi_check:file=c.txt", "+wrong-way"),
    ] {
        let run = Java::with_shim(jdk)
            .env("JVMPI_OPTIONS", format!("{UNTIMED}{suppressed}"))
            .arg(format!("-Xrun{agent}"))
            .main("Plain")
            .run()
            .exits(0);
        assert_eq!(findings(&run), ["nothing found"], "{run}");
    }
}
