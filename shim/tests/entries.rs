//! Whatever C calls goes through `base/boundary.rs`, so that no panic passes and errno stays (invariant I4).
//! What does without is listed, with why.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ItemFn, ItemMod, Macro, Meta};

/// The boundary, and what passes it before all else though it stands in another file than its callers.
const GATES: &[&str] = &[
    "guarded", "unlogged", "bare", "callback", "recorded", "around", "saw",
];

/// Functions that C calls and that pass no boundary: they cannot panic.
const WITHOUT: &[(&str, &str)] = &[
    (
        "agent/agent_call.rs personality",
        "the unwinder's; numbers alone",
    ),
    ("agent/class_bytes.rs malloc", "it passes on, and counts"),
    (
        "entry/environment.rs in_child",
        "in a child of a fork; a word",
    ),
    ("entry/thunk_code.rs nothing", "it gives a number"),
    (
        "observe/jvmti/saw.rs saw_stack",
        "also called by signal handlers; words alone",
    ),
    (
        "observe/own_trace.rs forget",
        "in a child of a fork; a word",
    ),
    (
        "os/cpu_clock/x86_64.rs in_child",
        "in a child of a fork; words alone",
    ),
    (
        "os/imports.rs visit",
        "within a call of ours; it reads and allocates",
    ),
    (
        "os/library.rs note",
        "within a call of ours; it reads and allocates",
    ),
    ("vm/heap.rs clear", "within a call of ours; a word"),
];

/// Whole files that are compiled for tests alone.
const OF_TESTS: &[&str] = &[
    "os/cpu_clock/stepped.rs",
    "os/cpu_clock/tests.rs",
    "vm/fake_jni.rs",
];

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        matches!(&attribute.meta, Meta::List(list)
            if list.path.is_ident("cfg") && list.tokens.to_string().contains("test"))
    })
}

/// The words of a function's body.
#[derive(Default)]
struct Words(BTreeSet<String>);

impl<'ast> Visit<'ast> for Words {
    fn visit_ident(&mut self, word: &'ast Ident) {
        self.0.insert(word.to_string());
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        words(call.tokens.clone(), &mut self.0);
    }
}

fn words(tokens: TokenStream, into: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => drop(into.insert(word.to_string())),
            TokenTree::Group(group) => words(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The functions of a file, with the words of their bodies.
#[derive(Default)]
struct Functions {
    all: BTreeMap<String, BTreeSet<String>>,
    called_by_c: Vec<String>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_of_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if is_of_tests(&function.attrs) {
            return;
        }
        let name = function.sig.ident.to_string();
        let mut body = Words::default();
        body.visit_block(&function.block);
        self.all.entry(name.clone()).or_default().extend(body.0);
        if function.sig.abi.is_some() {
            self.called_by_c.push(name);
        }
        visit::visit_item_fn(self, function);
    }
}

impl Functions {
    /// Those that C calls, and that come to no gate, neither themselves nor by another function of the file.
    fn without_a_gate(&self) -> Vec<&String> {
        let mut gates: BTreeSet<&str> = GATES.iter().copied().collect();
        loop {
            let comes_to_one =
                |body: &BTreeSet<String>| gates.iter().any(|gate| body.contains(*gate));
            let found = self.all.iter().filter(|(_, body)| comes_to_one(body));
            let found: Vec<&str> = found.map(|(name, _)| name.as_str()).collect();
            let known = gates.len();
            gates.extend(found);
            if gates.len() == known {
                break;
            }
        }
        let called = self.called_by_c.iter();
        called
            .filter(|name| !gates.contains(name.as_str()))
            .collect()
    }
}

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn what_c_calls_passes_the_boundary() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    files.sort();
    let mut found = Vec::new();
    let mut all = 0;
    for file in files {
        let place = file.strip_prefix(&source).unwrap().display().to_string();
        if OF_TESTS.contains(&place.as_str()) {
            continue;
        }
        let mut functions = Functions::default();
        functions.visit_file(&syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap());
        all += functions.called_by_c.len();
        found.extend(
            functions
                .without_a_gate()
                .into_iter()
                .map(|name| format!("{place} {name}")),
        );
    }
    assert!(all > 100, "{all}");
    let listed: Vec<_> = WITHOUT
        .iter()
        .map(|(place, _)| (*place).to_owned())
        .collect();
    assert_eq!(found, listed);
}
