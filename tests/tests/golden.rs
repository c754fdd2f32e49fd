//! Traces of the `trace` agent: the same on every JDK, and of the same shape as
//! those recorded from a VM of the period (`recorded/`).
//!
//! Compared is what a trace says, not how threads happened to interleave: events
//! are grouped by the thread that sent them, ids are left out where they only
//! number things, and methods are sorted (JVMTI gives them in no order). What
//! holds between threads is asserted as pairs. (Longer than most: one reading of traces, and what is asked of it.)

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use xrun_tests::golden;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::report::field;
use xrun_tests::run::Java;

/// A program, its own classes and threads, and the pairs of events of which the
/// first always comes first.
struct Case {
    program: &'static str,
    threads: &'static [&'static str],
    stdout: &'static str,
    before: &'static [(&'static str, &'static str)],
}

const CASES: [Case; 2] = [
    Case {
        program: "Hello",
        threads: &["main", "worker-1", "worker-2"],
        stdout: "fib=2584\ncnfe\ndone 100\n",
        before: &[
            ("main: THREAD_START main", "main: JVM_INIT_DONE"),
            ("main: JVM_INIT_DONE", "main: CLASS_LOAD Hello"),
            ("main: CLASS_LOAD Hello", "main: CLASS_LOAD Hello$Node"),
            ("main: CLASS_LOAD Hello$Node", "main: CLASS_LOAD Hello$W"),
            (
                "main: CLASS_LOAD Hello$W",
                "worker-1: THREAD_START worker-1",
            ),
            (
                "main: CLASS_LOAD Hello$W",
                "worker-2: THREAD_START worker-2",
            ),
            ("worker-1: THREAD_START worker-1", "worker-1: THREAD_END"),
            ("worker-2: THREAD_START worker-2", "worker-2: THREAD_END"),
            ("worker-1: THREAD_END", "main: THREAD_END"),
            ("worker-2: THREAD_END", "main: THREAD_END"),
            ("main: THREAD_END", "VM: JVM_SHUT_DOWN"),
        ],
    },
    Case {
        program: "Mon",
        threads: &["main", "contender", "waiter", "intr"],
        stdout: "intr\n",
        before: &[
            ("main: THREAD_START main", "main: JVM_INIT_DONE"),
            ("main: JVM_INIT_DONE", "main: CLASS_LOAD Mon"),
            ("main: CLASS_LOAD Mon", "main: CLASS_LOAD Mon$1"),
            (
                "main: CLASS_LOAD Mon$1",
                "contender: THREAD_START contender",
            ),
            ("main: CLASS_LOAD Mon$2", "waiter: THREAD_START waiter"),
            ("main: CLASS_LOAD Mon$3", "intr: THREAD_START intr"),
            ("contender: THREAD_END", "waiter: THREAD_START waiter"),
            ("waiter: THREAD_END", "intr: THREAD_START intr"),
            ("intr: THREAD_END", "main: THREAD_END"),
            ("main: THREAD_END", "VM: JVM_SHUT_DOWN"),
        ],
    },
];

fn own(folder: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(folder)
        .join(file)
}

/// The event lines of a trace with the members under them, numbers stripped; the
/// header and the counts left out.
fn events(trace: &str) -> Vec<(String, Vec<String>)> {
    let mut events: Vec<(String, Vec<String>)> = Vec::new();
    for line in trace.lines() {
        if let Some(member) = line.strip_prefix("    ") {
            if let Some((_, members)) = events.last_mut() {
                members.push(member.to_owned());
            }
            continue;
        }
        let event = line
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start();
        if event.contains(" env=") {
            events.push((event.to_owned(), Vec::new()));
        }
    }
    events
}

/// One event as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Event {
    /// Who sent it: a thread of the program by name, or `VM`.
    sender: String,
    /// Event and what it defines.
    head: String,
    /// The other fields, and members.
    rest: Vec<String>,
}

impl Event {
    fn key(&self) -> String {
        format!("{}: {}", self.sender, self.head)
    }
}

/// What a trace says about the classes and threads of a program.
fn scrub(trace: &str, case: &Case) -> Vec<Event> {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut scrubbed = Vec::new();
    for (line, mut members) in events(trace) {
        let kind = line.split_whitespace().next().unwrap_or_default();
        let env = field(&line, "env").unwrap_or_default().to_owned();
        let name = field(&line, "name").unwrap_or_default();
        let tenv = field(&line, "tenv").unwrap_or_default();
        if kind == "THREAD_START" {
            names.insert(tenv.to_owned(), name.to_owned());
        }
        let sender = names
            .get(&env)
            .filter(|name| case.threads.contains(&name.as_str()))
            .cloned();
        let (head, rest) = match kind {
            "THREAD_START" if case.threads.contains(&name) => {
                let group = field(&line, "group").unwrap_or_default();
                let parent = field(&line, "parent").unwrap_or_default();
                let by = if tenv == env { "itself" } else { "another" };
                (
                    format!("{kind} {name}"),
                    vec![format!("group={group} parent={parent} sent by {by}")],
                )
            }
            "CLASS_LOAD"
                if name == case.program || name.starts_with(&format!("{}$", case.program)) =>
            {
                let counts = line.split_once(" src=").map_or("", |(_, rest)| rest);
                for member in &mut members {
                    if let Some((method, _id)) = member.split_once(" id=") {
                        *member = method.to_owned();
                    }
                }
                // Sorting the methods alone leaves the fields in their order.
                let methods = members
                    .iter()
                    .filter(|member| member.starts_with("method "))
                    .count();
                members[..methods].sort_unstable();
                members.insert(0, format!("src={counts}"));
                (format!("{kind} {name}"), members)
            }
            "THREAD_END" if sender.is_some() => (kind.to_owned(), Vec::new()),
            "JVM_INIT_DONE" | "JVM_SHUT_DOWN" => (kind.to_owned(), Vec::new()),
            _ => continue,
        };
        if kind == "THREAD_END" {
            names.remove(&env);
        }
        scrubbed.push(Event {
            sender: sender.unwrap_or_else(|| "VM".to_owned()),
            head,
            rest,
        });
    }
    scrubbed
}

/// The events thread by thread, in the order of the case's list.
fn by_thread(events: &[Event], case: &Case) -> String {
    let mut text = String::new();
    for thread in case.threads.iter().copied().chain(["VM"]) {
        let _ = writeln!(text, "[{thread}]");
        for event in events.iter().filter(|event| event.sender == thread) {
            let _ = writeln!(text, "{}", event.head);
            for line in &event.rest {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}

/// The same without what hosts were free to order as they liked: fields.
fn shape(events: &[Event], case: &Case) -> String {
    let sorted: Vec<Event> = events
        .iter()
        .cloned()
        .map(|mut event| {
            event.rest.sort_unstable();
            event
        })
        .collect();
    by_thread(&sorted, case)
}

fn assert_order(events: &[Event], case: &Case, what: &str) {
    let place = |key: &str| {
        events
            .iter()
            .position(|event| event.key() == key)
            .unwrap_or_else(|| panic!("{what}: no `{key}` in {events:#?}"))
    };
    for (first, second) in case.before {
        assert!(
            place(first) < place(second),
            "{what}: `{first}` comes after `{second}`"
        );
    }
    assert_eq!(
        events.last().map(|event| event.head.as_str()),
        Some("JVM_SHUT_DOWN"),
        "{what}"
    );
}

fn traced(jdk: &Jdk, case: &Case) -> Vec<Event> {
    let threads: String = case
        .threads
        .iter()
        .map(|thread| format!(",threads={thread}"))
        .collect();
    let options = format!(
        "file=trace.txt,ids=stable,members,noheader,none,+THREAD_START,+THREAD_END,+CLASS_LOAD,classes={}{threads}",
        case.program
    );
    let java = Java::with_shim(jdk)
        .arg("-Xcheck:jni")
        .arg(format!("-Xrunjvmpi_trace:{options}"));
    let run = java.main(case.program).run().exits(0).says(case.stdout);
    scrub(&run.file("trace.txt"), case)
}

#[test]
fn traces_are_as_blessed() {
    let bless = std::env::var_os("BLESS").is_some();
    for case in &CASES {
        let path = own("golden", &format!("{}.life.trace", case.program));
        let blessed = std::sync::OnceLock::new();
        each_jdk(|jdk| {
            let text = by_thread(&traced(jdk, case), case);
            if bless {
                // One file for all JDKs: the first writes it, the others must agree.
                let first = blessed.get_or_init(|| {
                    std::fs::write(&path, &text).unwrap();
                    text.clone()
                });
                assert_eq!(&text, first, "{jdk}");
                return;
            }
            let golden = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}; BLESS=1 makes it", path.display()));
            assert_eq!(
                text,
                golden,
                "{jdk}: {}; BLESS=1 rewrites it",
                path.display()
            );
        });
    }
}

#[test]
fn traces_agree_with_the_recorded_ones() {
    for case in &CASES {
        let recorded =
            std::fs::read_to_string(own("recorded", &format!("{}.life.trace", case.program)))
                .unwrap();
        let recorded = scrub(&recorded, case);
        // Mon's was recorded without members, and without the thread's own sources.
        let members = recorded
            .iter()
            .any(|event| event.rest.iter().any(|line| line.starts_with("method ")));
        each_jdk(|jdk| {
            let mut ours = traced(jdk, case);
            if !members {
                for event in &mut ours {
                    event.rest.retain(|line| {
                        !line.starts_with("method ")
                            && !line.starts_with("inst ")
                            && !line.starts_with("static ")
                    });
                }
            }
            assert_eq!(shape(&ours, case), shape(&recorded, case), "{jdk}");
            assert_order(&ours, case, &jdk.to_string());
        });
        assert_order(&recorded, case, "recorded");
    }
}

/// A golden file that no case reads is a leftover.
#[test]
fn no_orphans() {
    for entry in std::fs::read_dir(own("golden", "")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_of = |case: &Case| name == format!("{}.life.trace", case.program);
        let is_narrow = |wide: &&str| name == golden::of_32_bits(wide);
        assert!(
            CASES.iter().any(is_of)
                || golden::FILES.contains(&name.as_str())
                || golden::WITH_SIZES.iter().any(is_narrow),
            "golden/{name} belongs to no case"
        );
    }
}

/// What agents and HPROF are told in a VM of 32 bits is the same but for sizes, and what is sorted by them.
#[test]
fn files_of_32_bits_differ_in_sizes() {
    let shape = |name: &str| {
        let text = std::fs::read_to_string(own("golden", name)).unwrap();
        let without_numbers = |line: &str| {
            let is_digit = |c: char| c.is_ascii_digit() || ".%".contains(c);
            let words = line.split(|c: char| is_digit(c) || c.is_whitespace());
            words
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let mut lines: Vec<String> = text.lines().map(without_numbers).collect();
        lines.sort();
        lines
    };
    for name in golden::WITH_SIZES {
        assert_eq!(shape(name), shape(&golden::of_32_bits(name)), "{name}");
    }
}

/// Each CLASS_LOAD asked for again says the same, on the same thread.
#[test]
fn requested_events_repeat_the_others() {
    each_jdk(|jdk| {
        let options = "file=trace.txt,ids=stable,members,noheader,noseq,none,+THREAD_START,+CLASS_LOAD,request,classes=Hello,threads=main,threads=worker";
        let java = Java::with_shim(jdk).arg(format!("-Xrunjvmpi_trace:{options}"));
        let run = java.main("Hello").run().exits(0);
        let all = events(&run.file("trace.txt"));
        let requested: Vec<_> = all
            .iter()
            .filter(|(line, _)| line.contains(" REQ "))
            .collect();
        assert!(requested.len() >= 6, "{}", run.file("trace.txt"));
        for (line, members) in requested {
            let plain = line.replace(" REQ ", " ");
            let same = all.iter().find(|(other, _)| *other == plain);
            assert_eq!(
                same.map(|(_, members)| members),
                Some(members),
                "{line}\n{}",
                run.file("trace.txt")
            );
        }
    });
}

/// The tracer's own questions to every function.
#[test]
fn selftest_of_the_tracer() {
    each_jdk(|jdk| {
        let java =
            Java::with_shim(jdk).arg("-Xrunjvmpi_trace:file=trace.txt,none,noheader,selftest");
        let run = java.main("Hello").run().exits(0);
        let trace = run.file("trace.txt");
        let failed: Vec<&str> = trace
            .lines()
            .filter(|line| line.contains("SELFTEST FAIL"))
            .collect();
        assert!(failed.is_empty(), "{failed:#?}");
        assert!(trace.matches("SELFTEST ok").count() > 20, "{trace}");
    });
}

#[test]
fn scrubbing_keeps_what_matters() {
    let case = &CASES[0];
    let trace = "GetEnv(10000001)=0\n\
        1 THREAD_START env=0x1 name=main group=main parent=system id=0x2 tenv=0x1\n\
        2 CLASS_LOAD env=0x1 id=0x3 name=Hello$W src=Hello.java nif=0 nm=2 nsf=0 nif=1\n\
        \u{20}   method run()V start=10 end=10 id=0x4\n\
        \u{20}   method <init>()V start=9 end=9 id=0x5\n\
        \u{20}   inst b I\n\
        \u{20}   inst a I\n\
        3 CLASS_LOAD env=0x1 id=0x3 name=Other src=Other.java nif=0 nm=2 nsf=0 nif=1\n\
        4 THREAD_END env=0x1\n\
        5 JVM_SHUT_DOWN env=0x9\n";
    assert_eq!(
        by_thread(&scrub(trace, case), case),
        "[main]\nTHREAD_START main\n    group=main parent=system sent by itself\nCLASS_LOAD Hello$W\n    \
         src=Hello.java nif=0 nm=2 nsf=0 nif=1\n    method <init>()V start=9 end=9\n    method run()V start=10 end=10\n    \
         inst b I\n    inst a I\nTHREAD_END\n[worker-1]\n[worker-2]\n[VM]\nJVM_SHUT_DOWN\n"
    );
}
