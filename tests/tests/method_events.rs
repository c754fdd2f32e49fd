//! What methods do: compiled code, entries and exits. All of it counts calls by the same agent and holds them against the
//! program's own numbers, so it is one file, and long.

use std::collections::BTreeMap;

use xrun_tests::fixture::jar;
use xrun_tests::golden;
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{Java, agent_path};
use xrun_tests::{fixture, product};

/// Address, size and lines of compiled code; lines as the agent itself puts them together,
/// from JVMTI's map of the code and the method's LineNumberTable.
#[test]
fn compiled_code_has_lines() {
    each_jdk(|jdk| {
        let all = ["-Xcomp", "-XX:TieredStopAtLevel=1"];
        // Some code, and all of what runs; the JDK's own may have been built without lines.
        for (helper, options, program, checks) in
            [("", &[][..], "Hot", 9), ("no_hot", &all[..], "Hot 100", 5)]
        {
            let run = Java::with_helper(jdk, "compiled", helper)
                .arg("-Xcheck:jni")
                .args(options)
                .main(program)
                .run()
                .exits(0)
                .says("done\n");
            let report = run.file("report.txt");
            assert_checks(&report, checks);
            let line = report.lines().find(|line| line.starts_with("LINES "));
            let compared = line.and_then(|line| field(line, "compared")?.parse::<u32>().ok());
            assert!(compared > Some(20), "{jdk}\n{report}");
        }
    });
}

/// Each COMPILED_METHOD_UNLOAD belongs to a LOAD and comes before its class is unloaded.
#[test]
fn compiled_code_of_unloaded_classes() {
    product::agent("check");
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .args(["-Xcomp", "-XX:TieredStopAtLevel=1", "-Xmx64m"])
            .arg("-Xrunjvmpi_check:file=check.txt")
            .main("UnloadStorm 300")
            .limit(120)
            .run()
            .exits(0);
        let report = run.file("check.txt");
        assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
        let counted = |event: &str| -> u32 {
            let line = report.lines().find(|line| line.starts_with("events "));
            line.and_then(|line| field(line, event)?.parse().ok())
                .unwrap_or(0)
        };
        assert!(counted("COMPILED_METHOD_LOAD") > 300, "{report}");
        assert!(counted("COMPILED_METHOD_UNLOAD") > 30, "{report}");
        // The classes that the VM makes for lambdas and for strings may be collected, too.
        assert!((300..310).contains(&counted("CLASS_UNLOAD")), "{report}");
    });
}

/// What call traces show was told by METHOD_ENTRY, also where lambdas and method handles call.
#[test]
fn frames_are_of_methods_that_were_entered() {
    each_jdk(|jdk| {
        for options in ["", "method-events=exact"] {
            let shim = agent_path(&product::shim(), options);
            let library = fixture::native("entered");
            let java = Java::of(jdk)
                .arg(shim)
                .library(&library)
                .arg("-Xrunentered");
            let run = java.main("Handles").run().exits(0).says("calls 4200\n");
            assert_checks(&run.file("report.txt"), 7);
        }
    });
}

/// What begins or ends is on top of the stack in the event's handler, also on threads that run Java code before they
/// have started.
#[test]
fn methods_are_on_top_when_they_are_told_of() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "on_top", "")
            .main("Attached")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 6);
    });
}

/// Where METHOD_EXIT is enabled when there are hooks for METHOD_ENTRY alone, and where nobody sees a method end: a
/// constructor whose super() throws.
#[test]
fn methods_are_on_top_when_they_end() {
    each_jdk(|jdk| {
        let kinds = [
            ("later", "ExitsLater", ""),
            ("all", "Supers 20", "include=Supers"),
        ];
        for (agent, program, options) in kinds {
            let run = Java::with_helper(jdk, "on_top", agent)
                .env("JVMPI_OPTIONS", options)
                .main(program)
                .limit(120)
                .run()
                .exits(0);
            assert_checks(&run.file("report.txt"), 6);
        }
    });
}

/// What the agent `methods` lists: entries, entries with receiver, exits.
fn counts(report: &str) -> BTreeMap<String, [u64; 3]> {
    let mut counts = BTreeMap::new();
    for line in report.lines() {
        let Some(rest) = line.strip_prefix("METHOD ") else {
            continue;
        };
        let words: Vec<&str> = rest.split(' ').collect();
        let [name, numbers @ ..] = words.as_slice() else {
            continue;
        };
        let name = name.split_once('(').map_or(*name, |(name, _)| name);
        let all: &mut [u64; 3] = counts.entry(name.to_owned()).or_default();
        for (sum, number) in all.iter_mut().zip(numbers) {
            *sum += number.parse::<u64>().unwrap();
        }
    }
    counts
}

/// Runs `Methods` and compares with what it says itself.
fn methods_of(jdk: &Jdk, shim: &str, vm: &[&str], main: &str) {
    methods_by(jdk, "Methods", shim, vm, main);
}

/// METHOD_ENTRY2 has the receiver, and of static methods none, whatever their first argument is.
#[test]
fn receivers_are_those_of_the_calls() {
    each_jdk(|jdk| {
        for how in ["fast", "exact"] {
            let java = Java::with_helper(jdk, "receivers", "");
            let java = java.env("JVMPI_OPTIONS", format!("method-events={how}"));
            let run = java.main("Receivers").limit(120).run();
            let run = run.exits(0).says("done\n");
            assert_checks(&run.file("report.txt"), 3);
        }
    });
}

/// The same for an agent with these options.
fn methods_by(jdk: &Jdk, agent: &str, shim: &str, vm: &[&str], main: &str) {
    let receivers = u64::from(!agent.starts_with("plain"));
    let run = Java::with_helper(jdk, "methods", agent)
        .env("JVMPI_OPTIONS", shim)
        .args(vm.iter().copied())
        .main(main)
        .limit(120)
        .run()
        .exits(0);
    let report = run.file("report.txt");
    assert_checks(&report, 7 + usize::from(agent.contains("throws")));
    let counts = counts(&report);
    let mut checked = 0;
    for line in run.stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["CALLS", method, calls] = words[..] else {
            continue;
        };
        let calls: u64 = calls.parse().unwrap();
        let seen = counts.get(method).copied().unwrap_or_default();
        assert_eq!(
            seen,
            [calls, receivers * calls, calls],
            "{jdk}, `{shim}`, {vm:?}: {method}\n{report}"
        );
        checked += 1;
    }
    assert_eq!(checked, 27, "{run}");
    if main == "Methods" {
        // As seen above. They are written down: on another processor the same methods are called as often.
        let calls = run.stdout.lines().filter(|line| line.starts_with("CALLS "));
        let calls: String = calls.map(|line| format!("{line}\n")).collect();
        golden::has("Methods.calls", &calls, jdk);
    }
    for (method, [entries, entries2, exits]) in counts {
        assert!(
            entries == exits && entries * receivers == entries2,
            "{method}: {entries}, {entries2}, {exits}\n{run}"
        );
    }
}

/// As often as they are called, and nested, in every way to call and to leave.
#[test]
fn methods_are_counted() {
    each_jdk(|jdk| {
        methods_of(jdk, "", &["-Xcheck:jni"], "Methods");
    });
}

/// Without METHOD_ENTRY2, which makes each event as short as can be, for an agent that writes
/// over its events.
#[test]
fn methods_are_counted_by_whoever_spoils_the_events() {
    each_jdk(|jdk| {
        methods_by(jdk, "plain+Methods", "", &[], "Methods");
        methods_by(jdk, "plain+Methods", "check=on", &[], "Methods");
    });
}

/// What each handler leaves pending reaches neither the next one nor the program, and no
/// handler meets what the program throws.
#[test]
fn methods_are_counted_by_whoever_throws() {
    each_jdk(|jdk| {
        for agent in ["plain+throws+Methods", "throws+Methods"] {
            methods_by(jdk, agent, "", &["-Xcheck:jni"], "Methods");
        }
        methods_by(
            jdk,
            "plain+throws+Methods",
            "include=Methods",
            &["-Xint"],
            "Methods",
        );
        methods_by(
            jdk,
            "throws+Methods",
            "method-events=exact,include=Methods",
            &[],
            "Methods shallow",
        );
    });
}

/// Interpreted, compiled at once, and verified in full.
#[test]
fn methods_are_counted_in_every_mode() {
    each_jdk(|jdk| {
        methods_of(jdk, "include=Methods", &["-Xint"], "Methods");
        methods_of(
            jdk,
            "include=Methods",
            &["-XX:TieredStopAtLevel=1"],
            "Methods",
        );
        methods_of(
            jdk,
            "include=Methods",
            &["-Xcomp", "-XX:-TieredCompilation"],
            "Methods",
        );
        methods_of(
            jdk,
            "",
            &[
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+BytecodeVerificationLocal",
                "-XX:+BytecodeVerificationRemote",
            ],
            "Methods",
        );
    });
}

/// The VM's own events say the same.
#[test]
fn methods_are_counted_by_the_vm() {
    each_jdk(|jdk| {
        methods_of(
            jdk,
            "method-events=exact,include=Methods",
            &[],
            "Methods shallow",
        );
    });
}

/// A constructor ends where its super() throws, though no code of its own can see that: before the
/// next method begins, however large that one's frame is, and whether or not the superclass has
/// hooks.
#[test]
fn constructors_whose_super_throws() {
    each_jdk(|jdk| {
        const C1: &str = "-XX:TieredStopAtLevel=1";
        const WITHOUT_BASE: &str = "include=Supers,exclude=Supers$Base";
        for (agent, shim, vm) in [
            ("nests+Supers", "", &[][..]),
            ("nests+Supers", "include=Supers", &["-Xint"]),
            ("nests+Supers", "include=Supers,method-events=exact", &[]),
            ("plain+nests+Supers", "include=Supers", &["-Xint"]),
            ("plain+nests+Supers", "include=Supers", &["-Xcomp", C1]),
            ("plain+nests+Supers", WITHOUT_BASE, &["-Xint"]),
            ("plain+nests+Supers", WITHOUT_BASE, &["-Xcomp", C1]),
            ("nests+Supers", WITHOUT_BASE, &[]),
            (
                "plain+nests+Supers",
                "include=Supers",
                &["-Xcomp", "-XX:-TieredCompilation"],
            ),
        ] {
            let run = Java::with_helper(jdk, "methods", agent)
                .env("JVMPI_OPTIONS", shim)
                .args(vm)
                .main("Supers 5")
                .limit(120)
                .run()
                .exits(0)
                .says("done\n");
            assert_checks(&run.file("report.txt"), 9);
        }
    });
}

/// The recorded counts of a host of the period, however the methods run.
#[test]
fn counts_are_the_recorded_ones() {
    let recorded = include_str!("../recorded/Hello.user-method-counts.txt");
    let counted = |jdk: &Jdk, vm: &[&str]| {
        let java = Java::with_helper(jdk, "methods", "Hello").args(vm);
        let report = java.main("Hello").run().exits(0).file("report.txt");
        let counts = counts(&report);
        for line in recorded.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [number, event, method] = words[..] else {
                panic!("{line}");
            };
            let name = method.split_once('(').map_or(method, |(name, _)| name);
            let [entries, _, exits] = counts.get(name).copied().unwrap_or_default();
            let seen = if event == "METHOD_ENTRY" {
                entries
            } else {
                exits
            };
            assert_eq!(seen.to_string(), number, "{jdk}, {vm:?}: {line}\n{report}");
        }
    };
    each_jdk(|jdk| {
        counted(jdk, &[]);
        counted(jdk, &["-Xint"]);
        counted(jdk, &["-Xcomp", "-XX:TieredStopAtLevel=1"]);
    });
}

/// Instructions with what their branches do, and only if they were allowed.
#[test]
fn instructions_and_branches() {
    each_jdk(|jdk| {
        let of = |shim: &str, options: &str| {
            let run = Java::with_helper(jdk, "branches", options)
                .env("JVMPI_OPTIONS", shim)
                .main("BranchesBehind")
                .run();
            run.exits(0).says("done\n").file("report.txt")
        };
        assert_checks(&of("instructions=on,include=Branches", "on"), 21);
        let other = "instructions=on,include=Branches,lookupswitch=is-default";
        assert_checks(&of(other, "default"), 21);
        assert_checks(&of("", ""), 1);
    });
}

/// What the handler of JVM_INIT_DONE has done, on its own thread and on one that it waits for, is told of, and nothing before.
#[test]
fn methods_begin_with_the_handler_of_init_done() {
    each_jdk(|jdk| {
        for (shim, agent, checks) in [
            ("instructions=on", "instructions", 9),
            ("instructions=on", "late,instructions", 9),
            ("", "", 6),
            ("", "late", 6),
            ("method-events=exact", "", 6),
            ("method-events=exact", "late", 6),
        ] {
            let run = Java::with_helper(jdk, "first_methods", agent)
                .env("JVMPI_OPTIONS", shim)
                .main("Hot 10")
                .run()
                .exits(0)
                .says("done\n");
            let report = run.file("report.txt");
            // Each EnableEvent of INSTRUCTION_START is a check, too.
            assert_checks(&report, checks);
        }
    });
}

/// Enabled and disabled while the program runs.
#[test]
fn methods_for_a_part_of_a_run() {
    each_jdk(|jdk| {
        for (shim, wait) in [
            ("", false),
            ("method-events=exact", false),
            ("log=info,log-file=log.txt", true),
        ] {
            let run = Java::with_helper(jdk, "methods", "late+Switched")
                .env("JVMPI_OPTIONS", shim)
                .main(if wait { "Switched log.txt" } else { "Switched" })
                .limit(120)
                .run()
                .exits(0)
                .says("done\n");
            let said = run.stderr.clone() + &run.file("log.txt");
            let taken_out = said.contains("some seconds have been taken out");
            assert_eq!(taken_out, wait, "{run}");
            let report = run.file("report.txt");
            assert_checks(&report, 6);
            let counts = counts(&report);
            let of = |name: &str| counts.get(name).copied().unwrap_or_default();
            assert_eq!(of("Switched.a"), [0; 3], "{jdk}: {report}");
            assert_eq!(of("Switched.b"), [500; 3], "{jdk}: {report}");
            assert_eq!(of("Switched.c"), [0; 3], "{jdk}: {report}");
            assert_eq!(of("Switched.d"), [500; 3], "{jdk}: {report}");
        }
    });
}

/// Enabled with thousands of classes loaded: the program's own do not wait for all others, and
/// METHOD_EXIT after METHOD_ENTRY does not have them done again.
#[test]
fn methods_of_the_program_come_first() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "late", "")
            .main("Late")
            // JDK 11 retransforms some 200 classes a second, on a processor of its own.
            .limit(240)
            .run()
            .exits(0)
            .says("LOADED 3000\n");
        assert_checks(&run.file("report.txt"), 4);
    });
}

/// METHOD_EXIT before METHOD_ENTRY2, while methods run: of those whose beginning could not be told no
/// end is told among the ends of others.
#[test]
fn ends_are_wanted_before_beginnings() {
    each_jdk(|jdk| {
        let java = Java::with_helper(jdk, "exit_first", "").main("ExitFirst");
        let run = java.limit(240).run().exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 6);
    });
}

/// A library that is only named by -Xrun has no JVMTI at first, and the VM does not look
/// for native methods in it.
#[test]
fn methods_without_agentpath() {
    each_jdk(|jdk| {
        let library = fixture::native("methods");
        let run = Java::of(jdk)
            .library(&product::shim())
            .library(&library)
            .arg("-Xrunjvmpi:methods:Hello")
            .main("Hello")
            .run()
            .exits(0);
        let counts = counts(&run.file("report.txt"));
        assert_eq!(counts.get("Hello.fib"), Some(&[8361; 3]), "{run}");
        assert!(!run.stdout.contains("warning"), "{run}");
    });
}

/// The examples: the specification's counter in thread-local storage, and a coverage tool.
#[test]
fn examples() {
    product::agent("counter");
    product::agent("coverage");
    each_jdk(|jdk| {
        let of = |agent: &str, shim: &str, main: &str| {
            let run = Java::with_shim(jdk)
                .env("JVMPI_OPTIONS", shim)
                .arg(format!("-Xrun{agent}:file=report.txt"))
                .main(main)
                .run();
            run.exits(0).file("report.txt")
        };
        let report = of("jvmpi_counter", "include=Methods", "Methods shallow");
        let worker = "executed 466 methods";
        let workers = report.lines().filter(|line| line.ends_with(worker));
        assert_eq!(workers.count(), 4, "{jdk}: {report}");
        let report = of(
            "jvmpi_coverage",
            "instructions=on,include=Branches",
            "Branches",
        );
        let line = "Branches.ifInt(I)I: 6 instructions have run, branches taken 150";
        assert!(report.contains(line), "{jdk}: {report}");
    });
}

/// Classes are forgotten with their loaders, those that were never linked too: a program may
/// define them for ever.
#[test]
fn classes_of_dead_loaders_are_forgotten() {
    const CLASSES: u32 = 10_000;
    product::agent("counter");
    each_jdk(|jdk| {
        let counter = || {
            let run = Java::with_shim(jdk).arg("-Xrunjvmpi_counter:file=report.txt");
            run.env("JVMPI_OPTIONS", "log=info,include=UnloadStorm")
        };
        let replaced =
            Java::with_helper(jdk, "hook", "storm=STORM").env("JVMPI_OPTIONS", "log=info");
        for (java, how, what) in [
            (counter(), " unlinked", "classes whose loaders are gone"),
            (counter(), "", "unloaded classes"),
            (replaced, " unlinked", "classes whose loaders are gone"),
        ] {
            let main = format!("UnloadStorm {CLASSES}{how}");
            let run = java.arg("-Xmx64m").main(&main).limit(300).run().exits(0);
            let count = |line: &str| -> Option<u32> {
                let (count, rest) = line.strip_prefix("jvmpi: forgot ")?.split_once(' ')?;
                rest.starts_with(what).then(|| count.parse().ok())?
            };
            let forgotten: u32 = run.stderr.lines().filter_map(count).sum();
            assert!(
                forgotten > CLASSES / 3,
                "{jdk}, {main}: {forgotten} {what}\n{run}"
            );
        }
    });
}

/// A program that calls the hooks itself pays for each call and for no more; a stack that is
/// as deep is no such thing.
#[test]
fn entries_without_end() {
    each_jdk(|jdk| {
        let run = |main: &str| {
            let java = Java::with_helper(jdk, "redeploy", "methods")
                .env("JVMPI_OPTIONS", "include=Forged");
            java.main(main).limit(60).run().exits(0)
        };
        // Once this took four times as long for twice as many: 100 s for eight million.
        let forged = run("Forged 2000000 10");
        assert!(forged.stdout.ends_with("\nDEPTH 10\n"), "{forged}");
        let cost = forged
            .stdout
            .lines()
            .find_map(|it| it.strip_prefix("COST "));
        let cost: Option<u32> = cost.and_then(|millis| millis.parse().ok());
        assert!(cost.is_some_and(|millis| millis < 8000), "{forged}");
        let deep = run("Forged 0 300000").says("DEPTH 300000\n");
        let report = deep.file("report.txt");
        let number = |key| -> u64 {
            field(&report, key)
                .and_then(|it| it.parse().ok())
                .unwrap_or(0)
        };
        assert_eq!(number("all_entries"), number("all_exits"), "{report}");
        assert!(number("all_entries") > 300_000, "{report}");
    });
}

/// What the agent has made of a class file stays when hooks are put into it, and it is
/// not asked again.
#[test]
fn hooks_and_replaced_classes() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "hook", "Caused by: =CAUSED BY: ,methods")
            .main("Caused")
            .run();
        assert!(run.stdout.contains("CAUSED BY: "), "{run}");
        let report = run.file("report.txt");
        assert!(report.contains("ok METHOD_ENTRY"), "{report}");
        assert!(!report.contains("FAIL"), "{report}");
    });
}

/// What one thread enables is not switched off by another one that enables something else.
#[test]
fn threads_that_enable_events_leave_others_alone() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "rounds", "")
            .env("JVMPI_OPTIONS", "include=Rounds")
            .main("Rounds")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 6);
    });
}

/// Eight threads enable the event at once, which nobody has wanted before: to each SUCCESS says
/// that its next calls are seen.
#[test]
fn the_first_to_enable_events_may_be_many() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "first_hooks", "")
            .env("JVMPI_OPTIONS", "include=FirstHooks")
            .main("FirstHooks")
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 9);
    });
}

/// With log=info, at the end.
#[test]
fn what_is_not_seen_is_listed() {
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "methods", "Hello")
            .env("JVMPI_OPTIONS", "log=info")
            .main("Hello")
            .run()
            .exits(0);
        for (why, class) in [
            (
                "may be replaced by an intrinsic in compiled code",
                "java/lang/Integer",
            ),
            ("no hooks, an empty finalize()", "java/lang/Object"),
        ] {
            let mut lines = run.stderr.lines();
            assert!(
                lines.any(|line| line.starts_with(&format!("jvmpi: method events: {why}"))),
                "{run}"
            );
            assert!(
                lines.any(|line| line.starts_with(&format!("jvmpi:   {class}: "))),
                "{run}"
            );
        }
    });
}

/// A Java agent that changes classes as they are loaded, and later.
#[test]
fn methods_beside_a_java_agent() {
    let manifest =
        "Premain-Class: Weaver\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n";
    let weaver = format!("-javaagent:{}", jar("weaver.jar", manifest).display());
    each_jdk(|jdk| {
        methods_of(jdk, "", &[&weaver], "Methods");
        let run = Java::with_helper(jdk, "methods", "Patched")
            .arg(&weaver)
            .main("Patched")
            .run()
            .exits(0);
        assert!(run.stdout.contains("weaving-11\nweaving-12\n"), "{run}");
        let report = run.file("report.txt");
        assert_checks(&report, 7);
        assert_eq!(counts(&report).get("Patched.word"), Some(&[1; 3]), "{run}");
    });
}

/// What another agent has made of a class since stays when the hooks come, and when they go.
#[test]
fn redefined_classes_stay_redefined() {
    let manifest = "Premain-Class: Redefined\nCan-Redefine-Classes: true\n\
                    Can-Retransform-Classes: true\n";
    let redefined = format!("-javaagent:{}", jar("redefined.jar", manifest).display());
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "hook", "as-it-was=the-agent")
            .arg(&redefined)
            .main("Redefined")
            .run()
            .exits(0);
        // Again when there are hooks, and when there are others.
        let said = "the-agent the-agent\n".to_owned() + &"by-others as-it-was\n".repeat(3);
        assert_eq!(run.stdout, said, "{run}");
    });
}

/// What the VM has refused of another agent is not what a class becomes with its hooks; and it gets them.
#[test]
fn refused_redefinitions_stay_refused() {
    let manifest = "Premain-Class: Refused\nCan-Redefine-Classes: true\n";
    let agent = format!("-javaagent:{}", jar("refused.jar", manifest).display());
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "hook", "nothing=differs")
            .arg(&agent)
            .env("JVMPI_OPTIONS", "log=info")
            .main("Refused")
            .run()
            .exits(0);
        let as_it_was = "as-it-was as-it-was\n";
        assert_eq!(
            run.stdout,
            format!("{as_it_was}refused\n{as_it_was}{as_it_was}"),
            "{run}"
        );
        assert!(!run.stderr.contains("Refused$Second"), "{run}");
    });
}

/// What another agent makes of a class that has had hooks, and will have some, stays although nobody wants any then.
#[test]
fn redefined_between_hooks_stays_redefined() {
    let manifest = "Premain-Class: HooksAgain\nCan-Redefine-Classes: true\n\
                    Can-Retransform-Classes: true\n";
    let agent = format!("-javaagent:{}", jar("again.jar", manifest).display());
    each_jdk(|jdk| {
        // A text that no class has: with one replaced by the agent all are looked at for good.
        let run = Java::with_helper(jdk, "hook", "qqxqqxq=differs")
            .arg(&agent)
            .main("HooksAgain")
            .limit(120)
            .run()
            .exits(0);
        let lines: Vec<&str> = run.stdout.lines().collect();
        let [before, between, again] = lines[..] else {
            panic!("{run}");
        };
        assert_eq!(before, "as-it-was by-others", "{run}");
        // What the VM begins with when others retransform a class is its own affair.
        assert!(between.starts_with("by-others "), "{run}");
        assert_eq!(again, between, "{run}");
    });
}

/// Events name the method whose code runs, in whichever order its class has its methods now.
#[test]
fn methods_in_another_order_are_told_by_their_names() {
    let manifest = "Premain-Class: Reordered\nCan-Redefine-Classes: true\n";
    let agent = format!("-javaagent:{}", jar("reordered.jar", manifest).display());
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "methods", "Reordered")
            .arg(&agent)
            .main("Reordered")
            .run()
            .exits(0)
            .says("done\n");
        let report = run.file("report.txt");
        assert_checks(&report, 7);
        let counts = counts(&report);
        assert_eq!(
            counts.get("Reordered$Changed.first"),
            Some(&[13; 3]),
            "{run}"
        );
        assert_eq!(
            counts.get("Reordered$Changed.other"),
            Some(&[104; 3]),
            "{run}"
        );
    });
}

/// An exception that comes from outside, between any two instructions.
#[test]
fn methods_of_stopped_threads() {
    let stops = |jdk: &Jdk| {
        let can = (jdk.major < 20).then_some(());
        can.ok_or_else(|| "no Thread.stop".to_owned())
    };
    each_jdk_if(stops, |jdk| {
        let run = Java::with_helper(jdk, "methods", "stops+Stopped")
            .main("Stopped")
            .limit(60)
            .run()
            .exits(0)
            .says("CALLS Stopped.outer 40\n");
        let report = run.file("report.txt");
        assert_checks(&report, 6);
        for (method, [entries, entries2, exits]) in counts(&report) {
            assert!(
                entries == exits && entries == entries2,
                "{method}: {entries} {entries2} {exits}\n{run}"
            );
        }
    });
}

/// Virtual threads have their own, or none as is wished; and a carrier in the middle of a change is
/// asked nothing: JDK 21 would hang.
#[test]
fn virtual_threads_have_method_events_of_their_own() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let of_work = |mode: &str| {
            let shim = agent_path(&product::shim(), mode);
            let library = fixture::native("methods");
            let java = Java::of(jdk).arg(shim).library(&library);
            let java = java.arg("-Xrunmethods:Virtual").main("Virtual");
            let run = java.limit(60).run().exits(0).says("done\n");
            let report = run.file("report.txt");
            assert_checks(&report, 7);
            let counts = counts(&report);
            assert_eq!(counts.get("Virtual.main"), Some(&[1; 3]), "{report}");
            counts.get("Virtual.work").copied()
        };
        assert_eq!(of_work(""), Some([300; 3]));
        assert_eq!(of_work("virtual-threads=carriers"), None);
        assert_eq!(of_work("virtual-threads=off"), None);
    });
}
