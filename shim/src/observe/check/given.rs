//! Which ids of objects the agent has been given since the last collection, as far as a table of bits
//! can tell: it forgets none, and now and then takes another one for given.
//!
//! # Threads
//! Any. Events that give ids and collections do not come at the same time (the gate), and neither
//! do collections and calls that the specification wants made with GC disabled. So the table is
//! emptied in the bracket of the collection: later, other threads put ids in already.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "all other events are looked at in one way"
)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use event_translate::{EventKind, Function};
use jvmpi_headers::jvmpi::JVMPI_Event;
use recording_format::{Space, Type, Value, event_fields};

use crate::agent::event_values;
use crate::observe::call::{Call, word};

/// A megabyte: 8 million bits.
const WORDS: usize = 1 << 17;
static GIVEN: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
/// Something may be in the table.
static DIRTY: AtomicBool = AtomicBool::new(false);
/// A dump has given more than it says one by one, or there has been no collection yet.
static ALL: AtomicBool = AtomicBool::new(true);

fn place(id: u64) -> (usize, u64) {
    let mixed = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (mixed >> 40) as usize % WORDS;
    (word, 1 << (mixed >> 34 & 63))
}

/// The agent is given an event.
pub(super) fn event(kind: EventKind, event: &JVMPI_Event) {
    match kind {
        EventKind::GcStart
        | EventKind::GcFinish
        | EventKind::ObjectFree
        | EventKind::ObjectMove
        | EventKind::ArenaDelete => forget(),
        EventKind::HeapDump | EventKind::ObjectDump | EventKind::MonitorDump => {
            ALL.store(true, Ordering::Release);
        }
        _ => event_values::read(event, |values| {
            let fields = event_fields(kind.raw()).iter();
            for (field, value) in fields.zip(values) {
                if let (Type::Id(Space::Object | Space::Class), Value::Id(id)) = (field.kind, value)
                {
                    note(*id);
                }
            }
        }),
    }
}

/// A call of the agent's has given something.
pub(super) fn result(call: &Call, result: u64) {
    if matches!(
        call.function,
        Function::GetThreadObject | Function::GetMethodClass | Function::JobjectToJobjectId
    ) {
        note(word(result) as u64);
    }
}

/// A collection: what was given is so no longer. Looks first, as this comes for each object that dies.
fn forget() {
    if ALL.load(Ordering::Acquire) {
        ALL.store(false, Ordering::Release);
    }
    if DIRTY.load(Ordering::Acquire) && DIRTY.swap(false, Ordering::AcqRel) {
        // Relaxed: bits that lead to no other memory; events and collections do not overlap (module doc).
        GIVEN
            .iter()
            .for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

/// The agent is given an id.
fn note(id: u64) {
    if !DIRTY.load(Ordering::Acquire) {
        DIRTY.store(true, Ordering::Release);
    }
    let (word, bit) = place(id);
    if let Some(word) = GIVEN.get(word)
        && word.load(Ordering::Relaxed) & bit == 0
    {
        word.fetch_or(bit, Ordering::Relaxed);
    }
}

/// Whether the agent has this id from before the last collection.
pub(super) fn is_old(id: u64) -> bool {
    let (word, bit) = place(id);
    let given = GIVEN
        .get(word)
        .map_or(0, |word| word.load(Ordering::Relaxed));
    given & bit == 0 && !ALL.load(Ordering::Acquire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_old_after_a_collection_until_they_are_given_again() {
        assert!(!is_old(16), "there has been no collection yet");
        note(16);
        forget();
        assert!(is_old(16) && is_old(24));
        note(16);
        assert!(!is_old(16) && is_old(24));
        forget();
        assert!(is_old(16));
        // A second one in the same bracket finds nothing to empty.
        forget();
        assert!(!DIRTY.load(Ordering::Acquire) && is_old(16));
        ALL.store(true, Ordering::Release);
        assert!(!is_old(16));
        forget();
        assert!(is_old(16));
    }
}
