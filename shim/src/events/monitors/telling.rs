//! Who tells of a monitor, and how: the calling thread, which the agent knows by then and which has told of all
//! before; one that cannot send at once keeps the event.
//!
//! Shared by [`crate::events::monitors::monitor_events`] and [`crate::events::monitors::contended_exit`].

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

use event_translate::EventSet;
use event_translate::needs::VmEvent;
use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event_monitor, JVMPI_Event_monitor_wait};

use crate::base::{config, log};
use crate::delivery::announce;
use crate::delivery::deferred;
use crate::delivery::dispatch::{self, Sent};
use crate::events::monitors::waiters::{self, Ticket};
use crate::events::threads::mounted;
use crate::model::ids::kept_ids::KeptId;
use crate::model::tables::IDS;
use crate::model::thread::current;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::object::HeldObject;
use crate::model::thread::{Thread, attention};
use crate::model::{ids, threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// Waiting to be notified, and sleeping.
pub(super) const WAITING: EventSet = VmEvent::MonitorWaited.needed_by();

/// Nanoseconds since some moment.
pub(super) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed().as_nanos();
    u64::try_from(elapsed).unwrap_or(u64::MAX)
}

/// The calling thread, if the agent is to hear of it. `thread`: as the VM names it, if it does.
pub(super) fn here(jvmti: Jvmti, jni: Jni, thread: Option<ObjectRef<'_>>) -> Option<Arc<Thread>> {
    if current::has_ended() {
        // Its THREAD_END is past: it locks its own object once more.
        return None;
    }
    let own = threads::own()?;
    let own = mounted::look(jvmti, jni, &own, thread).unwrap_or(own);
    let attention = own.attention();
    if attention & attention::SILENT != 0 {
        return None;
    }
    let is_virtual = thread
        .zip(own.object())
        .is_some_and(|(thread, its)| !jni.same(its.get(), thread));
    if is_virtual || attention & attention::CARRIER != 0 {
        // What carriers do beneath their virtual threads is the VM's own business.
        if !mounted::are_followed() {
            log::warn_once!("virtual threads get no monitor events (see MATRIX.md)");
        }
        return None;
    }
    if attention & attention::UNMET != 0 {
        if threads::is_attaching(jvmti, &own, own.object().as_ref().map(HeldObject::get)) {
            return None;
        }
        announce::introduce(jvmti, jni, &own);
    }
    deferred::flush(jvmti, jni, &own);
    goes_on(jni, &own);
    Some(own)
}

/// A contention that was told of and has no end yet.
pub(super) struct Contention {
    pub(super) monitor: ObjectId,
    ticket: Option<Ticket>,
    announced: bool,
}

impl Contention {
    /// That of the calling thread, whose it is no more.
    pub(super) fn take(own: &Thread) -> Option<Self> {
        let wait = own.known_monitor_wait()?;
        // Relaxed: the thread's own.
        let monitor = ObjectId::from_raw(wait.contended.swap(0, Ordering::Relaxed))?;
        Some(Self {
            monitor,
            ticket: Ticket::from_raw(wait.ticket.load(Ordering::Relaxed)),
            announced: wait.announced.load(Ordering::Relaxed),
        })
    }

    /// The monitor is the thread's own; whether that is to be told.
    pub(super) fn ends(&self, jni: Jni) -> bool {
        if let Some(ticket) = self.ticket {
            waiters::has_entered(jni, self.monitor, ticket);
        }
        ends(self.announced, EventKind::MonitorContendedEnter)
    }
}

/// The calling thread has not waited to enter any monitor for some time, if it did: JDK 26 loses some
/// MonitorContendedEntered of virtual threads that are suspended (JVMTI facts 20).
pub(crate) fn goes_on(jni: Jni, own: &Thread) {
    if let Some(contention) = Contention::take(own)
        && contention.ends(jni)
    {
        let monitor = Some(contention.monitor);
        send(own, EventKind::MonitorContendedEntered, monitor, 0);
    }
}

/// The id of a monitor's object; what defines it is sent first.
pub(super) fn name(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    object: ObjectRef<'_>,
) -> Option<ObjectId> {
    let known = ids::tagged(jvmti, object).flatten();
    let known = known.filter(|&id| IDS.has(id, Flag::KNOWN));
    known.or_else(|| announce::object(jvmti, jni, own, object))
}

/// Whether an end is to be told: one of a beginning that came before the agent wanted to
/// hear of those would be one too many.
pub(super) fn ends(announced: bool, beginning: EventKind) -> bool {
    announced || !wanted::wants(beginning)
}

/// Sends one of the five, or keeps it; false if the agent does not listen.
pub(super) fn send(own: &Thread, kind: EventKind, object: Option<ObjectId>, millis: i64) -> bool {
    if !dispatch::reaches_agent(kind) {
        return false;
    }
    let untimed =
        kind == EventKind::MonitorWaited && config::options().host.row().waited_without_time;
    let millis = if untimed { 0 } else { millis };
    let sent = dispatch::deliver_in_turn(own, kind.raw(), |event| {
        let object = ids::object_id(object);
        if WAITING.contains(kind) {
            event.u.monitor_wait = JVMPI_Event_monitor_wait {
                object,
                timeout: millis,
            };
        } else {
            event.u.monitor = JVMPI_Event_monitor { object };
        }
    });
    if sent == Sent::Later {
        own.keep(MonitorEvent(kind, object.map(KeptId::new), millis));
    }
    sent != Sent::No
}

/// An event of a monitor that waits: its object, and milliseconds.
#[derive(Debug)]
struct MonitorEvent(EventKind, Option<KeptId>, i64);

impl Deferred<Thread> for MonitorEvent {
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
        let object = self.1.as_ref().map(KeptId::id);
        if let Some(id) = object {
            announce::object_by_id(jvmti, jni, own, id);
        }
        send(own, self.0, object, self.2);
    }
}
