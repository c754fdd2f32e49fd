//! The events that the agent wants to hear of.
//!
//! # Order
//! Whoever changes what is wanted then looks what is on: whether the VM is live, allocations are
//! reported, methods flow. Whoever switches one of those, either way, then looks what is wanted. So that not both
//! see what was before, each has a full fence in between: here it lies behind the change, there
//! behind the switch ("Partner: `wanted`").

use std::sync::atomic::{AtomicU64, Ordering, fence};

use event_translate::{EventKind, EventSet};

static WANTED: AtomicU64 = AtomicU64::new(0);
static EVER_WANTED: AtomicU64 = AtomicU64::new(0);

/// The events the agent has enabled.
pub(crate) fn wanted() -> EventSet {
    EventSet::from_bits(WANTED.load(Ordering::Acquire))
}

/// Whether the agent has enabled this event.
pub(crate) fn wants(kind: EventKind) -> bool {
    wanted().contains(kind)
}

/// The events that the agent has enabled at some time.
pub(crate) fn ever_wanted() -> EventSet {
    EventSet::from_bits(EVER_WANTED.load(Ordering::Acquire))
}

/// Whether the agent has listened to this event, and no longer does: what it was told of is
/// all it knows, and nothing is added to that.
pub(crate) fn listens_no_more(kind: EventKind) -> bool {
    ever_wanted().contains(kind) && !wants(kind)
}

/// Adds or removes one event; whether that changes anything.
pub(crate) fn set_wanted(kind: EventKind, on: bool) -> bool {
    let before = if on {
        // In this order: see `listens_no_more`.
        let before = WANTED.fetch_or(EventSet::bit(kind), Ordering::AcqRel);
        EVER_WANTED.fetch_or(EventSet::bit(kind), Ordering::AcqRel);
        before
    } else {
        WANTED.fetch_and(!EventSet::bit(kind), Ordering::AcqRel)
    };
    fence(Ordering::SeqCst);
    EventSet::from_bits(before).contains(kind) != on
}

/// No agent wants anything any more.
pub(crate) fn want_nothing() {
    WANTED.store(0, Ordering::Release);
    fence(Ordering::SeqCst);
}

/// For tests that are the only one of theirs: behind it nobody has ever wanted anything.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Forgotten;

#[cfg(test)]
impl Drop for Forgotten {
    fn drop(&mut self) {
        want_nothing();
        EVER_WANTED.store(0, Ordering::Release);
    }
}
