//! errno of the calling thread.
//!
//! The VM, and we with it, come between a system call of the program's native code and its look
//! at errno: when it makes a reference or an object by JNI, calls a Java method, or returns.
#![allow(unsafe_code, reason = "errno is a place in C")]

use std::ffi::c_int;

/// errno is what it was when this is dropped.
pub(crate) struct ErrnoKept {
    place: *mut c_int,
    before: c_int,
}

impl ErrnoKept {
    #[inline]
    pub(crate) fn here() -> Self {
        // SAFETY: the place is the calling thread's for as long as it lives.
        let place = unsafe { libc::__errno_location() };
        // SAFETY: as above.
        let before = unsafe { place.read() };
        Self { place, before }
    }
}

impl Drop for ErrnoKept {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a pointer keeps this from leaving its thread.
        unsafe { self.place.write(self.before) };
    }
}
