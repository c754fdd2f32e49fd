//! Whether the collector has stopped the world.

use std::sync::atomic::{AtomicBool, Ordering};

static PAUSE: AtomicBool = AtomicBool::new(false);

/// GarbageCollectionStart: a stop-the-world pause begins.
pub(crate) fn begin() {
    PAUSE.store(true, Ordering::Release);
}

/// GarbageCollectionFinish.
pub(crate) fn end() {
    PAUSE.store(false, Ordering::Release);
}

/// Whether the world is stopped: handlers in flight may be waiting for the VM.
pub(crate) fn is_on() -> bool {
    PAUSE.load(Ordering::Acquire)
}
