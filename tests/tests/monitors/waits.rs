//! MONITOR_WAIT and MONITOR_WAITED: what ends a wait, and how long it was.

use std::collections::HashMap;

use xrun_tests::jdk::each_jdk;
use xrun_tests::monitor_trace::{EVENTS, by_thread, without_ways_back};
use xrun_tests::run::Java;

/// Notified, timed out, interrupted before and meanwhile, woken without need; in
/// `Object.wait` and in `Thread.sleep`. Each WAIT has its WAITED, with the milliseconds that
/// the thread itself has measured.
#[test]
fn what_ends_a_wait() {
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .arg("-Xcheck:jni")
            .arg(format!(
                "-Xrunjvmpi_trace:file=trace.txt,ids=stable,{EVENTS}"
            ))
            .main("Waits")
            .run()
            .exits(0);
        let trace = run.file("trace.txt");
        let events = by_thread(&trace);
        let said: HashMap<&str, (&str, i64)> = run
            .stdout
            .lines()
            .filter_map(|line| {
                let mut words = line.split(' ');
                let (name, how) = (words.next()?, words.next()?);
                Some((name, (how, words.next()?.parse().ok()?)))
            })
            .collect();
        // Name, how it ended, milliseconds asked, how often, the least milliseconds of each.
        for (name, how, asked, times, least) in [
            ("notified", "returned", 100_000, 1, 50),
            ("timed", "returned", 70, 1, 70),
            ("with-nanos", "returned", 6, 1, 5),
            ("interrupted", "InterruptedException", 0, 1, 50),
            ("interrupted-before", "InterruptedException", 100_000, 1, 0),
            ("not-owner", "IllegalMonitorStateException", 0, 0, 0),
            ("negative", "IllegalArgumentException", 0, 0, 0),
            ("in-a-loop", "returned", 0, 4, 50),
            ("sleep-interrupted", "InterruptedException", 100_000, 1, 50),
            ("sleep", "returned", 30, 1, 30),
        ] {
            let what = format!("{jdk}: {name}\n{trace}\n{run}");
            let (ended, measured) = said[name];
            assert_eq!(ended, how, "{what}");
            // On its way the thread may meet others, at the lock of a class loader say.
            let mut waits = events.get(name).cloned().unwrap_or_default();
            waits.retain(|event| event.kind.starts_with("MONITOR_WAIT"));
            assert_eq!(waits.len(), 2 * times, "{what}");
            let mut all = 0;
            for pair in waits.chunks(2) {
                assert_eq!(
                    (pair[0].kind.as_str(), pair[0].millis),
                    ("MONITOR_WAIT", asked),
                    "{what}"
                );
                assert_eq!(pair[1].kind, "MONITOR_WAITED", "{what}");
                assert_eq!(pair[0].object == 0, name.starts_with("sleep"), "{what}");
                assert_eq!(pair[0].object, pair[1].object, "{what}");
                assert!(pair[1].millis >= least, "{what}");
                all += pair[1].millis;
            }
            assert!(all <= measured, "{what}");
        }
    });
}

/// One that has been interrupted does not leave its monitor by Object.wait: it tells of its exit behind that.
#[test]
fn an_interrupted_owner_leaves_once() {
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .arg(format!(
                "-Xrunjvmpi_trace:file=trace.txt,ids=stable,{EVENTS}"
            ))
            .main("InterruptedOwner")
            .run()
            .exits(0)
            .says("interrupted\nentered\n");
        let trace = run.file("trace.txt");
        let threads = by_thread(&trace);
        let lock = threads["enters"]
            .iter()
            .find(|event| event.kind == "MONITOR_CONTENDED_ENTERED")
            .map(|event| event.object);
        let of_lock = threads["owner"]
            .iter()
            .filter(|event| Some(event.object) == lock);
        let kinds: Vec<&str> = of_lock.map(|event| event.kind.as_str()).collect();
        let mut right = ["MONITOR_WAIT", "MONITOR_WAITED", "MONITOR_CONTENDED_EXIT"];
        if jdk.major >= 24 {
            // These take the flag before they tell of the wait.
            right.swap(1, 2);
        }
        assert_eq!(kinds, right, "{jdk}\n{trace}\n{run}");
    });
}

/// A notified thread whose monitor is still held: from 27 on the VM tells how it waits for it, between
/// whose two events the owner says that it leaves; before, the wait ends when the monitor is its own.
#[test]
fn the_way_back_is_told_where_the_vm_tells_of_it() {
    const ROUNDS: usize = 10;
    each_jdk(|jdk| {
        let run = Java::with_shim(jdk)
            .arg("-Xcheck:jni")
            .arg(format!(
                "-Xrunjvmpi_trace:file=trace.txt,ids=stable,{EVENTS}"
            ))
            .main(&format!("WaysBack {ROUNDS}"))
            .run()
            .exits(0)
            .says("done\n");
        let whole = run.file("trace.txt");
        let count_of = |trace: &str, thread: &str, kind: &str| {
            let threads = by_thread(trace);
            let events = threads.get(thread).into_iter().flatten();
            // Of the lock alone, which is the only one that the thread waits at.
            let lock = threads["waiter"].iter().find(|event| event.millis == 0);
            let lock = lock.map(|event| event.object);
            events
                .filter(|event| event.kind == kind && Some(event.object) == lock)
                .count()
        };
        let (without, ways_back) = without_ways_back(jdk, &whole);
        let told = |trace: &str| {
            [
                "MONITOR_WAIT",
                "MONITOR_WAITED",
                "MONITOR_CONTENDED_ENTER",
                "MONITOR_CONTENDED_ENTERED",
            ]
            .map(|kind| count_of(trace, "waiter", kind))
        };
        assert_eq!(told(&without), [ROUNDS, ROUNDS, 0, 0], "{jdk}\n{whole}");
        // Main may have one as well, when its join ends.
        let own = told(&whole)[2];
        assert!(own <= ways_back, "{jdk}\n{whole}");
        assert_eq!(told(&whole), [ROUNDS, ROUNDS, own, own], "{jdk}\n{whole}");
        assert_eq!(own > 0, jdk.major >= 27, "{jdk}\n{whole}");
        let exits = count_of(&whole, "main", "MONITOR_CONTENDED_EXIT");
        // One may have had its event when the owner had left.
        assert!(exits <= ways_back, "{jdk}\n{whole}");
        assert_eq!(exits > 0, jdk.major >= 27, "{jdk}\n{whole}");
    });
}
