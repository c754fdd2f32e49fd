//! The monitor that a thread waits to enter, or on.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// Written by the thread itself only.
#[derive(Debug)]
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
    /// Since when, in nanoseconds since some moment.
    pub(crate) since: AtomicU64,
}

impl MonitorWait {
    pub(crate) const fn new() -> Self {
        Self {
            contended: AtomicU64::new(0),
            ticket: AtomicU32::new(0),
            announced: AtomicBool::new(false),
            waiting: AtomicU64::new(0),
            wait_announced: AtomicBool::new(false),
            since: AtomicU64::new(0),
        }
    }
}
