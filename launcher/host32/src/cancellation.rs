//! pthread_cancel: a thread is cancelled behind our functions, as in the VM's own process.
#![allow(unsafe_code, reason = "a function of the C library's")]

use std::ffi::c_int;
use std::ptr;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

/// The calling thread cannot be cancelled until this is dropped: a talk has to come to its end, and the handlers in it.
pub(crate) struct Uncancelled {
    before: c_int,
}

impl Uncancelled {
    pub(crate) fn here() -> Self {
        /// PTHREAD_CANCEL_DISABLE.
        const DISABLED: c_int = 1;
        let mut before = DISABLED;
        // SAFETY: a state there is, and a local out-parameter.
        unsafe { pthread_setcancelstate(DISABLED, ptr::from_mut(&mut before)) };
        Self { before }
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        let mut now = 0;
        // SAFETY: what it was, and a local out-parameter.
        unsafe { pthread_setcancelstate(self.before, &raw mut now) };
    }
}
