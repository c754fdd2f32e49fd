//! What stands in the `JVMPI_Interface`: for each of its functions, ours.
//!
//! All 28 do their work ([`crate::entry::calls`]): none is a stub, none only refuses.
#![allow(unsafe_code, reason = "functions as the words of a C table")]

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;
use std::sync::Once;

use jvmpi_headers::jvmpi::{JVMPI_Interface, JVMPI_VERSION_1};

use crate::agent::table;
use crate::entry::calls::{events, gc, ids, monitors, stack, threads};
use crate::observe::observed;

const PLAIN: JVMPI_Interface = JVMPI_Interface {
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
};

/// Fills both tables, at the first of the library's entry points: before any agent can get
/// one, and never again, since agents may put functions of their own in.
pub(crate) fn fill() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        table::PLAIN.fill(functions());
        observed::fill();
    });
}

fn functions() -> [*mut c_void; table::FUNCTIONS] {
    let first = ptr::from_ref(&PLAIN).wrapping_byte_add(offset_of!(JVMPI_Interface, EnableEvent));
    // SAFETY: from the first function on there are only functions, each a word and none missing.
    unsafe { first.cast::<[*mut c_void; table::FUNCTIONS]>().read() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use event_translate::Function;

    use super::*;

    #[test]
    fn each_slot_has_a_function_of_its_own_that_works() {
        let functions = functions();
        let distinct: BTreeSet<_> = functions.iter().map(|function| function.addr()).collect();
        assert_eq!(distinct.len(), Function::ALL.len());
        assert!(!distinct.contains(&0));
        for function in Function::ALL {
            assert!(function.row().mark.works(), "{function}");
        }
    }

    #[test]
    fn agents_get_what_was_put_in() {
        fill();
        let slot = usize::from(Function::RunGC.slot());
        let run_gc = gc::run_gc as *mut c_void;
        assert_eq!(table::PLAIN.function(slot - 2), Some(run_gc));
        let observed = table::OBSERVED.function(slot - 2);
        assert!(observed.is_some_and(|stub| !stub.is_null() && stub != run_gc));
    }
}
