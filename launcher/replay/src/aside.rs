//! Room for what the agent writes, on a terminal where somebody shows how far the replay is.

use std::sync::OnceLock;

use crate::ffi;

static ASIDE: OnceLock<fn()> = OnceLock::new();

/// What makes room; it may be called more than once, on any thread.
pub(crate) fn set(aside: fn()) {
    let _ = ASIDE.set(aside);
}

/// The agent is about to write.
pub(crate) fn step() {
    if let Some(aside) = ASIDE.get() {
        aside();
    }
}

/// The same when the process exits, before the exit handlers that the agent has asked for by now.
pub(crate) fn step_at_exit() {
    extern "C" fn exits() {
        step();
    }
    ffi::process::at_exit(exits);
}
