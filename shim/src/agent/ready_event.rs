//! The event of method events' short way: it lies in its thread's record, and what no method
//! event has in it is zero already, unless the agent itself has written there.
//!
//! The VM has a barrier after each native method, which waits until all that was written is in
//! the cache: each word less counts.
//!
//! # Threads
//! Its own thread's, outside of every delivery: events from within a handler are made anew.
#![allow(unsafe_code, reason = "a cell whose contents the agent may change")]

use std::cell::UnsafeCell;

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_Event_method_entry2, NotifyEvent};

use crate::agent::agent_call;
use crate::delivery::dispatch;
use crate::model::current::Mine;

/// An event that is zero but for what was last sent in it.
pub(crate) struct ReadyEvent(UnsafeCell<JVMPI_Event>);

// SAFETY: `send` gives access to one thread only.
unsafe impl Sync for ReadyEvent {}
// SAFETY: numbers and pointers that nobody follows.
unsafe impl Send for ReadyEvent {}

impl std::fmt::Debug for ReadyEvent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ReadyEvent")
    }
}

impl ReadyEvent {
    pub(crate) fn new() -> Self {
        Self(UnsafeCell::new(JVMPI_Event::zeroed()))
    }
}

/// Sends METHOD_ENTRY, METHOD_ENTRY2 or METHOD_EXIT to the agent.
#[inline(always)]
pub(crate) fn send(
    mine: Mine<'_>,
    agent: NotifyEvent,
    kind: EventKind,
    method: usize,
    receiver: Option<ObjectId>,
) {
    let own = mine.thread();
    let event = own.ready_event.0.get();
    // SAFETY: this thread's own, and nobody has a reference to it.
    let ready = unsafe { &mut *event };
    // All that a method event has: the agent may have changed the last one.
    ready.event_type = kind.raw();
    ready.env_id = own.env_ptr();
    ready.u.method_entry2 = JVMPI_Event_method_entry2 {
        method_id: std::ptr::with_exposed_provenance_mut(method),
        obj_id: dispatch::object_id(receiver),
    };
    agent_call::notify(agent, event);
}
