//! RAW_MONITOR_CONTENDED_ENTER, RAW_MONITOR_CONTENDED_ENTERED and RAW_MONITOR_CONTENDED_EXIT.
//!
//! No other event comes inside a bracket (JVMPI facts R2), and a VM of the period could not
//! have made one of these: its threads stood still. So contention that begins there is not
//! told; of what the agent has heard to begin, it hears the end when the bracket is over
//! (R12).

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::Arc;

use event_translate::table::EventKind;
use jvmpi_headers::jvmpi::{JVMPI_Event_raw_monitor, JVMPI_RawMonitor};

use crate::base::guards::Inside;
use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::model::thread::Thread;
use crate::model::thread::deferred::Deferred;
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::this_vm;

thread_local! {
    /// A handler of one of these events uses raw monitors too, and those may be
    /// contended: their events would recurse without end.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// This thread is about to wait for the monitor. False if that was not sent though wanted.
pub(crate) fn contended_enter(monitor: JVMPI_RawMonitor, name: &Arc<CStr>) -> bool {
    announce(EventKind::RawMonitorContendedEnter, monitor, name)
}

/// It has got it.
pub(crate) fn contended_entered(monitor: JVMPI_RawMonitor, name: &Arc<CStr>) {
    announce(EventKind::RawMonitorContendedEntered, monitor, name);
}

/// It leaves the monitor, or is about to, and another one waits for that.
pub(crate) fn contended_exit(monitor: JVMPI_RawMonitor, name: &Arc<CStr>) {
    announce(EventKind::RawMonitorContendedExit, monitor, name);
}

/// Sends one contention event on this thread, unless the monitor's name begins
/// with `_` (specification, RawMonitorCreate) or the VM does not know the thread. False if
/// it was not sent though wanted.
fn announce(kind: EventKind, monitor: JVMPI_RawMonitor, name: &Arc<CStr>) -> bool {
    if name.to_bytes().starts_with(b"_") || !dispatch::reaches_agent(kind) || INSIDE.get() {
        return true;
    }
    let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) else {
        return true;
    };
    let Some(own) = threads::own() else {
        return true;
    };
    let _inside = Inside::set(&INSIDE);
    announce::introduce(jvmti, jni, &own);
    send(&own, kind, monitor, name)
}

/// Sends one of the three; ENTERED is kept if that is not possible. False if it was not
/// sent though wanted.
pub(crate) fn send(
    own: &Thread,
    kind: EventKind,
    monitor: JVMPI_RawMonitor,
    name: &Arc<CStr>,
) -> bool {
    if !dispatch::reaches_agent(kind) {
        return true;
    }
    let inside = Inside::set(&INSIDE);
    let sent = dispatch::deliver_in_turn(own, kind.raw(), |event| {
        event.u.raw_monitor = JVMPI_Event_raw_monitor {
            name: name.as_ptr().cast_mut(),
            id: monitor,
        };
    });
    drop(inside);
    let later = sent == Sent::Later;
    if later && kind == EventKind::RawMonitorContendedEntered {
        own.keep(RawMonitorEvent(
            kind,
            monitor.expose_provenance(),
            Arc::clone(name),
        ));
    }
    !later
}

/// An event that waits: the monitor's handle and its name.
#[derive(Debug)]
struct RawMonitorEvent(EventKind, usize, Arc<CStr>);

impl Deferred<Thread> for RawMonitorEvent {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        let monitor = std::ptr::with_exposed_provenance_mut(self.1);
        send(own, self.0, monitor, &self.2);
    }
}
