//! A terminal where somebody shows how far the replay is: room for what the agent writes, and lines of ours.

use std::sync::OnceLock;

use crate::ffi;

/// What keeps apart what is written there. Both are called on any thread, and more than once.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// What is shown is to be gone, for the agent is about to write.
    pub make_room: fn(),
    /// Says this line, beside what is shown.
    pub say: fn(&str),
}

static TERMINAL: OnceLock<Terminal> = OnceLock::new();

pub(crate) fn set(terminal: Terminal) {
    let _ = TERMINAL.set(terminal);
}

/// The agent is about to write.
pub(crate) fn step() {
    if let Some(terminal) = TERMINAL.get() {
        (terminal.make_room)();
    }
}

/// Says a line.
pub(crate) fn say(what: &str) {
    if let Some(terminal) = TERMINAL.get() {
        (terminal.say)(what);
    }
}

/// Makes room when the process exits, before the exit handlers that the agent has asked for by now.
pub(crate) fn step_at_exit() {
    extern "C" fn exits() {
        step();
    }
    ffi::process::at_exit(exits);
}
