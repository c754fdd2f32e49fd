//! Folders of `src` are layers, as the shim's are: a file knows its own folder and those below it, never one above; and
//! no two files or folders within one know each other, nor go round in a circle.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "../../shim/tests/imports/mod.rs"]
mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use imports::{Module, imports_below, is_in_circle, layer_of, siblings};

/// From the bottom to the top; `main.rs` is above all.
const LAYERS: &[&str] = &[
    "base",
    "command_line",
    "libraries",
    "java",
    "run",
    "commands",
];

/// What each file knows.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let imports = imports_below(&source, |module| module.join("::") == "main");
    for module in imports.keys() {
        let name = module.join("::");
        assert!(layer_of(LAYERS, module).is_some(), "{name} is in no layer");
    }
    let count: usize = imports.values().map(BTreeSet::len).sum();
    assert!(count > 150, "{count} imports found");
    imports
}

#[test]
fn imports_run_downwards() {
    let layer = |module: &Module| layer_of(LAYERS, module);
    let mut wrong = Vec::new();
    for (from, known) in &imports() {
        for to in known.iter().filter(|to| layer(to) > layer(from)) {
            wrong.push(format!("{} knows {}", from.join("::"), to.join("::")));
        }
    }
    assert!(wrong.is_empty(), "upwards:\n{}", wrong.join("\n"));
}

/// A folder is one of them to those beside it; its own file and what is in it may know each other.
#[test]
fn nothing_goes_round_in_a_circle() {
    let siblings = siblings(&imports());
    let circle = siblings
        .keys()
        .filter(|module| is_in_circle(module, &siblings));
    let circle: Vec<_> = circle.map(|module| module.join("::")).collect();
    assert!(circle.is_empty(), "in circles:\n{}", circle.join("\n"));
}

/// What `main.rs` uses all below could name without their folder, which the other tests do not see.
#[test]
fn paths_from_the_crate_begin_with_a_layer() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let (mut wrong, mut count) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for rest in text.split("crate::").skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let name = &rest[..end.unwrap_or(rest.len())];
                count += 1;
                if !LAYERS.contains(&name) {
                    wrong.push(format!("{}: crate::{name}", path.display()));
                }
            }
        }
    }
    assert!(count > 150, "{count} paths found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
