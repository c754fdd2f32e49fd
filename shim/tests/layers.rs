//! Folders of `src` are layers: a file knows its own folder and those below it, never one above;
//! and no two files know each other, nor do two folders within a layer. What C calls an object or a method stays at its
//! border.
//! A file that imports a folder with layers below it, or `crate` itself, would hide which of them it knows; and methods
//! that a layer gives to a type of another one are called without an import: neither is done but where it is said.
//! Longer than most: what is asked of one reading of the sources.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ItemImpl, ItemMod};

use imports::{
    Module, Paths, imports_below, is_in_circle, is_test, layer_of, modules, parsed, siblings,
};

/// From the bottom to the top.
const LAYERS: &[&str] = &[
    "base",
    "os",
    "vm",
    "vm::hotspot",
    "model",
    "agent",
    "delivery",
    "hooks",
    "events::threads",
    "events::call_traces",
    "events::compiled_code",
    "events::gc",
    "events::objects",
    "events::references",
    "events::monitors",
    "events::methods",
    "events::dumps",
    "events::vm_life",
    "observe",
    "bridge",
    "entry",
];

/// Where references and ids are pointers, since C or the VM is next door.
const BORDERS: &[&str] = &["vm", "vm::hotspot", "entry"];

/// What they are called there, and the way from our types to those and back.
const RAW: &[&str] = &[
    "jobject",
    "jclass",
    "jstring",
    "jthrowable",
    "jweak",
    "jarray",
    "jobjectArray",
    "jthread",
    "jthreadGroup",
    "jmethodID",
    "jfieldID",
    "to_jni",
    "from_jni",
];

/// Who needs some of it elsewhere, and why.
const ELSEWHERE: &[(&str, &[&str], &str)] = &[
    ("agent::ready_event", &["to_jni"], METHOD_OF_EVENT),
    (
        "delivery::announce::class_load",
        &["to_jni"],
        METHOD_OF_EVENT,
    ),
    (
        "events::compiled_code::compiled",
        &["to_jni"],
        METHOD_OF_EVENT,
    ),
    (
        "events::methods::instruction_events",
        &["to_jni"],
        METHOD_OF_EVENT,
    ),
    ("events::methods::contents", &["to_jni"], METHOD_OF_EVENT),
    (
        "model::classes::methods",
        &["to_jni"],
        "frames of call traces",
    ),
    (
        "model::own::known_frames",
        &["from_jni", "to_jni"],
        "frames of call traces",
    ),
    (
        "model::own::late_frames",
        &["to_jni"],
        "frames of call traces",
    ),
    (
        "events::monitors::sleep",
        &["jclass"],
        "a native method of Thread",
    ),
];
const METHOD_OF_EVENT: &str = "the method that an event names";

/// Who follows the id of a method, or what the VM takes a reference for, in which functions, and what lets it: nobody
/// else does.
const FOLLOWERS: &[(&str, &[&str], &str)] = &[
    (
        "vm::hotspot::heap::weak_slots",
        &["word"],
        "no id: the slot of a weak reference of ours, where slots have been tried",
    ),
    (
        "vm::hotspot::stacks::hidden_frames",
        &["places"],
        "reads what can be read; believed where many pairs of methods agree",
    ),
    (
        "vm::hotspot::stacks::physical_frames",
        &["method_of", "method_of_checked"],
        "a FrameLayout is there where ids have proved to be pointers",
    ),
];

/// By what memory is read at a number.
const READERS: &[&str] = &[
    "VmAddress::of",
    "bytes_at",
    "word_at",
    "word_checked",
    "with_exposed_provenance",
    "with_exposed_provenance_mut",
];

/// Layers that share memory with C, the VM or the kernel: `unsafe` belongs there.
const UNSAFE_LAYERS: &[&str] = &[
    "os",
    "vm",
    "vm::hotspot",
    "agent",
    "observe",
    "bridge",
    "entry",
];

/// The single files elsewhere; each opens with its reason.
const UNSAFE_FILES: &[&str] = &[
    "base::cancellation",
    "base::errno",
    "base::latest",
    "delivery::system_thread",
    "events::methods::fast_path",
    "events::monitors::sleep",
    "hooks::hook_class",
    "model::ids::untagged",
    "model::own::cell",
    "model::own::ready_event",
    "model::thread::current",
    "model::thread::native_thread",
];

/// Methods that stand outside of their type's layer: file, type, and why.
const METHODS_ELSEWHERE: &[(&str, &str, &str)] = &[
    (
        "delivery::announce::class_load",
        "Class",
        "whether a class is announced: what delivery makes of it",
    ),
    (
        "vm::hotspot::classes::modules",
        "Jvmti",
        "the VM's own way in place of a function of JVMTI",
    ),
];

/// Our other packages, and which of them the lower layers know. Those above `hooks` may know any; `jvmpi_headers` and
/// `event_translate` have the types and tables that all stand on.
const PACKAGES: &[(&str, &[&str])] = &[
    (
        "base",
        &["own_files", "protocols", "shim_options", "terminal_text"],
    ),
    ("os", &["agent_check", "native_layout"]),
    ("vm", &["class_rewriter", "dump_format", "shim_options"]),
    ("vm::hotspot", &["native_layout"]),
    (
        "model",
        &["dump_format", "id_map", "protocols", "shim_options"],
    ),
    (
        "agent",
        &[
            "id_map",
            "native_layout",
            "recording_format",
            "shim_options",
            "terminal_text",
        ],
    ),
    ("delivery", &["id_map", "protocols"]),
    (
        "hooks",
        &["class_rewriter", "id_map", "native_layout", "shim_options"],
    ),
];
const KNOWN_TO_ALL: &[&str] = &["event_translate", "jvmpi_headers"];

/// The innermost layer of a module.
fn layer(module: &[String]) -> Option<usize> {
    layer_of(LAYERS, module)
}

/// What each file of the shim knows.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // lib.rs, and folders that only hold layers, have no code.
    let is_frame = |module: &Module| {
        module.is_empty()
            || LAYERS.iter().any(|layer| {
                layer
                    .strip_prefix(&module.join("::"))
                    .is_some_and(|rest| rest.starts_with("::"))
            }) && layer(module).is_none()
    };
    let imports = imports_below(&source, is_frame);
    for module in imports.keys() {
        let name = module.join("::");
        assert!(layer(module).is_some(), "{name} is in no layer");
    }
    let count: usize = imports.values().map(BTreeSet::len).sum();
    assert!(count > 500, "{count} imports found");
    imports
}

#[test]
fn imports_run_downwards() {
    let imports = imports();
    let mut wrong = Vec::new();
    for (from, known) in &imports {
        for to in known.iter().filter(|to| layer(to) > layer(from)) {
            wrong.push(format!("{} knows {}", from.join("::"), to.join("::")));
        }
    }
    assert!(wrong.is_empty(), "upwards:\n{}", wrong.join("\n"));
}

/// The files of the shim's, each with its text.
fn sources() -> BTreeMap<Module, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = BTreeMap::new();
    modules(&source, &Vec::new(), &mut sources);
    sources
}

/// Whether layers lie below this module.
fn holds_layers(module: &Module) -> bool {
    let path = module.join("::");
    let is_below = |layer: &&str| {
        let rest = layer.strip_prefix(&path);
        rest.is_some_and(|rest| path.is_empty() || rest.starts_with("::"))
    };
    LAYERS.iter().any(is_below)
}

/// What a file imports by which any layer below could be reached.
fn hiding_imports(here: &Module, text: &str) -> Vec<String> {
    let named = Paths::of(here, &parsed(text)).named.into_iter();
    let names = named.filter(holds_layers).map(|module| module.join("::"));
    names.collect()
}

#[test]
fn no_import_hides_a_layer() {
    for (module, text) in sources().iter().filter(|(module, _)| !module.is_empty()) {
        let names = hiding_imports(module, text);
        let name = module.join("::");
        assert!(names.is_empty(), "{name} imports {names:?} by name");
    }
    let here = ["vm", "jni"].map(str::to_owned).to_vec();
    let hiding = |text: &str| hiding_imports(&here, text);
    assert_eq!(hiding("use crate::{events, model, vm::env};"), ["events"]);
    assert_eq!(
        hiding("use crate::vm::{self, env::Jvmti}; use super::*;"),
        ["vm", "vm"]
    );
    assert_eq!(hiding("use crate as ours;"), [""]);
}

/// The types of other layers that a file gives methods.
struct Methods {
    /// Of those that are imported.
    layers: BTreeMap<String, Option<usize>>,
    paths: Paths,
    found: Vec<String>,
}

impl Methods {
    fn of(here: &Module, text: &str) -> Vec<String> {
        let file = parsed(text);
        let paths = Paths::of(here, &file);
        let imported = paths.named.iter().filter_map(|path| {
            let (name, module) = path.split_last()?;
            Some((name.clone(), layer(module)))
        });
        let mut methods = Self {
            layers: imported.collect(),
            paths,
            found: Vec::new(),
        };
        methods.visit_file(&file);
        methods.found
    }
}

impl<'ast> Visit<'ast> for Methods {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let syn::Type::Path(path) = &*item.self_ty else {
            return;
        };
        let words = path.path.segments.iter().map(|word| word.ident.to_string());
        let words: Vec<_> = words.collect();
        let [.., name] = words.as_slice() else { return };
        if item.trait_.is_some() || is_test(&item.attrs) {
            return;
        }
        let here = layer(&self.paths.here);
        // One that is neither named by its path nor imported is of this file.
        let its = match self.paths.resolve(&words) {
            Some(path) => layer(&path),
            None => self.layers.get(name).copied().unwrap_or(here),
        };
        if its != here {
            self.found.push(name.clone());
        }
    }
}

#[test]
fn types_have_their_methods_from_their_layer() {
    let mut found = Vec::new();
    for (module, text) in sources() {
        let methods = Methods::of(&module, &text).into_iter();
        found.extend(methods.map(|name| (module.join("::"), name)));
    }
    let listed = METHODS_ELSEWHERE.iter();
    let listed: Vec<_> = listed
        .map(|&(module, name, _)| (module.to_owned(), name.to_owned()))
        .collect();
    assert_eq!(found, listed);
}

#[test]
fn lower_layers_know_the_packages_that_are_listed() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let packages = other_packages();
    let names = packages
        .iter()
        .filter_map(|folder| folder.rsplit('/').next());
    let ours = names.filter(|name| manifest.contains(&format!("\n{name}.workspace = true")));
    let ours = ours.map(|name| name.replace('-', "_"));
    let ours = ours.filter(|name| !KNOWN_TO_ALL.contains(&name.as_str()));
    let ours: BTreeSet<_> = ours.collect();
    assert!(ours.len() > 10, "{ours:?}");
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in sources() {
        let Some(&name) = layer(&module).and_then(|rank| LAYERS.get(rank)) else {
            continue;
        };
        let words = Paths::of(&module, &parsed(&text)).first_words;
        let known = words.intersection(&ours).cloned();
        found.entry(name).or_default().extend(known);
    }
    for (name, listed) in PACKAGES {
        let known = found.remove(name).unwrap_or_default();
        let listed = listed.iter().map(|&package| package.to_owned());
        assert_eq!(known, listed.collect(), "{name}");
    }
}

/// Whoever looks on is told by `base::observer`, and nobody but the entry points knows who that is: they put it in.
#[test]
fn nobody_knows_who_looks_on() {
    let is = |module: &Module, name: &str| module.first().is_some_and(|first| first == name);
    let imports = imports();
    let others = imports
        .iter()
        .filter(|(from, _)| !is(from, "observe") && !is(from, "entry"));
    let mut wrong = Vec::new();
    for (from, known) in others {
        let known = known.iter().filter(|to| is(to, "observe"));
        wrong.extend(known.map(|to| format!("{} knows {}", from.join("::"), to.join("::"))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_files_know_each_other() {
    let imports = imports();
    let files = imports
        .keys()
        .filter(|module| is_in_circle(module, &imports));
    let files: Vec<_> = files.map(|module| module.join("::")).collect();
    assert!(files.is_empty(), "in circles:\n{}", files.join("\n"));
}

#[test]
fn no_folders_know_each_other() {
    let siblings = siblings(&imports());
    let folders = siblings
        .keys()
        .filter(|module| is_in_circle(module, &siblings));
    let folders: Vec<_> = folders.map(|module| module.join("::")).collect();
    assert!(folders.is_empty(), "in circles:\n{}", folders.join("\n"));
}

/// The other packages of the workspace, by their folders.
fn other_packages() -> Vec<String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let text = fs::read_to_string(workspace).unwrap();
    let members = text.split_once("members = [").unwrap().1;
    let members = members.split_once(']').unwrap().0;
    let names = members.split('"').skip(1).step_by(2).map(str::to_owned);
    let names: Vec<_> = names.filter(|name| name != "shim").collect();
    assert!(names.len() > 25, "{names:?}");
    names
}

#[test]
fn nor_do_files_of_other_packages() {
    let mut circles = Vec::new();
    for name in other_packages() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(&name)
            .join("src");
        let imports = imports_below(&source, Module::is_empty);
        let files = imports.keys().filter(|file| is_in_circle(file, &imports));
        circles.extend(files.map(|file| format!("{name}: {}", file.join("::"))));
    }
    assert!(circles.is_empty(), "in circles:\n{}", circles.join("\n"));
}

/// Which words of [`RAW`] stand in a file.
#[derive(Default)]
struct RawWords(BTreeSet<&'static str>);

impl RawWords {
    fn note(&mut self, text: &str) {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        for word in words {
            self.0.extend(RAW.iter().find(|raw| **raw == word));
        }
    }
}

impl<'ast> Visit<'ast> for RawWords {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.note(&ident.to_string());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.note(&call.tokens.to_string());
        visit::visit_macro(self, call);
    }

    /// Text is no code.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

#[test]
fn unsafe_code_stands_where_it_is_said() {
    let sources = sources();
    let is_one = |module: &[String], text: &str| {
        let name = layer(module).and_then(|rank| LAYERS.get(rank));
        text.contains("unsafe_code") && name.is_some_and(|name| !UNSAFE_LAYERS.contains(name))
    };
    let found = sources.iter().filter(|(module, text)| is_one(module, text));
    let found: Vec<_> = found.map(|(module, _)| module.join("::")).collect();
    assert_eq!(found, UNSAFE_FILES);
}

#[test]
fn raw_references_stay_at_the_border() {
    let sources = sources();
    let mut found = BTreeMap::new();
    for (module, text) in &sources {
        let name = layer(module).and_then(|rank| LAYERS.get(rank));
        if name.is_some_and(|name| BORDERS.contains(name)) {
            continue;
        }
        let mut words = RawWords::default();
        words.visit_file(&parsed(text));
        if !words.0.is_empty() {
            found.insert(module.join("::"), words.0);
        }
    }
    for (module, listed, _) in ELSEWHERE {
        let words = found.remove(*module).unwrap_or_default();
        assert_eq!(words, listed.iter().copied().collect(), "{module}");
    }
    assert_eq!(found, BTreeMap::new(), "only in {BORDERS:?}");
}

/// The functions of a file that read where an id's number leads, or where the pointer leads that the VM takes it for.
#[derive(Default)]
struct Followers {
    function: String,
    found: BTreeSet<String>,
    /// Within the arguments of a reader.
    reads: bool,
}

impl<'ast> Visit<'ast> for Followers {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.function = signature.ident.to_string();
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let before = self.reads;
        if let syn::Expr::Path(path) = &*call.func {
            let words = path.path.segments.iter().map(|word| word.ident.to_string());
            let name = words.collect::<Vec<_>>().join("::");
            let is_reader =
                |reader: &&str| name == *reader || name.ends_with(&format!("::{reader}"));
            self.reads |= READERS.iter().any(is_reader);
        }
        visit::visit_expr_call(self, call);
        self.reads = before;
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_id = |of: &syn::Expr, name: &str| matches!(of, syn::Expr::MethodCall(of) if of.method == name);
        let casts = call.method == "cast" && is_id(&call.receiver, "to_jni");
        if casts || self.reads && call.method == "number" {
            self.found.insert(self.function.clone());
        }
        visit::visit_expr_method_call(self, call);
    }
}

#[test]
fn nobody_follows_an_id() {
    let mut found = Vec::new();
    for (module, text) in sources() {
        let mut followers = Followers::default();
        followers.visit_file(&parsed(&text));
        if !followers.found.is_empty() {
            found.push((module.join("::"), followers.found));
        }
    }
    let listed = FOLLOWERS.iter().map(|(module, functions, _)| {
        let functions = functions.iter().map(|&name| name.to_owned());
        ((*module).to_owned(), functions.collect())
    });
    assert_eq!(found, listed.collect::<Vec<_>>());
}
