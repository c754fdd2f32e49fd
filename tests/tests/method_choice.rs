//! Which methods have events: `small-methods=skip` and `method-budget=`.

use serde_json::Value;
use std::collections::BTreeMap;

use xrun_tests::fixture::native;
use xrun_tests::jdk::each_jdk;
use xrun_tests::product;
use xrun_tests::report::assert_checks;
use xrun_tests::run::{Java, Run, agent_path};

/// What the agent `methods` lists: entries, entries with receiver, exits.
fn counts(report: &str) -> BTreeMap<String, [u64; 3]> {
    let lines = report
        .lines()
        .filter_map(|line| line.strip_prefix("METHOD "));
    let mut counts: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, numbers @ ..] = &words[..] else {
            continue;
        };
        let name = name.split('(').next().unwrap_or(name);
        let all = counts.entry(name.to_owned()).or_default();
        for (sum, number) in all.iter_mut().zip(numbers) {
            *sum += number.parse::<u64>().unwrap();
        }
    }
    counts
}

/// Methods that are small have no events, all others have theirs; without the option all have.
#[test]
fn small_methods_have_no_events() {
    each_jdk(|jdk| {
        for (options, skips) in [("log=info", false), ("log=info,small-methods=skip", true)] {
            let agent = "Smalls+java.lang.System+java.lang.String";
            let java = Java::with_helper(jdk, "methods", agent).env("JVMPI_OPTIONS", options);
            let run = java.main("Smalls").limit(120).run().exits(0);
            let report = run.file("report.txt");
            assert_checks(&report, 7);
            let counts = counts(&report);
            let mut checked = 0;
            for line in run.stdout.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let [kind, method, calls] = words[..] else {
                    panic!("{run}");
                };
                let is_left_out = skips && kind == "SMALL";
                let calls = calls.parse().unwrap();
                let expected = (!is_left_out).then_some([calls; 3]);
                assert_eq!(
                    counts.get(method).copied(),
                    expected,
                    "{jdk}, {options}: {method}"
                );
                checked += 1;
            }
            assert_eq!(checked, 17, "{run}");
            for native in [
                "java.lang.System.nanoTime",
                "java.lang.System.identityHashCode",
            ] {
                assert_eq!(
                    counts.contains_key(native),
                    !skips,
                    "{jdk}, {options}: {native}"
                );
            }
            assert!(
                counts.contains_key("java.lang.System.initPhase3")
                    || counts.contains_key("java.lang.String.hashCode"),
                "{report}"
            );
            let said = run.stderr.lines().find_map(|line| {
                let counts = line.strip_prefix("jvmpi: small-methods=skip: ")?;
                let counts = counts.strip_suffix(" of them native")?;
                let (all, natives) = counts.split_once(" methods have had no events, ")?;
                Some((all.parse::<u32>().ok()?, natives.parse::<u32>().ok()?))
            });
            assert_eq!(said.is_some(), skips, "{run}");
            // The two above, and those that the JDK itself calls before main: less than a hundred.
            assert!(
                said.is_none_or(|(all, natives)| (2..100).contains(&natives) && all > natives),
                "{run}"
            );
        }
    });
}

/// `Budgeted` under an agent until the smallest has lost its events, with a log that says which methods did; and how often
/// the smallest was called.
fn budgeted(java: Java, options: &str) -> (Run, u64) {
    budgeted_of(java, options, "Budgeted log.txt Budgeted.spin")
}

/// The same of another program.
fn budgeted_of(java: Java, options: &str, main: &str) -> (Run, u64) {
    let options = format!("log=info,log-file=log.txt,{options}");
    let run = java.env("JVMPI_OPTIONS", options).main(main);
    let run = run.limit(300).run().exits(0);
    let calls = run.stdout.trim().strip_prefix("CALLS ");
    let calls = calls.and_then(|calls| calls.parse().ok());
    let calls = calls.unwrap_or_else(|| panic!("{run}"));
    (run, calls)
}

/// A method that is called all the time loses its events; what runs has its end, and who is worth it
/// keeps them.
#[test]
fn methods_that_cost_more_than_they_measure_lose_their_events() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "methods", "plain+Budgeted");
        let (run, calls) = budgeted(java, "method-budget=1");
        let report = run.file("report.txt");
        assert_checks(&report, 7);
        let counts = counts(&report);
        let [entries, _, exits] = counts["Budgeted.spin"];
        assert!(
            entries == exits && entries < calls,
            "{entries} {exits} {calls}\n{run}"
        );
        assert_eq!(counts["Budgeted.nested"], [63, 0, 63], "{run}");
        let log = run.file("log.txt");
        let left_out = |line: &str| {
            line.strip_prefix("jvmpi:   Budgeted.spin: ")?
                .parse::<u64>()
                .ok()
        };
        let said = log.lines().find_map(left_out);
        let said = said.unwrap_or_else(|| panic!("{log}\n{run}"));
        // What came between the decision and the new code was not counted.
        assert!(
            (entries / 8..entries * 3 / 2).contains(&said),
            "{said} of {entries}\n{run}"
        );
        assert!(log.contains("jvmpi: method-budget=1: "), "{log}");
    });
}

/// Constructors lose theirs unless another one that has some calls them; what comes later and calls one
/// that has none ends where that throws, though no hook sees it.
#[test]
fn constructors_lose_their_events_unless_others_call_them() {
    each_jdk(|jdk| {
        let agent = "plain+nests+LaterBelow+SuperBudget$Parent";
        let java = Java::with_helper(jdk, "methods", agent);
        let (run, calls) = budgeted_of(java, "method-budget=1", "SuperBudget log.txt");
        let report = run.file("report.txt");
        assert_checks(&report, 9);
        let counts = counts(&report);
        assert_eq!(
            counts["SuperBudget$Parent.<init>"],
            [calls, 0, calls],
            "{run}"
        );
        assert_eq!(counts["LaterBelow.<init>"], [400, 0, 400], "{run}");
        let log = run.file("log.txt");
        assert!(log.contains("jvmpi:   SuperBudget$Base.<init>: "), "{log}");
        assert!(
            !log.contains("jvmpi:   SuperBudget$Parent.<init>: "),
            "{log}"
        );
    });
}

/// Somebody else makes the VM refuse a class without the hooks of some methods: they keep their
/// events, also when the class is rewritten once more, and nobody says that they had lost them.
#[test]
fn methods_whose_class_is_refused_keep_their_events() {
    let spoils = agent_path(&native("spoils"), "Budgeted");
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "methods", "plain+Budgeted").arg(&spoils);
        let (run, calls) = budgeted_of(java, "method-budget=1", "Budgeted log.txt refused");
        let report = run.file("report.txt");
        assert_checks(&report, 7);
        assert_eq!(counts(&report)["Budgeted.spin"], [calls, 0, calls], "{run}");
        let log = run.file("log.txt");
        let mut refused = log
            .lines()
            .skip_while(|line| !line.contains("not rewritten, "));
        assert_eq!(refused.nth(1), Some("jvmpi:   Budgeted"), "{log}\n{run}");
        assert!(!log.contains("jvmpi:   Budgeted."), "{log}");
        assert!(run.stderr.contains("spoils: once more\n"), "{run}");
    });
}

/// The judge of the rules finds nothing, whoever loses events and when.
#[test]
fn rules_hold_while_methods_lose_their_events() {
    product::agent("check");
    each_jdk(|jdk| {
        for options in [
            "method-budget=1,small-methods=skip,check=on",
            "method-budget=1,check=on",
        ] {
            let java = Java::with_shim(jdk).arg("-Xrunjvmpi_check:file=check.txt,classes=");
            let (run, _) = budgeted(java, options);
            let report = run.file("check.txt");
            assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
        }
    });
}

/// HPROF takes both as its own, and says what it has not measured, and since when.
#[test]
fn profiles_say_what_is_left_out() {
    product::hprof();
    each_jdk(|jdk| {
        for format in ["a", "json"] {
            let options = "cpu=times,clock=wall,small-methods=skip,method-budget=1";
            let java = Java::with_shim(jdk)
                .arg(format!("-Xrunhprof:{options},format={format},file=profile"));
            let (run, calls) = budgeted(java, "");
            let profile = run.file("profile");
            assert!(profile.contains("Methods of few bytecodes"), "{run}");
            assert!(
                profile.contains("measuring took 1% of the CPU time, "),
                "{run}"
            );
            let said: u64 = if format == "a" {
                let line = profile.lines().find_map(|line| {
                    let (calls, method) = line.trim().split_once("  ")?;
                    (method == "Budgeted.spin").then_some(calls)
                });
                assert!(
                    profile.contains("\nMETHODS LEFT OUT BEGIN (total = "),
                    "{run}"
                );
                line.and_then(|calls| calls.parse().ok())
                    .unwrap_or_else(|| panic!("{run}"))
            } else {
                let profile: Value = serde_json::from_str(&profile).unwrap();
                let left_out = profile["leftOut"].as_array().unwrap();
                let spin = left_out.iter().find(|it| {
                    let at = it["method"].as_u64().unwrap();
                    profile["methods"][usize::try_from(at).unwrap()]["name"] == "spin"
                });
                spin.and_then(|it| it["calls"].as_u64())
                    .unwrap_or_else(|| panic!("{run}"))
            };
            assert!(said > 0 && said < calls, "{said} {calls}");
            assert!(!run.stderr.contains("small-methods=skip and"), "{run}");
        }
    });
}

/// Methods whose class has gone since are in the profile as well.
#[test]
fn methods_left_out_outlive_their_classes() {
    product::hprof();
    each_jdk(|jdk| {
        let options = "log=info,log-file=log.txt,method-budget=1";
        let hprof = "-Xrunhprof:cpu=times,clock=wall,method-budget=1,file=profile";
        let java = Java::with_shim(jdk)
            .arg(hprof)
            .env("JVMPI_OPTIONS", options);
        let run = java.main("LeftOutGone log.txt").limit(300).run();
        let run = run.exits(0).says("gone\n");
        let profile = run.file("profile");
        let (_, left_out) = profile
            .split_once("\nMETHODS LEFT OUT BEGIN")
            .expect("its part");
        assert!(
            left_out.contains("LeftOutGone$Hot.small\n"),
            "{left_out}\n{run}"
        );
    });
}
