//! Whatever we write says which version of ours has written it. HPROF's files are in
//! `hprof_readers`, findings of `check=on` in `checks`.

use std::path::Path;

use xrun_tests::jdk::{each_jdk, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{Java, Run, agent_path, output};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn xrun(folder: &Path, words: &[&str]) -> Run {
    let mut command = product::xrun_command();
    command.args(words).current_dir(folder);
    output(command, 60)
}

/// A log begins with it: on stderr once there is one, in a file always; and each process that
/// writes there says so.
#[test]
fn a_log_begins_with_it() {
    let begins = |line: &str| line.starts_with(&format!("jvmpi: libjvmpi {VERSION}, process "));
    each_jdk(|jdk| {
        let run = |options: &str| {
            let java = Java::of(jdk).arg(agent_path(&product::shim(), options));
            java.main("Hello").run().exits(0)
        };
        for level in ["info", "trace"] {
            let run = run(&format!("log={level}"));
            let ours: Vec<_> = run.stderr.lines().filter(|it| begins(it)).collect();
            assert_eq!(ours.len(), 1, "{run}");
            assert!(run.stderr.lines().next().is_some_and(begins), "{run}");
        }
        // Nothing is wrong, and nothing is said.
        assert_eq!(run("log=warn").stderr, "");
        for level in ["warn", "info"] {
            let run = run(&format!("log={level},log-file=log.txt"));
            let log = run.file("log.txt");
            assert!(log.lines().next().is_some_and(begins), "{log}");
            assert_eq!(log.lines().count() > 1, level == "info", "{log}");
            assert_eq!(run.stderr, "");
        }
        assert_eq!(run("log=off,log-file=log.txt").file("log.txt"), "");
    });
    on_jdk(17, |jdk| {
        let option = agent_path(&product::shim(), "log=warn,log-file=log.txt");
        let java = Java::of(jdk).arg(option).shell("\"$@\" && \"$@\"");
        let run = java.main("Hello").run().exits(0);
        let log = run.file("log.txt");
        assert_eq!(log.lines().filter(|it| begins(it)).count(), 2, "{log}");
    });
}

/// Of a recording its counts say which library has recorded it, and a report both that and who
/// has made it.
#[test]
fn what_is_made_of_a_recording_says_it() {
    on_jdk(17, |jdk| {
        let option = agent_path(&product::shim(), "trace=run.rec");
        let java = Java::of(jdk).arg(option).arg("-Xrunjvmpi_counter:file=c");
        let run = java.main("Hello").run().exits(0);
        let stats = xrun(run.folder(), &["trace", "stats", "run.rec"]).exits(0);
        let line = format!("libjvmpi {VERSION}");
        assert_eq!(stats.stdout.lines().next(), Some(&*line), "{stats}");
        let json = xrun(run.folder(), &["trace", "stats", "--json", "run.rec"]).exits(0);
        let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert_eq!(json["libjvmpi"], VERSION);
        let report = xrun(run.folder(), &["report", "run.rec"]).exits(0);
        for line in [
            format!("- libjvmpi: `{VERSION}`"),
            format!("- written by: xrun {VERSION}"),
        ] {
            assert!(report.stdout.lines().any(|it| it == line), "{report}");
        }
        let option = "-Xrunjvmpi_counter:file=c";
        let (java, classes) = (jdk.tool("java"), xrun_tests::fixture::classes());
        let (java, classes) = (java.to_string_lossy(), classes.to_string_lossy());
        let words = ["report", &java, option, "-cp", &classes, "Hello"];
        let report = xrun(run.folder(), &words).exits(0);
        let line = format!("- libjvmpi: `{VERSION}`");
        assert!(report.stdout.lines().any(|it| it == line), "{report}");
    });
}
