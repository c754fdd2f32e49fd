//! The monitor that a thread waits to enter, or on; its sleep, if it is a virtual one; what it is
//! parked for.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

/// Written by the thread itself only.
#[derive(Debug, Default)]
pub(crate) struct MonitorWait {
    /// The object whose monitor it waits to enter, or 0.
    pub(crate) contended: AtomicU64,
    /// The owner of that monitor is to say that it leaves (`contended_exit::Ticket`).
    pub(crate) ticket: AtomicU32,
    /// The agent wanted to hear of the beginning.
    pub(crate) announced: AtomicBool,
    /// The object it waits on, or 0.
    pub(crate) waiting: AtomicU64,
    /// The agent wanted to hear of the beginning.
    pub(crate) wait_announced: AtomicBool,
    /// Since when, in nanoseconds since some moment; of a sleep, too.
    pub(crate) since: AtomicU64,
    /// Its `LockSupport.park`.
    pub(crate) park: Park,
    /// A virtual thread is in `Thread.sleep`, and its end may have to be told.
    sleeps: AtomicBool,
}

/// A `Thread.sleep` that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleep {
    /// As [`MonitorWait::since`].
    pub(crate) since: u64,
    /// The agent wanted to hear of the beginning.
    pub(crate) announced: bool,
}

impl MonitorWait {
    /// On the thread itself: it sleeps from now on.
    pub(crate) fn falls_asleep(&self, sleep: Sleep) {
        // Relaxed: the thread's own, but for a park's class and time: of those below.
        self.sleeps.store(true, Ordering::Relaxed);
        self.since.store(sleep.since, Ordering::Relaxed);
        self.wait_announced
            .store(sleep.announced, Ordering::Relaxed);
    }

    /// On the thread itself: the sleep that is over.
    pub(crate) fn wakes(&self) -> Option<Sleep> {
        self.sleeps.swap(false, Ordering::Relaxed).then(|| Sleep {
            since: self.since.load(Ordering::Relaxed),
            announced: self.wait_announced.load(Ordering::Relaxed),
        })
    }
}

/// A thread in `LockSupport.park`. Written by the thread itself only.
#[derive(Debug, Default)]
pub(crate) struct Park {
    /// Since when, in nanoseconds since some moment; 0 while it is not parked.
    since: AtomicU64,
    /// The id of its blocker's class, or 0.
    class: AtomicU64,
    /// One has ended in a handler of the agent's: it may have had the permit of one that the program
    /// is about to begin.
    in_handler: AtomicBool,
    /// How many of the like have begun within this one: the JDK's scheduler of virtual threads may
    /// have to wait on its carrier in the name of the thread that parks.
    within: AtomicU32,
}

impl Park {
    /// It begins. False within another one of a virtual thread's; a platform thread has none
    /// within another, and what it has begun has ended by an error.
    pub(crate) fn begins(&self, is_virtual: bool) -> bool {
        let within = is_virtual && self.since.load(Ordering::Relaxed) != 0;
        if within {
            self.within.fetch_add(1, Ordering::Relaxed);
        }
        !within
    }

    /// It has begun now, for an object of this class.
    pub(crate) fn has_begun(&self, class: u64, now: NonZeroU64) {
        self.within.store(0, Ordering::Relaxed);
        // Behind the end of the last one.
        fence(Ordering::Release);
        self.class.store(class, Ordering::Relaxed);
        self.since.store(now.get(), Ordering::Release);
    }

    /// On any thread: the class and since when, if it is parked.
    pub(crate) fn under_way(&self) -> Option<(u64, u64)> {
        let since = self.since.load(Ordering::Acquire);
        let class = self.class.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        // Else the class may be of the next one.
        let is_same = self.since.load(Ordering::Relaxed) == since;
        (since != 0 && is_same).then_some((class, since))
    }

    /// One ends in a handler of the agent's: whether it is the first since the last time.
    pub(crate) fn ends_in_handler(&self) -> bool {
        !self.in_handler.swap(true, Ordering::Relaxed)
    }

    /// Whether one has since the last time.
    pub(crate) fn has_ended_in_handler(&self) -> bool {
        self.in_handler.swap(false, Ordering::Relaxed)
    }

    /// One ends: the class and since when, if that is to be told.
    pub(crate) fn ends(&self) -> Option<(u64, u64)> {
        let within = self.within.load(Ordering::Relaxed);
        if within != 0 {
            self.within.store(within - 1, Ordering::Relaxed);
            return None;
        }
        let since = self.since.swap(0, Ordering::Relaxed);
        (since != 0).then(|| (self.class.load(Ordering::Relaxed), since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scheduler_waits_for_is_not_the_thread_s_own() {
        let park = Park::default();
        assert_eq!(park.ends(), None);
        assert!(park.begins(true));
        park.has_begun(7, NonZeroU64::MIN);
        assert!(!park.begins(true));
        assert_eq!(park.ends(), None, "the inner one");
        assert_eq!(park.ends(), Some((7, 1)));
        assert_eq!(park.ends(), None);
        park.has_begun(7, NonZeroU64::MIN);
        assert!(park.begins(false), "the one before has ended by an error");
    }
}
