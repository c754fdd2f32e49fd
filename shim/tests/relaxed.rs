//! Where an atomic of the product is relaxed, the file says why that is enough by the memory model: the
//! first such place has a comment `// Relaxed: ….`.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let is_product = !["tests", "examples", "target"]
                .iter()
                .any(|name| path.ends_with(name));
            if is_product {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The lines in front of a file's tests.
fn product(text: &str) -> impl Iterator<Item = &str> {
    let tests =
        |line: &&str| !(line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test"));
    let is_module = text.contains("mod tests {");
    text.lines()
        .take_while(move |line| !is_module || tests(line))
}

fn has_reason(text: &str) -> bool {
    let is_use = |line: &str| {
        line.contains("Relaxed") && !line.trim_start().starts_with("//") && !line.contains("use ")
    };
    let mut lines = product(text);
    let first = lines
        .by_ref()
        .take_while(|line| !is_use(line))
        .any(|line| line.contains("// Relaxed: "));
    first || !product(text).any(is_use)
}

#[test]
fn each_file_says_why() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for folder in fs::read_dir(&root).unwrap() {
        let folder = folder.unwrap().path();
        // Folders of crates.
        if folder.join("Cargo.toml").is_file() && !folder.ends_with("tests") {
            sources(&folder, &mut all);
        }
    }
    assert!(all.len() > 500, "{}", all.len());
    let is_product = |path: &&PathBuf| !path.to_string_lossy().ends_with("tests.rs");
    let without: Vec<_> = all
        .iter()
        .filter(is_product)
        .filter(|path| !has_reason(&fs::read_to_string(path).unwrap()))
        .collect();
    assert!(without.is_empty(), "no reason in {without:#?}");
    assert!(!has_reason("fn f() {\n    A.load(Ordering::Relaxed);\n}\n"));
    assert!(has_reason(
        "fn f() {\n    // Relaxed: a count.\n    A.load(Ordering::Relaxed);\n}\n"
    ));
}
