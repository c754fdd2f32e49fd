//! Profiles of all formats: what is read can be merged and written, and what was written is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use profiles::merged::Merged;
use profiles::{read, write};

/// Nodes and numbers; those of a profile that says it has more are refused.
const ROOM: usize = 100_000;

fuzz_target!(|data: &[u8]| {
    let Ok(part) = read::read("some", &mut &*data) else {
        return;
    };
    let mut merged = Merged::with_room(ROOM);
    if merged.add(&part).is_err() {
        return;
    }
    let _ = merged.add(&part);
    let mut out = Vec::new();
    write::json(&merged, "xrun", &mut out).expect("a Vec takes everything");
    let again = read::read("some.json", &mut &*out).expect("what was written is read");
    let mut twice = Merged::with_room(2 * ROOM);
    twice.add(&again).expect("there is room");
    assert_eq!(merged.totals().len(), twice.totals().len());
    out.clear();
    if write::pprof(&merged, "xrun", &mut out).is_ok() {
        read::read("some.pb.gz", &mut &*out).expect("what was written is read");
    }
    let _ = write::collapsed(&merged, "xrun", &mut out);
});
