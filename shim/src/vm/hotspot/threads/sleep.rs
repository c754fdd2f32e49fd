//! What the VM has behind Thread.sleep.

use crate::os::library;
use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, Why};

pub(in crate::vm::hotspot) fn find() -> Result<usize, Why> {
    let names = [c"JVM_SleepNanos", c"JVM_Sleep"];
    let found = names.into_iter().find_map(library::symbol_of_process);
    Ok(found.ok_or(NOT_THERE)?.expose_provenance())
}

/// The address of the native method.
pub(crate) fn address() -> Option<usize> {
    HOTSPOT.sleep.get().copied()
}
