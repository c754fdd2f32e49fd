//! Hands events to the agent.
//!
//! # Threads
//! Called on whichever thread the VM chose, possibly several at once, and again
//! from inside the agent when it answers an event with RequestEvent. No lock is
//! held here.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use event_translate::table::EventKind;
use id_map::{Announcement, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event, jobjectID};

use crate::ffi::{agent_call, current, table};
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::log;
use crate::state::{self, Phase};
use crate::threads::{self, Thread};

/// How long a thread waits for another that is defining the same thing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Not at all: the other thread may be suspended by the caller's agent.
    None,
    /// A second: the caller has no agent code on its stack that could hold a lock.
    Long,
    /// Some milliseconds: the other thread's handler may wait for a lock of the
    /// agent's that the caller holds.
    Short,
}

/// The thread that delivers the last events, 0 before that.
static CLOSER: AtomicU64 = AtomicU64::new(0);

/// Whether an event of this kind would reach the agent now.
pub(crate) fn reaches_agent(kind: EventKind) -> bool {
    state::wants(kind) && table::notify_event().is_some() && is_open()
}

fn is_open() -> bool {
    match state::phase() {
        Phase::Live => true,
        Phase::ShuttingDown => CLOSER.load(Ordering::Acquire) == current::key(),
        Phase::Loading | Phase::Dead => false,
    }
}

/// Calls the agent's NotifyEvent on the current thread, whose record is `own`;
/// false if nobody listens (any more).
///
/// Requested events are answered in every phase in which they can be made, so
/// the only gate is the one of the shut-down.
pub(crate) fn deliver(own: &Thread, event: &mut JVMPI_Event) -> bool {
    let Some(agent) = table::notify_event() else {
        return false;
    };
    let depth = own.depth.load(Ordering::Relaxed);
    own.depth.store(depth + 1, Ordering::Relaxed);
    // Pairs with `close_to_others`: either it sees this thread inside, or this
    // thread sees the gate closed.
    fence(Ordering::SeqCst);
    let open = is_open() || (state::phase() == Phase::Loading && event.event_type & REQUESTED != 0);
    if open {
        let name = EventKind::from_raw(event.event_type & !REQUESTED).map_or("?", EventKind::name);
        log::trace!("{name} to the agent, on {:p}", event.env_id);
        agent_call::notify(agent, event);
    }
    own.depth.store(depth, Ordering::Release);
    open
}

const REQUESTED: i32 = jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;

/// An event of this type on this thread, all zero otherwise: agents read beyond
/// the member that the event's type names.
pub(crate) fn blank(event_type: i32, sender: &Thread) -> JVMPI_Event {
    let mut event = JVMPI_Event::zeroed();
    event.event_type = event_type;
    event.env_id = sender.env_ptr();
    event
}

/// Sends an event without contents of its own, if the agent wants it.
pub(crate) fn send_plain(own: &Thread, kind: EventKind) -> bool {
    if !reaches_agent(kind) {
        return false;
    }
    deliver(own, &mut blank(kind.raw(), own))
}

/// Makes sure that the agent knows the current thread before it gets an event of
/// it (JVMPI facts R15).
pub(crate) fn introduce(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    threads::announce(jvmti, jni, own, own, Patience::Short);
}

/// Waits until another thread has finished a defining event; false if it has not
/// in time.
pub(crate) fn wait_for(announcement: &Announcement, patience: Patience) -> bool {
    let patience = match patience {
        Patience::None => return announcement.is_done(),
        Patience::Short => Duration::from_millis(20),
        Patience::Long => Duration::from_secs(1),
    };
    let start = Instant::now();
    while !announcement.is_done() {
        if start.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    true
}

/// The VM is about to end: mutes all threads but this one, gives handlers in
/// flight 100 ms, and lets the caller deliver the last events.
pub(crate) fn close_to_others() -> bool {
    CLOSER.store(current::key(), Ordering::Release);
    if !state::advance(Phase::ShuttingDown) {
        return false;
    }
    fence(Ordering::SeqCst);
    let start = Instant::now();
    let me = current::own().map_or(0, |own| own.env);
    let busy = || {
        state::THREADS
            .snapshot()
            .iter()
            .any(|thread| thread.env != me && thread.depth.load(Ordering::Acquire) > 0)
    };
    while busy() && start.elapsed() < Duration::from_millis(100) {
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Nothing is delivered from now on.
pub(crate) fn close() {
    state::advance(Phase::Dead);
    fence(Ordering::SeqCst);
}

/// An id as agents hold it.
pub(crate) fn object_id(id: Option<ObjectId>) -> jobjectID {
    id.and_then(|id| usize::try_from(id.raw()).ok())
        .map_or(ptr::null_mut(), ptr::without_provenance_mut)
}
