//! The time that is lost per lock, as an agent measures it and as JFR does in the same run.

use std::collections::HashMap;
use std::process::Command;

use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::report::field;
use xrun_tests::run::{self, Java};

/// Milliseconds by class, and how often.
type Lost = HashMap<String, (f64, i64)>;

/// From `jfr print`.
fn of_jfr(text: &str) -> Lost {
    let mut all = Lost::new();
    let mut millis = 0.0;
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("duration = ") {
            let (value, unit) = rest.split_once(' ').expect("a unit");
            let value: f64 = value.parse().expect("a number");
            millis = match unit {
                "ns" => value / 1e6,
                "us" => value / 1e3,
                "ms" => value,
                "s" => value * 1e3,
                _ => panic!("{line}"),
            };
        } else if let Some(rest) = line.strip_prefix("monitorClass = ") {
            let class = rest.split(' ').next().unwrap_or_default();
            let of_class = all.entry(class.to_owned()).or_default();
            of_class.0 += millis;
            of_class.1 += 1;
        }
    }
    all
}

/// The same from the agent's report.
fn of_agent(report: &str) -> Lost {
    let lines = report.lines().filter_map(|line| {
        let rest = line.strip_prefix("LOCK ")?;
        let nanos: f64 = field(rest, "nanos")?.parse().ok()?;
        let times = field(rest, "times")?.parse().ok()?;
        Some((rest.split(' ').next()?.to_owned(), (nanos / 1e6, times)))
    });
    lines.collect()
}

const SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.JavaMonitorEnter">
    <setting name="enabled">true</setting>
    <setting name="threshold">0 ms</setting>
  </event>
</configuration>
"#;

/// What both measure in a run, by class; and all that was said.
fn measured(jdk: &Jdk) -> ([Lost; 2], String) {
    let java = Java::with_helper(jdk, "lock_times", "");
    let recording = java.file("run.jfr");
    std::fs::write(java.file("only.jfc"), SETTINGS).expect("a folder of its own");
    let run = java
        .arg("-XX:StartFlightRecording=filename=run.jfr,settings=only.jfc")
        .main("LockTimes")
        .run()
        .exits(0);
    assert!(run.stdout.contains("done"), "{run}");
    let mut jfr = Command::new(jdk.tool("jfr"));
    jfr.args(["print", "--events", "jdk.JavaMonitorEnter"])
        .arg(&recording);
    let text = run::output(jfr, 60).exits(0).stdout;
    let report = run.file("report.txt");
    let said = format!("{report}\n{text}\n{run}");
    ([of_jfr(&text), of_agent(&report)], said)
}

/// A thread may lose its processor between the two clocks, so once they may be apart.
#[test]
fn an_agent_agrees_with_jfr() {
    each_jdk_if(
        |jdk| jdk.has_tool("jfr"),
        |jdk| {
            const TRIES: usize = 2;
            let agree = |_| {
                let ([theirs, ours], said) = measured(jdk);
                ["Short", "Middle", "Long"].iter().all(|class| {
                    let class = format!("LockTimes${class}");
                    let what = format!("{jdk}: {class}\n{theirs:?}\n{said}");
                    let (Some(&(jfr, times)), Some(&(agent, often))) =
                        (theirs.get(&class), ours.get(&class))
                    else {
                        panic!("{what}");
                    };
                    assert!(times > 20 && jfr > 50.0, "{what}");
                    assert_eq!(often, times, "{what}");
                    let agree = (agent / jfr - 1.0).abs() < 0.05;
                    if !agree {
                        eprintln!("apart: {what}");
                    }
                    agree
                })
            };
            assert!((0..TRIES).any(agree), "{jdk}: what was said stands above");
        },
    );
}
