//! Rows say truly which file sends an event.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use event_translate::EVENTS;

#[test]
fn the_file_of_each_event_names_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for row in EVENTS {
        let text = fs::read_to_string(source.join(row.code)).unwrap();
        let kind = format!("EventKind::{:?}", row.kind);
        let named = text.contains(&kind) || text.contains(row.name);
        assert!(named, "{} does not name {}", row.code, row.name);
    }
}
