//! Whether a way of taking the calling thread's stack gives what GetStackTrace gives: its first stacks are
//! compared, and later some of each thread's; when too many have differed it is given up.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::log;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::refs::ThreadRef;
use crate::vm::stack;

/// So many have to agree before one is believed.
const ENOUGH: u32 = 64;
/// Behind so many more that agree one that differed is forgotten: in a server that runs for months a few are no sign.
const FORGETS: u32 = 10_000;
/// In place of their number: there is no such way, or it was wrong.
const OFF: u32 = u32::MAX;

/// How far a way is trusted.
pub(super) struct Trust {
    /// How many have agreed, up to [`ENOUGH`], and behind that since one was forgotten.
    agreed: AtomicU32,
    /// How many more may differ.
    left: AtomicU32,
    /// How many may at first.
    patience: u32,
    /// Its name in the log.
    way: &'static str,
}

impl Trust {
    /// It is given up when so many stacks have differed.
    pub(super) const fn new(way: &'static str, patience: u32) -> Self {
        Self {
            agreed: AtomicU32::new(0),
            left: AtomicU32::new(patience),
            patience,
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
            self.one_agrees();
            return true;
        }
        // The methods may have been redefined between the two: then they have other ids now.
        if same_again() {
            let is_lost = self.one_differs();
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
    fn one_agrees(&self) {
        let one_more = |agreed: u32| match agreed {
            OFF => None,
            _ if agreed + 1 == ENOUGH + FORGETS => Some(ENOUGH),
            _ => Some(agreed + 1),
        };
        let before = self
            .agreed
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        if before == Ok(ENOUGH - 1) {
            log::info!("{} gives a thread's own call traces from now on", self.way);
        } else if before == Ok(ENOUGH + FORGETS - 1) {
            let one_forgotten = |left| (left < self.patience).then_some(left + 1);
            let _ = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_forgotten);
        }
    }

    /// Whether that was one too many.
    fn one_differs(&self) -> bool {
        let one_less = |left: u32| left.checked_sub(1);
        let left = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        let is_lost = left == Ok(1);
        if is_lost {
            self.lose();
        }
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_in_a_long_life_are_forgotten() {
        let trust = Trust::new("a way", 2);
        for _ in 0..ENOUGH {
            trust.one_agrees();
        }
        for _ in 0..5 {
            assert!(!trust.one_differs());
            for _ in 0..FORGETS {
                trust.one_agrees();
            }
        }
        assert!(!trust.is_lost());
        assert!(!trust.one_differs());
        assert!(trust.one_differs() && trust.is_lost());
        for _ in 0..2 * FORGETS {
            trust.one_agrees();
        }
        assert!(trust.is_lost());
    }
}
