//! The monitor that a thread waits to enter, or on; its sleep, if it is a virtual one.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

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
