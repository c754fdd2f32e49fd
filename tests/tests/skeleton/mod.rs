//! `xrun report --skeleton`: what it writes compiles without a warning, and counts what the old
//! agent was told, where it says so.

mod pieces;
mod stopping;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::run::{self, Java, Run, agent_path};
use xrun_tests::{fixture, product};

/// Events and their numbers.
type Counts = BTreeMap<String, u64>;

/// An agent whose skeleton is tried.
struct Case {
    agent: &'static str,
    options: &'static str,
    /// Options of the shim.
    shim: &'static str,
    /// The program, and what its classes' names begin with.
    main: &'static str,
    classes: &'static str,
    /// Events whose counts are claimed to be equal, at least.
    equal: &'static [&'static str],
    /// Nouns that `xrun compare` finds equal then.
    nouns: &'static [&'static str],
}

const CASES: [Case; 6] = [
    Case {
        agent: "counter",
        options: "",
        shim: "",
        main: "Golden",
        classes: "Golden",
        equal: &["METHOD_ENTRY", "THREAD_START", "THREAD_END"],
        nouns: &["threads started", "threads ended", "methods entered"],
    },
    Case {
        agent: "coverage",
        options: "",
        shim: ",instructions=on",
        // No loop of it waits for another thread.
        main: "Branches",
        classes: "Branches",
        equal: &["INSTRUCTION_START", "CLASS_LOAD", "JVM_SHUT_DOWN"],
        nouns: &["classes loaded", "instructions run"],
    },
    Case {
        agent: "dump",
        options: "at=end,",
        shim: "",
        main: "Golden",
        classes: "Golden",
        equal: &["HEAP_DUMP", "CLASS_LOAD", "THREAD_START", "JVM_INIT_DONE"],
        nouns: &["threads started", "classes loaded", "dumps"],
    },
    Case {
        agent: "sampler",
        options: "interval=3,",
        shim: "",
        // Busy for so many milliseconds.
        main: "Ported 3000",
        classes: "Ported",
        equal: &["CLASS_LOAD", "THREAD_START", "THREAD_END", "JVM_INIT_DONE"],
        nouns: &[
            "threads started",
            "threads ended",
            "classes loaded",
            "samples by method",
            "samples by stack",
        ],
    },
    Case {
        agent: "trace",
        options: "none,+THREAD_START,+METHOD_ENTRY,+METHOD_ENTRY2,+METHOD_EXIT,+MONITOR_DUMP,",
        shim: "",
        main: "Golden",
        classes: "Golden",
        equal: &[
            "METHOD_ENTRY",
            "METHOD_ENTRY2",
            "METHOD_EXIT",
            "MONITOR_DUMP",
        ],
        nouns: &["threads started", "methods entered", "methods left"],
    },
    // Objects made in every way, clones among them.
    Case {
        agent: "trace",
        options: "none,+OBJECT_ALLOC,+CLASS_LOAD,+OBJECT_FREE,",
        shim: "",
        main: "AllocPaths 2 100",
        classes: "AllocPaths$",
        equal: &["OBJECT_ALLOC", "CLASS_LOAD"],
        nouns: &["objects born", "classes loaded"],
    },
];

fn has_headers(jdk: &Jdk) -> Result<(), String> {
    if jdk.home.join("include/jvmti.h").is_file() {
        return Ok(());
    }
    Err("no jvmti.h".to_owned())
}

fn xrun(words: &[&Path]) -> Run {
    let mut command = product::xrun_command();
    command.args(words);
    run::output(command, 60)
}

fn old_agent(case: &Case) -> String {
    format!("-Xrunjvmpi_{}:{}file=old.txt", case.agent, case.options)
}

/// The recording of a run that `main` and the rest end as `finish` does.
fn recorded(jdk: &Jdk, case: &Case, finish: impl Fn(Java) -> Run) -> (Run, PathBuf) {
    let shim = format!("trace=run.rec,include={}{}", case.classes, case.shim);
    let java = Java::of(jdk).arg(agent_path(&product::shim(), &shim));
    let java = java.arg(old_agent(case)).main(case.main);
    let file = java.file("run.rec");
    (finish(java), file)
}

/// The skeleton of a recording's agent, and its README.
fn built(jdk: &Jdk, recording: &Path) -> (PathBuf, String) {
    let folder = fixture::unique("skeleton");
    let words = ["report", "--skeleton"].map(Path::new);
    xrun(&[words[0], words[1], &folder, recording]).exits(0);
    let mut make = Command::new("make");
    make.arg("-C").arg(&folder);
    make.arg(format!("JAVA_HOME={}", jdk.home.display()));
    let made = run::output(make, 60).exits(0);
    assert!(made.stdout.contains("-Wall -Wextra -Werror"), "{made}");
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    (folder.join("libagent.so"), readme)
}

/// The skeleton, which counts what is of the program.
fn chosen(case: &Case, library: &Path) -> String {
    let options = format!("file=counts.txt,include={}", case.classes);
    agent_path(library, &options)
}

/// The skeleton as `xrun compare` wants it: what it leaves out of births it has not seen.
fn whole(case: &Case, library: &Path) -> String {
    match case.nouns.contains(&"objects born") {
        true => agent_path(library, "file=counts.txt"),
        false => chosen(case, library),
    }
}

/// A run of the skeleton, recorded.
fn of_skeleton(jdk: &Jdk, case: &Case, library: &Path, finish: impl Fn(Java) -> Run) -> Run {
    let java = Java::of(jdk).through(&product::xrun());
    let java = java.before(&["trace", "-o", "run.rec"]);
    finish(
        java.arg(whole(case, library))
            .arg("-Xcheck:jni")
            .main(case.main),
    )
}

/// What the skeleton counts in a run of its own, without anything of ours beside it.
fn counted(jdk: &Jdk, case: &Case, library: &Path, finish: impl Fn(Java) -> Run) -> Counts {
    let java = Java::of(jdk).arg(chosen(case, library));
    let run = finish(java.arg("-Xcheck:jni").main(case.main));
    for trouble in ["WARNING", "FATAL", "JVMTI_ERROR"] {
        let is_trouble = |line: &str| line.contains(trouble) && !is_miscount(jdk, line);
        let mut lines = run.stdout.lines().chain(run.stderr.lines());
        assert!(!lines.any(is_trouble), "{run}");
    }
    let text = run.file("counts.txt");
    let lines = text.lines().map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        let ["COUNT", name, number] = words[..] else {
            panic!("{line}");
        };
        (name.to_owned(), number.parse().unwrap())
    });
    lines.collect()
}

/// 17.0.15 counts the local references of all frames of a thread, and holds them against what one frame may have; 17.0.21
/// does not any more.
fn is_miscount(jdk: &Jdk, line: &str) -> bool {
    let release = std::fs::read_to_string(jdk.home.join("release")).unwrap_or_default();
    let update = release
        .split_once("JAVA_VERSION=\"17.0.")
        .map(|(_, rest)| rest);
    let update = update.and_then(|rest| rest.split(['.', '"']).next()?.parse().ok());
    update.is_some_and(|update: u32| update < 21) && line.starts_with("WARNING: JNI local refs:")
}

/// `xrun compare` of these runs has nothing but what is equal, and all of these nouns are.
fn assert_equal(what: &str, runs: &[&Run], nouns: &[&str]) {
    let files = runs.iter().map(|run| run.folder().join("run.rec"));
    let mut command = product::xrun_command();
    command.args(["compare", "--format", "json"]).args(files);
    let said = run::output(command, 60);
    assert_eq!(said.code(), 0, "{what}: {said}");
    let found: Value = serde_json::from_str(&said.stdout).unwrap();
    let all = found["nouns"].as_array().unwrap();
    for noun in nouns {
        let it = all.iter().find(|it| it["noun"] == *noun).unwrap();
        let verdict = it["verdict"].as_str().unwrap();
        assert!(["equal", "equal but"].contains(&verdict), "{what}: {it:#}");
    }
}

/// What the recording has of each event, by the rules that the skeleton states: threads without
/// xrun's own, and the end of the one that ends the VM; classes and objects of the program.
fn told(recording: &Path, classes: &str) -> Counts {
    let words = ["trace", "dump", "--json"].map(Path::new);
    let dump = xrun(&[words[0], words[1], words[2], recording]).exits(0);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut counts = Counts::new();
    let is_wanted = |name: &str| {
        let name = name.trim_start_matches('[');
        let name = name
            .strip_prefix('L')
            .filter(|_| name.ends_with(';'))
            .unwrap_or(name);
        name.starts_with(classes)
    };
    for line in dump.stdout.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let values = &item["values"];
        let Some(event) = item["event"].as_str() else {
            continue;
        };
        let text = |key: &str| values[key].as_str().unwrap_or_default();
        let counts_here = match event {
            "THREAD_START" => text("thread_name") != "JVMPI GC",
            "CLASS_LOAD" => {
                names.insert(text("class_id").to_owned(), text("class_name").to_owned());
                is_wanted(text("class_name"))
            }
            // Of an array the class of its elements.
            "OBJECT_ALLOC" => names
                .get(text("class_id"))
                .is_some_and(|name| is_wanted(name)),
            _ => true,
        };
        *counts.entry(event.to_owned()).or_default() += u64::from(counts_here);
    }
    *counts.entry("THREAD_END".to_owned()).or_default() += 1;
    counts
}

/// The events whose counts a README says are equal.
fn claimed(readme: &str) -> Vec<&str> {
    let rows = readme.lines().filter_map(|line| {
        let cells: Vec<_> = line.split(" | ").collect();
        cells
            .last()?
            .starts_with("equal")
            .then(|| cells[0].trim_start_matches("| "))
    });
    rows.collect()
}

fn compare(what: &str, told: &Counts, counted: &Counts, claimed: &[&str], at_least: &[&str]) {
    for event in at_least {
        assert!(claimed.contains(event), "{what}: {event} of {claimed:?}");
        assert!(counted[*event] > 0, "{what}: {event} of {counted:?}");
    }
    for event in claimed {
        let expected = told.get(*event).copied().unwrap_or(0);
        assert_eq!(
            counted[*event], expected,
            "{what}: {event}\n{told:?}\n{counted:?}"
        );
    }
}

#[test]
fn skeletons_count_what_the_agents_were_told() {
    each_jdk_if(has_headers, |jdk| {
        for case in &CASES {
            let finish = |java: Java| java.run().exits(0);
            let (run, recording) = recorded(jdk, case, finish);
            let (library, readme) = built(jdk, &recording);
            let told = told(&recording, case.classes);
            let counted = counted(jdk, case, &library, finish);
            let what = format!("{jdk}, {}", case.agent);
            compare(&what, &told, &counted, &claimed(&readme), case.equal);
            let new = of_skeleton(jdk, case, &library, finish);
            assert_equal(&what, &[&run, &new], case.nouns);
            let _ = std::fs::remove_dir_all(library.parent().unwrap());
        }
    });
}

/// Beside the old agent, in one VM. (Births are held one by one there; what reflection makes has no id in the second
/// event.)
#[test]
fn skeletons_beside_the_agents_see_the_same() {
    each_jdk_if(has_headers, |jdk| {
        for case in &CASES {
            let (_run, recording) = recorded(jdk, case, |java| java.run().exits(0));
            let (library, _) = built(jdk, &recording);
            let java = Java::of(jdk).through(&product::xrun());
            let java = java.before(&["trace", "-o", "run.rec", "--include", case.classes]);
            let mut java = java.before(&["--set", "method-events=exact"]);
            if let Some(setting) = case.shim.strip_prefix(',') {
                java = java.before(&["--set", setting]);
            }
            let agents = [old_agent(case), whole(case, &library)];
            let run = java.args(agents).main(case.main).run().exits(0);
            let nouns = case.nouns.iter().copied();
            // Hooks are steps for the other.
            let nouns: Vec<&str> = nouns.filter(|noun| *noun != "instructions run").collect();
            let what = format!("{jdk}, {} in one VM", case.agent);
            assert_equal(&what, &[&run], &nouns);
            let _ = std::fs::remove_dir_all(library.parent().unwrap());
        }
    });
}

/// kill -QUIT: the handler asks for a dump in both.
#[test]
fn what_the_user_asks_for_is_counted() {
    let case = Case {
        agent: "dump",
        options: "",
        shim: "",
        main: "Dumped",
        classes: "Dumped",
        equal: &[],
        nouns: &[],
    };
    // Both signals are for one thread of the VM's: when it ends, it has told of the first.
    let finish = |java: Java| {
        let mut running = java.start();
        running.wait_for_line("ready");
        running.signal("QUIT");
        running.wait_for_line("Full thread dump");
        running.signal("TERM");
        running.finish().exits(143)
    };
    each_jdk_if(has_headers, |jdk| {
        let (run, recording) = recorded(jdk, &case, finish);
        let (library, readme) = built(jdk, &recording);
        let told = told(&recording, case.classes);
        drop(run);
        let counted = counted(jdk, &case, &library, finish);
        let asked = ["DATA_DUMP_REQUEST", "HEAP_DUMP", "JVM_SHUT_DOWN"];
        let claimed = claimed(&readme);
        assert!(
            asked.iter().all(|event| claimed.contains(event)),
            "{readme}"
        );
        compare(&jdk.to_string(), &told, &counted, &asked, &asked);
        let _ = std::fs::remove_dir_all(library.parent().unwrap());
    });
}
