//! The CPU time of the calling thread: without a system call where that is known to be right.
//!
//! # Threads
//! Any, of the VM's or not, signal handlers too. What is kept belongs to the thread of the
//! system: a virtual thread reads the clock of whichever carries it.

use std::sync::Once;

use crate::base::log;
use crate::os::ticks;

#[cfg(target_arch = "x86_64")]
#[path = "cpu_clock/x86_64.rs"]
mod fast;
#[cfg(not(target_arch = "x86_64"))]
#[path = "cpu_clock/unsupported.rs"]
mod fast;

/// Chooses the way, at its first call; before it, and where the fast path is not to be trusted,
/// each reading is a system call. Takes a millisecond, most of it asleep.
pub(crate) fn choose() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| match fast::start() {
        Ok(()) => log::info!("CPU time is read without a system call while a thread runs on"),
        Err(why) => log::info!("CPU time is read by a system call: {why}"),
    });
}

/// Nanoseconds that the calling thread has run; never goes back. As exact as the kernel's clock,
/// but for two microseconds and for what something below the scheduler (interrupts, where they
/// are not the thread's; the host of a virtual machine) took from the thread within
/// the last half of a millisecond.
#[inline]
pub(crate) fn nanos() -> u64 {
    fast::nanos().unwrap_or_else(kernels)
}

/// The kernel's own.
fn kernels() -> u64 {
    ticks::read(libc::CLOCK_THREAD_CPUTIME_ID)
}
