//! Calls into agent code that survive a C++ exception.
//!
//! An agent of the period throws one through NotifyEvent (JVMPI facts R8); in a
//! VM of today that ends the process. Rust cannot catch foreign exceptions
//! (`catch_unwind` aborts), so the call goes through a small frame of our own
//! whose personality routine stops every unwinding that is not forced (thread
//! cancellation goes on).
//!
//! # Safety
//! The function pointers come from the agent: NotifyEvent, the entry of a system
//! thread, JVM_OnLoad. That they have the type JVMPI gives them is the agent's
//! promise; nothing of ours depends on what they do.
#![allow(unsafe_code, reason = "agent entry points are C function pointers")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use jvmpi_headers::jni::{JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_Event, NotifyEvent, jobjectID};
use jvmpi_headers::xrun_ext::XRun_ParkHandler;

use crate::agent::table;
use crate::base::{log, observer};
use crate::os::library::{self, Library};

/// `JVM_OnLoad` of an agent.
pub(crate) type OnLoad = unsafe extern "C-unwind" fn(*mut JavaVM, *mut c_char, *mut c_void) -> jint;
/// The function of a system thread.
pub(crate) type ThreadEntry = unsafe extern "C-unwind" fn(*mut c_void);

/// Delivers one event.
#[inline]
pub(crate) fn notify(agent: NotifyEvent, event: *mut JVMPI_Event) {
    let none = ptr::null_mut();
    // SAFETY: as in `call`.
    let outcome = unsafe { jvmpi_call_agent(event.cast(), none, none, agent as *const c_void) };
    if !outcome.exception.is_null() {
        caught_of_notify(outcome.exception);
    }
}

/// Tells of a thread that was parked.
pub(crate) fn parked(handler: XRun_ParkHandler, env: usize, blocker: jobjectID, nanos: i64) {
    let function = handler as *const c_void;
    let env = ptr::with_exposed_provenance_mut(env);
    // A jlong, in the register that a pointer would be in.
    let nanos = ptr::without_provenance_mut(usize::try_from(nanos).unwrap_or(usize::MAX));
    // SAFETY: as in `call`.
    let outcome = unsafe { jvmpi_call_agent(env, blocker.cast(), nanos, function) };
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

/// Runs a system thread's function; its argument is NULL (JVMPI facts B.10).
pub(crate) fn run_thread(entry: ThreadEntry) {
    call(
        "a system thread",
        entry as *const c_void,
        ptr::null_mut(),
        ptr::null_mut(),
    );
}

/// The entry point of a JVMPI agent, if the library is one.
pub(crate) fn entry_of(library: Library) -> Option<OnLoad> {
    let address = library.symbol(c"JVM_OnLoad")?;
    // SAFETY: the symbol's type in the specification; C-unwind since it is called by `call`.
    Some(unsafe { std::mem::transmute::<*mut c_void, OnLoad>(address.as_ptr()) })
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
    // are the ones its type asks for, and a third NULL that others ignore.
    let outcome = unsafe { jvmpi_call_agent(first, second, ptr::null_mut(), function) };
    if outcome.exception.is_null() {
        return Some(outcome.value);
    }
    caught(what, function, outcome.exception);
    None
}

/// What became of a call, in two registers.
#[repr(C)]
struct Outcome {
    value: usize,
    /// Null if the function has returned.
    exception: *mut UnwindException,
}

#[cold]
fn caught(what: &str, function: *const c_void, exception: *mut UnwindException) {
    dispose(exception);
    observer::tell(|observer| observer.exception(what, function.addr()));
    log::warn_once!("the agent threw an exception through {what}; it was caught and dropped");
}

/// Itanium C++ ABI, level 1.
#[repr(C)]
struct UnwindException {
    class: u64,
    cleanup: Option<unsafe extern "C" fn(c_int, *mut UnwindException)>,
    private: [usize; 2],
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

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".text",
    ".p2align 4",
    ".hidden jvmpi_call_agent",
    ".globl jvmpi_call_agent",
    ".type jvmpi_call_agent,@function",
    "jvmpi_call_agent:",
    ".cfi_startproc",
    ".cfi_personality 0x1b, {personality}",
    // For the alignment of the stack.
    "push rax",
    ".cfi_def_cfa_offset 16",
    "call rcx",
    "xor edx, edx",
    "pop rcx",
    ".cfi_remember_state",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_restore_state",
    ".hidden jvmpi_call_agent_caught",
    ".globl jvmpi_call_agent_caught",
    "jvmpi_call_agent_caught:",
    "mov rdx, rax",
    "xor eax, eax",
    "pop rcx",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_endproc",
    ".size jvmpi_call_agent, . - jvmpi_call_agent",
    personality = sym personality,
);

#[cfg(target_arch = "x86_64")]
unsafe extern "C-unwind" {
    fn jvmpi_call_agent(
        first: *mut c_void,
        second: *mut c_void,
        third: *mut c_void,
        function: *const c_void,
    ) -> Outcome;
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn jvmpi_call_agent_caught();
    fn _Unwind_SetGR(context: *mut c_void, register: c_int, value: usize);
    fn _Unwind_SetIP(context: *mut c_void, address: usize);
}

/// Stops every exception at the frame above (Itanium C++ ABI 1.6).
#[cfg(target_arch = "x86_64")]
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
    /// DWARF's number of rax.
    const RAX: c_int = 0;

    if actions & FORCE_UNWIND != 0 {
        return CONTINUE_UNWIND;
    }
    if actions & SEARCH_PHASE != 0 {
        return HANDLER_FOUND;
    }
    if actions & HANDLER_FRAME == 0 {
        return CONTINUE_UNWIND;
    }
    // SAFETY: the context is the unwinder's own, for the frame above.
    unsafe { _Unwind_SetGR(context, RAX, exception.addr()) };
    // SAFETY: as above; the address is the frame's landing pad.
    unsafe { _Unwind_SetIP(context, jvmpi_call_agent_caught as *const () as usize) };
    INSTALL_CONTEXT
}

/// Elsewhere an exception ends the process, as it does without us.
#[cfg(not(target_arch = "x86_64"))]
unsafe extern "C-unwind" fn jvmpi_call_agent(
    first: *mut c_void,
    second: *mut c_void,
    third: *mut c_void,
    function: *const c_void,
) -> Outcome {
    type Any = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_void) -> usize;
    // SAFETY: a C function that takes at most three pointers.
    let function: Any = unsafe { std::mem::transmute(function) };
    // SAFETY: the caller's promise.
    let value = unsafe { function(first, second, third) };
    Outcome {
        value,
        exception: ptr::null_mut(),
    }
}
