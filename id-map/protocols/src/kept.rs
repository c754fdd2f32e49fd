//! What a thread could not say at once: kept in its order, and said by the same thread later.
//!
//! An event whose thread may not send it is kept; once the thread may send, it says what it has
//! kept before anything new. The gate may close again in the middle of that. What has been taken
//! to be sent and cannot be sent after all is kept again, and so comes first; behind it comes the
//! rest. While the thread is saying it, whatever else it has to say does not begin from the front;
//! and what a handler gives it to say that hears one of them, and cannot be said at once, came
//! about after all that waits: it comes last.

use std::collections::VecDeque;

/// What one thread keeps. Only that thread sends it, one at a time.
#[derive(Debug)]
pub struct Kept<E> {
    /// Kept since the sending began, or before it has.
    waiting: VecDeque<E>,
    /// The rest of what was kept when the sending began, and what its handlers have added.
    rest: VecDeque<E>,
    /// It sends: in how many handlers the thread was when it began.
    sends: Option<u32>,
}

impl<E> Default for Kept<E> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            rest: VecDeque::new(),
            sends: None,
        }
    }
}

impl<E> Kept<E> {
    /// Keeps it, behind what waits already; in the middle of the sending before that, unless a
    /// handler of what is sent makes it. The thread is in so many `handlers`.
    pub fn keep(&mut self, event: E, handlers: u32) {
        if self.sends.is_some_and(|outside| handlers > outside) {
            self.rest.push_back(event);
        } else {
            self.waiting.push_back(event);
        }
    }

    /// The same unless one that is `like` it waits already.
    pub fn keep_unless(&mut self, like: impl FnMut(&E) -> bool, event: E, handlers: u32) {
        if !self.waiting.iter().chain(&self.rest).any(like) {
            self.keep(event, handlers);
        }
    }

    /// Whether something waits that is not just being sent.
    pub fn is_due(&self) -> bool {
        self.sends.is_none() && !self.waiting.is_empty()
    }

    /// The sending begins, unless nothing is due; [`Kept::end`] in that case only. The thread is in
    /// so many `handlers`.
    pub fn begin(&mut self, handlers: u32) -> bool {
        let due = self.is_due();
        if due {
            self.sends = Some(handlers);
            self.rest = std::mem::take(&mut self.waiting);
        }
        due
    }

    /// The next one, which is the caller's: to be sent, or kept again. None if it `may` not be
    /// sent now, if one could not be sent after all, or at the end.
    pub fn next(&mut self, may: impl FnOnce(&E) -> bool) -> Option<E> {
        let stopped = !self.waiting.is_empty() || !self.rest.front().is_some_and(may);
        if stopped { None } else { self.rest.pop_front() }
    }

    /// The sending is over; what was not sent waits again, behind what could not be.
    pub fn end(&mut self) {
        self.waiting.append(&mut self.rest);
        self.sends = None;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Kept;

    const OUTSIDE: u32 = 0;
    const INSIDE: u32 = 1;

    fn kept(events: impl IntoIterator<Item = u32>) -> Kept<u32> {
        let mut kept = Kept::default();
        for event in events {
            kept.keep(event, OUTSIDE);
        }
        kept
    }

    fn all(kept: &mut Kept<u32>) -> Vec<u32> {
        assert!(kept.begin(OUTSIDE));
        let all = std::iter::from_fn(|| kept.next(|_| true)).collect();
        kept.end();
        all
    }

    #[test]
    fn they_come_in_their_order() {
        let mut kept = kept(1..=3);
        assert!(kept.is_due());
        assert_eq!(all(&mut kept), [1, 2, 3]);
        assert!(!kept.is_due() && !kept.begin(OUTSIDE));
    }

    #[test]
    fn one_that_cannot_be_sent_after_all_comes_first_again() {
        let mut kept = kept(1..=4);
        assert!(kept.begin(OUTSIDE));
        assert_eq!(kept.next(|_| true), Some(1));
        assert_eq!(kept.next(|_| true), Some(2));
        kept.keep(2, OUTSIDE);
        assert_eq!(kept.next(|_| true), None);
        kept.end();
        assert_eq!(all(&mut kept), [2, 3, 4]);
    }

    #[test]
    fn what_may_not_be_sent_waits_with_all_behind_it() {
        let mut kept = kept(1..=3);
        assert!(kept.begin(OUTSIDE));
        assert_eq!(kept.next(|&event| event < 2), Some(1));
        assert_eq!(kept.next(|&event| event < 2), None);
        kept.end();
        assert_eq!(all(&mut kept), [2, 3]);
    }

    #[test]
    fn nobody_begins_in_the_middle() {
        let mut kept = kept(1..=2);
        assert!(kept.begin(OUTSIDE));
        assert!(!kept.is_due() && !kept.begin(OUTSIDE));
        // Its handler makes another.
        assert_eq!(kept.next(|_| true), Some(1));
        kept.keep(3, INSIDE);
        assert!(!kept.is_due() && !kept.begin(INSIDE));
        kept.end();
        assert!(kept.is_due());
    }

    #[test]
    fn what_a_handler_adds_comes_last() {
        let mut kept = kept(1..=2);
        assert!(kept.begin(OUTSIDE));
        assert_eq!(kept.next(|_| true), Some(1));
        kept.keep(3, INSIDE);
        assert_eq!(kept.next(|_| true), Some(2), "it stops nothing");
        kept.keep(2, OUTSIDE);
        kept.end();
        assert_eq!(all(&mut kept), [2, 3]);
    }

    #[test]
    fn who_sends_in_a_handler_is_not_in_another() {
        let mut kept = kept(1..=2);
        assert!(kept.begin(INSIDE));
        assert_eq!(kept.next(|_| true), Some(1));
        kept.keep(1, INSIDE);
        assert_eq!(kept.next(|_| true), None);
        kept.end();
        assert_eq!(all(&mut kept), [1, 2]);
    }

    #[test]
    fn a_definition_waits_once() {
        let mut kept = kept(1..=2);
        kept.keep_unless(|&other| other == 2, 2, OUTSIDE);
        assert!(kept.begin(OUTSIDE));
        kept.keep_unless(|&other| other == 2, 2, OUTSIDE);
        assert_eq!(kept.next(|_| true), Some(1));
        // What has been taken waits no longer.
        kept.keep_unless(|&other| other == 1, 1, OUTSIDE);
        kept.end();
        assert_eq!(all(&mut kept), [1, 2]);
    }
}
