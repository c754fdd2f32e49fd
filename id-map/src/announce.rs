//! "Has the agent been told?": define before use, once.
//!
//! Every id has a defining event that must reach the agent before any other
//! event mentions it, and only once (JVMPI facts C.3, R7, R8, R15). Several
//! threads may come upon the same undefined thing at the same moment; one of
//! them claims it and sends the event, the others see who is at it.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a claim found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The caller sends the defining event now and then calls [`Announcement::finish`].
    Mine,
    /// Another thread is in the middle of sending it.
    Elsewhere,
    /// The agent has been told, or is being told further up this very stack.
    Done,
}

/// The state of one defining event.
///
/// # Threads
/// Any; a claim is one compare-and-swap and waits for nobody.
#[derive(Debug, Default)]
pub struct Announcement(AtomicU64);

impl Announcement {
    const NEW: u64 = 0;
    const DONE: u64 = u64::MAX;

    /// Nothing sent yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(Self::NEW))
    }

    /// Claims the sending for `thread`, a number that is neither 0 nor `u64::MAX`
    /// and belongs to the calling thread alone.
    pub fn claim(&self, thread: u64) -> Claim {
        match self
            .0
            .compare_exchange(Self::NEW, thread, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => Claim::Mine,
            Err(Self::DONE) => Claim::Done,
            Err(other) if other == thread => Claim::Done,
            Err(_) => Claim::Elsewhere,
        }
    }

    /// The agent's handler has returned.
    pub fn finish(&self) {
        self.0.store(Self::DONE, Ordering::Release);
    }

    /// The event could not be sent after all; somebody may claim it again.
    pub fn abandon(&self) {
        self.0.store(Self::NEW, Ordering::Release);
    }

    /// A claim that was [`Claim::Mine`]: given up when this is dropped, also by a panic, unless
    /// the event was sent.
    #[must_use]
    pub fn claimed(&self) -> Claimed<'_> {
        Claimed(self)
    }

    /// Whether the agent has been told, or is being told further up the stack of `thread`.
    #[must_use]
    pub fn is_done_for(&self, thread: u64) -> bool {
        let state = self.0.load(Ordering::Acquire);
        state == Self::DONE || state == thread
    }

    /// Whether somebody has claimed the sending, and not given it up.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.0.load(Ordering::Acquire) != Self::NEW
    }

    /// Whether the defining event was delivered.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.0.load(Ordering::Acquire) == Self::DONE
    }
}

/// See [`Announcement::claimed`].
#[derive(Debug)]
pub struct Claimed<'a>(&'a Announcement);

impl Claimed<'_> {
    /// The agent's handler has returned.
    pub fn finish(self) {
        self.0.finish();
    }
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        if !self.0.is_done() {
            self.0.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Announcement, Claim};

    #[test]
    fn a_panic_gives_the_claim_up() {
        let state = Announcement::new();
        assert_eq!(state.claim(1), Claim::Mine);
        let sends = std::panic::AssertUnwindSafe(|| {
            let _claimed = state.claimed();
            panic!("inside");
        });
        assert!(std::panic::catch_unwind(sends).is_err());
        assert_eq!(state.claim(2), Claim::Mine);
        state.claimed().finish();
        assert!(state.is_done());
    }

    #[test]
    fn one_thread_sends_it_and_nested_questions_are_answered() {
        let state = Announcement::new();
        assert_eq!(state.claim(1), Claim::Mine);
        assert_eq!(state.claim(1), Claim::Done, "inside the handler itself");
        assert_eq!(state.claim(2), Claim::Elsewhere);
        assert!(!state.is_done());
        assert!(state.is_done_for(1));
        assert!(!state.is_done_for(2));
        state.finish();
        assert!(state.is_done_for(2));
        assert_eq!(state.claim(2), Claim::Done);
        assert!(state.is_done());
    }

    #[test]
    fn an_abandoned_claim_can_be_made_again() {
        let state = Announcement::new();
        assert_eq!(state.claim(1), Claim::Mine);
        state.abandon();
        assert_eq!(state.claim(2), Claim::Mine);
    }

    #[test]
    fn exactly_one_of_many_claims_wins() {
        let state = Announcement::new();
        let winners: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (1..=8)
                .map(|n| {
                    scope.spawn({
                        let state = &state;
                        move || usize::from(state.claim(n) == Claim::Mine)
                    })
                })
                .collect();
            workers
                .into_iter()
                .map(|w| w.join().expect("no panic"))
                .sum()
        });
        assert_eq!(winners, 1);
    }
}
