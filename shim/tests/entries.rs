//! Whatever C calls goes through `base/boundary.rs`, so that no panic passes and errno stays (invariant I4).
//! What does without is listed, with why.
//!
//! Longer than most: one reading of the sources, and the list of exceptions with their reasons.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprCall, ImplItemFn, Item, ItemFn, ItemMod, ItemUse, Macro, Meta,
    Signature, UseTree,
};

/// The boundary.
const GATES: &[&str] = &[
    "base::boundary::guarded",
    "base::boundary::uncancelled",
    "base::boundary::unlogged",
    "base::boundary::bare",
    "base::boundary::callback",
];

/// What passes it, though it stands in another file than those that call it.
const PASSES: &[&str] = &[
    "observe::jvmti::call_records::recorded",
    "observe::jvmti::callbacks::around",
    "observe::jvmti::saw::saw",
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
    (
        "entry/exports.rs xrun_saw_stack",
        "it passes on to saw_stack",
    ),
    ("entry/thunk_code.rs nothing", "it gives a number"),
    (
        "observe/jvmti/heap_walks.rs $name",
        "nine, called by the million: a count, and the agent's callback",
    ),
    (
        "observe/jvmti/saw.rs saw_stack",
        "also called by handlers of signals; words alone",
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
    ("vm/heap/mod.rs clear", "within a call of ours; a word"),
];

/// Whole files that are compiled for tests alone.
const OF_TESTS: &[&str] = &[
    "os/cpu_clock/stepped.rs",
    "os/cpu_clock/tests.rs",
    "vm/jni/fake_jni.rs",
];

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        matches!(&attribute.meta, Meta::List(list)
            if list.path.is_ident("cfg") && list.tokens.to_string().contains("test"))
    })
}

/// What the names in a file stand for, and where the file is.
#[derive(Default)]
struct Names {
    here: Vec<String>,
    imported: BTreeMap<String, Vec<String>>,
}

impl Names {
    fn import(&mut self, tree: &UseTree, before: &[String]) {
        let with = |word: &str| [before, &[word.to_owned()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident.to_string())),
            UseTree::Group(group) => group.items.iter().for_each(|it| self.import(it, before)),
            UseTree::Name(name) if name.ident == "self" => {
                let name = before.last().unwrap().clone();
                self.imported.insert(name, self.whole(before));
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.imported.insert(name.clone(), self.whole(&with(&name)));
            }
            UseTree::Rename(rename) => {
                let path = self.whole(&with(&rename.ident.to_string()));
                self.imported.insert(rename.rename.to_string(), path);
            }
            UseTree::Glob(_) => {}
        }
    }

    /// A path as it is from the root of the sources; what nobody has imported is the file's own.
    fn whole(&self, path: &[String]) -> Vec<String> {
        let (first, rest) = path.split_first().unwrap();
        let parent = self.here.split_last().map_or(&[][..], |(_, before)| before);
        let before = match (first.as_str(), self.imported.get(first)) {
            ("crate", _) => &[],
            ("self", _) => self.here.as_slice(),
            ("super", _) => parent,
            (_, Some(path)) => path,
            (_, None) => return [&self.here, path].concat(),
        };
        [before, rest].concat()
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_of_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, &[]);
    }
}

/// The functions that a function calls, by their paths as they stand there.
#[derive(Default)]
struct Calls(BTreeSet<Vec<String>>);

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(function) = &*call.func {
            let words = function.path.segments.iter();
            self.0
                .insert(words.map(|word| word.ident.to_string()).collect());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.note(call.tokens.clone());
    }

    /// A function within calls for itself.
    fn visit_item(&mut self, _: &'ast Item) {}
}

impl Calls {
    fn of(body: &Block) -> Self {
        let mut calls = Self::default();
        calls.visit_block(body);
        calls
    }

    /// Those in what a macro is given or becomes: `name(…)`, `path::name(…)`, `name::<…>(…)`.
    fn note(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        // The last sign, and whether a word behind it goes on with the path.
        let mut sign = ' ';
        let mut goes_on = false;
        let mut generics = 0_u32;
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Parenthesis && !path.is_empty() {
                        self.0.insert(path.clone());
                    }
                    self.note(group.stream());
                    path.clear();
                    sign = ' ';
                }
                TokenTree::Punct(punct) => {
                    match punct.as_char() {
                        '<' if goes_on || generics > 0 => generics += 1,
                        '>' if generics > 0 => generics -= 1,
                        _ if generics > 0 => {}
                        ':' => {}
                        _ => path.clear(),
                    }
                    goes_on = generics == 0 && (sign, punct.as_char()) == (':', ':');
                    sign = punct.as_char();
                }
                TokenTree::Ident(_) | TokenTree::Literal(_) if generics > 0 => {}
                TokenTree::Ident(word) => {
                    if !goes_on {
                        path.clear();
                    }
                    goes_on = false;
                    if !matches!(sign, '.' | '$') {
                        path.push(word.to_string());
                    }
                    // Behind `fn` is a definition.
                    sign = if word == "fn" { '$' } else { ' ' };
                }
                TokenTree::Literal(_) => {
                    path.clear();
                    sign = ' ';
                }
            }
        }
    }
}

/// The functions of a file, with what they call.
#[derive(Default)]
struct Functions {
    names: Names,
    all: BTreeMap<String, BTreeSet<Vec<String>>>,
    called_by_c: Vec<String>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_of_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_of_tests(&function.attrs) {
            self.note(&function.sig, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_of_tests(&function.attrs) {
            self.note(&function.sig, &function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.note_in_macro(call.tokens.clone());
    }
}

impl Functions {
    fn of(here: &[&str], text: &str) -> Self {
        let file = syn::parse_file(text).unwrap();
        let mut functions = Self::default();
        functions.names.here = here.iter().map(|&word| word.to_owned()).collect();
        functions.names.visit_file(&file);
        functions.visit_file(&file);
        functions
    }

    fn note(&mut self, signature: &Signature, body: &Block) {
        self.add(
            signature.ident.to_string(),
            signature.abi.is_some(),
            Calls::of(body),
        );
    }

    fn add(&mut self, name: String, called_by_c: bool, calls: Calls) {
        if called_by_c {
            self.called_by_c.push(name.clone());
        }
        let calls = calls.0.iter().map(|path| self.names.whole(path)).collect();
        self.all
            .entry(name)
            .or_default()
            .extend::<BTreeSet<_>>(calls);
    }

    /// `fn name … {…}` in what a macro is given or becomes. One that is named by what the macro is given is
    /// called as that is, `$name`.
    fn note_in_macro(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let word = |place: usize| {
            let token = tokens.get(place)?;
            let is_word = matches!(token, TokenTree::Ident(_));
            is_word.then(|| token.to_string())
        };
        for (place, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                self.note_in_macro(group.stream());
            }
            if word(place).is_none_or(|word| word != "fn") {
                continue;
            }
            let given =
                matches!(tokens.get(place + 1), Some(TokenTree::Punct(it)) if it.as_char() == '$');
            let Some(name) = word(place + 1 + usize::from(given)) else {
                // A type.
                continue;
            };
            let name = if given { format!("${name}") } else { name };
            // Only declared: there is a semicolon first.
            let body = tokens.iter().skip(place).find_map(|token| match token {
                TokenTree::Group(it) if it.delimiter() == Delimiter::Brace => {
                    Some(Some(it.stream()))
                }
                TokenTree::Punct(it) if it.as_char() == ';' => Some(None),
                TokenTree::Group(_)
                | TokenTree::Ident(_)
                | TokenTree::Punct(_)
                | TokenTree::Literal(_) => None,
            });
            if let Some(Some(body)) = body {
                let before = |distance: usize| place.checked_sub(distance).and_then(word);
                let is_extern = [1, 2].map(before).contains(&Some("extern".to_owned()));
                let mut calls = Calls::default();
                calls.note(body);
                self.add(name, is_extern, calls);
            }
        }
    }

    /// Those that come to a gate, themselves or by another function of the file.
    fn with_a_gate(&self) -> BTreeSet<&str> {
        let path = |path: &&str| path.split("::").map(str::to_owned).collect();
        let mut gates: BTreeSet<Vec<String>> = GATES.iter().chain(PASSES).map(path).collect();
        let mut found = BTreeSet::new();
        loop {
            let known = found.len();
            for (name, calls) in &self.all {
                if !calls.is_disjoint(&gates) && found.insert(name.as_str()) {
                    gates.insert(self.names.whole(&["self".to_owned(), name.clone()]));
                }
            }
            if found.len() == known {
                return found;
            }
        }
    }

    /// Those that C calls, and that come to none.
    fn without_a_gate(&self) -> Vec<&str> {
        let gates = self.with_a_gate();
        let called = self.called_by_c.iter().map(String::as_str);
        called.filter(|name| !gates.contains(name)).collect()
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
    let mut passes = BTreeSet::new();
    let mut all = 0;
    for file in files {
        let place = file.strip_prefix(&source).unwrap().display().to_string();
        if OF_TESTS.contains(&place.as_str()) {
            continue;
        }
        let module = place.trim_end_matches(".rs").trim_end_matches("/mod");
        let here: Vec<&str> = module.split('/').collect();
        let functions = Functions::of(&here, &fs::read_to_string(&file).unwrap());
        all += functions.called_by_c.len();
        let without = functions.without_a_gate().into_iter();
        found.extend(without.map(|name| format!("{place} {name}")));
        let with = functions.with_a_gate().into_iter();
        passes.extend(with.map(|name| format!("{}::{name}", here.join("::"))));
    }
    assert!(all > 100, "{all}");
    let listed: Vec<_> = WITHOUT
        .iter()
        .map(|(place, _)| (*place).to_owned())
        .collect();
    assert_eq!(found, listed);
    for pass in PASSES {
        assert!(passes.contains(*pass), "{pass} passes no boundary itself");
    }
}

#[test]
fn only_a_call_of_the_boundary_passes_it() {
    let without = |text: &str| {
        let functions = Functions::of(&["entry", "file"], text);
        functions.without_a_gate().join(" ")
    };
    let imports = "use crate::base::boundary::{self, callback, guarded as g}; use crate::observe::jvmti::saw;";
    let of = |text: &str| without(&format!("{imports}{text}"));
    assert_eq!(of("extern \"C\" fn a() { callback(1, || {}) }"), "");
    assert_eq!(of("extern \"C\" fn a() { g(1, 2, || {}) }"), "");
    assert_eq!(of("extern \"C\" fn a() { boundary::bare(1, || {}) }"), "");
    assert_eq!(
        of("extern \"C\" fn a() { b() } fn b() { saw::saw::<0>(1) }"),
        ""
    );
    assert_eq!(
        of("extern \"C\" fn a() { with!(x, crate::base::boundary::bare(1)) }"),
        ""
    );
    assert_eq!(of("extern \"C\" fn a() { saw::saw_stack::<0>(1) }"), "a");
    assert_eq!(
        of("extern \"C\" fn a() { let callback = 1; b(callback) }"),
        "a"
    );
    assert_eq!(
        of("extern \"C\" fn a() { fn b() { callback(1, || {}) } }"),
        "a"
    );
    assert_eq!(
        without("extern \"C\" fn a() { x.guarded(); guarded(1) }"),
        "a"
    );
    let within = |body: &str| {
        of(&format!(
            "macro_rules! m {{ ($name:ident $($word:ident)*) => {{ type T = extern \"C\" fn(usize); \
             unsafe extern \"C\" {{ fn declared(); }} extern \"C\" fn $name($($word: usize),*) -> i32 {{ {body} }} }} }}"
        ))
    };
    assert_eq!(within("callback(1, || {})"), "");
    assert_eq!(within("boundary::bare::<(), 1>(1, || {})"), "");
    assert_eq!(within("it.callback(1); saw::other(callback); 0"), "$name");
}
