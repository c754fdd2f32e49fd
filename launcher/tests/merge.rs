//! `xrun merge`: files of many processes into each format; what is wrong with one is a line.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use own_files::Folder;

fn folder() -> Folder {
    let folder = Folder::new(&std::env::temp_dir(), "xrun-merge-").unwrap();
    for (name, interval, host, count) in [
        ("a", 10, "red", 5),
        ("b", 10, "blue", 7),
        ("c", 20, "blue", 9),
    ] {
        let text = format!(
            "(HPROF for xrun 0.1.0);(CPU samples, samples);(every {interval} ms);(1 on {host}) 0\n\
             [main];a.Main.main;a.Main.work {count}\n[main];a.Main.main 1\n"
        );
        fs::write(folder.path().join(format!("{name}.collapsed")), text).unwrap();
    }
    folder
}

fn merge(folder: &Path, words: &str) -> (Option<i32>, String) {
    let xrun = Command::new(env!("CARGO_BIN_EXE_xrun"))
        .arg("merge")
        .args(words.split_whitespace())
        .current_dir(folder)
        .output();
    let Output { status, stderr, .. } = xrun.unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn files_of_many_processes_become_one() {
    let folder = folder();
    let folder = folder.path();
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let done = (Some(0), String::new());
    assert_eq!(merge(folder, "-o all.json a.collapsed b.collapsed"), done);
    assert_eq!(merge(folder, "-o all.pb.gz all.json"), done);
    assert_eq!(merge(folder, "-o all.collapsed all.pb.gz"), done);
    let stacks = text("all.collapsed");
    let (_, stacks) = stacks.split_once('\n').unwrap();
    assert_eq!(
        stacks,
        "[main];a.Main.main 2\n[main];a.Main.main;a.Main.work 12\n"
    );
    assert_eq!(merge(folder, "-o all-%p.html all.pb.gz"), done);
    let page = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|it| it.file_name());
    let page = page
        .map(|it| it.into_string().unwrap())
        .find(|it| it.ends_with(".html"))
        .unwrap();
    assert_ne!(page, "all-%p.html");
    let page = text(&page);
    for part in [
        "\"host\":\"red\"",
        "\"host\":\"blue\"",
        "\"parts\":[[2,1,3,5],[2,1,3,7]]",
        "[\"Processes\",\"2\"]",
        "\"program\":\"All processes\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(merge(folder, "-o one.html b.collapsed"), done);
    assert!(text("one.html").contains("\"program\":\"Process 1\""));
}

#[test]
fn who_is_named_twice_counts_once() {
    let folder = folder();
    let folder = folder.path();
    let (code, said) = merge(
        folder,
        "-o all.collapsed a.collapsed b.collapsed ./a.collapsed",
    );
    let line = "xrun: ./a.collapsed: named twice, and counted once\n";
    assert_eq!((code, &*said), (Some(0), line));
    let text = fs::read_to_string(folder.join("all.collapsed")).unwrap();
    assert!(text.contains("a.Main.work 12\n"), "{text}");
}

#[test]
fn what_cannot_be_merged_is_a_line_and_exit_code_1() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("cut"), "a;b 5\na;c").unwrap();
    fs::write(folder.join("other"), b"\x7fELF\xff\0").unwrap();
    let (code, said) = merge(
        folder,
        "-o all.collapsed a.collapsed empty c.collapsed cut other missing b.collapsed",
    );
    assert_eq!(code, Some(1), "{said}");
    let begin = [
        "empty: empty: ",
        "c.collapsed: it has a sample every 20 ms",
        "cut: cut off",
        "other: no profile",
        "missing: ",
    ];
    assert_eq!(said.lines().count(), begin.len(), "{said}");
    for (line, begin) in said.lines().zip(begin) {
        assert!(line.starts_with(&format!("xrun: {begin}")), "{line}");
    }
    let text = fs::read_to_string(folder.join("all.collapsed")).unwrap();
    assert!(text.contains("a.Main.work 12\n"), "{text}");

    for (words, says) in [
        ("-o all.txt a.collapsed", "what is all.txt to be?"),
        ("-o x.json empty", "nothing is written"),
        (
            "-o x.json --kind Live a.collapsed",
            "There are: CPU samples",
        ),
        ("-o a.collapsed a.collapsed", "name another OUT"),
        ("-o %x{NO_SUCH}.json a.collapsed", "is not set"),
        ("a.collapsed", "-o"),
        ("-o cut --format json a.collapsed", "--force replaces it"),
    ] {
        let (code, said) = merge(folder, words);
        assert!(code != Some(0) && said.contains(says), "{words}: {said}");
    }
    assert!(!folder.join("x.json").exists());
}
