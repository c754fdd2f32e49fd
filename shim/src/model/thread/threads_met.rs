//! How many threads we have met and seen end: while that stays, each JNIEnv means the thread that it meant.

use std::sync::atomic::{AtomicU32, Ordering};

static MET: AtomicU32 = AtomicU32::new(0);

/// There is a record of another one, with an env that may have been somebody's before.
pub(super) fn another() {
    MET.fetch_add(1, Ordering::AcqRel);
}

/// One has ended. Its record cannot be found any more: whoever knows the new count gets no answer from that.
pub(in crate::model) fn one_less() {
    MET.fetch_add(1, Ordering::AcqRel);
}

pub(crate) fn count() -> u32 {
    MET.load(Ordering::Acquire)
}
