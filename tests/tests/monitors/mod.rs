//! Java monitors: contention, waits, sleeps, the dump; and raw monitors.
//!
//! Longer than most: what its parts share, and the rules that one recorded program has to keep.

mod hand_overs;
mod late;
mod lock_times;
mod raw_monitors;
mod virtual_dumps;
mod waits;

use std::collections::HashMap;

use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::long;
use xrun_tests::monitor_trace::{EVENTS, MonitorEvent, by_thread, without_ways_back};
use xrun_tests::product;
use xrun_tests::report::{assert_checks, field};
use xrun_tests::run::{Java, agent_path};

fn traced(jdk: &Jdk, main: &str) -> String {
    let run = Java::with_shim(jdk)
        .arg("-Xcheck:jni")
        .arg(format!(
            "-Xrunjvmpi_trace:file=trace.txt,ids=stable,{EVENTS}"
        ))
        .main(main)
        .run()
        .exits(0);
    run.file("trace.txt")
}

/// The program of which there is a recording: the same events on each of its threads, in
/// the same order, and the sleeps that this host of the period left out.
#[test]
fn the_recorded_program() {
    let recorded = by_thread(include_str!("../../recorded/Mon.mon.trace"));
    let kinds = |events: &[MonitorEvent]| -> Vec<String> {
        let java = events.iter().filter(|event| !event.kind.ends_with("EXIT"));
        java.map(|event| event.kind.clone()).collect()
    };
    each_jdk(|jdk| {
        let (trace, ways_back) = without_ways_back(jdk, &traced(jdk, "Mon"));
        let ours = by_thread(&trace);
        for thread in ["contender", "waiter", "intr"] {
            assert_eq!(
                kinds(&ours[thread]),
                kinds(&recorded[thread]),
                "{jdk}: {thread}\n{trace}"
            );
            // One object for all three.
            let object = ours["contender"][0].object;
            assert!(
                object != 0 && ours[thread].iter().all(|event| event.object == object),
                "{trace}"
            );
        }
        let waits: Vec<i64> = ours["waiter"].iter().map(|event| event.millis).collect();
        assert!(
            waits[0] == 0 && waits[1] >= 20 && waits[2] == 30 && waits[3] >= 30,
            "{jdk}: {waits:?}"
        );
        // Said by the owner, between the two.
        let mut exits = ours["main"]
            .iter()
            .filter(|event| event.kind == "MONITOR_CONTENDED_EXIT")
            .map(|event| event.object);
        let object = ours["contender"][0].object;
        assert_eq!(exits.next(), Some(object), "{jdk}\n{trace}");
        // And to whom it has notified.
        let others: Vec<_> = exits.collect();
        assert!(others.len() <= ways_back, "{jdk}\n{trace}");
        assert!(others.iter().all(|&other| other == object), "{jdk}");
        let place = |kind: &str| trace.find(&format!(" MONITOR_CONTENDED_{kind} "));
        assert!(
            place("ENTER") < place("EXIT") && place("EXIT") < place("ENTERED"),
            "{jdk}\n{trace}"
        );
        let sleeps: Vec<_> = ours["main"]
            .iter()
            .filter(|event| event.object == 0)
            .collect();
        let asked = [50, 50, 100, 50];
        assert_eq!(sleeps.len(), 2 * asked.len(), "{jdk}\n{trace}");
        for (pair, asked) in sleeps.chunks(2).zip(asked) {
            assert_eq!(
                (pair[0].kind.as_str(), pair[0].millis),
                ("MONITOR_WAIT", asked),
                "{trace}"
            );
            assert!(
                pair[1].kind == "MONITOR_WAITED" && pair[1].millis >= asked,
                "{jdk}\n{trace}"
            );
        }
    });
}

/// The other one: two threads that want one lock all the time, and one that waits for it
/// 20 ms. How often they meet is chance.
#[test]
fn the_other_recorded_program() {
    let recorded = by_thread(include_str!("../../recorded/Hello.mon.trace"));
    let waits = |events: &[MonitorEvent]| -> Vec<(String, i64)> {
        let waits = events.iter().filter(|event| event.object != 0);
        let waits = waits.filter(|event| event.kind == "MONITOR_WAIT");
        waits
            .map(|event| (event.kind.clone(), event.millis))
            .collect()
    };
    const WORKERS: [&str; 2] = ["worker-1", "worker-2"];
    each_jdk(|jdk| {
        // On a full machine also whether they meet at all.
        let have_met = |trace: &String| {
            let threads = by_thread(trace);
            let mut events = WORKERS.iter().flat_map(|&worker| &threads[worker]);
            events.any(|event| event.kind == "MONITOR_CONTENDED_ENTERED")
        };
        let mut runs = (0..5).map(|_| traced(jdk, "Hello"));
        let trace = runs.find(have_met).expect("some that meet in five runs");
        let ours = by_thread(&trace);
        for threads in [&recorded, &ours] {
            let mut met = 0;
            for worker in WORKERS {
                let events: Vec<_> = threads[worker]
                    .iter()
                    .filter(|event| event.kind.starts_with("MONITOR_CONTENDED_E"))
                    .filter(|event| !event.kind.ends_with("EXIT"))
                    .collect();
                for pair in events.chunks(2) {
                    let kinds: Vec<_> = pair.iter().map(|event| &*event.kind).collect();
                    assert_eq!(
                        kinds,
                        ["MONITOR_CONTENDED_ENTER", "MONITOR_CONTENDED_ENTERED"],
                        "{jdk}: {worker}\n{trace}"
                    );
                    assert_eq!(pair[0].object, pair[1].object, "{jdk}\n{trace}");
                }
                met += events.len();
            }
            assert!(met > 0, "{jdk}\n{trace}");
        }
        let asked = |threads: &HashMap<String, Vec<MonitorEvent>>| {
            let mut waits = waits(&threads["main"]);
            waits.retain(|(_, millis)| *millis == 20);
            waits
        };
        assert_eq!(asked(&ours), asked(&recorded), "{jdk}\n{trace}");
    });
}

/// Virtual threads have their own, or none as is wished; their carriers have none, and nobody hangs.
#[test]
fn virtual_threads_have_monitor_events_of_their_own() {
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let events_of = |mode: &str| {
            let shim = agent_path(&product::shim(), mode);
            let trace = format!("-Xrunjvmpi_trace:file=trace.txt,ids=stable,{EVENTS}");
            let java = Java::of(jdk).arg(shim).arg(trace).main("VirtualLocks");
            let run = java.limit(60).run().exits(0).says("done\n");
            let trace = run.file("trace.txt");
            let mut threads = by_thread(&trace);
            let of_main = &threads["main"];
            assert!(
                of_main.iter().any(|event| event.millis == 1000),
                "{jdk}\n{trace}"
            );
            // Pools and their helpers park; what waits in a monitor here is virtual.
            let carriers = threads
                .iter()
                .filter(|(name, _)| name.starts_with("ForkJoinPool"));
            for (name, events) in carriers {
                assert!(events.is_empty(), "{jdk}: {name}: {events:?}");
            }
            threads.remove("").unwrap_or_default()
        };
        let of_virtual = events_of("");
        let count = |kind: &str| {
            let of_kind = of_virtual.iter().filter(|event| event.kind == kind);
            of_kind.filter(|event| event.object != 0).count()
        };
        assert_eq!(count("MONITOR_WAIT"), 400, "{jdk}");
        assert_eq!(count("MONITOR_WAITED"), 400, "{jdk}");
        let sleeps = |kind: &str| {
            let of_kind = of_virtual.iter().filter(|event| event.kind == kind);
            of_kind.filter(|event| event.object == 0).count()
        };
        assert_eq!(sleeps("MONITOR_WAIT"), 400, "{jdk}");
        assert_eq!(sleeps("MONITOR_WAITED"), 400, "{jdk}");
        let contended = count("MONITOR_CONTENDED_ENTER");
        assert!(contended > 0, "{jdk}");
        assert_eq!(contended, count("MONITOR_CONTENDED_ENTERED"), "{jdk}");
        for mode in ["virtual-threads=carriers", "virtual-threads=off"] {
            assert_eq!(events_of(mode), [], "{jdk} {mode}");
        }
    });
}

/// What the agent `monitors` says of one monitor.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
struct Monitor {
    owner: String,
    entering: Vec<String>,
    waiting: Vec<String>,
}

fn words(list: &str) -> Vec<String> {
    let mut words: Vec<String> = list
        .split(',')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.sort();
    words
}

/// The monitors of the program's own classes in the agent's report, by class, with the
/// entry count.
fn dumped(report: &str) -> HashMap<String, (Monitor, u32)> {
    let lines = report
        .lines()
        .filter_map(|line| line.strip_prefix("MONITOR "));
    let of_line = |line: &str| {
        let (what, _) = line.split_once(" owner=")?;
        let monitor = Monitor {
            owner: field(line, "owner")?.to_owned(),
            entering: words(field(line, "enter")?),
            waiting: words(field(line, "notify")?),
        };
        let name = what.strip_prefix("java ").unwrap_or(what);
        Some((
            name.to_owned(),
            (monitor, field(line, "count")?.parse().ok()?),
        ))
    };
    lines.filter_map(of_line).collect()
}

/// The same in the VM's own dump of its threads.
fn printed(dump: &str) -> HashMap<String, Monitor> {
    let mut monitors: HashMap<String, Monitor> = HashMap::new();
    let mut thread = String::new();
    // The threads in a deadlock are printed once more at the end.
    let dump = dump
        .split("Found one Java-level")
        .next()
        .unwrap_or_default();
    for line in dump.lines() {
        if let Some(rest) = line.strip_prefix('"') {
            thread = rest.split('"').next().unwrap_or_default().to_owned();
        }
        let Some((what, class)) = line.split_once(" (a Monitors$") else {
            continue;
        };
        let class = format!("Monitors${}", class.trim_end_matches(')'));
        let monitor = monitors.entry(class).or_default();
        if what.contains("- waiting to lock") {
            monitor.entering.push(thread.clone());
        } else if what.contains("- waiting on") {
            monitor.waiting.push(thread.clone());
        } else if what.contains("- locked") {
            monitor.owner.clone_from(&thread);
        }
    }
    for monitor in monitors.values_mut() {
        monitor.entering.sort();
        monitor.waiting.sort();
        // A thread that waits is printed where it had locked it, too.
        if monitor.waiting.contains(&monitor.owner) {
            monitor.owner.clear();
        }
    }
    monitors
}

/// Requests a dump, and compares it with what the VM itself prints a moment later. The
/// agent's report.
fn compare_dumps(jdk: &Jdk, java: Java) -> String {
    let mut running = java.main("Monitors dump").start();
    running.wait_for_line("dumped");
    running.signal("QUIT");
    running.wait_for_line("JNI global ref");
    running.signal("KILL");
    let run = running.finish();
    let report = run.file("report.txt");
    assert_checks(&report, 2);
    let ours = dumped(&report);
    let vms = printed(&run.stdout);
    for class in ["Entered", "Kept", "WaitedOn", "Slept", "One", "Other"] {
        let class = format!("Monitors${class}");
        let said = ours.get(&class).map(|(monitor, _)| monitor);
        assert_eq!(said, vms.get(&class), "{jdk}: {class}\n{report}\n{run}");
    }
    report
}

/// Named by -Xrun alone we come too late to be told what each thread owns.
#[test]
fn a_dump_after_a_late_start() {
    let agent = xrun_tests::fixture::native("monitors");
    each_jdk(|jdk| {
        let java = Java::of(jdk)
            .natives(jdk, &agent)
            .library(&agent)
            .arg("-Xrunjvmpi:monitors");
        let report = compare_dumps(jdk, java);
        let ours = dumped(&report);
        for (class, count) in [("Entered", 3), ("WaitedOn", 0), ("Kept", 1), ("One", 1)] {
            let class = format!("Monitors${class}");
            assert_eq!(ours[&class].1, count, "{jdk}: {class}\n{report}");
        }
        for owner in ["of-the-class", "main"] {
            assert!(
                report.contains(&format!("java java.lang.Class owner={owner} count=1 ")),
                "{jdk}\n{report}"
            );
        }
    });
}

/// Held, contended, waited on, slept in and deadlocked: as the VM itself prints it a moment
/// later.
#[test]
fn a_dump_says_what_the_vm_prints() {
    each_jdk(|jdk| {
        let report = compare_dumps(
            jdk,
            Java::with_helper(jdk, "monitors", "").arg("-Xcheck:jni"),
        );
        let ours = dumped(&report);
        let raw = |owner: &str, entering: &[&str], waiting: &[&str]| Monitor {
            owner: owner.to_owned(),
            entering: entering.iter().map(|&name| name.to_owned()).collect(),
            waiting: waiting.iter().map(|&name| name.to_owned()).collect(),
        };
        assert_eq!(
            ours["Monitors$Entered"],
            (raw("holder", &["blocked-1", "blocked-2"], &[]), 3)
        );
        assert_eq!(
            ours["Monitors$WaitedOn"],
            (raw("", &[], &["timed", "waiter"]), 0)
        );
        assert_eq!(ours["Monitors$Kept"], (raw("waiter", &[], &[]), 1));
        assert_eq!(ours["raw outer"], (raw("main", &["contends"], &[]), 2));
        assert_eq!(ours["raw _inner"], (raw("", &[], &["waits"]), 0));
        // By static synchronized methods, and by main.
        for owner in ["of-the-class", "main"] {
            assert!(
                report.contains(&format!("java java.lang.Class owner={owner} count=1 ")),
                "{report}"
            );
        }
        let status = |name: &str| {
            let start = format!("THREAD {name} ");
            let line = report.lines().find(|line| line.starts_with(&start));
            line.unwrap_or_else(|| panic!("no {name} in {report}"))
                .to_owned()
        };
        for line in report.lines().filter(|line| line.starts_with("THREAD ")) {
            assert_eq!(
                field(line, "status"),
                field(line, "asked"),
                "{jdk}\n{report}"
            );
        }
        for (name, code, frame) in [
            ("main", "0x1", "Native.check"),
            ("spinning", "0x1", "Monitors.lambda"),
            ("blocked-1", "0x2", "Monitors.lambda"),
            ("dead-2", "0x2", "Monitors.lambda"),
            ("waiter", "0x3", "java.lang.Object.wait"),
            ("sleeper", "0x3", "java.lang.Thread.sleep"),
            ("of-the-class", "0x3", "Unsafe.park"),
            ("contends", "0x2", "frames=0"),
            ("waits", "0x3", "frames=0"),
        ] {
            let line = status(name);
            assert_eq!(field(&line, "status"), Some(code), "{jdk}: {line}");
            assert!(line.contains(frame), "{jdk}: {line}");
        }
    });
}

/// While fifty threads fight over twenty locks, others start and end and classes load.
#[test]
fn dumps_in_a_storm() {
    let dumps = if long() { 1000 } else { 200 };
    each_jdk(|jdk| {
        let run = Java::with_helper(jdk, "monitors", "all")
            .main(&format!("Monitors storm {dumps}"))
            .limit(240)
            .run()
            .exits(0)
            .says("done\n");
        assert_checks(&run.file("report.txt"), 4);
    });
}

/// Every event enabled: the judge has nothing to say, and there is one EXIT for each ENTERED
/// where two threads share a lock.
#[test]
fn check_is_silent() {
    product::agent("check");
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .arg("-Xrunjvmpi_check:file=check.txt")
            .main("Hello")
            .run()
            .exits(0);
        let report = run.file("check.txt");
        assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
        let line = report.lines().find(|line| line.starts_with("events "));
        let count = |event: &str| line.and_then(|line| field(line, event)).unwrap_or("0");
        let [enter, entered, exit] = ["ENTER", "ENTERED", "EXIT"].map(|end| {
            count(&format!("MONITOR_CONTENDED_{end}"))
                .parse::<i64>()
                .unwrap()
        });
        assert_eq!(enter, entered, "{report}");
        assert!((entered - exit).abs() <= 2, "{report}");
    });
}

/// The judge reads dumps while fifty threads fight, and watches where EXIT comes: between a
/// waiter's ENTER and its ENTERED.
#[test]
fn the_judge_reads_dumps() {
    product::agent("check");
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .arg("-Xrunjvmpi_check:file=check.txt,dump=10,rungc=100")
            .main("Monitors fight 3000")
            .run()
            .exits(0)
            .says("done\n");
        let report = run.file("check.txt");
        assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
        let count = |line: &str, key: &str| -> i64 {
            let found = report.lines().find(|found| found.starts_with(line));
            let value = found.and_then(|found| field(found, key)?.parse().ok());
            value.unwrap_or_else(|| panic!("{jdk}: {line} {key}\n{report}"))
        };
        assert!(count("dumps=", "dumps") > 10, "{report}");
        assert!(count("dumps=", "java") > 20, "{report}");
        assert!(count("dumps=", "waiting") > 20, "{report}");
        let in_place = count("hand-overs", "in_place");
        assert!(in_place > 100, "{report}");
        // Each bracket may come between in each of the twenty locks.
        let displaced = 20 * count("brackets=", "brackets");
        assert!(count("hand-overs", "elsewhere") <= displaced, "{report}");
    });
}
