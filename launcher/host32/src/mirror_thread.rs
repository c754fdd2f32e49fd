//! How the threads are made that stand for the JVM's.
//!
//! An agent may end one with pthread_exit, or cancel it. Either unwinds the thread's stack, and ends the process if
//! it meets a frame that catches, as those have that Rust's library makes: so these are C's own.
#![allow(unsafe_code, reason = "threads of C's")]

use std::ffi::{CString, c_void};
use std::mem::MaybeUninit;
use std::ptr;

use crate::mirror;

/// What each of them runs; nothing here catches.
unsafe extern "C-unwind" fn root(number: *mut c_void) -> *mut c_void {
    mirror::run(number.addr());
    ptr::null_mut()
}

/// As pthread_create's type has it.
fn start_function() -> extern "C" fn(*mut c_void) -> *mut c_void {
    type Unwinding = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
    type Plain = extern "C" fn(*mut c_void) -> *mut c_void;
    // SAFETY: the two differ in what may unwind through them, not in how they are called.
    unsafe { std::mem::transmute::<Unwinding, Plain>(root) }
}

/// Makes the one for this lane; false if it cannot be made.
pub(crate) fn make(number: usize, stack: usize) -> bool {
    let mut wishes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: room for them.
    if unsafe { libc::pthread_attr_init(wishes.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: made above; a size that is refused leaves that of the system.
    unsafe { libc::pthread_attr_setstacksize(wishes.as_mut_ptr(), stack) };
    let mut thread = MaybeUninit::<libc::pthread_t>::uninit();
    let lane = ptr::without_provenance_mut(number);
    // SAFETY: room for its number; its function takes that of a lane.
    let made = unsafe {
        libc::pthread_create(thread.as_mut_ptr(), wishes.as_ptr(), start_function(), lane)
    };
    // SAFETY: made above, and used no more.
    unsafe { libc::pthread_attr_destroy(wishes.as_mut_ptr()) };
    if made != 0 {
        return false;
    }
    // SAFETY: pthread_create has said which.
    let thread = unsafe { thread.assume_init() };
    if let Ok(name) = CString::new(format!("lane-{number}")) {
        // SAFETY: nobody has joined or detached it yet.
        unsafe { libc::pthread_setname_np(thread, name.as_ptr()) };
    }
    // SAFETY: as above; nobody waits for its end.
    unsafe { libc::pthread_detach(thread) };
    true
}
