//! The VM's own end of the process.
#![allow(unsafe_code, reason = "a function of libjvm found by name")]

use crate::vm::hotspot::found::{HOTSPOT, Halt, Why, function};

pub(super) fn find() -> Result<Halt, Why> {
    function!(c"JVM_Halt" as Halt)
}

pub(crate) fn is_there() -> bool {
    HOTSPOT.halt.get().is_some()
}

/// Stops all Java threads and ends the process; returns if there is no such function. On a thread
/// that the VM knows, in native code.
pub(crate) fn halt(code: i32) {
    if let Some(halt) = HOTSPOT.halt.get() {
        // SAFETY: the caller's promise.
        unsafe { halt(code) };
    }
}
