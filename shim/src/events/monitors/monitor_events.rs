//! MONITOR_CONTENDED_ENTER and ENTERED, MONITOR_WAIT and WAITED, those of Thread.sleep among them
//! ([`crate::events::monitors::sleep`]).
//!
//! Each is sent by the thread that it is about. What began before anybody listened ends
//! unheard: an agent counts one end for one beginning (JVMPI facts R12, R13).

use std::sync::atomic::Ordering;

use event_translate::EventSet;
use event_translate::needs::VmEvent;
use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmti::JVMTI_THREAD_STATE_INTERRUPTED;

use crate::base::config;
use crate::events::monitors::contended_exit;
use crate::events::monitors::telling::{self, Contention, WAITING, ends, here, name, now};
use crate::events::monitors::waiters::{self, Ticket, Waiter};
use crate::model::thread::monitor_wait::Sleep;
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// Waiting to enter.
const CONTENTION: EventSet = VmEvent::MonitorContendedEntered.needed_by();

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
        let waiter = waiters::waits(jni, id);
        let announced = telling::send(&own, EventKind::MonitorContendedEnter, Some(id), 0);
        let ticket = waiter.map(Waiter::has_said_so);
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
        telling::send(
            &own,
            EventKind::MonitorContendedEntered,
            Some(contention.monitor),
            0,
        );
    }
}

fn is_interrupted(state: i32) -> bool {
    state & JVMTI_THREAD_STATE_INTERRUPTED != 0
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
        let announced = wanted.intersects(WAITING)
            && telling::send(&own, EventKind::MonitorWait, Some(id), millis);
        // One that has been interrupted does not leave it, but throws.
        let stays = || jvmti.thread_state(thread.into()).is_ok_and(is_interrupted);
        if leaves && waiters::is_contended(id) && !stays() {
            // Whatever the number of its entries.
            contended_exit::leave(jvmti, jni, &own, (id, object), true);
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
        telling::send(
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
    let announced = telling::send(&own, EventKind::MonitorWait, None, millis);
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
        telling::send(&own, EventKind::MonitorWaited, None, millis);
    }
}
