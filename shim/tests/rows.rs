//! Rows say truly which file sends an event.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use event_translate::EVENTS;
use proc_macro2::{TokenStream, TokenTree};

/// The words of a file's code, without comments and text: those for rustdoc are text here.
fn words(code: TokenStream, found: &mut Vec<String>) {
    for token in code {
        match token {
            TokenTree::Ident(word) => found.push(word.to_string()),
            TokenTree::Group(group) => words(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn is_named(file: &str, kind: &str, name: &str) -> bool {
    let mut found = Vec::new();
    words(file.parse().unwrap(), &mut found);
    let is_kind = |pair: &[String]| pair == ["EventKind", kind];
    let is_number = |word: &String| word.strip_prefix("JVMPI_EVENT_") == Some(name);
    found.windows(2).any(is_kind) || found.iter().any(is_number)
}

/// What hands an event to the agent, or is only there to do so for its folder.
const SENDERS: &[[&str; 2]] = &[
    ["dispatch", "deliver"],
    ["dispatch", "deliver_filled"],
    ["dispatch", "deliver_in_turn"],
    ["dispatch", "pass"],
    ["dispatch", "send_plain"],
    ["bracket_event", "send"],
    ["bracket_event", "send_if"],
    ["telling", "send"],
];

fn sends(file: &str) -> bool {
    let mut found = Vec::new();
    words(file.parse().unwrap(), &mut found);
    let is_sender = |pair: &[String]| SENDERS.iter().any(|sender| pair == sender);
    found.windows(2).any(is_sender)
}

#[test]
fn the_file_of_each_event_names_and_sends_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for row in EVENTS {
        let text = fs::read_to_string(source.join(row.code)).unwrap();
        if !is_named(&text, &format!("{:?}", row.kind), row.name) {
            wrong.push(format!("{} does not name {}", row.code, row.name));
        }
        if !sends(&text) {
            wrong.push(format!("{} sends nothing, {} neither", row.code, row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn comments_and_text_name_nothing() {
    let is_named = |file: &str| is_named(file, "GcStart", "GC_START");
    assert!(is_named("fn send() { tell!(EventKind::GcStart) }"));
    assert!(is_named("const START: i32 = JVMPI_EVENT_GC_START;"));
    let comments =
        "//! JVMPI_EVENT_GC_START\n// EventKind::GcStart\n/// EventKind::GcStart\nfn send() {}";
    assert!(!is_named(comments));
    assert!(!is_named("const TEXT: &str = \"JVMPI_EVENT_GC_START\";"));
}

#[test]
fn who_passes_an_event_on_does_not_send_it() {
    assert!(sends("fn send() { dispatch::deliver(own, event) }"));
    assert!(!sends("use crate::delivery::dispatch::{self, Sent};"));
    assert!(!sends(
        "// dispatch::deliver\nfn made() { global_refs::created(jni) }"
    ));
}
