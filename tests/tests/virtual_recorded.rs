//! Virtual threads beside the JDK's flight recorder: it works, and sees what agents see.

use std::path::Path;
use std::process::Command;

use xrun_tests::census::Judgement;
use xrun_tests::jdk::{Jdk, each_jdk_if, not_run};
use xrun_tests::report::field;
use xrun_tests::run::{Java, output};
use xrun_tests::samples::{Samples, assert_agree};
use xrun_tests::{hprof_ascii, long, product};

use crate::virtual_threads::said;

fn has_recorder(jdk: &Jdk) -> Result<(), String> {
    jdk.has_virtual_threads().and_then(|()| jdk.has_tool("jfr"))
}

/// Nothing but what is asked for: the profile is not of the recorder.
const SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.ExecutionSample">
    <setting name="enabled">true</setting>
    <setting name="period">5 ms</setting>
  </event>
  <event name="jdk.VirtualThreadStart"><setting name="enabled">true</setting></event>
  <event name="jdk.VirtualThreadEnd"><setting name="enabled">true</setting></event>
</configuration>
"#;

/// Its own output stays as it is.
fn recorded(java: Java) -> Java {
    std::fs::write(java.file("only.jfc"), SETTINGS).unwrap();
    java.arg("-XX:StartFlightRecording=filename=run.jfr,settings=only.jfc")
        .arg("-Xlog:jfr*=off")
}

/// The recording as text.
fn printed(jdk: &Jdk, folder: &Path, events: &str) -> String {
    let mut jfr = Command::new(jdk.tool("jfr"));
    jfr.args(["print", "--events", events, "--stack-depth", "1"]);
    jfr.arg(folder.join("run.jfr"));
    output(jfr, 120).exits(0).stdout
}

/// Of the recorder: the methods on top, of Java only.
fn add_of_recorder(text: &str, samples: &mut Samples) {
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line == "stackTrace = ["
            && let Some(top) = lines.next()
            && let Some((method, _)) = top.split_once('(')
        {
            *samples.entry(method.to_owned()).or_default() += 1;
        }
    }
}

/// Of HPROF the same: native methods are left out, and what the recorder itself does, which is over
/// when it begins to look.
fn add_of_hprof(text: &str, samples: &mut Samples) {
    const NATIVE: i32 = -3;
    let ascii = hprof_ascii::read(text).unwrap();
    let counts = |trace: u32| {
        let frames = &ascii.traces[&trace].frames;
        let in_java = frames.first().is_some_and(|frame| frame.line != NATIVE);
        in_java && !frames.iter().any(|it| it.method.starts_with("jdk.jfr."))
    };
    for row in &ascii.cpu[0].rows {
        if counts(row.trace) {
            *samples.entry(row.method.clone()).or_default() += row.count;
        }
    }
}

/// How many samples each has.
fn numbers(both: &[Samples; 2]) -> [u64; 2] {
    both.each_ref().map(|it| it.values().sum())
}

/// Runs it until there are enough samples: on a machine that has much else to do both get to look seldom,
/// but not one alone.
fn samples_of(jdk: &Jdk, main: &str) -> Option<[Samples; 2]> {
    const MOST: usize = 2;
    const ENOUGH: u64 = 250;
    const FAR_TOO_FEW: u64 = ENOUGH / 10;
    let limit = if long() { 1500 } else { 300 };
    let mut both = [Samples::new(), Samples::new()];
    for _ in 0..MOST {
        let java = recorded(Java::with_shim(jdk)).limit(limit);
        let java = java.arg("-Xrunhprof:cpu=samples,interval=3,cutoff=0,depth=64,file=out.txt");
        let run = java.main(main).run().exits(0);
        let text = printed(jdk, run.folder(), "jdk.ExecutionSample");
        add_of_recorder(&text, &mut both[0]);
        add_of_hprof(&run.file("out.txt"), &mut both[1]);
        if numbers(&both).iter().all(|&it| it >= ENOUGH) {
            return Some(both);
        }
    }
    let mut numbers = numbers(&both);
    numbers.sort_unstable();
    let [fewer, more] = numbers;
    assert!(more < ENOUGH || fewer >= FAR_TOO_FEW, "{jdk}: {both:?}");
    let why = format!("too few samples on a busy machine: {fewer} and {more}");
    not_run(&jdk.to_string(), &why);
    None
}

/// The methods of a program whose shares are known.
#[test]
fn the_hottest_methods_are_the_same() {
    product::hprof();
    let often = if long() { 20_000 } else { 700 };
    each_jdk_if(has_recorder, |jdk| {
        if let Some(both) = samples_of(jdk, &format!("Shares {often} virtual")) {
            assert_agree(&jdk.to_string(), &both);
        }
    });
}

/// It hears of as many as the judge, who finds nothing wrong beside it, and as there are.
#[test]
fn both_hear_of_each() {
    product::agent("check");
    let many = if long() { 1500 } else { 100 };
    each_jdk_if(has_recorder, |jdk| {
        let judge =
            "-Xrunjvmpi_check:file=check.txt,dump=50,rungc=100,ask=50,trace=20,suspend=50,heap";
        let java = recorded(Java::with_shim(jdk)).arg(judge).limit(400);
        let java = java.arg("-Djdk.virtualThreadScheduler.parallelism=4");
        let run = java.main(&format!("VirtualStorm {many}")).run().exits(0);
        let text = run.file("check.txt");
        assert_eq!(Judgement::read(&text).violations, Some(0), "{text}\n{run}");
        let threads = text.lines().find(|line| line.starts_with("threads "));
        let judged = field(threads.unwrap(), "virtual").unwrap();
        assert_eq!(judged, said(&run, "threads").to_string(), "{text}\n{run}");
        let events = "jdk.VirtualThreadStart,jdk.VirtualThreadEnd";
        let text = printed(jdk, run.folder(), events);
        for event in events.split(',') {
            let begin = format!("{event} {{");
            let found = text.lines().filter(|line| *line == begin).count();
            assert_eq!(found.to_string(), judged, "{jdk}, {event}: {run}");
        }
    });
}
