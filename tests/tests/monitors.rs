//! Java monitors: contention, waits, sleeps, the dump.

use std::collections::HashMap;

use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::report::field;
use xrun_tests::run::Java;

/// The monitor events of a trace, by the name of the thread that sent them: event, object
/// (a number of its own; 0 for a sleep) and milliseconds.
fn by_thread(trace: &str) -> HashMap<String, Vec<(String, usize, i64)>> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut objects: Vec<&str> = vec!["(nil)"];
    let mut events: HashMap<String, Vec<(String, usize, i64)>> = HashMap::new();
    for line in trace.lines() {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let kind = line.split(' ').next().unwrap_or_default();
        if kind == "THREAD_START"
            && let (Some(env), Some(name)) = (field(line, "tenv"), field(line, "name"))
        {
            names.insert(env, name);
        }
        if let Some(object) = field(line, "obj")
            && let Some(name) = field(line, "env").and_then(|env| names.get(env))
        {
            let number = objects.iter().position(|known| *known == object);
            let number = number.unwrap_or_else(|| {
                objects.push(object);
                objects.len() - 1
            });
            let millis = field(line, "timeout").map_or(-1, |text| text.parse().unwrap_or(-1));
            let events = events.entry((*name).to_owned()).or_default();
            events.push((kind.to_owned(), number, millis));
        }
    }
    events
}

const EVENTS: &str = "noheader,none,+THREAD_START,+MONITOR_CONTENDED_ENTER,+MONITOR_CONTENDED_ENTERED,+MONITOR_WAIT,+MONITOR_WAITED";

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
    let recorded = by_thread(include_str!("../recorded/Mon.mon.trace"));
    let kinds = |events: &[(String, usize, i64)]| -> Vec<String> {
        let java = events.iter().filter(|(kind, ..)| !kind.ends_with("EXIT"));
        java.map(|(kind, ..)| kind.clone()).collect()
    };
    each_jdk(|jdk| {
        let trace = traced(jdk, "Mon");
        let ours = by_thread(&trace);
        for thread in ["contender", "waiter", "intr"] {
            assert_eq!(
                kinds(&ours[thread]),
                kinds(&recorded[thread]),
                "{jdk}: {thread}\n{trace}"
            );
            // One object for all three.
            let object = ours["contender"][0].1;
            assert!(
                object != 0 && ours[thread].iter().all(|event| event.1 == object),
                "{trace}"
            );
        }
        let waits: Vec<i64> = ours["waiter"].iter().map(|event| event.2).collect();
        assert!(
            waits[0] == 0 && waits[1] >= 20 && waits[2] == 30 && waits[3] >= 30,
            "{jdk}: {waits:?}"
        );
        let sleeps: Vec<_> = ours["main"].iter().filter(|event| event.1 == 0).collect();
        let asked = [50, 50, 100, 50];
        assert_eq!(sleeps.len(), 2 * asked.len(), "{jdk}\n{trace}");
        for (pair, asked) in sleeps.chunks(2).zip(asked) {
            assert_eq!(
                (pair[0].0.as_str(), pair[0].2),
                ("MONITOR_WAIT", asked),
                "{trace}"
            );
            assert!(
                pair[1].0 == "MONITOR_WAITED" && pair[1].2 >= asked,
                "{jdk}\n{trace}"
            );
        }
    });
}
