//! `check=on`: each rule is found when it is broken, and not when it is kept.

use agent_check::{RULES, Severity};
use xrun_tests::collector::dealt;
use xrun_tests::jdk::{Jdk, compiler, each_jdk, on_jdk};
use xrun_tests::run::{Java, Run, agent_path};
use xrun_tests::{fixture, product};

/// All that is said of an agent that keeps the rules.
const NOTHING: &str = concat!("nothing found (libjvmpi ", env!("CARGO_PKG_VERSION"), ")");

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

/// The ways to break a rule that the agent knows: `rule`, and `rule.way`.
fn deeds() -> Vec<&'static str> {
    let source = include_str!("../agents/breaks.c");
    let lines = source.lines();
    let named = |line: &'static str| line.strip_prefix("    { \"")?.split_once('"');
    lines.filter_map(named).map(|(deed, _)| deed).collect()
}

/// What cannot be broken without breaking another rule as well.
fn expected(rule: &str) -> Vec<&str> {
    match rule {
        "never-resumed" => vec!["gc-left-disabled", "never-resumed"],
        _ => vec![rule],
    }
}

/// What a deed needs besides.
fn settings(deed: &str) -> &'static str {
    match deed {
        "slow-handler" => "check=on",
        "stale-id.moved" => "check=on,check-suppress=slow-handler,arenas=two-space,ids=renumber",
        _ => UNTIMED,
    }
}

#[test]
fn each_rule_is_found_alone() {
    let jdk = compiler();
    let mut deeds = deeds();
    // What is done in JVM_OnLoad alone.
    deeds.push("notify-unset");
    for row in &RULES {
        assert!(deeds.contains(&row.id), "nobody breaks {}", row.id);
    }
    for deed in deeds {
        if deed == "wrong-kind.method" {
            continue; // numbers_of_another_kind_are_not_stale
        }
        let rule = deed.split('.').next().unwrap_or(deed);
        let row = RULES.iter().find(|row| row.id == rule);
        let row = row.unwrap_or_else(|| panic!("{deed}: no such rule"));
        let run = breaks(jdk, &format!("break,{deed}"), settings(deed)).exits(0);
        assert_eq!(broken(&run), expected(rule), "{deed}: {run}");
        let line = format!("{} [{}] {}: ", row.severity.word(), row.id, row.name);
        assert!(
            findings(&run).iter().any(|found| found.starts_with(&line)),
            "{run}"
        );
    }
}

/// The same calls in the right way.
#[test]
fn rules_that_are_kept_are_not_found() {
    each_jdk(|jdk| {
        for settings in [UNTIMED, settings("stale-id.moved")] {
            let run = breaks(jdk, "keep", settings).exits(0);
            assert_eq!(findings(&run), [NOTHING], "{run}");
        }
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
        assert_eq!(missed.collect::<Vec<_>>(), [""; 0], "{run}");
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
    assert_eq!(findings(&run.exits(0)), [NOTHING]);
}

/// For programs: what the VM's shim has found comes back to xrun, with the line of the source.
#[test]
fn findings_are_written_with_their_lines() {
    let jdk = compiler();
    let folder = fixture::unique("findings");
    let library = fixture::native("breaks");
    let source = include_str!("../agents/breaks.c");
    let begin = source
        .lines()
        .position(|line| line.starts_with("static void gc_enabled("));
    let checked = |how: &str, words: &[&str]| {
        let mut command = product::xrun_command();
        command.args(words).current_dir(&folder);
        command
            .arg(jdk.java())
            .arg(format!("-Xrun{}:{how}", library.display()));
        command.arg(format!("-Dagent={}", library.display()));
        command.arg("-cp").arg(fixture::classes()).arg("Checked");
        xrun_tests::run::output(command, 60)
    };
    let broken = checked(
        "break,gc-enabled",
        &["--check=fail", "--findings", "found.json"],
    );
    assert_eq!(broken.status.code(), Some(3), "{broken}");
    let json = std::fs::read_to_string(folder.join("found.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let found = json["runs"][0]["findings"].as_array().unwrap();
    let found: Vec<_> = found
        .iter()
        .filter(|it| it["rule"] == "gc-enabled")
        .collect();
    let place = &found[0]["place"];
    assert_eq!(place["function"], "gc_enabled");
    assert!(
        place["file"].as_str().unwrap().ends_with("/breaks.c"),
        "{json}"
    );
    let line = usize::try_from(place["line"].as_u64().unwrap()).unwrap();
    // The function's lines are few.
    let begin = begin.unwrap() + 1;
    assert!((begin..begin + 8).contains(&line), "{line}, {begin}");
    assert!(
        json["runs"][0]["about"]["agent"]
            .as_str()
            .unwrap()
            .ends_with("breaks.so"),
        "{json}"
    );
    std::fs::write(folder.join("known"), "gc-enabled breaks.c -- on purpose\n").unwrap();
    let words = [
        "--check=fail",
        "--findings",
        "found.xml",
        "--suppress",
        "known",
    ];
    let known = checked("break,gc-enabled", &words);
    assert_eq!(known.status.code(), Some(0), "{known}");
    let xml = std::fs::read_to_string(folder.join("found.xml")).unwrap();
    assert!(xml.contains("<skipped message=\"on purpose\"/>"), "{xml}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// xrun has ended before the VM, say: then its folder is gone, of which nobody knows.
#[test]
fn findings_are_shown_where_their_folder_is_gone() {
    on_jdk(17, |jdk| {
        for (folder, warned) in [("xrun-check-gone", 0), ("elsewhere", 1)] {
            let settings = format!("{UNTIMED},check-report=/nowhere/{folder}/%p");
            let run = breaks(jdk, "break,gc-enabled", &settings).exits(0);
            assert_eq!(broken(&run), ["gc-enabled"], "{run}");
            let warnings = run.stderr.matches("warning: check-report=").count();
            assert_eq!(warnings, warned, "{run}");
        }
    });
}

/// Nothing is lost when the agent ends the process in a handler, on the very thread, or when
/// its JVM_OnLoad refuses to start or throws.
#[test]
fn early_ends_have_their_findings() {
    let jdk = compiler();
    for (mode, kept_code, broken_code, rule) in [
        ("exits", 0, 3, "unknown-id"),
        ("refuses", 1, 1, "before-init-done"),
        ("throws", 0, 1, "exception-escapes"),
    ] {
        let run = |how: &str| {
            let library = fixture::native("breaks");
            let spec = format!("check=fail,agent=breaks:{how},{mode}");
            let java = Java::of(jdk).arg(agent_path(&product::shim(), &spec));
            let java = java.natives(jdk, &library).library(&library);
            java.main("Checked").run().no_crash()
        };
        let kept = run("keep").exits(kept_code);
        assert_eq!(findings(&kept), [NOTHING], "{kept}");
        let broke = run("break").exits(broken_code);
        assert_eq!(broken(&broke), [rule], "{broke}");
        assert!(findings(&broke)[1].contains("(once in all)"), "{broke}");
    }
}

/// At once, and not only when the thread of the bracket ends.
#[test]
fn a_lock_kept_in_gc_finish_is_found_there() {
    let run = breaks(compiler(), "break,monitor-kept.gc", UNTIMED).exits(0);
    assert!(
        run.stderr.contains("when the handler of GC_FINISH returns"),
        "{run}"
    );
}

/// What was never an id of the kind is not stale, though its number was some object's.
#[test]
fn numbers_of_another_kind_are_not_stale() {
    let run = breaks(compiler(), "break,wrong-kind.method", UNTIMED).exits(0);
    let found = broken(&run);
    let kinds = ["unknown-id", "wrong-kind"];
    assert!(
        !found.is_empty() && found.iter().all(|rule| kinds.contains(rule)),
        "{run}"
    );
}

/// A run of one of our agents under check=on, with rules left out.
fn own(jdk: &Jdk, agent: &str, suppressed: &str, main: &str) -> Run {
    Java::with_shim(jdk)
        .env("JVMPI_OPTIONS", format!("{UNTIMED}{suppressed}"))
        .arg(format!("-Xrun{agent}"))
        .main(main)
        .run()
        .exits(0)
}

/// The agents that we deliver keep the rules. Not among them: `rude`, which breaks them.
#[test]
fn our_own_agents_are_clean() {
    each_jdk(|jdk| {
        for (agent, suppressed) in [
            ("jvmpi_trace:file=t.txt", ""),
            (
                "jvmpi_trace:file=t.txt,members,traces=4,request,+HEAP_DUMP,+MONITOR_DUMP,+OBJECT_DUMP,classes=Plain",
                "",
            ),
            ("jvmpi_sampler:interval=5,threads", ""),
            ("jvmpi_counter:file=n.txt", ""),
            ("jvmpi_coverage:file=v.txt", ""),
            ("jvmpi_dump:levels=012,alloc", ""),
            // It makes sure that hosts refuse.
            ("jvmpi_check:file=c.txt", "+wrong-way"),
            (
                "jvmpi_check:file=c.txt,lock,rungc=20,ask=40,trace=4",
                "+wrong-way",
            ),
            // What it throws is what it is for.
            ("jvmpi_throw:file=w.txt", "+exception-escapes"),
        ] {
            let run = own(jdk, agent, suppressed, "Plain");
            assert_eq!(findings(&run), [NOTHING], "{agent}: {run}");
        }
    });
}

/// HPROF in all its modes.
#[test]
fn hprof_is_clean() {
    each_jdk(|jdk| {
        for (_, (mode, main)) in dealt(jdk, &HPROF_MODES) {
            let run = own(jdk, &format!("hprof:{mode},file=p"), "", main);
            assert_eq!(findings(&run), [NOTHING], "{mode}: {run}");
        }
    });
}

const HPROF_MODES: [(&str, &str); 15] = [
    ("heap=dump", "Plain"),
    ("heap=sites", "Plain"),
    ("heap=all,gc_okay=n,thread=y", "Plain"),
    ("heap=dump,format=b", "Plain"),
    ("heap=sites,format=b", "Plain"),
    ("heap=sites,format=collapsed", "Plain"),
    ("cpu=samples,interval=2", "Hot 400"),
    ("cpu=samples,format=b", "Plain"),
    ("cpu=samples,format=json", "Hot 400"),
    ("cpu=times,clock=cpu", "Hot 400"),
    ("cpu=times,clock=wall,format=flame", "Hot 400"),
    ("cpu=times,format=collapsed,thread=y", "Plain"),
    ("cpu=old", "Hot 400"),
    ("monitor=y", "HprofLocks"),
    ("heap=all,cpu=samples,monitor=y,depth=8", "HprofLocks"),
];

/// Places in C++ have the names that the source has.
#[test]
fn names_of_cxx_are_readable() {
    let library = fixture::native("mangled");
    let java = Java::of(compiler()).arg(agent_path(&product::shim(), "check=on"));
    let java = java.library(&library).arg("-Xrunmangled");
    let run = java.main("Hello").run().exits(0);
    let found = findings(&run).join("\n");
    assert!(
        found.contains("libmangled.so: period::Handler::look(std::") && !found.contains("_ZN"),
        "{run}"
    );
}
