//! pthread_cancel: no thread is cancelled in the middle of our code, whose frames and locks no such unwinding may pass.
//!
//! Sleeping, writing and reading are cancellation points; a function of ours that may do so, or calls the agent, is none. What
//! is asked for meanwhile happens at the caller's next one. (A thread that may be cancelled anywhere,
//! PTHREAD_CANCEL_ASYNCHRONOUS, is so when we let it again, which no code of C++ or Rust survives.)
#![allow(unsafe_code, reason = "a function of the C library's")]

use std::ffi::c_int;

/// PTHREAD_CANCEL_DISABLE of glibc's and musl's.
const DISABLED: c_int = 1;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

/// The calling thread cannot be cancelled until this is dropped.
pub(crate) struct Uncancelled {
    before: c_int,
}

impl Uncancelled {
    pub(crate) fn here() -> Self {
        let mut before = DISABLED;
        // SAFETY: a state there is, and a local out-parameter.
        unsafe { pthread_setcancelstate(DISABLED, &raw mut before) };
        Self { before }
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        let mut disabled = DISABLED;
        // SAFETY: what it was, and a local out-parameter.
        unsafe { pthread_setcancelstate(self.before, &raw mut disabled) };
    }
}
