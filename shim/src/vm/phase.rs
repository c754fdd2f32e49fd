//! How far the VM is.

use std::sync::atomic::{AtomicU8, Ordering};

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

/// Moves on; phases never go back. False if this phase, or a later one, was
/// reached already.
pub(crate) fn advance(to: Phase) -> bool {
    PHASE.fetch_max(to as u8, Ordering::AcqRel) < to as u8
}
