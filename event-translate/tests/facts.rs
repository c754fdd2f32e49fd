//! Comments cite facts ("JVMPI facts B.2", "R17", "JVMTI facts 4"): each stands in `docs/`, once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Texts of the project, but for what builds and downloads leave behind.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        let end = name.rsplit_once('.').unwrap_or_default().1;
        if path.is_dir() && !path.is_symlink() {
            if !name.starts_with('.') && !["target", "docs"].contains(&name) {
                sources(&path, found);
            }
        } else if ["rs", "c", "h", "java", "sh", "md"].contains(&end) {
            found.push(path);
        }
    }
}

fn is_number(word: &str) -> bool {
    word.len() <= 2 && word.parse::<u8>().is_ok()
}

/// `B.2` or `R17`, which mean nothing else anywhere.
fn is_of_jvmpi(word: &str) -> bool {
    match word.as_bytes() {
        [b'A'..=b'H', b'.', ..] => is_number(&word[2..]),
        [b'R', ..] => is_number(&word[1..]),
        _ => false,
    }
}

/// `B.2` and `R17` anywhere; `B`, `4` and `"Title"` where they follow "facts".
fn citations(text: &str) -> Vec<String> {
    // A comment goes on behind the mark of the next line.
    let marks = |c: char| " /!*".contains(c);
    let lines = text.lines().map(|line| line.trim_start_matches(marks));
    let text = lines.collect::<Vec<_>>().join(" ").replace("Fact", "fact");
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '_');
    let words = words.map(|word| word.trim_matches('.'));
    let words = words.filter(|word| is_of_jvmpi(word));
    let mut cited: Vec<_> = words.map(String::from).collect();
    for list in text.split("facts").skip(1) {
        if let Some((title, _)) = list.strip_prefix(", \"").and_then(|t| t.split_once('"')) {
            cited.push(format!("\"{title}\""));
        }
        let list = list.split([')', '(', ':', ';']).next().unwrap_or_default();
        for word in list.split([' ', ',']) {
            let word = word.trim_end_matches('.');
            if is_number(word) || matches!(word.as_bytes(), [b'A'..=b'H']) {
                cited.push(word.to_owned());
            } else if !is_of_jvmpi(word) && !["", "and", "to"].contains(&word) {
                break;
            }
        }
    }
    cited
}

/// The sections of a document, and its rules.
fn facts(document: &str) -> Vec<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim());
    let numbers = headings.map(|heading| match heading.split_once(' ') {
        Some((first, _)) if first.contains('.') => first.trim_end_matches('.').to_owned(),
        _ => format!("\"{heading}\""),
    });
    let rules = document.split("**").filter(|word| is_of_jvmpi(word));
    numbers.chain(rules.map(String::from)).collect()
}

#[test]
fn what_is_cited_stands_in_docs() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let documents = ["docs/jvmpi-facts.md", "docs/jvmti-facts.md"];
    let documents = documents.map(|name| fs::read_to_string(project.join(name)).unwrap());
    let stated = facts(&documents.concat());
    let known: BTreeSet<_> = stated.iter().cloned().collect();
    assert_eq!(known.len(), stated.len(), "a number stands twice");
    let (mut paths, mut resolved) = (Vec::new(), 0);
    sources(&project, &mut paths);
    for path in &paths {
        for cited in citations(&fs::read_to_string(path).unwrap()) {
            assert!(known.contains(&cited), "{path:?}: no {cited} in docs/");
            resolved += 1;
        }
    }
    assert!(resolved > 200, "{resolved}: citations are no longer seen");
}

#[test]
fn citations_are_seen() {
    let text = "(JVMPI facts\n  /// R18) (Facts B, H) (JVMTI facts\n//! 4). 3\n(B.12 to\n * B.14)";
    assert_eq!(citations(text), ["R18", "B.12", "B.14", "B", "H", "4"]);
    assert_eq!(citations("facts, \"Class\n// files\""), ["\"Class files\""]);
}
