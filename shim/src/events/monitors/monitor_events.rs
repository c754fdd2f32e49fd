//! MONITOR_CONTENDED_ENTER and ENTERED, MONITOR_WAIT and WAITED; when EXIT is due says
//! [`crate::events::monitors::contended_exit`].
//!
//! Longer than most: the two pairs share what a thread has begun, and how its end is sent.
//!
//! Each is sent by the thread that it is about. What began before anybody listened ends
//! unheard: an agent counts one end for one beginning (JVMPI facts R12, R13).

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

use event_translate::EventSet;
use event_translate::needs::VmEvent;
use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event_monitor, JVMPI_Event_monitor_wait};
use jvmpi_headers::jvmti::JVMTI_THREAD_STATE_INTERRUPTED;

use crate::base::{config, log};
use crate::delivery::announce;
use crate::delivery::deferred;
use crate::delivery::dispatch::{self, Sent};
use crate::events::monitors::contended_exit::{self, Ticket};
use crate::events::threads::mounted;
use crate::model::ids::kept_ids::KeptId;
use crate::model::tables::IDS;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::monitor_wait::Sleep;
use crate::model::thread::object::HeldObject;
use crate::model::thread::{Thread, attention, current};
use crate::model::{ids, threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, ThreadRef};
use crate::vm::{stack, this_vm};

/// Waiting to enter.
const CONTENTION: EventSet = VmEvent::MonitorContendedEntered.needed_by();

/// Waiting to be notified, and sleeping.
const WAITING: EventSet = VmEvent::MonitorWaited.needed_by();

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
struct Contention {
    monitor: ObjectId,
    ticket: Option<Ticket>,
    announced: bool,
}

impl Contention {
    /// That of the calling thread, whose it is no more.
    fn take(own: &Thread) -> Option<Self> {
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
    fn ends(&self, jni: Jni) -> bool {
        if let Some(ticket) = self.ticket {
            contended_exit::has_entered(jni, self.monitor, ticket);
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
fn name(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, object: ObjectRef<'_>) -> Option<ObjectId> {
    let known = ids::tagged(jvmti, object).flatten();
    let known = known.filter(|&id| IDS.has(id, Flag::KNOWN));
    known.or_else(|| announce::object(jvmti, jni, own, object))
}

/// Whether an end is to be told: one of a beginning that came before the agent wanted to
/// hear of those would be one too many.
fn ends(announced: bool, beginning: EventKind) -> bool {
    announced || !wanted::wants(beginning)
}

/// MonitorContendedEnter: the thread is about to wait.
pub(crate) fn contended_enter(
    jvmti: Jvmti,
    jni: Jni,
    thread: ObjectRef<'_>,
    object: ObjectRef<'_>,
) {
    if !wanted::wanted().intersects(CONTENTION) {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if let Some(own) = here(jvmti, jni, Some(thread))
        && let Some(id) = name(jvmti, jni, &own, object)
    {
        let ticket = contended_exit::waits(jni, id);
        let announced = send(&own, EventKind::MonitorContendedEnter, Some(id), 0);
        if let Some(ticket) = ticket {
            contended_exit::has_said_so(id, ticket);
        }
        // Last: the handler may have waited for another monitor.
        let begun = &own.monitor_wait();
        // Relaxed: the thread's own, here and below.
        begun.announced.store(announced, Ordering::Relaxed);
        begun.ticket.store(Ticket::raw(ticket), Ordering::Relaxed);
        begun.contended.store(id.raw(), Ordering::Relaxed);
    }
}

/// MonitorContendedEntered: the thread owns the monitor.
pub(crate) fn contended_entered(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    let Some(contention) = current::with_own(Contention::take).flatten() else {
        return;
    };
    if !contention.ends(jni) {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if let Some(own) = here(jvmti, jni, Some(thread)) {
        send(
            &own,
            EventKind::MonitorContendedEntered,
            Some(contention.monitor),
            0,
        );
    }
}

/// MONITOR_CONTENDED_EXIT, if the calling thread has to tell of it; `wholly`, whatever the number
/// of its entries.
fn leave(jvmti: Jvmti, jni: Jni, own: &Thread, monitor: (ObjectId, ObjectRef<'_>), wholly: bool) {
    if contended_exit::is_to_be_told(jvmti, jni, own, monitor, wholly) {
        send(own, EventKind::MonitorContendedExit, Some(monitor.0), 0);
    }
}

fn is_interrupted(state: i32) -> bool {
    state & JVMTI_THREAD_STATE_INTERRUPTED != 0
}

/// The thread is about to leave a monitor, once; an exception may be pending.
pub(crate) fn leaves(jni: Jni, object: ObjectRef<'_>) {
    if !contended_exit::any() {
        return;
    }
    // What somebody waits for has been named.
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    let Some(id) = ids::tagged(jvmti, object).flatten() else {
        return;
    };
    if !contended_exit::is_contended(id) {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if let Some(own) = here(jvmti, jni, None) {
        leave(jvmti, jni, &own, (id, object), false);
    }
}

/// The same for the monitor of a class, of which a static synchronized method is told by
/// the stack alone: its class file is too old to name its class.
pub(crate) fn leaves_class(jni: Jni) {
    if !contended_exit::any() {
        return;
    }
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    let aside = ExceptionAside::put(jni);
    // Two methods of the hook class are on top.
    const ABOVE: usize = 2;
    let stack = stack::take(jvmti, ThreadRef::CURRENT, 1 + ABOVE, |frames| {
        frames.get(ABOVE).map(|frame| frame.method)
    });
    let method = stack.ok().flatten();
    let class = method.and_then(|method| jvmti.declaring_class(jni, method).ok());
    drop(aside);
    if let Some(class) = class {
        leaves(jni, class.get());
    }
}

/// The calling thread has entered a monitor by JNI.
pub(crate) fn note_jni_entry() {
    count_jni_entries(|count| count.saturating_add(1));
}

/// It has left one.
pub(crate) fn note_jni_exit() {
    count_jni_entries(|count| count.saturating_sub(1));
}

fn count_jni_entries(change: impl FnOnce(u32) -> u32) {
    current::with_own(|own| {
        let entries = &own.native().jni_entries;
        // Relaxed: the thread's own.
        entries.store(change(entries.load(Ordering::Relaxed)), Ordering::Relaxed);
    });
}

/// The calling thread ends: where it is a native one that detaches itself the VM takes it out of the monitors
/// that it has entered by JNI.
pub(crate) fn thread_ends(jvmti: Jvmti, jni: Jni, own: &Thread) {
    if own.native().jni_entries.load(Ordering::Relaxed) == 0 {
        return;
    }
    for id in contended_exit::all() {
        if let Some(object) = jvmti.object_with_tag(jni, id.raw())
            && vm_monitors::holds(jni, object.get())
        {
            leave(jvmti, jni, own, (id, object.get()), true);
        }
    }
}

/// MonitorWait: the thread is about to wait in `Object.wait`, or to be told that it
/// may not: of that no end would come.
pub(crate) fn wait(
    jvmti: Jvmti,
    jni: Jni,
    thread: ObjectRef<'_>,
    object: ObjectRef<'_>,
    millis: i64,
) {
    let wanted = wanted::wanted();
    let leaves = wanted.contains(EventKind::MonitorContendedExit);
    if !leaves && !wanted.intersects(WAITING) {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if millis >= 0
        && vm_monitors::holds(jni, object)
        && let Some(own) = here(jvmti, jni, Some(thread))
        && let Some(id) = name(jvmti, jni, &own, object)
    {
        let announced =
            wanted.intersects(WAITING) && send(&own, EventKind::MonitorWait, Some(id), millis);
        // One that has been interrupted does not leave it, but throws.
        let stays = || jvmti.thread_state(thread.into()).is_ok_and(is_interrupted);
        if leaves && contended_exit::is_contended(id) && !stays() {
            // Whatever the number of its entries.
            leave(jvmti, jni, &own, (id, object), true);
        }
        if wanted.intersects(WAITING) {
            // Last, as above.
            own.monitor_wait()
                .wait_announced
                .store(announced, Ordering::Relaxed);
            own.monitor_wait()
                .waiting
                .store(id.raw(), Ordering::Relaxed);
        }
        own.monitor_wait().since.store(now(), Ordering::Relaxed);
    }
}

/// MonitorWaited: the waiting is over; the monitor is not the thread's own yet.
pub(crate) fn waited(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    let begun = |own: &Thread| {
        let id = own.monitor_wait().waiting.swap(0, Ordering::Relaxed);
        (
            ObjectId::from_raw(id),
            own.monitor_wait().since.load(Ordering::Relaxed),
            own.monitor_wait().wait_announced.load(Ordering::Relaxed),
        )
    };
    let Some((Some(id), since, announced)) = current::with_own(begun) else {
        return;
    };
    if !ends(announced, EventKind::MonitorWait) {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if let Some(own) = here(jvmti, jni, Some(thread)) {
        send(
            &own,
            EventKind::MonitorWaited,
            Some(id),
            millis_since(since),
        );
    }
}

fn millis_since(start: u64) -> i64 {
    i64::try_from(now().saturating_sub(start) / 1_000_000).unwrap_or(i64::MAX)
}

/// `Thread.sleep` begins, on a virtual thread or another. `None`: nothing is to be told of it.
pub(crate) fn sleep(jni: Jni, millis: i64, is_virtual: bool) -> Option<Sleep> {
    if !wanted::wanted().intersects(WAITING) || config::options().host.row().sleeps_silently {
        return None;
    }
    let jvmti = this_vm::jvmti()?;
    let own = here(jvmti, jni, None)?;
    if own.is_virtual() != is_virtual {
        return None;
    }
    let announced = send(&own, EventKind::MonitorWait, None, millis);
    Some(Sleep {
        since: now(),
        announced,
    })
}

/// It is over; an exception may be pending.
pub(crate) fn slept(jni: Jni, sleep: &Sleep) {
    if !ends(sleep.announced, EventKind::MonitorWait) {
        return;
    }
    let millis = millis_since(sleep.since);
    let _aside = ExceptionAside::put(jni);
    if let Some(jvmti) = this_vm::jvmti()
        && let Some(own) = here(jvmti, jni, None)
    {
        send(&own, EventKind::MonitorWaited, None, millis);
    }
}

/// Sends one of the five, or keeps it; false if the agent does not listen.
fn send(own: &Thread, kind: EventKind, object: Option<ObjectId>, millis: i64) -> bool {
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
