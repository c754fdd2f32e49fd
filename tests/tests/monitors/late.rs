//! Monitor events that are switched while threads wait: what began before an agent listened
//! ends unheard, since it counts one end for one beginning.

use std::collections::HashMap;

use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::long;
use xrun_tests::report::assert_checks;
use xrun_tests::run::Java;

/// What may come of a thread of this kind.
const ALLOWED: [(&str, &[&[&str]]); 18] = [
    // The agent has begun to listen a moment too early now and then.
    ("all", &[&[], &["ENTER", "ENTERED"]]),
    ("after-exit", &[&[], &["ENTER", "ENTERED"]]),
    ("after-entered", &[&[], &["ENTER", "ENTERED"]]),
    ("in-parts-again", &[&[], &["ENTER", "ENTERED"]]),
    ("in-parts", &[&["ENTER"]]),
    ("entered-only", &[&["ENTERED"]]),
    ("enter-off", &[&["ENTER", "ENTERED"]]),
    ("both-off", &[&["ENTER"]]),
    ("wait-all", &[&[]]),
    ("wait-after-exit", &[&[]]),
    ("wait-after-waited", &[&[]]),
    ("waited-late", &[&["WAIT", "WAITED"]]),
    ("waited-only", &[&["WAITED"]]),
    ("wait-off", &[&["WAIT", "WAITED"]]),
    ("sleep-all", &[&[]]),
    ("sleep-after-waited", &[&[]]),
    ("sleep-off", &[&["WAIT", "WAITED"]]),
    ("slept-only", &[&["WAITED"]]),
];

/// The events of each thread since each mark: the mark, the thread, and what came.
fn parts(report: &str) -> HashMap<(String, String), Vec<&str>> {
    let mut parts: HashMap<_, Vec<&str>> = HashMap::new();
    let key = |mark: &str, thread: &str| (mark.to_owned(), thread.to_owned());
    let mut mark = "";
    for line in report.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["MARK", name] => {
                mark = name;
                parts.entry(key(mark, "")).or_default();
            }
            ["EVENT", thread, kind] => parts.entry(key(mark, thread)).or_default().push(kind),
            _ => {}
        }
    }
    parts
}

fn played(jdk: &Jdk, times: usize) -> (String, String) {
    let run = Java::with_helper(jdk, "late_monitors", "")
        .arg("-Xcheck:jni")
        .main(&format!("LateMonitors {times}"))
        .limit(240)
        .run()
        .exits(0);
    assert!(run.stdout.ends_with("done\n"), "{run}");
    let report = run.file("report.txt");
    assert_checks(&report, 0);
    (report, run.stdout)
}

#[test]
fn what_began_unheard_ends_unheard() {
    let times = if long() { 100 } else { 4 };
    each_jdk(|jdk| {
        let (report, stdout) = played(jdk, times);
        let parts = parts(&report);
        let of = |mark: &str, thread: &str| {
            let part = parts.get(&(mark.to_owned(), thread.to_owned()));
            part.cloned().unwrap_or_default()
        };
        // Of a thread that leaves a lock for which main waits.
        let without_exit = |mark: &str, thread: &str| {
            let mut seen = of(mark, thread);
            seen.retain(|kind| *kind != "EXIT");
            seen
        };
        let exits = |mark: &str, thread: &str| {
            let seen = of(mark, thread).into_iter();
            seen.filter(|kind| *kind == "EXIT").count()
        };
        for (kind, allowed) in ALLOWED {
            let mut first = 0;
            for time in 0..times {
                let (mark, thread) = match kind.strip_suffix("-again") {
                    Some(name) => (format!("{name}-{time}-again"), format!("{name}-{time}")),
                    None => (format!("{kind}-{time}"), format!("{kind}-{time}")),
                };
                let begun = parts.contains_key(&(mark.clone(), String::new()));
                let seen = without_exit(&mark, &thread);
                assert!(
                    begun && allowed.contains(&seen.as_slice()),
                    "{jdk}: {mark}: {seen:?}, not {allowed:?}\n{report}"
                );
                first += usize::from(seen == allowed[0]);
            }
            assert!(first > 0, "{jdk}: {kind} never came about\n{report}");
        }
        let orders = stdout
            .lines()
            .filter_map(|line| line.strip_prefix("order "));
        let mut later = 0;
        for (time, order) in orders.enumerate() {
            let mark = format!("exits-{time}");
            // Whoever waits when main leaves is listed.
            assert_eq!(exits(&mark, "main"), 1, "{jdk}: {mark}\n{report}");
            let last = format!("{mark}-last");
            let before = order.split(' ').take_while(|thread| *thread != last);
            for thread in before {
                assert_eq!(exits(&mark, thread), 1, "{jdk}: {mark}: {thread}\n{report}");
                later += 1;
            }
        }
        assert!(later >= times, "{jdk}\n{stdout}");
    });
}
