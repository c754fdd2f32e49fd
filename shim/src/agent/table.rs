//! The `JVMPI_Interface` agents hold: one, static, for ever.
//!
//! Agents overwrite NotifyEvent in it, at any time and from any thread; it is
//! read at every delivery (JVMPI facts B.0).
#![allow(unsafe_code, reason = "a table that C code writes to")]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Interface, JVMPI_VERSION_1, NotifyEvent};

use crate::base::{config, observer};
use crate::entry::calls::{events, gc, ids, monitors, stack, threads};
use crate::observe::observed;

struct Table(UnsafeCell<JVMPI_Interface>);

// SAFETY: we access its two changing words as atomics only; agents write
// NotifyEvent as a single word.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new(JVMPI_Interface {
    version: JVMPI_VERSION_1,
    NotifyEvent: None,
    EnableEvent: Some(events::enable_event),
    DisableEvent: Some(events::disable_event),
    RequestEvent: Some(events::request_event),
    GetCallTrace: Some(stack::get_call_trace),
    ProfilerExit: Some(events::profiler_exit),
    RawMonitorCreate: Some(monitors::raw_monitor_create),
    RawMonitorEnter: Some(monitors::raw_monitor_enter),
    RawMonitorExit: Some(monitors::raw_monitor_exit),
    RawMonitorWait: Some(monitors::raw_monitor_wait),
    RawMonitorNotifyAll: Some(monitors::raw_monitor_notify_all),
    RawMonitorDestroy: Some(monitors::raw_monitor_destroy),
    GetCurrentThreadCpuTime: Some(threads::get_current_thread_cpu_time),
    SuspendThread: Some(threads::suspend_thread),
    ResumeThread: Some(threads::resume_thread),
    GetThreadStatus: Some(threads::get_thread_status),
    ThreadHasRun: Some(threads::thread_has_run),
    CreateSystemThread: Some(threads::create_system_thread),
    SetThreadLocalStorage: Some(threads::set_thread_local_storage),
    GetThreadLocalStorage: Some(threads::get_thread_local_storage),
    DisableGC: Some(gc::disable_gc),
    EnableGC: Some(gc::enable_gc),
    RunGC: Some(gc::run_gc),
    GetThreadObject: Some(ids::get_thread_object),
    GetMethodClass: Some(ids::get_method_class),
    jobjectID2jobject: Some(ids::jobject_id_to_jobject),
    jobject2jobjectID: Some(ids::jobject_to_jobject_id),
    SuspendThreadList: Some(threads::suspend_thread_list),
    ResumeThreadList: Some(threads::resume_thread_list),
}));

/// The table that agents get, marked with the highest version asked for so far: some
/// agents compare the two, and whoever has asked for more goes on using it.
pub(crate) fn interface(version: jint) -> *mut JVMPI_Interface {
    let table = handed_out();
    observer::tell(|observer| observer.asked(version));
    // SAFETY: the first word of our static is the version.
    let mark = unsafe { AtomicI32::from_ptr(table.cast()) };
    let said = if config::options().host.row().says_version_1 {
        JVMPI_VERSION_1
    } else {
        version
    };
    mark.fetch_max(said, Ordering::Relaxed);
    table
}

/// The functions themselves.
pub(crate) fn plain() -> *mut JVMPI_Interface {
    TABLE.0.get()
}

/// The plain table, or the one that lets others look on.
fn handed_out() -> *mut JVMPI_Interface {
    if observer::is_on() {
        observed::interface()
    } else {
        plain()
    }
}

/// The agent's NotifyEvent, if it has set one.
pub(crate) fn notify_event() -> Option<NotifyEvent> {
    notify_event_in(handed_out())
}

/// The same while nobody looks ([`crate::base::observer`]).
#[inline(always)]
pub(crate) fn notify_event_unobserved() -> Option<NotifyEvent> {
    notify_event_in(plain())
}

/// Nobody is listening any more: the agent's start has failed.
pub(crate) fn forget_agent() {
    for table in [plain(), observed::interface()] {
        let slot = table.cast::<*mut c_void>().wrapping_add(1);
        // SAFETY: the second word of our statics.
        let slot = unsafe { AtomicPtr::from_ptr(slot) };
        slot.store(std::ptr::null_mut(), Ordering::Release);
    }
}

#[inline(always)]
fn notify_event_in(table: *mut JVMPI_Interface) -> Option<NotifyEvent> {
    let slot = table.cast::<*mut c_void>().wrapping_add(1);
    // SAFETY: the second word of our static.
    let slot = unsafe { AtomicPtr::from_ptr(slot) };
    let agent = slot.load(Ordering::Acquire);
    // SAFETY: null or a function that the agent promises to be a NotifyEvent.
    unsafe { mem::transmute::<*mut c_void, Option<NotifyEvent>>(agent) }
}
