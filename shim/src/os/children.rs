//! What children begin with that the process forks.
#![allow(unsafe_code, reason = "a function of the C library")]

/// Calls `begin` in each child that fork() makes, before that does anything else: it has the memory of its
/// parent, and one thread. False without memory.
#[must_use]
pub(crate) fn at_fork(begin: extern "C" fn()) -> bool {
    // SAFETY: a function that stays as long as this library does; glibc forgets it before.
    unsafe { libc::pthread_atfork(None, None, Some(begin)) == 0 }
}
