//! What a thread could not say at once: kept in its order, and said by the same thread later.
//!
//! An event whose thread may not send it is kept; once the thread may send, it says what it has
//! kept before anything new. The gate may close again in the middle of that. What has been taken
//! to be sent and cannot be sent after all is kept again, and so comes first; behind it comes the
//! rest. While the thread is saying it, whatever else it has to say does not begin from the front.

use std::collections::VecDeque;

/// What one thread keeps. Only that thread sends it, one at a time.
#[derive(Debug)]
pub struct Kept<E> {
    /// Kept since the sending began, or before it has.
    waiting: VecDeque<E>,
    /// The rest of what was kept when the sending began.
    rest: VecDeque<E>,
    sends: bool,
}

impl<E> Default for Kept<E> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            rest: VecDeque::new(),
            sends: false,
        }
    }
}

impl<E> Kept<E> {
    /// Keeps it, behind what waits already.
    pub fn keep(&mut self, event: E) {
        self.waiting.push_back(event);
    }

    /// The same unless one that is `like` it waits already.
    pub fn keep_unless(&mut self, like: impl FnMut(&E) -> bool, event: E) {
        if !self.waiting.iter().chain(&self.rest).any(like) {
            self.keep(event);
        }
    }

    /// How many wait, those aside that have been taken to be sent.
    pub fn count(&self) -> usize {
        self.waiting.len() + self.rest.len()
    }

    /// Whether something waits that is not just being sent.
    pub fn is_due(&self) -> bool {
        !self.sends && !self.waiting.is_empty()
    }

    /// The sending begins, unless nothing is due; [`Kept::end`] in that case only.
    pub fn begin(&mut self) -> bool {
        let due = self.is_due();
        if due {
            self.sends = true;
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
        self.sends = false;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Kept;

    fn kept(events: impl IntoIterator<Item = u32>) -> Kept<u32> {
        let mut kept = Kept::default();
        for event in events {
            kept.keep(event);
        }
        kept
    }

    fn all(kept: &mut Kept<u32>) -> Vec<u32> {
        assert!(kept.begin());
        let all = std::iter::from_fn(|| kept.next(|_| true)).collect();
        kept.end();
        all
    }

    #[test]
    fn they_come_in_their_order() {
        let mut kept = kept(1..=3);
        assert!(kept.is_due());
        assert_eq!(all(&mut kept), [1, 2, 3]);
        assert!(!kept.is_due() && !kept.begin());
    }

    #[test]
    fn all_that_wait_are_counted() {
        let mut kept = kept(1..=3);
        assert_eq!(kept.count(), 3);
        assert!(kept.begin());
        assert_eq!(kept.next(|_| true), Some(1));
        assert_eq!(kept.count(), 2);
        kept.keep(4);
        assert_eq!(kept.count(), 3);
        kept.end();
        assert_eq!(kept.count(), 3);
    }

    #[test]
    fn one_that_cannot_be_sent_after_all_comes_first_again() {
        let mut kept = kept(1..=4);
        assert!(kept.begin());
        assert_eq!(kept.next(|_| true), Some(1));
        assert_eq!(kept.next(|_| true), Some(2));
        kept.keep(2);
        assert_eq!(kept.next(|_| true), None);
        kept.end();
        assert_eq!(all(&mut kept), [2, 3, 4]);
    }

    #[test]
    fn what_may_not_be_sent_waits_with_all_behind_it() {
        let mut kept = kept(1..=3);
        assert!(kept.begin());
        assert_eq!(kept.next(|&event| event < 2), Some(1));
        assert_eq!(kept.next(|&event| event < 2), None);
        kept.end();
        assert_eq!(all(&mut kept), [2, 3]);
    }

    #[test]
    fn nobody_begins_in_the_middle() {
        let mut kept = kept(1..=2);
        assert!(kept.begin());
        assert!(!kept.is_due() && !kept.begin());
        // Its handler makes another.
        assert_eq!(kept.next(|_| true), Some(1));
        kept.keep(3);
        assert!(!kept.is_due() && !kept.begin());
        kept.end();
        assert!(kept.is_due());
    }

    #[test]
    fn a_definition_waits_once() {
        let mut kept = kept(1..=2);
        kept.keep_unless(|&other| other == 2, 2);
        assert!(kept.begin());
        kept.keep_unless(|&other| other == 2, 2);
        assert_eq!(kept.next(|_| true), Some(1));
        // What has been taken waits no longer.
        kept.keep_unless(|&other| other == 1, 1);
        kept.end();
        assert_eq!(all(&mut kept), [1, 2]);
    }
}
