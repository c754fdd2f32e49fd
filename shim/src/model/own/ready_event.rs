//! The event of method events' fast path: it lies in its thread's record, and what no method
//! event has in it is zero already, unless the agent itself has written there.
//!
//! The VM has a barrier after each native method, which waits until all that was written is in
//! the cache: each word less counts.
//!
//! # Threads
//! Its own thread's, outside of every delivery: events from within a handler are made anew.
#![allow(unsafe_code, reason = "a cell whose contents the agent may change")]

use std::cell::UnsafeCell;

use jvmpi_headers::jvmpi::JVMPI_Event;

/// An event that is zero but for what was last sent in it.
pub(crate) struct ReadyEvent(UnsafeCell<JVMPI_Event>);

// SAFETY: `get` gives a pointer; whoever follows it answers for that.
unsafe impl Sync for ReadyEvent {}
// SAFETY: numbers and pointers that nobody follows.
unsafe impl Send for ReadyEvent {}

impl std::fmt::Debug for ReadyEvent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ReadyEvent")
    }
}

impl ReadyEvent {
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(JVMPI_Event::zeroed()))
    }

    /// The event. Only the thread of the record that it is part of may follow it.
    #[inline(always)]
    pub(crate) fn get(&self) -> *mut JVMPI_Event {
        self.0.get()
    }
}
