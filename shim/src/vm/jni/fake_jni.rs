//! A thread's environment without a VM, for tests: it knows exceptions and nothing else.

#![allow(unsafe_code, reason = "a table of C functions")]

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;

use jvmpi_headers::jni::{JNIEnv, JNINativeInterface_, jint, jobject, jthrowable};

use crate::vm::jni::Jni;

thread_local! {
    /// The number of the pending exception; 0 for none.
    static PENDING: Cell<usize> = const { Cell::new(0) };
}

/// The number of the pending exception of the calling thread; 0 for none.
pub(crate) fn pending() -> usize {
    PENDING.get()
}

/// Throws one.
pub(crate) fn throw(number: usize) {
    PENDING.set(number);
}

unsafe extern "system" fn occurred(_: *mut JNIEnv) -> jthrowable {
    ptr::without_provenance_mut(PENDING.get())
}

unsafe extern "system" fn clear(_: *mut JNIEnv) {
    PENDING.set(0);
}

unsafe extern "system" fn check(_: *mut JNIEnv) -> bool {
    PENDING.get() != 0
}

unsafe extern "system" fn throws(_: *mut JNIEnv, thrown: jthrowable) -> jint {
    PENDING.set(thrown.addr());
    0
}

unsafe extern "system" fn delete_local(_: *mut JNIEnv, _: jobject) {}

/// Calls `body` with it.
pub(crate) fn with(body: impl FnOnce(Jni)) {
    let mut table = MaybeUninit::<JNINativeInterface_>::zeroed();
    let place = table.as_mut_ptr();
    macro_rules! put {
        ($name:ident, $function:expr) => {{
            // SAFETY: a place in the table's memory.
            let place = unsafe { &raw mut (*place).v1_2.$name };
            // SAFETY: as above.
            unsafe { place.write($function) };
        }};
    }
    put!(ExceptionOccurred, occurred);
    put!(ExceptionClear, clear);
    put!(ExceptionCheck, check);
    put!(Throw, throws);
    put!(DeleteLocalRef, delete_local);
    let mut env: JNIEnv = place.cast_const();
    // SAFETY: it is used on this thread only, while it lives.
    if let Some(jni) = unsafe { Jni::from_raw(&raw mut env) } {
        body(jni);
    }
}
