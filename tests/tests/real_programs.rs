//! Programs that people run: they do the same with every method of theirs, and of the JDK,
//! told to an agent that checks each event.

use xrun_tests::jdk::{Jdk, each_jdk, not_run};
use xrun_tests::product;
use xrun_tests::programs::{Program, program};
use xrun_tests::run::{Java, Run};

/// What it said and left.
fn result(run: &Run, files: &[&str]) -> (String, Vec<Vec<u8>>) {
    let files = files.iter().map(|file| run.bytes(file)).collect();
    (run.stdout.clone(), files)
}

fn with_every_method(jdk: &Jdk, name: &str) -> Result<(), &'static str> {
    const ONLY: &str =
        "METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT+CLASS_LOAD+CLASS_UNLOAD+THREAD_START+THREAD_END";
    let java = Java::of(jdk).limit(300);
    let Program { words, files } = program(name, jdk, java.folder())?;
    let plain = java.args(&words).run().exits(0);
    let java = Java::with_shim(jdk).limit(300);
    let Program { words, .. } = program(name, jdk, java.folder())?;
    let agent = format!("-Xrunjvmpi_check:file=check.txt,only={ONLY}");
    let told = java.arg(agent).args(&words).run().exits(0);
    let (expected, got) = (result(&plain, files), result(&told, files));
    assert!(
        !expected.0.is_empty()
            || expected.1.iter().all(|file| !file.is_empty()) && !files.is_empty(),
        "{name} left nothing: {plain}"
    );
    assert!(
        expected == got,
        "{name} did something else:\n{plain}\n{told}"
    );
    let report = told.file("check.txt");
    assert!(
        report.starts_with("check: 0 violations"),
        "{report}\n{told}"
    );
    let entries = report.split_once(" METHOD_ENTRY=").map(|(_, rest)| rest);
    let entries = entries.and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(entries > Some(1_000_000), "{report}");
    Ok(())
}

fn each(name: &str) {
    product::agent("check");
    each_jdk(|jdk| {
        if let Err(missing) = with_every_method(jdk, name) {
            not_run(&format!("JDK {}", jdk.major), missing);
        }
    });
}

#[test]
fn javac_compiles_the_same() {
    each("javac");
}

#[test]
fn fop_renders_the_same() {
    each("fop");
}

#[test]
fn h2_answers_the_same() {
    each("h2");
}
