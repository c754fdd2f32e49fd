//! Which files of a package know which others, read off their `use` lines and paths: for the tests of layers, the
//! launcher's as well (`launcher/tests/layers.rs`).

#![allow(dead_code, reason = "each test uses some of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, ItemMod, ItemUse, UseTree, Visibility};

pub(crate) type Module = Vec<String>;

/// The modules under `folder`, each with its text.
pub(crate) fn modules(folder: &Path, path: &Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut path = path.clone();
        if file.is_dir() {
            path.push(name);
            modules(&file, &path, found);
        } else if file.extension().is_some_and(|extension| extension == "rs") {
            if name != "mod" && name != "lib" {
                path.push(name);
            }
            found.insert(path, fs::read_to_string(&file).unwrap());
        }
    }
}

pub(crate) fn parsed(text: &str) -> File {
    syn::parse_file(text).unwrap()
}

/// Collects the paths of one file that begin with `crate`, `super` or `self`, and the first words of the others.
#[derive(Default)]
pub(crate) struct Paths {
    pub(crate) here: Module,
    pub(crate) found: Vec<Module>,
    /// What names are imported for: paths that begin with these are among no others.
    pub(crate) named: Vec<Module>,
    pub(crate) first_words: BTreeSet<String>,
}

impl Paths {
    pub(crate) fn of(here: &Module, file: &File) -> Self {
        let mut paths = Self {
            here: here.clone(),
            ..Self::default()
        };
        paths.visit_file(file);
        paths
    }

    pub(crate) fn resolve(&self, path: &[String]) -> Option<Module> {
        let mut base = match path.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.here.clone(),
            _ => return None,
        };
        for word in path {
            match word.as_str() {
                "crate" | "self" => {}
                "super" => {
                    base.pop();
                }
                word => base.push(word.to_owned()),
            }
        }
        Some(base)
    }

    fn note(&mut self, path: &[String]) {
        match self.resolve(path) {
            Some(found) => self.found.push(found),
            None => self.first_words.extend(path.first().cloned()),
        }
    }

    fn note_name(&mut self, path: &[String]) {
        self.note(path);
        self.named.extend(self.resolve(path));
    }

    fn note_tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Ident(word) => {
                    if colons != 2 {
                        self.note(&std::mem::take(&mut path));
                    }
                    path.push(word.to_string());
                    colons = 0;
                }
                TokenTree::Group(group) => {
                    self.note(&std::mem::take(&mut path));
                    colons = 0;
                    self.note_tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.note(&std::mem::take(&mut path));
                    colons = 0;
                }
            }
        }
        self.note(&path);
    }

    fn note_tree(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        let length = before.len();
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.note_tree(&path.tree, before);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.note_tree(tree, before);
                }
            }
            UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.note_name(before);
            }
            UseTree::Rename(rename) => {
                before.push(rename.ident.to_string());
                self.note_name(before);
            }
            UseTree::Glob(_) => self.note_name(before),
        }
        before.truncate(length);
    }
}

pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if is_test(&module.attrs) {
            return;
        }
        self.here.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.note_tree(&item.tree, &mut Vec::new());
        }
    }

    /// What a macro is given, or a `macro_rules` has: paths are read off the words.
    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.note_tokens(invocation.tokens.clone());
        visit::visit_macro(self, invocation);
    }

    /// `pub(super)` knows nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: Vec<_> = path
            .segments
            .iter()
            .map(|word| word.ident.to_string())
            .collect();
        self.note(&words);
        visit::visit_path(self, path);
    }
}

/// The innermost of these layers that a module is in.
pub(crate) fn layer_of(layers: &[&str], module: &[String]) -> Option<usize> {
    let path = module.join("::");
    let within = |layer: &str| path == layer || path.starts_with(&format!("{layer}::"));
    let layers = layers.iter().enumerate().filter(|(_, layer)| within(layer));
    layers
        .max_by_key(|(_, layer)| layer.len())
        .map(|(rank, _)| rank)
}

/// What each file below `source` knows, those aside that are only frames.
pub(crate) fn imports_below(
    source: &Path,
    is_frame: impl Fn(&Module) -> bool,
) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut sources = BTreeMap::new();
    modules(source, &Vec::new(), &mut sources);
    let mut imports: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, text) in &sources {
        if is_frame(module) {
            continue;
        }
        let known = imports.entry(module.clone()).or_default();
        for path in Paths::of(module, &parsed(text)).found {
            let mut lengths = (0..=path.len()).rev();
            let target = lengths.find_map(|length| {
                let path = path.get(..length)?;
                sources.contains_key(path).then_some(path)
            });
            let target = target.filter(|target| *target != module.as_slice());
            known.extend(
                target
                    .filter(|target| !target.is_empty())
                    .map(<[_]>::to_vec),
            );
        }
    }
    imports
}

/// Whether a file knows itself, by way of others.
pub(crate) fn is_in_circle(module: &Module, imports: &BTreeMap<Module, BTreeSet<Module>>) -> bool {
    let mut found = BTreeSet::new();
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        let known = imports.get(next).into_iter().flatten();
        open.extend(known.filter(|to| found.insert(*to)));
    }
    found.contains(module)
}

/// What of one folder, files and folders, knows which others of it; files of tests aside, which know whom they try.
pub(crate) fn siblings(
    imports: &BTreeMap<Module, BTreeSet<Module>>,
) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut siblings: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    let is_tests = |module: &Module| module.last().is_some_and(|name| name == "tests");
    for (from, known) in imports.iter().filter(|(from, _)| !is_tests(from)) {
        for to in known {
            let same = from.iter().zip(to).take_while(|(one, other)| one == other);
            let length = same.count() + 1;
            // A folder's own file knows what is in it, or is known to that.
            if let (Some(from), Some(to)) = (from.get(..length), to.get(..length)) {
                let known = siblings.entry(from.to_vec()).or_default();
                known.insert(to.to_vec());
            }
        }
    }
    siblings
}
