//! `xrun --check --findings FILE --suppress FILE`, with a stand-in for java that finds what it is
//! told to.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod stage;

use std::process::Output;

use stage::{Stage, refusal, stderr};

/// Writes what `$FOUND` says where the shim would, and ends as `$CODE` says.
const JAVA: &str = r#"#!/bin/sh
folder=$(printf '%s\n' "$@" "$JAVA_TOOL_OPTIONS" | sed -n 's/.*check-report=\([^,]*\)%p.*/\1/p')
: > "$RAN"
if [ -n "$FOUND" ]; then
    printf "jvmpi check 1\nabout\tagent\tlibfoo.so\n$FOUND" > "$folder$$"
fi
if [ -n "$WAITS" ]; then
    trap 'exit 9' TERM
    : > "$WAITS"
    while :; do sleep 0.1; done
fi
exit "${CODE:-0}"
"#;

const ERROR: &str = r"found\tstale-id\t3\tgone <0x7>\t/lib/libfoo.so\t4660\tresolve\t44\n";
const WARNING: &str = r"found\tlock-order\t1\ta, b\n";

struct Checked(Stage);

impl Checked {
    fn new(name: &str) -> Self {
        let stage = Stage::new(name);
        stage.program("jdk/bin/java", JAVA);
        Self(stage)
    }

    fn run(&self, words: &[&str], found: &str, code: &str) -> Output {
        let mut command = self.0.xrun();
        command.args(words).args(["java", "Main"]);
        command.env("FOUND", found).env("CODE", code);
        command.env("RAN", self.0.path("ran"));
        command.output().unwrap()
    }

    fn ends(&self, words: &[&str], found: &str, code: &str) -> i32 {
        let output = self.run(words, found, code);
        output.status.code().unwrap()
    }

    fn written(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path(name)).unwrap()
    }
}

#[test]
fn the_exit_code_is_the_programs_unless_that_is_0() {
    let checked = Checked::new("findings-codes");
    let file = checked.0.text("found.json");
    let on = ["--check", "--findings", &file];
    let fail = ["--check=fail", "--findings", &file];
    for (found, code, of_on, of_fail) in [
        (r"\n", "0", 0, 4),
        (r"about\tpid\t1\n", "0", 0, 0),
        (WARNING, "0", 0, 0),
        (ERROR, "0", 0, 3),
        (ERROR, "7", 7, 7),
        ("", "0", 0, 4),
        ("", "7", 7, 7),
    ] {
        assert_eq!(checked.ends(&on, found, code), of_on, "{found}");
        assert_eq!(checked.ends(&fail, found, code), of_fail, "{found}");
        let written = checked.written("found.json");
        assert!(
            written.contains(&format!("\"exit_code\": {code},")),
            "{written}"
        );
    }
}

/// Of a command that starts java itself, however it deals with that one's exit code.
#[test]
fn the_exit_code_of_a_script_is_decided_by_all_its_jvms() {
    let checked = Checked::new("findings-scripts");
    checked.0.program("script", JAVA);
    let ends = |words: &[&str], found: &str, code: &str| {
        let mut command = checked.0.xrun();
        command.args(words).args(["./script", "Main"]);
        command.env("FOUND", found).env("CODE", code);
        command.env("RAN", checked.0.path("ran"));
        command.output().unwrap().status.code()
    };
    for (found, code, of_fail) in [
        ("", "0", 4),
        ("", "7", 7),
        (r"about\tpid\t1\n", "0", 0),
        (ERROR, "0", 3),
    ] {
        assert_eq!(ends(&["--check=fail"], found, code), Some(of_fail));
    }
    assert_eq!(ends(&["--check"], "", "0"), Some(0));
    // Findings have their place.
    let elsewhere = ["--check=fail", "--set", "check-report=found"];
    assert_eq!(ends(&elsewhere, "", "0"), Some(0));
}

#[test]
fn what_is_known_is_no_failure_and_what_is_not_found_is_named() {
    let checked = Checked::new("findings-known");
    let (file, known) = (checked.0.text("found.xml"), checked.0.text("known"));
    let words = ["--check=fail", "--findings", &file, "--suppress", &known];
    checked.0.file(
        "known",
        b"# why\nstale-id resolve -- ticket 7\nbad-argument -- once\n",
    );
    let output = checked.run(&words, &format!("{ERROR}{WARNING}"), "0");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("known, line 3: bad-argument: nothing of it was found"),
        "{said}"
    );
    assert!(
        said.contains("warning [lock-order]") && !said.contains("[stale-id]"),
        "{said}"
    );
    let written = checked.written("found.xml");
    assert!(
        written.contains("<skipped message=\"ticket 7\"/>"),
        "{written}"
    );
    assert_eq!(written.matches("<failure ").count(), 1, "{written}");
    // It is ours: it may be written over, and another file may not.
    assert_eq!(checked.ends(&words, ERROR, "0"), 0);
    checked.0.file("found.xml", b"<notes/>");
    assert_eq!(checked.ends(&words, ERROR, "0"), 2);
    assert_eq!(
        checked.ends(&[&words[..], &["--force"]].concat(), ERROR, "0"),
        0
    );
    // Without a file of findings as well.
    assert_eq!(
        checked.ends(&["--check=fail", "--suppress", &known], ERROR, "0"),
        0
    );
    checked.0.file("known", b"stale-id other.c -- elsewhere\n");
    assert_eq!(
        checked.ends(&["--check=fail", "--suppress", &known], ERROR, "0"),
        3
    );
}

#[test]
fn nothing_runs_if_a_word_is_wrong() {
    let checked = Checked::new("findings-wrong");
    let known = checked.0.text("known");
    checked.0.file("known", b"stale-id\n");
    for (words, what) in [
        (
            &["--check", "--suppress", &known][..],
            "line 1: no reason; write RULE [PLACE] -- REASON",
        ),
        (&["--check", "--suppress", "/none"], "--suppress /none: "),
        (
            &["--check", "--format", "junit"],
            "--format needs --findings FILE",
        ),
        (
            &["--check", "--findings", "found.txt"],
            "--format json or junit?",
        ),
        (
            &["--check", "--findings", "f.xml", "--format=xml"],
            "--format json or junit?",
        ),
    ] {
        let mut command = checked.0.xrun();
        command
            .args(words)
            .args(["java", "Main"])
            .env("RAN", checked.0.path("ran"));
        let said = refusal(&mut command, 2);
        assert!(said.contains(what), "{said}");
    }
    assert!(!checked.0.path("ran").exists());
}

/// What went wrong is what xrun ends with.
#[test]
fn a_file_that_cannot_be_written_hides_no_failure() {
    let stage = Stage::new("findings-unwritten");
    let found = stage.text("found.json");
    // A folder cannot be replaced by a file.
    std::fs::create_dir(&found).unwrap();
    for (words, code, what) in [
        (&["--check", "no-such-command"][..], 127, "no-such-command"),
        (&["compare", "a.rec", "b.rec"], 2, "a.rec: "),
        (&["replay", "a.rec"], 2, "a.rec: "),
    ] {
        let mut command = stage.xrun();
        command.arg("--findings").arg(&found).args(words);
        let output = command.output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains("found.json: "), "{said}");
        assert!(said.lines().last().unwrap().contains(what), "{said}");
    }
}

/// As it would if xrun had become it.
#[test]
fn signals_are_the_commands() {
    let checked = Checked::new("findings-signals");
    let (file, waits) = (checked.0.text("found.json"), checked.0.path("waits"));
    let mut command = checked.0.xrun();
    command.args(["--check", "--findings", &file, "java", "Main"]);
    command
        .env("RAN", checked.0.path("ran"))
        .env("WAITS", &waits);
    let mut child = command.spawn().unwrap();
    let started = std::time::Instant::now();
    while !waits.exists() {
        assert_eq!(child.try_wait().unwrap(), None);
        assert!(started.elapsed().as_secs() < 120, "java was not started");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(9));
    let written = checked.written("found.json");
    assert!(written.contains("no report came"), "{written}");
}
