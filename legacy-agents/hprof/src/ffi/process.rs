//! What kind of process the agent was loaded into.
//!
//! # Safety
//!
//! Every block calls a function of libc, or the one of JNI that any thread may call, with
//! memory of ours to fill.
#![allow(unsafe_code, reason = "symbols of the process")]

use std::ffi::c_void;
use std::ptr;

use jvmpi_headers::jni::{JavaVM, jint};

/// Whether the agent comes to a program that is running: that one is not ours to end. A VM that
/// is still starting is not among those that are created (JDK 11 says so from the beginning;
/// but it starts on a thread that bears the process's name, and loads agents later on another).
pub(crate) fn program_runs() -> bool {
    created_vms() > 0 && name_of("thread-self") != name_of("self")
}

fn created_vms() -> jint {
    type Created = unsafe extern "system" fn(*mut *mut JavaVM, jint, *mut jint) -> jint;
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"JNI_GetCreatedJavaVMs".as_ptr()) };
    if found.is_null() {
        return 0;
    }
    // SAFETY: the symbol's type in the specification of JNI.
    let created = unsafe { std::mem::transmute::<*mut c_void, Created>(found) };
    let (mut vm, mut count) = (ptr::null_mut(), 0);
    // SAFETY: there is room for one.
    let code = unsafe { created(&raw mut vm, 1, &raw mut count) };
    if code == 0 { count } else { 0 }
}

fn name_of(whose: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{whose}/comm")).ok()
}
