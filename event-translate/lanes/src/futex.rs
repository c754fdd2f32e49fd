//! Sleeping on a word of memory that two processes share.
#![allow(unsafe_code, reason = "a system call on a word of ours")]

use std::ptr;
use std::sync::atomic::AtomicU32;

/// Whoever changes the word wakes who sleeps on it: this is for what nobody has thought of.
const MOST_SECONDS: libc::time_t = 10;

/// Sleeps while the word is this, at most [`MOST_SECONDS`].
pub(crate) fn wait(word: &AtomicU32, while_it_is: u32) {
    let limit = libc::timespec {
        tv_sec: MOST_SECONDS,
        tv_nsec: 0,
    };
    // SAFETY: a word and a time that live as long as the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            while_it_is,
            &raw const limit,
            ptr::null::<u32>(),
            0,
        )
    };
}

/// Wakes who sleeps on it.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: a word that lives as long as the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
