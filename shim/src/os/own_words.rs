//! Words of each thread that are read a hundred million times a second.
//!
//! Rust's own thread-locals in a shared library cost a call of `__tls_get_addr` each
//! time; these are an instruction or two (the initial-exec model, for which the linker
//! keeps room for libraries that come late: we need 32 bytes).

use std::ffi::c_void;

use crate::os::processor;

/// The thread's record; `model::thread::current` alone uses it.
pub(crate) const RECORD: usize = 0;
/// What it records with; `observe::own_trace` alone uses it.
pub(crate) const RECORDER: usize = 1;
/// The record of a platform thread while it carries a virtual one, whose record then is
/// [`RECORD`]; `model::thread::current` alone uses it.
pub(crate) const CARRIER: usize = 2;
/// The JNIEnv that the agent knows of the virtual thread that is mounted here;
/// `vm::jni::forwarding_env` alone uses it.
pub(crate) const MOUNTED_ENV: usize = 3;

/// This word of the calling thread; null at first.
#[inline(always)]
pub(crate) fn get<const WORD: usize>() -> *mut c_void {
    processor::own_word::<WORD>()
}

/// Sets it.
pub(crate) fn set<const WORD: usize>(value: *mut c_void) {
    processor::set_own_word::<WORD>(value);
}
