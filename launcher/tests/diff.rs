//! `xrun diff`: which methods have become more and less, as text and in each format.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use own_files::Folder;

/// The second has twice as many samples, of which `work` has a smaller share and `gone` none.
fn folder() -> Folder {
    let folder = Folder::new(&std::env::temp_dir(), "xrun-diff-").unwrap();
    let head = |pid: u32, interval: u32| {
        format!(
            "(HPROF for xrun 0.1.0);(CPU samples, samples);(every {interval} ms);({pid} on red) 0\n"
        )
    };
    let before = "[main];a.Main.main;a.Main.work 60\n[main];a.Main.main;a.Main.gone 40\n";
    let after = "[main];a.Main.main;a.Main.work 100\n[main];a.Main.main;a.Main.fresh 100\n";
    for (name, text) in [
        ("before", head(1, 10) + before),
        ("after", head(2, 10) + after),
        ("slower", head(3, 20) + after),
        (
            "same",
            head(4, 10) + &before.replace("60", "600").replace("40", "400"),
        ),
    ] {
        fs::write(folder.path().join(format!("{name}.collapsed")), text).unwrap();
    }
    folder
}

fn diff(folder: &Path, words: &str) -> (Option<i32>, String, String) {
    let xrun = Command::new(env!("CARGO_BIN_EXE_xrun"))
        .arg("diff")
        .args(words.split_whitespace())
        .current_dir(folder)
        .output();
    let Output {
        status,
        stdout,
        stderr,
    } = xrun.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn shares_of_methods_are_compared() {
    let folder = folder();
    let (code, said, wrong) = diff(folder.path(), "before.collapsed after.collapsed");
    assert_eq!((code, &*wrong), (Some(0), ""));
    let expected = "CPU samples: 100 before, 200 after (samples)\n    \
                    before     after    change  method (self)\n    \
                    0.00 %   50.00 %  +50.00 %  a.Main.fresh\n   \
                    40.00 %    0.00 %  -40.00 %  a.Main.gone\n   \
                    60.00 %   50.00 %  -10.00 %  a.Main.work\n";
    assert_eq!(said, expected);
    // Ten times as much of everything is no change.
    let (code, said, _) = diff(folder.path(), "before.collapsed same.collapsed");
    let expected = "CPU samples: 100 before, 1000 after (samples)\n  \
                    no method has become more or less\n";
    assert_eq!((code, &*said), (Some(0), expected));
}

#[test]
fn each_format_has_both_sides() {
    let folder = folder();
    let folder = folder.path();
    for out in ["d.html", "d.collapsed", "d.json"] {
        let words = format!("-o {out} before.collapsed after.collapsed");
        let (code, said, wrong) = diff(folder, &words);
        assert_eq!((code, &*wrong), (Some(0), ""), "{out}");
        assert!(said.contains("a.Main.gone"), "{said}");
    }
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(
        text("d.collapsed"),
        "[main];a.Main.main;a.Main.fresh 0 100\n[main];a.Main.main;a.Main.gone 40 0\n\
         [main];a.Main.main;a.Main.work 60 100\n"
    );
    for part in [
        "\"processes\":[[\"before\",\"\"],[\"after\",\"\"]]",
        "\"format\":\"xrun-profiles\"",
    ] {
        assert!(text("d.json").contains(part), "{part}");
    }
    for part in [
        "\"compared\":true",
        "before.collapsed → after.collapsed",
        "Red has become more",
    ] {
        assert!(text("d.html").contains(part), "{part}");
    }
    // Shares of different intervals are shares still.
    let (code, _, said) = diff(folder, "-o d.html before.collapsed slower.collapsed");
    assert_eq!(code, Some(0));
    for said in [said, text("d.html")] {
        assert!(
            said.contains("shares can be compared, counts cannot"),
            "{said}"
        );
    }
}

#[test]
fn what_cannot_be_compared_is_a_line() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("empty"), "").unwrap();
    for (words, says) in [
        ("before.collapsed", "diff needs two profiles"),
        (
            "before.collapsed after.collapsed same.collapsed",
            "diff needs two profiles",
        ),
        ("before.collapsed empty", "empty: empty: "),
        ("missing after.collapsed", "missing: "),
        (
            "-o d.pb.gz before.collapsed after.collapsed",
            "what is d.pb.gz to be? .html, .collapsed or .json",
        ),
        (
            "--format pprof -o d before.collapsed after.collapsed",
            "--format pprof? flame, collapsed or json",
        ),
        (
            "-o before.collapsed before.collapsed after.collapsed",
            "name another OUT",
        ),
        (
            "--kind Live before.collapsed after.collapsed",
            "There are: CPU samples",
        ),
        (
            "-o empty.txt --format json --force before.collapsed after.collapsed extra",
            "diff needs two profiles",
        ),
    ] {
        let (code, _, said) = diff(folder, words);
        assert!(code != Some(0) && said.contains(says), "{words}: {said}");
    }
    assert!(!folder.join("d").exists() && !folder.join("empty.txt").exists());
}
