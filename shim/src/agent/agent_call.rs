//! Calls into agent code that survive a C++ exception.
//!
//! An agent of the period throws one through NotifyEvent (JVMPI facts R8); in a
//! VM of today that ends the process. Rust cannot catch foreign exceptions
//! (`catch_unwind` aborts), so the call goes through a small frame of our own
//! whose personality routine stops every unwinding that is not forced (a thread that
//! is cancelled or calls pthread_exit), and of those that of a system thread.
//!
//! # Safety
//! The function pointers come from the agent: NotifyEvent, the entry of a system
//! thread, JVM_OnLoad. That they have the type JVMPI gives them is the agent's
//! promise; nothing of ours depends on what they do.
#![allow(unsafe_code, reason = "agent entry points are C function pointers")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{self, NonNull};

use jvmpi_headers::jni::{JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_Event, NotifyEvent, SystemThreadFunction, jobjectID};
use jvmpi_headers::xrun_ext::XRun_ParkHandler;

use crate::agent::table;
use crate::base::{log, observer};
use crate::model::thread::current::{self, Runs};
use crate::os::library::{self, Library};
use crate::os::linked;
use crate::os::processor::{LANDING_REGISTER, Outcome, UnwindException, agent_call};

/// `JVM_OnLoad` of an agent.
pub(crate) type OnLoad = unsafe extern "C-unwind" fn(*mut JavaVM, *mut c_char, *mut c_void) -> jint;
/// The function of a system thread.
pub(crate) type ThreadEntry = SystemThreadFunction;

/// Delivers one event; whether the agent has been told, which one in this process always is.
#[inline]
pub(crate) fn notify(agent: NotifyEvent, event: *mut JVMPI_Event) -> bool {
    let returned = notify_unasked(agent, event);
    // An agent's own returns nothing: what is there by chance is asked of first.
    returned != Some(table::NOT_TOLD) || !table::is_beside(agent)
}

/// Delivers one event, to whom it may concern; what the function has returned.
#[inline]
pub(crate) fn notify_unasked(agent: NotifyEvent, event: *mut JVMPI_Event) -> Option<usize> {
    let none = ptr::null_mut();
    // SAFETY: as in `call`.
    let outcome = unsafe { jvmpi_call_agent(event.cast(), none, 0, agent as *const c_void) };
    if !outcome.exception.is_null() {
        caught_of_notify(outcome.exception);
        return None;
    }
    Some(outcome.value)
}

/// Tells of a thread that was parked.
pub(crate) fn parked(handler: XRun_ParkHandler, env: usize, blocker: jobjectID, nanos: i64) {
    let function = handler as *const c_void;
    let env = ptr::with_exposed_provenance_mut(env);
    // SAFETY: as in `call`.
    let outcome = unsafe { jvmpi_call_agent(env, blocker.cast(), nanos.cast_unsigned(), function) };
    if !outcome.exception.is_null() {
        caught("watch_parks", function, outcome.exception);
    }
}

/// Apart: the caller need not remember whom it has called.
#[cold]
#[inline(never)]
fn caught_of_notify(exception: *mut UnwindException) {
    let agent = table::notify_event().map_or(ptr::null(), |agent| agent as *const c_void);
    caught("NotifyEvent", agent, exception);
}

/// Runs a system thread's function; an agent's has NULL for its argument (JVMPI facts B.10). pthread_exit and
/// pthread_cancel end it as a return does: the VM's functions below have to return, for nobody else tells
/// the VM that the thread has ended (JVMTI facts 50).
pub(crate) fn run_thread(entry: ThreadEntry, argument: *mut c_void) {
    current::set_runs(Runs::SystemThread);
    call(
        "a system thread",
        entry as *const c_void,
        argument,
        ptr::null_mut(),
    );
    current::set_runs(Runs::Nothing);
}

/// The entry point of a JVMPI agent, if the library is one.
pub(crate) fn entry_of(library: Library) -> Option<OnLoad> {
    library.symbol(c"JVM_OnLoad").map(on_load_at)
}

/// That of the agent in our own library, if there is one.
pub(crate) fn linked_entry() -> Option<OnLoad> {
    linked::on_load().map(on_load_at)
}

fn on_load_at(address: NonNull<c_void>) -> OnLoad {
    // SAFETY: the symbol's type in the specification; C-unwind since it is called by `call`.
    unsafe { std::mem::transmute::<*mut c_void, OnLoad>(address.as_ptr()) }
}

/// Starts an agent; `options` is NULL when the command line had no colon.
pub(crate) fn on_load(entry: OnLoad, vm: *mut JavaVM, options: *mut c_char) -> Option<jint> {
    let result = call(
        "JVM_OnLoad",
        entry as *const c_void,
        vm.cast(),
        options.cast(),
    )?;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a C int comes back in the low half of the register"
    )]
    Some(result as jint)
}

#[inline]
fn call(
    what: &str,
    function: *const c_void,
    first: *mut c_void,
    second: *mut c_void,
) -> Option<usize> {
    // SAFETY: the frame below calls `function` with C's convention; the arguments
    // are the ones its type asks for, and a third 0 that others ignore.
    let outcome = unsafe { jvmpi_call_agent(first, second, 0, function) };
    if outcome.exception.is_null() {
        return Some(outcome.value);
    }
    caught(what, function, outcome.exception);
    None
}

#[cold]
fn caught(what: &str, function: *const c_void, exception: *mut UnwindException) {
    dispose(exception);
    observer::tell(|observer| observer.exception(what, function.addr()));
    log::warn_once!("the agent threw an exception through {what}; it was caught and dropped");
}

const CXX: u64 = u64::from_be_bytes(*b"GNUCC++\0");
const CXX_DEPENDENT: u64 = u64::from_be_bytes(*b"GNUCC++\x01");

/// Ends the exception's life as its own language would.
fn dispose(exception: *mut UnwindException) {
    // SAFETY: the unwinder handed us this object and we are its only owner now.
    let class = unsafe { (*exception).class };
    if class != CXX && class != CXX_DEPENDENT {
        // Another language's runtime may abort when its exception is dropped by
        // a foreigner (Rust's does): leave it.
        return;
    }
    let Some((begin, end)) = library::cxx_catch() else {
        return;
    };
    // SAFETY: libstdc++'s own pair, in the order a catch block calls them.
    unsafe { begin(exception.cast()) };
    // SAFETY: as above.
    unsafe { end() };
}

agent_call!(personality);

unsafe extern "C-unwind" {
    fn jvmpi_call_agent(
        first: *mut c_void,
        second: *mut c_void,
        third: u64,
        function: *const c_void,
    ) -> Outcome;
}

unsafe extern "C" {
    fn jvmpi_call_agent_caught();
    fn _Unwind_SetGR(context: *mut c_void, register: c_int, value: usize);
    fn _Unwind_SetIP(context: *mut c_void, address: usize);
}

/// Stops every exception at the frame above (Itanium C++ ABI 1.6).
unsafe extern "C" fn personality(
    _version: c_int,
    actions: c_int,
    _class: u64,
    exception: *mut UnwindException,
    context: *mut c_void,
) -> c_int {
    const SEARCH_PHASE: c_int = 1;
    const HANDLER_FRAME: c_int = 4;
    const FORCE_UNWIND: c_int = 8;
    const HANDLER_FOUND: c_int = 6;
    const INSTALL_CONTEXT: c_int = 7;
    const CONTINUE_UNWIND: c_int = 8;

    if actions & FORCE_UNWIND != 0 {
        if current::runs() != Runs::SystemThread || current::is_in_handler() {
            return CONTINUE_UNWIND;
        }
        // SAFETY: as below. No exception: the C library keeps its own, which nobody drops.
        unsafe { land(context, ptr::null_mut()) };
        return INSTALL_CONTEXT;
    }
    if actions & SEARCH_PHASE != 0 {
        return HANDLER_FOUND;
    }
    if actions & HANDLER_FRAME == 0 {
        return CONTINUE_UNWIND;
    }
    // SAFETY: the context is the unwinder's own, for the frame above.
    unsafe { land(context, exception) };
    INSTALL_CONTEXT
}

/// The frame above goes on at its landing pad, with this exception.
///
/// # Safety
/// `context` is the unwinder's own, for that frame.
unsafe fn land(context: *mut c_void, exception: *mut UnwindException) {
    // SAFETY: the caller's promise.
    unsafe { _Unwind_SetGR(context, LANDING_REGISTER, exception.addr()) };
    // SAFETY: as above; the address is the frame's landing pad.
    unsafe { _Unwind_SetIP(context, jvmpi_call_agent_caught as *const () as usize) };
}
