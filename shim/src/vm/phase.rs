//! How far the VM is.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Where the VM stands, as far as agents can tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Before VMInit: agents may enable events; most of JVMTI refuses.
    Loading,
    /// Events flow.
    Live,
    /// One thread delivers the last events; all others are muted.
    ShuttingDown,
    /// Nothing is delivered and the VM is not called any more.
    Dead,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Loading as u8);

/// The phase now.
pub(crate) fn phase() -> Phase {
    match PHASE.load(Ordering::Acquire) {
        0 => Phase::Loading,
        1 => Phase::Live,
        2 => Phase::ShuttingDown,
        _ => Phase::Dead,
    }
}

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// Whether this process was forked from the one whose VM it was: here there is none.
pub(crate) fn is_child() -> bool {
    // Relaxed: set before the child does anything else, on its one thread.
    IS_CHILD.load(Ordering::Relaxed)
}

/// It is one.
pub(crate) fn begin_child() {
    IS_CHILD.store(true, Ordering::Relaxed);
    advance(Phase::Dead);
}

/// Moves on; phases never go back. False if this phase, or a later one, was
/// reached already.
pub(crate) fn advance(to: Phase) -> bool {
    PHASE.fetch_max(to as u8, Ordering::AcqRel) < to as u8
}
