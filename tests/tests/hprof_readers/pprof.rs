//! `format=pprof`, and what `xrun merge` makes of it, as readers of others have it: Go's own tool, and a
//! package of npm's.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use xrun_tests::jdk::{not_run, on_jdk};
use xrun_tests::run::Run;
use xrun_tests::{product, python, target, workspace};

use super::profiled;

const TOOL: &str = "go tool pprof (apt-get install golang-go; ./check --long fetches it from PyPI)";

/// Go's command: the system's, or that of PyPI's package.
fn go(home: &Path) -> Command {
    let fetched = python::folder().join("go/bin/go");
    let mut go = Command::new(if fetched.exists() {
        fetched
    } else {
        "go".into()
    });
    // Newer ones build their tools when they are first asked for.
    go.env("GOCACHE", target().join("tools/go-cache"))
        .env("GOFLAGS", "-mod=mod")
        .env("HOME", home)
        .env("PPROF_TMPDIR", home);
    go
}

/// What `go tool pprof` says.
fn pprof(run: &Run, words: &[&str]) -> String {
    let mut go = go(run.folder());
    go.args(["tool", "pprof"]).args(words).arg("profile");
    let said = go.current_dir(run.folder()).output().expect("it is there");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success(), "{words:?}: {text}{why}");
    text
}

/// npm's reader; `None` if it is not there.
fn node() -> Option<Command> {
    let node = || {
        let mut node = Command::new("node");
        node.env("NODE_PATH", target().join("tools/node/node_modules"));
        node
    };
    let known = node().args(["-e", "require('pprof-format')"]).output();
    known.is_ok_and(|known| known.status.success()).then(node)
}

/// What that reads in a file of a run.
fn read_by_npm(run: &Run, file: &str) -> Option<Value> {
    let mut node = node()?;
    node.arg(workspace().join("tests/tests/hprof_readers/pprof.cjs"))
        .arg(file)
        .current_dir(run.folder());
    let said = node.output().expect("it is there");
    let why = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{file}: {why}");
    Some(serde_json::from_slice(&said.stdout).expect("JSON"))
}

#[test]
fn a_package_of_npms_reads_what_hprof_and_merge_write() {
    on_jdk(17, |jdk| {
        if node().is_none() {
            return not_run(
                "pprof of HPROF",
                "pprof-format (./check fetches it from npm, for node)",
            );
        }
        let options = "cpu=samples,heap=sites,monitor=y,thread=y,format=pprof";
        let run = profiled(jdk, options, "HprofSites");
        let mut merge = product::xrun_command();
        merge.args(["merge", "-o", "merged.pb.gz", "profile"]);
        let merged = merge
            .current_dir(run.folder())
            .status()
            .expect("it is there");
        assert!(merged.success());
        let [own, merged] =
            ["profile", "merged.pb.gz"].map(|file| read_by_npm(&run, file).expect("it is there"));
        for read in [&own, &merged] {
            for (class, objects) in [("HprofSites$Kept", 1500), ("HprofSites$Dropped", 2000)] {
                let key = format!("alloc_objects/count new {class}");
                assert_eq!(read["tops"][&key], objects, "{read:#}");
            }
        }
        // Counts of waits are not merged, and names of hidden classes have no addresses then.
        let sums = |read: &Value| {
            let mut sums = BTreeMap::new();
            for (key, value) in read["tops"].as_object().expect("sums") {
                let (kind, _) = key.split_once(' ').expect("a type");
                *sums.entry(kind.to_owned()).or_insert(0) += value.as_u64().expect("a number");
            }
            sums.remove("contentions/count");
            sums.remove("parks/count");
            sums
        };
        assert_eq!(sums(&own), sums(&merged));
        for key in ["labels", "period", "began", "length"] {
            assert_eq!(own[key], merged[key], "{key}");
        }
        assert_eq!(own["period"], 10_000_000);
        let threads = own["labels"]["thread"].as_array().expect("threads");
        assert!(threads.contains(&"main".into()), "{own:#}");
    });
}

fn has_tool() -> bool {
    let known = go(&target()).args(["tool", "-n", "pprof"]).output();
    known.is_ok_and(|known| known.status.success())
}

#[test]
fn gos_tool_reads_what_was_allocated_where() {
    on_jdk(17, |jdk| {
        if !has_tool() {
            not_run("pprof of HPROF", TOOL);
            return;
        }
        let options = "cpu=samples,heap=sites,monitor=y,thread=y,format=pprof";
        let run = profiled(jdk, options, "HprofSites");
        let ask = |words: &[&str]| pprof(&run, words);
        // All that is in it, as text: types, samples, locations.
        let raw = ask(&["-raw"]).replace("[dflt]", "");
        let types = "samples/count cpu/nanoseconds alloc_objects/count alloc_space/bytes \
                     inuse_objects/count inuse_space/bytes contentions/count delay/nanoseconds";
        assert!(raw.contains(types), "{raw}");
        assert!(
            raw.contains("PeriodType: cpu nanoseconds\nPeriod: 10000000\n"),
            "{raw}"
        );
        // Unless another one is asked for, the CPU's time is shown.
        let shown = ask(&["-top"]);
        assert!(shown.contains("\nType: cpu\n"), "{shown}");
        // How many, by class: flat is what is on top of stacks.
        let all = &[
            "-top",
            "-nodefraction=0",
            "-nodecount=100000",
            "-sample_index=alloc_objects",
        ];
        let top = ask(all);
        for (class, objects) in [("HprofSites$Kept", "1500"), ("HprofSites$Dropped", "2000")] {
            let name = format!("new {class}");
            let row = top.lines().find(|line| line.trim_end().ends_with(&name));
            let row = row.unwrap_or_else(|| panic!("{name}: {top}"));
            assert_eq!(row.split_whitespace().next(), Some(objects), "{row}");
        }
        // From where, with the line.
        let traces = ask(&[
            "-traces",
            "-lines",
            "-sample_index=alloc_objects",
            "-focus=HprofSites.there",
        ]);
        assert!(
            traces.contains("HprofSites.kept HprofSites.java:13"),
            "{traces}"
        );
        // Whose: by host and thread.
        let tags = ask(&["-tags", "-sample_index=alloc_objects"]);
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("the kernel's");
        for word in [
            "host: Total",
            "process: Total",
            "thread: Total",
            host.trim(),
            "main",
        ] {
            assert!(tags.contains(word), "{word}: {tags}");
        }
    });
}
