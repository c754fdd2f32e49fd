//! A cell that is filled once holds its lock while it is: nothing that asks the VM or the agent
//! fills one in there (invariant I3). It is asked outside, and the cell is set.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprMethodCall, Ident, Token};

/// What has the VM or the agent in hand.
const OTHERS: &[&str] = &["jni", "jvmti", "Jni", "Jvmti", "agent_call", "this_vm"];

/// Whether one of [`OTHERS`] is named.
struct Asks(bool);

impl<'ast> Visit<'ast> for Asks {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.0 |= OTHERS.contains(&ident.to_string().as_str());
    }
}

/// How cells are filled under their locks by asking others.
#[derive(Default)]
struct Fillings(Vec<String>);

impl Fillings {
    fn note(&mut self, name: &str, arguments: &Punctuated<Expr, Token![,]>) {
        let mut asks = Asks(false);
        for argument in arguments {
            asks.visit_expr(argument);
        }
        // What may fail asks somebody, perhaps by a closure that stands elsewhere.
        if name == "get_or_try_init" || asks.0 {
            self.0.push(name.to_owned());
        }
    }
}

impl<'ast> Visit<'ast> for Fillings {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let name = call.method.to_string();
        if ["get_or_init", "get_or_try_init", "call_once"].contains(&name.as_str()) {
            self.note(&name, &call.args);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let segments = path.path.segments.iter();
            let words: Vec<_> = segments.map(|segment| segment.ident.to_string()).collect();
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            if matches!(words[..], [.., "Lazy" | "LazyLock", "new"]) {
                self.note("Lazy::new", &call.args);
            }
        }
        visit::visit_expr_call(self, call);
    }
}

fn found_in(text: &str) -> Vec<String> {
    let mut fillings = Fillings::default();
    fillings.visit_file(&syn::parse_file(text).unwrap());
    fillings.0
}

fn look(folder: &Path, wrong: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.is_dir() {
            look(&file, wrong);
        } else if file.extension().is_some_and(|extension| extension == "rs") {
            let found = found_in(&fs::read_to_string(&file).unwrap());
            wrong.extend(
                found
                    .iter()
                    .map(|name| format!("{}: {name}", file.display())),
            );
        }
    }
}

#[test]
fn no_cell_is_filled_by_asking_others() {
    let mut wrong = Vec::new();
    look(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut wrong,
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn it_is_seen() {
    for (body, count) in [
        ("CELL.get_or_init(|| jvmti.object_size(class))", 1),
        ("CELL.get_or_try_init(|| threads().ok_or(()))", 1),
        ("Lazy::new(|| Jni::of_this_thread())", 1),
        ("CELL.get_or_init(|| size)", 0),
        ("Lazy::new(Instant::now)", 0),
        ("CELL.set(jni.class_of(object))", 0),
    ] {
        let found = found_in(&format!("fn x() {{ {body}; }}"));
        assert_eq!(found.len(), count, "{body}");
    }
}
