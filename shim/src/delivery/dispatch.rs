//! Hands events to the agent.
//!
//! # Threads
//! Called on whichever thread the VM chose, possibly several at once, and again
//! from inside the agent when it answers an event with RequestEvent. No lock is
//! held here.

use std::sync::Arc;

use event_translate::table::EventKind;
use jvmpi_headers::jvmpi::JVMPI_Event;

use crate::agent::{agent_call, table};
use crate::base::patience;
use crate::base::{log, observer};
use crate::delivery::deferred;
use crate::delivery::gate::{self, Entered, Refused};
use crate::model::thread::deferred::Deferred;
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::thread_state;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// What became of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sent {
    /// The agent's handler has returned.
    Yes,
    /// Nobody listens (any more), or the agent's process could not be told.
    No,
    /// A bracket is open and this thread must not wait: it is the caller's to keep
    /// the event ([`Thread::keep`]).
    Later,
}

/// Whether an event of this kind would reach the agent now, or when a bracket has
/// closed.
pub(crate) fn reaches_agent(kind: EventKind) -> bool {
    wanted::wants(kind) && has_agent()
}

/// Whether there is an agent that can hear of anything.
pub(crate) fn has_agent() -> bool {
    table::notify_event().is_some() && matches!(this_vm::phase(), Phase::Live | Phase::ShuttingDown)
}

/// Calls the agent's NotifyEvent on the current thread, whose record is `own`.
///
/// Requested events are answered in every phase in which they can be made, and in
/// a bracket too.
pub(crate) fn deliver(own: &Thread, event: &mut JVMPI_Event) -> Sent {
    pass(own, event.event_type, || notify(event))
}

/// The same for an event that `fill` completes when the thread has passed the gate:
/// an id or arena that it names may change while the thread waits there (JVMPI facts
/// R18).
#[inline]
pub(crate) fn deliver_filled(
    own: &Thread,
    event_type: i32,
    fill: impl FnOnce(&mut JVMPI_Event),
) -> Sent {
    pass(own, event_type, || {
        let mut event = blank(event_type, own);
        fill(&mut event);
        notify(&mut event)
    })
}

/// The same for an event that has its place among others of its thread: not before what
/// the thread has kept.
#[inline]
pub(crate) fn deliver_in_turn(
    own: &Thread,
    event_type: i32,
    fill: impl FnOnce(&mut JVMPI_Event),
) -> Sent {
    let admitted = match admit(own, event_type) {
        Ok(inside) if own.has_kept() => admit_behind_kept(inside, event_type),
        admitted => admitted,
    };
    finish(event_type, admitted, || {
        let mut event = blank(event_type, own);
        fill(&mut event);
        notify(&mut event)
    })
}

/// Passes the gate and has `send` send the event; false if it did not.
#[inline]
pub(crate) fn pass(own: &Thread, event_type: i32, send: impl FnOnce() -> bool) -> Sent {
    finish(event_type, admit(own, event_type), send)
}

#[inline]
fn finish(
    event_type: i32,
    admitted: Result<Entered<'_>, Refused>,
    send: impl FnOnce() -> bool,
) -> Sent {
    let inside = match admitted {
        Ok(inside) => inside,
        Err(Refused::Keep) => return Sent::Later,
        Err(Refused::Drop) => return Sent::No,
    };
    // It may have been disabled while it was made, or waited at the gate.
    let sent = !is_disabled(event_type) && send();
    leave(inside);
    if sent { Sent::Yes } else { Sent::No }
}

/// Whether the agent has stopped to listen to events of this type; none that is requested is.
#[inline]
fn is_disabled(event_type: i32) -> bool {
    EventKind::from_raw(event_type).is_some_and(wanted::listens_no_more)
}

#[inline]
fn admit(own: &Thread, event_type: i32) -> Result<Entered<'_>, Refused> {
    let (open, inside) = gate::enter(own);
    if open {
        return Ok(inside);
    }
    gate::ask(inside, event_type)
}

/// What the thread has kept comes first, now that the gate is open.
#[cold]
fn admit_behind_kept(inside: Entered<'_>, event_type: i32) -> Result<Entered<'_>, Refused> {
    let own = inside.thread();
    drop(inside);
    let tried = deferred::flush_here();
    let inside = admit(own, event_type)?;
    if tried && own.has_kept() {
        return Err(Refused::Keep);
    }
    Ok(inside)
}

/// Ends what [`gate::enter`] began, and says what had to wait for it.
#[inline]
pub(crate) fn leave(inside: Entered<'_>) {
    let own = inside.thread();
    drop(inside);
    if own.has_kept() {
        flush_outermost(own);
    }
}

#[cold]
fn flush_outermost(own: &Thread) {
    if own.native().depth.own() == 0 {
        deferred::flush_here();
    }
}

/// Calls the agent; the gate is the caller's business.
#[inline]
pub(crate) fn notify(event: &mut JVMPI_Event) -> bool {
    log::trace!(
        "{} to the agent, on {:p}",
        EventKind::from_raw(event.event_type & !REQUESTED).map_or("?", EventKind::name),
        event.env_id
    );
    notify_quietly(event)
}

/// The same without a line in the log.
#[inline]
pub(crate) fn notify_quietly(event: &mut JVMPI_Event) -> bool {
    let Some(agent) = table::notify_event() else {
        return false;
    };
    let mut sent = false;
    // Behind all that may wait for the VM.
    current::without_new_exceptions(|| match observer::looking() {
        Some(observer) => sent = observer.notify(agent, event),
        None if gate::is_too_late() => {}
        None => sent = agent_call::notify(agent, event),
    });
    sent
}

const REQUESTED: i32 = jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;

/// An event of this type on this thread, all zero otherwise: agents read beyond
/// the member that the event's type names.
#[inline]
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
    match deliver(own, &mut blank(kind.raw(), own)) {
        Sent::Yes => true,
        Sent::No => false,
        Sent::Later => {
            own.keep(PlainEvent(kind));
            false
        }
    }
}

/// An event without contents of its own that waits.
#[derive(Debug)]
struct PlainEvent(EventKind);

impl Deferred<Thread> for PlainEvent {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        send_plain(own, self.0);
    }
}

/// The VM is about to end: mutes all threads but this one, and but for what the agent requests;
/// gives handlers in flight some time, and lets the caller deliver the last events.
pub(crate) fn close_to_others() -> bool {
    if !this_vm::advance(Phase::ShuttingDown) {
        return false;
    }
    gate::close_to_others();
    true
}

/// Waits until the handler of JVM_SHUT_DOWN has begun, which may wait for the calling thread, or [`close`].
pub(crate) fn wait_for_the_last_event() {
    let goes_on = || this_vm::phase() == Phase::ShuttingDown;
    patience::LAST_EVENTS.until(|| gate::has_last_handler_begun() || !goes_on());
    patience::LAST_HANDLER_BEGINS.until(|| !goes_on());
}

/// Waits until [`close`].
pub(crate) fn wait_for_the_end() {
    patience::LAST_EVENTS.until(|| this_vm::phase() != Phase::ShuttingDown);
}

/// Nothing is delivered from now on.
pub(crate) fn close() {
    thread_state::close();
    this_vm::advance(Phase::Dead);
    gate::shut();
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use event_translate::table::EventKind;

    use jvmpi_headers::jvmpi::JVMPI_Event;

    use super::{REQUESTED, Sent, blank, deliver, notify, pass};
    use crate::agent::table;
    use crate::delivery::gate;
    use crate::model::thread::Thread;
    use crate::model::wanted;

    #[test]
    fn what_is_disabled_while_it_is_made_is_not_sent() {
        let _open = gate::opened();
        let _forgotten = wanted::Forgotten;
        let own = Thread::new(16);
        let kind = EventKind::DataResetRequest;
        let sent = |event_type| pass(&own, event_type, || true);
        wanted::set_wanted(kind, true);
        assert_eq!(sent(kind.raw()), Sent::Yes);
        wanted::set_wanted(kind, false);
        assert_eq!(sent(kind.raw()), Sent::No);
        assert_eq!(sent(kind.raw() | REQUESTED), Sent::Yes);
        assert_eq!(own.native().depth.own(), 0);
    }

    /// What has passed the gate before, and is kept from the agent until then.
    #[test]
    fn what_is_made_before_the_end_is_not_sent_behind_it() {
        extern "C-unwind" fn handler(_: *mut JVMPI_Event) {}
        let _open = gate::opened();
        let _ended = gate::Ended;
        table::set_notify_event(handler);
        let kind = EventKind::DataDumpRequest.raw() | REQUESTED;
        let own = Thread::new(16);
        let send = || deliver(&own, &mut blank(kind, &own));
        assert_eq!(send(), Sent::Yes);
        let ends = || {
            let last = || {
                gate::close_to_others();
                gate::LastHandler::begins()
            };
            std::thread::spawn(last).join().is_ok()
        };
        let sent = pass(&own, kind, || ends() && notify(&mut blank(kind, &own)));
        table::forget_agent();
        assert_eq!(sent, Sent::No);
    }

    /// By whatever names it next, or by RequestEvent's code, it is known that it was not.
    #[test]
    fn what_the_agents_process_was_not_told_is_not_sent() {
        extern "C-unwind" fn told(_: *mut JVMPI_Event) -> usize {
            0
        }
        extern "C-unwind" fn not_told(_: *mut JVMPI_Event) -> usize {
            table::NOT_TOLD
        }
        let _open = gate::opened();
        let kind = EventKind::DataDumpRequest.raw() | REQUESTED;
        let own = Thread::new(16);
        let send = || deliver(&own, &mut blank(kind, &own));
        table::set_notify_beside(told);
        let first = send();
        table::set_notify_beside(not_told);
        let second = send();
        table::forget_agent();
        assert_eq!((first, second), (Sent::Yes, Sent::No));
    }

    #[test]
    fn a_panic_in_a_delivery_leaves_the_thread_outside() {
        let _open = gate::opened();
        let own = Thread::new(16);
        let delivery = || pass(&own, 1, || panic!("inside"));
        assert!(catch_unwind(AssertUnwindSafe(delivery)).is_err());
        assert_eq!(own.native().depth.own(), 0);
    }
}
