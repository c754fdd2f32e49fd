//! Which life of the library this is. An agent that has gone leaves this copy of ours muted for
//! ever; the next one gets a copy whose statics are new (`entry/heir.rs`).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use once_cell::sync::OnceCell;

static NUMBER: AtomicU32 = AtomicU32::new(0);
static FILE: OnceCell<PathBuf> = OnceCell::new();
static LATE: AtomicBool = AtomicBool::new(false);

/// 0 for the library as the VM has loaded it.
pub(crate) fn number() -> u32 {
    // Relaxed: at load, when there is one thread.
    NUMBER.load(Ordering::Relaxed)
}

/// The file that the copy was made of; `None` in the first life.
pub(crate) fn file() -> Option<PathBuf> {
    FILE.get().cloned()
}

/// Whether the agent has come into a program that was running.
pub(crate) fn is_late() -> bool {
    LATE.load(Ordering::Acquire)
}

/// It comes now.
pub(crate) fn comes_late() {
    LATE.store(true, Ordering::Release);
}

/// Called once, before anything else.
pub(crate) fn begin(number: u32, file: PathBuf) {
    NUMBER.store(number, Ordering::Relaxed);
    let _ = FILE.set(file);
}
