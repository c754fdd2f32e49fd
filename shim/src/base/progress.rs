//! That others get on: who waits for them has patience as long as this number changes.

use std::sync::atomic::{AtomicU64, Ordering};

static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// How often anybody has got on.
pub(crate) fn count() -> u64 {
    PROGRESS.load(Ordering::Acquire)
}

/// A bracket's handlers return, or a dump gets on.
pub(crate) fn note() {
    // Relaxed: a count, looked at for whether it moves.
    PROGRESS.fetch_add(1, Ordering::Relaxed);
}
