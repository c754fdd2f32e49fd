//! Whether a way of taking the calling thread's stack gives what GetStackTrace gives: its first stacks are
//! compared, and later some of each thread's; when too many have differed it is given up.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::log;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::refs::ThreadRef;
use crate::vm::stack;

/// So many have to agree before one is believed.
const ENOUGH: u32 = 64;
/// In place of their number: there is no such way, or it was wrong.
const OFF: u32 = u32::MAX;

/// How far a way is trusted.
pub(super) struct Trust {
    /// How many have agreed.
    agreed: AtomicU32,
    /// How many more may differ.
    left: AtomicU32,
    /// Its name in the log.
    way: &'static str,
}

impl Trust {
    /// It is given up when so many stacks have differed.
    pub(super) const fn new(way: &'static str, patience: u32) -> Self {
        Self {
            agreed: AtomicU32::new(0),
            left: AtomicU32::new(patience),
            way,
        }
    }

    // Relaxed: here and below, a count that says nothing of other words.

    /// Whether it has been given up.
    #[inline]
    pub(super) fn is_lost(&self) -> bool {
        self.agreed.load(Ordering::Relaxed) == OFF
    }

    /// Gives it up: this VM has it not, or it was wrong.
    pub(super) fn lose(&self) {
        self.agreed.store(OFF, Ordering::Relaxed);
    }

    /// Whether these frames may be believed, which are compared if it `is_due` or none is trusted yet.
    #[inline]
    pub(super) fn believes(
        &self,
        jvmti: Jvmti,
        depth: usize,
        frames: &[Frame],
        is_due: bool,
        same_again: impl FnOnce() -> bool,
    ) -> bool {
        let is_due = is_due || self.agreed.load(Ordering::Relaxed) < ENOUGH;
        !is_due || self.agrees(jvmti, depth, frames, same_again)
    }

    /// Whether GetStackTrace gives the same frames.
    #[cold]
    fn agrees(
        &self,
        jvmti: Jvmti,
        depth: usize,
        frames: &[Frame],
        same_again: impl FnOnce() -> bool,
    ) -> bool {
        if stack::take(jvmti, ThreadRef::CURRENT, depth, |real| real == frames) == Ok(true) {
            let one_more = |agreed| (agreed < ENOUGH).then_some(agreed + 1);
            let counted = self
                .agreed
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
            if counted == Ok(ENOUGH - 1) {
                log::info!("{} gives a thread's own call traces from now on", self.way);
            }
            return true;
        }
        // The methods may have been redefined between the two: then they have other ids now.
        if same_again() {
            let one_less = |left: u32| left.checked_sub(1);
            let left = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
            let is_lost = left == Ok(1);
            if is_lost {
                self.lose();
            }
            log::info!(
                "{} for a thread's own call traces: its frames are not the same; {}",
                self.way,
                if is_lost {
                    "it is given up"
                } else {
                    "GetStackTrace is asked"
                }
            );
        }
        false
    }
}
