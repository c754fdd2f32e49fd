//! The six raw-monitor functions and their contention events.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use event_translate::{EventKind, thread_status};
use id_map::{Enter, Exit, MonitorId, Outcome};
use jvmpi_headers::jni::jlong;
use jvmpi_headers::jvmpi::JVMPI_RawMonitor;

use crate::agent::process;
use crate::base::boundary::{guarded, uncancelled};
use crate::base::cancellation::Uncancelled;
use crate::base::log;
use crate::events::monitors::raw_monitors;
use crate::events::vm_life::abandoned;
use crate::model::tables::MONITORS;
use crate::model::thread::current;
use crate::model::{threads, wanted};
use crate::os::memory;

fn id(monitor: JVMPI_RawMonitor) -> Option<MonitorId> {
    MonitorId::from_raw(monitor.addr() as u64)
}

fn unknown(call: &'static str, monitor: JVMPI_RawMonitor) {
    if abandoned::has_died() {
        return;
    }
    log::warn_once_for!(
        call,
        "({monitor:p}): no such raw monitor (NULL, destroyed, or never created); nothing done"
    );
}

fn not_owner(call: &'static str) {
    log::warn_once_for!(
        call,
        ": this thread does not own the raw monitor; nothing done"
    );
}

pub(crate) unsafe extern "C" fn raw_monitor_create(name: *mut c_char) -> JVMPI_RawMonitor {
    uncancelled("RawMonitorCreate", ptr::null_mut(), || {
        let Some(copy) = memory::c_string(name) else {
            log::warn_once!("RawMonitorCreate({name:p}): not a readable name; NULL");
            return ptr::null_mut();
        };
        let made = MONITORS.create(&copy);
        if made.is_none() {
            log::warn_once!("RawMonitorCreate: a million raw monitors exist; NULL");
        }
        let raw = made.and_then(|id| usize::try_from(id.raw()).ok());
        raw.map_or(ptr::null_mut(), ptr::without_provenance_mut)
    })
}

pub(crate) unsafe extern "C" fn raw_monitor_enter(monitor: JVMPI_RawMonitor) {
    guarded("RawMonitorEnter", (), || {
        let Some(id) = id(monitor) else {
            return unknown("RawMonitorEnter", monitor);
        };
        match MONITORS.try_enter(id, current::key()) {
            Enter::Entered => note_held(1),
            Enter::Contended(name) => enter_contended(id, monitor, &name),
            Enter::Unknown => unknown("RawMonitorEnter", monitor),
        }
    });
}

fn enter_contended(id: MonitorId, monitor: JVMPI_RawMonitor, name: &Arc<CStr>) {
    let _state = Uncancelled::here();
    let announced = wanted::wants(EventKind::RawMonitorContendedEnter);
    let told = raw_monitors::contended_enter(monitor, name);
    let entered = with_status(thread_status::MONITOR_WAIT, || {
        // The agent's exit handlers may want what the thread owns that has called ProfilerExit.
        // They get it; all other threads wait as they would have.
        if process::runs_exit_handlers() {
            MONITORS.enter_as_heir(id, current::key())
        } else {
            MONITORS.enter_contended(id, current::key())
        }
    });
    if entered {
        note_held(1);
        // Of an end without a beginning nobody hears.
        if told && (announced || !wanted::wants(EventKind::RawMonitorContendedEnter)) {
            raw_monitors::contended_entered(monitor, name);
        }
    } else if !abandoned::has_died() {
        log::warn_once!(
            "RawMonitorEnter: the raw monitor was destroyed while this thread waited for it"
        );
    }
}

/// A thread that owns a raw monitor must not be made to wait for others.
fn note_held(change: i32) {
    if let Some(own) = threads::own() {
        // Relaxed: the thread's own.
        let held = own.native().raw_held.load(Ordering::Relaxed);
        own.native()
            .raw_held
            .store(held.saturating_add_signed(change), Ordering::Relaxed);
    }
}

/// Lets GetThreadStatus see what the thread does meanwhile: to the VM it is just
/// in native code.
fn with_status<T>(status: i32, body: impl FnOnce() -> T) -> T {
    match current::own() {
        Some(own) => own.with_raw_wait(status, body),
        None => body(),
    }
}

pub(crate) unsafe extern "C" fn raw_monitor_exit(monitor: JVMPI_RawMonitor) {
    guarded("RawMonitorExit", (), || {
        let Some(id) = id(monitor) else {
            return unknown("RawMonitorExit", monitor);
        };
        match MONITORS.exit(id, current::key()) {
            Exit::Done => note_held(-1),
            Exit::Contended(name) => {
                note_held(-1);
                let _state = Uncancelled::here();
                raw_monitors::contended_exit(monitor, &name);
            }
            Exit::NotOwner => not_owner("RawMonitorExit"),
            Exit::Unknown => {
                // Destroyed under its owner, perhaps: what it still owns counts.
                let me = current::key();
                if !MONITORS.snapshot().iter().any(|other| other.owner == me)
                    && let Some(own) = threads::own()
                {
                    let native = own.native();
                    let elsewhere = native.held_elsewhere.load(Ordering::Relaxed);
                    native.raw_held.store(elsewhere, Ordering::Relaxed);
                }
                unknown("RawMonitorExit", monitor);
            }
        }
    });
}

/// 0 (or a negative number) waits for ever.
pub(crate) unsafe extern "C" fn raw_monitor_wait(monitor: JVMPI_RawMonitor, millis: jlong) {
    uncancelled("RawMonitorWait", (), || {
        let Some(id) = id(monitor) else {
            return unknown("RawMonitorWait", monitor);
        };
        // It still owns the monitor, so that no notification is lost meanwhile.
        if wanted::wants(EventKind::RawMonitorContendedExit)
            && let Some(name) = MONITORS.contended(id, current::key())
        {
            raw_monitors::contended_exit(monitor, &name);
        }
        let timeout = u64::try_from(millis)
            .ok()
            .filter(|&millis| millis > 0)
            .map(Duration::from_millis);
        let outcome = with_status(thread_status::CONDVAR_WAIT, || {
            MONITORS.wait(id, current::key(), timeout)
        });
        match outcome {
            Outcome::Done | Outcome::TimedOut => {}
            Outcome::NotOwner => not_owner("RawMonitorWait"),
            Outcome::Unknown => unknown("RawMonitorWait", monitor),
        }
    });
}

pub(crate) unsafe extern "C" fn raw_monitor_notify_all(monitor: JVMPI_RawMonitor) {
    guarded("RawMonitorNotifyAll", (), || {
        let Some(id) = id(monitor) else {
            return unknown("RawMonitorNotifyAll", monitor);
        };
        match MONITORS.notify_all(id, current::key()) {
            Outcome::Done | Outcome::TimedOut => {}
            Outcome::NotOwner => not_owner("RawMonitorNotifyAll"),
            Outcome::Unknown => unknown("RawMonitorNotifyAll", monitor),
        }
    });
}

pub(crate) unsafe extern "C" fn raw_monitor_destroy(monitor: JVMPI_RawMonitor) {
    uncancelled("RawMonitorDestroy", (), || {
        match id(monitor).and_then(|id| MONITORS.destroy(id, current::key())) {
            Some(entries) => note_held(0_i32.saturating_sub_unsigned(entries)),
            None => unknown("RawMonitorDestroy", monitor),
        }
    });
}
