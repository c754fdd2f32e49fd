//! `xrun compare`: a faithful port sees what the old agent saw, and what spoilt ones do not is said.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use xrun_tests::fixture::native;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::product;
use xrun_tests::run::{self, Java, Run, agent_path};

/// `xrun trace -o run.rec java … Compared`, with this agent.
fn recorded(jdk: &Jdk, agent: &str) -> Run {
    let java = Java::of(jdk).through(&product::xrun());
    let java = java.before(&["trace", "-o", "run.rec"]);
    java.arg(agent).main("Compared").run().exits(0)
}

/// The agent that speaks JVMPI: it listens, and that is all.
fn old(jdk: &Jdk) -> Run {
    let events = [
        "THREAD_START",
        "THREAD_END",
        "CLASS_LOAD",
        "OBJECT_ALLOC",
        "OBJECT_FREE",
        "METHOD_ENTRY",
        "METHOD_EXIT",
        "MONITOR_CONTENDED_ENTER",
        "MONITOR_WAIT",
        "GC_START",
        // The agent has a lock until then.
        "GC_FINISH",
    ];
    let agent = product::agent("trace");
    let mut words = format!("-Xrun{}:none,file=/dev/null", agent.display());
    for event in events {
        words += &format!(",+{event}");
    }
    recorded(jdk, &words)
}

fn port(jdk: &Jdk, options: &str) -> Run {
    recorded(jdk, &agent_path(&native("compared_port"), options))
}

fn compare(folder: &Path, words: &[&str]) -> Run {
    let mut command = Command::new(product::xrun());
    command.arg("compare").args(words).current_dir(folder);
    run::output(command, 60)
}

/// What comes out for these runs: its exit code is this one.
fn verdicts(old: &Run, new: &Run, code: i32) -> Value {
    let files = [old, new].map(|run| run.folder().join("run.rec").display().to_string());
    let words = ["--format", "json", &files[0], &files[1]];
    let said = compare(old.folder(), &words).exits(code);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

fn noun<'a>(found: &'a Value, name: &str) -> &'a Value {
    let nouns = found["nouns"].as_array().unwrap();
    let it = nouns.iter().find(|it| it["noun"] == name);
    it.unwrap_or_else(|| panic!("no {name}: {found}"))
}

#[track_caller]
fn assert_is(found: &Value, name: &str, verdicts: &[&str]) {
    let verdict = noun(found, name)["verdict"].as_str().unwrap();
    assert!(verdicts.contains(&verdict), "{name}: {found:#}");
}

/// How many a side was told of, of one that differs.
fn difference<'a>(found: &'a Value, name: &str, of: &str) -> [&'a str; 2] {
    let all = noun(found, name)["differences"].as_array().unwrap();
    let it = all.iter().find(|it| it["name"] == of);
    let it = it.unwrap_or_else(|| panic!("no {of}: {found:#}"));
    ["old", "new"].map(|side| it[side].as_str().unwrap())
}

fn causes(found: &Value, name: &str) -> String {
    noun(found, name)["causes"].to_string()
}

const SAME: &[&str] = &["equal", "equal but"];

#[test]
fn ports_are_held_against_the_old_agent() {
    each_jdk(|jdk| {
        let old = old(jdk);
        let faithful = port(jdk, "m");
        let found = verdicts(&old, &faithful, 0);
        for name in ["threads started", "threads ended"] {
            assert_is(&found, name, &["equal"]);
            assert!(noun(&found, name)["old"].as_u64() >= Some(4), "{found:#}");
        }
        let rest = [
            "classes loaded",
            "methods entered",
            "methods left",
            "objects born",
            "objects freed",
            "monitors contended",
            "waits begun",
            "collections",
        ];
        for name in rest {
            assert_is(&found, name, SAME);
        }
        assert!(
            noun(&found, "objects born")["old"].as_u64() > Some(600),
            "{found:#}"
        );
        assert_is(&found, "code compiled", &["not compared"]);

        // The VM tells of clones only.
        let by_vm = verdicts(&old, &port(jdk, "v"), 3);
        assert_is(&by_vm, "objects born", &["misses"]);
        assert_eq!(
            difference(&by_vm, "objects born", "Compared$Item"),
            ["601", "300"]
        );
        assert!(causes(&by_vm, "objects born").contains("VMObjectAlloc alone"));
        assert_is(&by_vm, "threads started", &["equal"]);
        assert_is(&by_vm, "methods entered", &["not compared"]);

        let blind = verdicts(&old, &port(jdk, "c"), 3);
        assert_is(&blind, "objects born", SAME);
        assert_is(&blind, "classes loaded", &["misses", "differs"]);
        let why = causes(&blind, "classes loaded");
        assert!(
            why.contains("GetLoadedClasses") && why.contains("ClassPrepare"),
            "{why}"
        );

        // The tag of a clone is lost in VMs from 21 on.
        let is_twice = jdk.major >= 21;
        let both = verdicts(&old, &port(jdk, "b"), if is_twice { 3 } else { 0 });
        if is_twice {
            assert_is(&both, "objects born", &["sees more"]);
            assert_eq!(
                difference(&both, "objects born", "Compared$Item"),
                ["601", "901"]
            );
            assert!(causes(&both, "objects born").contains("leave VMObjectAlloc out"));
        }
    });
}

/// Both agents in one run, and a page.
#[test]
fn one_recording_of_both() {
    each_jdk(|jdk| {
        let java = Java::of(jdk).through(&product::xrun());
        let trace = product::agent("trace");
        let old = format!(
            "-Xrun{}:none,file=/dev/null,+THREAD_START,+THREAD_END,+CLASS_LOAD,+METHOD_ENTRY,+MONITOR_WAIT",
            trace.display()
        );
        let agents = [old, agent_path(&native("compared_port"), "vm")];
        let java = java.before(&["trace", "-o", "run.rec"]).args(&agents);
        let run = java.main("Compared").run().exits(0);
        let said = compare(run.folder(), &["-o", "page.html", "run.rec"]).exits(0);
        for line in [
            "threads started             equal",
            "methods entered             not compared: the hooks of the one",
            "objects born                not compared: the old agent has not enabled OBJECT_ALLOC",
            "waits begun                 equal",
        ] {
            assert!(said.stdout.contains(line), "no {line}: {said}\n{run}");
        }
        let page = std::fs::read_to_string(run.folder().join("page.html")).unwrap();
        assert!(page.contains("<h2>threads started</h2>"), "{page}");
    });
}

/// One line each, which says what to do; exit code 2.
#[test]
fn what_cannot_be_compared_is_refused() {
    each_jdk(|jdk| {
        let run = recorded(jdk, &agent_path(&native("compared_port"), "v"));
        let refused = |words: &[&str], text: &str| {
            let said = compare(run.folder(), words).exits(2);
            assert!(
                said.stderr.contains(text) && said.stderr.lines().count() == 1,
                "{said}"
            );
            assert_eq!(said.stdout, "", "{said}");
        };
        refused(
            &["run.rec"],
            "run.rec: there is no agent that speaks JVMPI in it: record",
        );
        refused(&["none.rec", "run.rec"], "none.rec: No such file");
        refused(&["--format", "xml", "run.rec"], "text and json");
        refused(&["a", "b", "c"], "xrun help compare says more");
        std::fs::write(run.folder().join("page.html"), "mine").unwrap();
        refused(&["-o", "page.html", "run.rec"], "--force replaces it");
        let cut = std::fs::read(run.folder().join("run.rec")).unwrap();
        std::fs::write(run.folder().join("cut.rec"), &cut[..100]).unwrap();
        refused(&["cut.rec", "run.rec"], "cut.rec: ");
    });
}
