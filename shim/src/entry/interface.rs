//! What stands in the `JVMPI_Interface`: for each of its functions, ours.
//!
//! All 28 do their work ([`crate::entry::calls`]): none is a [stub](event_translate::Mark::Stub),
//! none only refuses.
#![allow(unsafe_code, reason = "functions as the words of a C table")]

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;
use std::sync::Once;

#[cfg(test)]
use event_translate::{Answer, Mark};
use jvmpi_headers::jvmpi::{JVMPI_Interface, JVMPI_VERSION_1};

use crate::agent::table;
use crate::entry::calls::{events, gc, ids, monitors, stack, suspension, threads};
use crate::observe::observed;

macro_rules! interface {
    ($($name:ident: $function:path, $mark:ident, $answer:ident;)+) => {
        const PLAIN: JVMPI_Interface = JVMPI_Interface {
            version: JVMPI_VERSION_1,
            NotifyEvent: None,
            $($name: Some($function),)+
        };

        /// What is said here of each; a test compares it with the rows.
        #[cfg(test)]
        const SAID: [(&str, Mark, Answer); table::FUNCTIONS] =
            [$((stringify!($name), Mark::$mark, Answer::$answer)),+];
    };
}

// The function, ours, how far it can be relied on, and what a bad call gets.
interface! {
    EnableEvent: events::enable_event, Full, NotAvailable;
    DisableEvent: events::disable_event, Full, NotAvailable;
    RequestEvent: events::request_event, Semi, Fail;
    GetCallTrace: stack::get_call_trace, Full, NoFrames;
    ProfilerExit: events::profiler_exit, Full, NoReturn;
    RawMonitorCreate: monitors::raw_monitor_create, Full, Null;
    RawMonitorEnter: monitors::raw_monitor_enter, Full, NoEffect;
    RawMonitorExit: monitors::raw_monitor_exit, Full, NoEffect;
    RawMonitorWait: monitors::raw_monitor_wait, Full, NoEffect;
    RawMonitorNotifyAll: monitors::raw_monitor_notify_all, Full, NoEffect;
    RawMonitorDestroy: monitors::raw_monitor_destroy, Full, NoEffect;
    GetCurrentThreadCpuTime: threads::get_current_thread_cpu_time, Full, Zero;
    SuspendThread: suspension::suspend_thread, Full, NoEffect;
    ResumeThread: suspension::resume_thread, Full, NoEffect;
    GetThreadStatus: threads::get_thread_status, Full, Fail;
    ThreadHasRun: threads::thread_has_run, Full, False;
    CreateSystemThread: threads::create_system_thread, Full, JniErr;
    SetThreadLocalStorage: threads::set_thread_local_storage, Full, NoEffect;
    GetThreadLocalStorage: threads::get_thread_local_storage, Full, Null;
    DisableGC: gc::disable_gc, Full, NoBadCall;
    EnableGC: gc::enable_gc, Full, NoEffect;
    RunGC: gc::run_gc, Full, NoEffect;
    GetThreadObject: ids::get_thread_object, Full, Null;
    GetMethodClass: ids::get_method_class, Full, Null;
    jobjectID2jobject: ids::jobject_id_to_jobject, Full, Null;
    jobject2jobjectID: ids::jobject_to_jobject_id, Full, Null;
    SuspendThreadList: suspension::suspend_thread_list, Full, Results;
    ResumeThreadList: suspension::resume_thread_list, Full, Results;
}

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

    use event_translate::{FUNCTIONS, Function};

    use super::*;

    #[test]
    fn each_slot_has_a_function_of_its_own_that_works() {
        let functions = functions();
        let distinct: BTreeSet<_> = functions.iter().map(|function| function.addr()).collect();
        assert_eq!(distinct.len(), Function::ALL.len());
        assert!(!distinct.contains(&0));
    }

    #[test]
    fn rows_say_the_same() {
        assert_eq!(
            SAID,
            FUNCTIONS.map(|row| (row.name, row.mark, row.bad_call))
        );
        assert!(SAID.iter().all(|(_, mark, _)| mark.works()));
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
