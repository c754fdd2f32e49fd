//! The VM's thread that tells of deaths and of compiled code.

use crate::os::tasks;
use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE};

/// The kernel's number of it.
///
/// # Phase
/// Live.
pub(crate) fn number() -> Option<u32> {
    let find = || tasks::named("Service Thread").ok_or(NOT_THERE);
    HOTSPOT.service_thread.get_or_find(find).copied()
}
