//! What agents are told over the bridge is what they are told in the VM's own process, of whatever program.

use std::collections::BTreeMap;

use xrun_tests::golden;
use xrun_tests::jdk::{Jdk, each_jdk_if, not_run, on_jdk_if};
use xrun_tests::long;
use xrun_tests::monitor_trace::without_ways_back;
use xrun_tests::product;
use xrun_tests::programs::program;
use xrun_tests::run::{Java, Run, agent_path};

use super::{has_agent, with_agent};
use crate::golden_program::{by_thread, shown_options};

/// Each event of a program that does everything once, with all that it says: the golden file of the VM's own process.
#[test]
fn each_event_says_what_it_says_in_one_process() {
    each_jdk_if(has_agent, |jdk| {
        let options = shown_options(crate::golden_program::EVENTS);
        let java = with_agent(jdk, "trace", &options).with_usual_headers(jdk);
        let run = java.main("Golden").limit(120).run();
        let trace = run.exits(0).says("done\n").file("trace.txt");
        let (trace, _) = without_ways_back(jdk, &trace);
        golden::has("Golden.events", &by_thread(&trace), jdk);
    });
}

/// javac, fop or h2 with an agent; `None` where the JDK or the machine lacks it.
fn run(jdk: &Jdk, name: &str, agent: &str) -> Option<Run> {
    // Each method of javac, at both ends, on a loaded machine.
    let limit = if long() { 3600 } else { 900 };
    let java = Java::of(jdk).limit(limit);
    let program = program(name, jdk, java.folder());
    let program = program.inspect_err(|why| not_run(&format!("{name}, JDK {}", jdk.major), why));
    let words = program.ok()?.words;
    Some(
        java.arg(agent_path(&product::shim(), agent))
            .args(words)
            .run()
            .exits(0),
    )
}

fn program_files(jdk: &Jdk, name: &str) -> &'static [&'static str] {
    let folder = xrun_tests::fixture::unique("files");
    let files = program(name, jdk, &folder).map_or(&[][..], |program| program.files);
    let _ = std::fs::remove_dir_all(folder);
    files
}

/// What the program said and left.
fn result(jdk: &Jdk, name: &str, run: &Run) -> (String, Vec<Vec<u8>>) {
    let files = program_files(jdk, name).iter().map(|file| run.bytes(file));
    (run.stdout.clone(), files.collect())
}

/// The agent built for 32 bits; HPROF lies beside the others.
fn path_of_32_bits(agent: &str) -> String {
    let check = product::agent_of_32_bits("check").expect("has_agent");
    check.with_file_name(file_of(agent)).display().to_string()
}

fn file_of(agent: &str) -> String {
    match agent {
        "hprof" => "libhprof.so".to_owned(),
        name => format!("libjvmpi_{name}.so"),
    }
}

/// The strict agent over the bridge finds nothing wrong in programs that people run, and these do the same.
#[test]
fn the_strict_agent_finds_nothing_in_real_programs() {
    const SHORT: &str =
        "file=check.txt,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT+OBJECT_ALLOC";
    const ALL_ELSE: &str =
        "file=check.txt,heap,rungc=500,dump=200,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT";
    const METHODS: &str = "file=check.txt,only=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT+CLASS_LOAD+CLASS_UNLOAD+THREAD_START+THREAD_END";
    let cases: &[_] = if long() {
        &[
            ("javac", ALL_ELSE),
            ("fop", ALL_ELSE),
            ("h2", ALL_ELSE),
            ("javac", METHODS),
            ("fop", METHODS),
            ("h2", METHODS),
        ]
    } else {
        &[("h2", SHORT)]
    };
    each_jdk_if(has_agent, |jdk| {
        let agent = path_of_32_bits("check");
        for (name, options) in cases {
            let Some(told) = run(jdk, name, &format!("{agent}:{options}")) else {
                continue;
            };
            let java = Java::of(jdk).limit(300);
            let Ok(plain) = program(name, jdk, java.folder()) else {
                continue;
            };
            let plain = java.args(plain.words).run().exits(0);
            assert!(
                result(jdk, name, &plain) == result(jdk, name, &told),
                "{name}:\n{plain}\n{told}"
            );
            let report = told.file("check.txt");
            assert!(
                report.starts_with("check: 0 violations"),
                "{name}: {report}\n{told}"
            );
            if long() {
                let events = report.lines().find(|line| line.starts_with("events "));
                eprintln!(
                    "JDK {}, {name}, {:?}: {}",
                    jdk.major,
                    told.took,
                    events.unwrap_or("")
                );
            }
        }
    });
}

/// How often each line is there.
type Lines = BTreeMap<String, i64>;

fn lines(text: impl IntoIterator<Item = String>) -> Lines {
    let mut lines = Lines::new();
    for line in text {
        *lines.entry(line).or_default() += 1;
    }
    lines
}

/// How many lines one has and the other lacks.
fn distance(one: &Lines, other: &Lines) -> i64 {
    let count = |of: &Lines, line: &String| of.get(line).copied().unwrap_or(0);
    let here = one
        .keys()
        .map(|line| (count(one, line) - count(other, line)).abs());
    let there = other.iter().filter(|(line, _)| !one.contains_key(*line));
    here.chain(there.map(|(_, count)| *count)).sum()
}

/// An agent, its options, its file, and the lines of that without times and ids.
struct Told {
    agent: &'static str,
    options: &'static str,
    shim: &'static str,
    lines: fn(&str) -> Lines,
}

/// `key=value` where the value is an id or an address goes.
fn without_ids(line: &str) -> String {
    let is_id = |word: &&str| {
        ["id=", "env=", "tenv=", "class=", "obj="]
            .iter()
            .any(|key| word.starts_with(key))
    };
    line.split_whitespace()
        .filter(|word| !is_id(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn trace_lines(text: &str) -> Lines {
    lines(text.lines().map(without_ids))
}

/// Of a dump as text: each object as its class and size, each class by its name.
fn heap_lines(text: &str) -> Lines {
    let kept = text.lines().filter_map(|line| {
        let kind = line.split(' ').next()?;
        let between = |start: &str| {
            let rest = line.split_once(start)?.1;
            Some(rest.split([',', '@', ')']).next()?.to_owned())
        };
        match kind {
            "CLS" => Some(format!("CLS {}", between("name=")?)),
            "OBJ" => Some(format!("OBJ {} {}", between("class=")?, between("sz=")?)),
            "ARR" => Some(format!(
                "ARR {} {}",
                between("elem type=")?,
                between("nelems=")?
            )),
            _ => None,
        }
    });
    lines(kept)
}

/// Of a ranking: how often each method was called.
fn call_lines(text: &str) -> Lines {
    let ranked = text
        .lines()
        .skip_while(|line| !line.starts_with("CPU TIME (ms) BEGIN"))
        .skip(2);
    let counted = ranked.take_while(|line| !line.starts_with("CPU TIME (ms) END"));
    lines(counted.filter_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, _, _, count, _, method] = words.as_slice() else {
            return None;
        };
        Some(format!("{method} {count}"))
    }))
}

/// Not the counter: it writes of threads that end, and these programs call exit().
const TOLD: [Told; 4] = [
    Told {
        agent: "trace",
        options: "file=out.txt,ids=stable,noheader,noseq,none,+CLASS_LOAD,members",
        shim: "",
        lines: trace_lines,
    },
    Told {
        agent: "coverage",
        options: "file=out.txt",
        shim: "instructions=on,include=org.h2.command.,include=org.apache.fop.cli.,include=com.sun.tools.javac.main.",
        lines: trace_lines,
    },
    Told {
        agent: "hprof",
        options: "heap=dump,file=out.txt",
        shim: "",
        lines: heap_lines,
    },
    Told {
        agent: "hprof",
        options: "cpu=times,depth=1,cutoff=0,file=out.txt",
        shim: "include=org.h2.command.,include=org.apache.fop.cli.,include=com.sun.tools.javac.main.",
        lines: call_lines,
    },
];

/// What agents of both widths write of real programs differs no more than what one of them writes in two runs.
#[test]
fn agents_write_what_they_write_in_one_process() {
    if !long() {
        return not_run("real programs", "XRUN_LONG has them");
    }
    on_jdk_if(17, has_agent, |jdk| {
        for name in ["javac", "fop", "h2"] {
            for told in &TOLD {
                let there = path_of_32_bits(told.agent);
                let here = product::folder()
                    .join(file_of(told.agent))
                    .display()
                    .to_string();
                let of = |agent: &str| {
                    let java = Java::of(jdk).limit(900).env("JVMPI_OPTIONS", told.shim);
                    let program = program(name, jdk, java.folder());
                    let program = program.inspect_err(|why| not_run(name, why)).ok()?;
                    let agent = agent_path(&product::shim(), &format!("{agent}:{}", told.options));
                    let run = java.arg(agent).args(program.words).run().exits(0);
                    Some((told.lines)(&run.file("out.txt")))
                };
                let (Some(first), Some(second), Some(bridged)) = (of(&here), of(&here), of(&there))
                else {
                    continue;
                };
                let all: i64 = first.values().sum();
                let (chance, differs) = (distance(&first, &second), distance(&first, &bridged));
                eprintln!(
                    "{name}, {} {}: {all} lines, {chance} by chance, {differs} over the bridge",
                    told.agent, told.options
                );
                assert!(all > 0, "{name}, {}: nothing", told.agent);
                assert!(
                    differs <= 3 * chance + all / 100 + 4,
                    "{name}, {}: {differs} of {all} differ, {chance} by chance",
                    told.agent
                );
            }
        }
    });
}

/// What `rude` does it does in a process of its own: the program's output is what it is.
#[test]
fn rude_agents_leave_the_program_alone() {
    let all = [
        "null",
        "nonsense",
        "reentrant",
        "monitors",
        "storm",
        "late",
        "pthread",
        "threads",
        "slowhandler",
        "hook",
        "noresume",
        "suspendself",
        "nonotify",
        "latenotify",
        "methods",
        "all",
    ];
    let modes = if long() { &all[..] } else { &["threads"] };
    each_jdk_if(has_agent, |jdk| {
        let without = Java::of(jdk).main("Busy").run().exits(0);
        for mode in modes {
            let java = with_agent(jdk, "rude", &format!("{mode},file=rude.txt"));
            let run = java.main("Busy").limit(180).run();
            let run = run.exits(0).says(&without.stdout);
            let report = run.file("rude.txt");
            assert!(!report.contains("VIOLATION"), "{mode}: {report}\n{run}");
            assert!(!run.stderr.contains("internal error in"), "{mode}: {run}");
            let done = report.contains("rude: done, 0 violations");
            assert!(done || *mode == "nonotify", "{mode}: {report}\n{run}");
        }
    });
}

/// Threads that start and end are suspended all the time; 20 minutes of it on each JDK if long.
#[test]
fn suspensions_end() {
    let majors: &[u32] = if long() { &[17, 25] } else { &[25] };
    let millis: u64 = if long() { 20 * 60 * 1000 } else { 1000 };
    for &major in majors {
        on_jdk_if(major, has_agent, |jdk| {
            let options = "suspend=1,file=check.txt,only=THREAD_START+THREAD_END";
            let java = with_agent(jdk, "check", options);
            let java = java
                .main(&format!("Churn {millis}"))
                .limit(millis / 1000 + 600);
            let run = java.run().exits(0).says("all ended\nall loaded\n");
            let report = run.file("check.txt");
            assert!(report.starts_with("check: 0 violations"), "{report}\n{run}");
            if long() {
                eprintln!("JDK {major}, {millis} ms: {report}");
            }
        });
    }
}
