//! Files of xrun's own that do not fit: a line, an exit code that says so, and nothing that looks like a whole one. Those of
//! the agents and of the library: `hprof::trouble_with_the_output_is_one_line`, `surroundings::a_full_disk_is_a_line_of_each_file`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use xrun_tests::fixture::native;
use xrun_tests::jdk::{Jdk, not_run, on_jdk};
use xrun_tests::product;
use xrun_tests::run::{Java, Run, agent_path, output};

/// What writes a file into the folder FULL.
const FILES: [&str; 10] = [
    "merge -o FULL/all.json some.collapsed",
    "merge -o FULL/all.html some.collapsed",
    "merge -o FULL/all.pb.gz some.collapsed",
    "merge -o FULL/all.collapsed some.collapsed",
    "diff -o FULL/diff.html some.collapsed some.collapsed",
    "compare -o FULL/page.html run.rec",
    "report --html FULL/page.html run.rec",
    "trace filter -o FULL/part.rec run.rec",
    "replay --findings FULL/found.json --agent AGENT run.rec",
    "replay --findings FULL/found.xml --agent AGENT run.rec",
];
/// What writes a folder of files.
const FOLDERS: [&str; 2] = [
    "report --skeleton FULL/port run.rec",
    "trace export --parquet FULL/tables run.rec",
];

/// A folder with what all of them read: an agent and a port of it in one recording, and stacks that are large when they
/// are packed, too.
fn stage(jdk: &Jdk) -> Run {
    product::agent("counter");
    let java = Java::of(jdk).through(&product::xrun());
    let java = java.before(&["trace", "-o", "run.rec"]);
    let java = java.arg("-Xrunjvmpi_counter:file=n.txt");
    let java = java.arg(agent_path(&native("ported"), "counter"));
    let run = java.main("Plain").run().exits(0);
    let mut stacks =
        "(HPROF for xrun 0.1.0);(CPU samples, samples);(every 10 ms);(1 on red) 0\n".to_owned();
    for number in 1..4000_u32 {
        let class = number.wrapping_mul(0x9E37_79B9);
        stacks += &format!("[main];a.Main.main;b.C{class:x}.run {}\n", 1 + class % 97);
    }
    std::fs::write(run.folder().join("some.collapsed"), stacks).unwrap();
    run
}

/// Runs `xrun` behind these lines of a shell, which make the folder FULL; what is in it then is copied into `left`.
fn run(stage: &Run, shell: &[&str], make: &str, words: &str) -> Run {
    let line =
        format!("{make} || exit 99; \"$@\"; code=$?; rm -rf left; cp -a FULL left; exit $code");
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["-c", &line, "sh"]);
    let agent = format!("{}:file=/dev/null", product::agent("trace").display());
    let words = words.split(' ').map(|word| word.replace("AGENT", &agent));
    command.arg(product::xrun()).args(words);
    command.current_dir(stage.folder());
    output(command, 60)
}

/// What was left, by its place in the folder.
fn left(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.join("left")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// One line that names what could not be written, beside others that are not of it.
#[track_caller]
fn assert_said(words: &str, run: &Run) {
    let full = |line: &&str| line.contains("No space left on device");
    let said: Vec<_> = run.stderr.lines().filter(full).collect();
    assert!(
        matches!(said[..], [line] if line.starts_with("xrun: ")),
        "{words}: {run}"
    );
    assert_eq!(run.code(), 2, "{words}: {run}");
    assert!(!run.stderr.contains("panicked"), "{run}");
}

/// A device that takes nothing stays what it is.
#[test]
fn a_device_that_is_full_is_said() {
    on_jdk(17, |jdk| {
        let stage = stage(jdk);
        for words in FILES {
            let file = words.split(' ').find(|word| word.starts_with("FULL/"));
            let make = format!("rm -rf FULL; mkdir FULL; ln -s /dev/full {}", file.unwrap());
            let said = run(&stage, &["sh"], &make, words);
            assert_said(words, &said);
            let is_link = format!("test -c {}", file.unwrap().replace("FULL", "left"));
            run(&stage, &["sh"], &is_link, "--version").exits(0);
        }
    });
}

/// A file is there as it would be if all of them fitted, or not there.
#[test]
fn a_disk_that_is_too_small_is_said() {
    on_jdk(17, |jdk| {
        let can = Command::new("unshare").args(["-m", "true"]).output();
        if !can.is_ok_and(|can| can.status.success()) {
            return not_run("JDK 17", "unshare(1) as root makes a disk");
        }
        let stage = stage(jdk);
        for words in FILES.iter().chain(&FOLDERS) {
            let make = "head -c 4096 /dev/zero >FULL/before";
            let all = format!("rm -rf FULL; mkdir FULL; {make}");
            let all = run(&stage, &["sh"], &all, words);
            assert!(matches!(all.code(), 0 | 3), "{words}: {all}");
            let whole = left(stage.folder());
            assert!(whole.len() > 1, "{words}: {all}");
            // None has room in the first, a part of one in the second, and of several some in the third.
            for size in [4, 8, 32] {
                let make = format!(
                    "rm -rf FULL; mkdir FULL; mount -t tmpfs -o size={size}k none FULL && {make}"
                );
                let said = run(&stage, &["unshare", "-m", "sh"], &make, words);
                let left = left(stage.folder());
                for (name, bytes) in &left {
                    assert!(whole.get(name) == Some(bytes), "{words}, {size} KB: {name}");
                }
                if size == 4 || said.code() != all.code() {
                    assert_said(words, &said);
                } else {
                    assert_eq!(left.len(), whole.len(), "{words}, {size} KB: {said}");
                }
            }
        }
    });
}
