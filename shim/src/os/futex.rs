//! Sleeping on a word of memory, and waking whoever does: also in a signal handler.
#![allow(unsafe_code, reason = "a system call on a word of ours")]

use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps while the word is this, at most so long; it may return earlier.
#[allow(
    clippy::unnecessary_fallible_conversions,
    reason = "of what width depends on the processor"
)]
pub(crate) fn wait(word: &AtomicU32, while_it_is: u32, at_most: Duration) {
    let limit = libc::timespec {
        tv_sec: at_most.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: at_most.subsec_nanos().try_into().unwrap_or(0),
    };
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: a word and a time that live as long as the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            operation,
            while_it_is,
            &raw const limit,
            ptr::null::<u32>(),
            0,
        )
    };
}

/// Wakes who sleeps on it.
pub(crate) fn wake(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: a word that lives as long as the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, i32::MAX) };
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    use super::*;
    use crate::os::tasks;

    #[test]
    fn one_sleeps_until_it_is_woken_or_the_time_is_over() {
        static WORD: AtomicU32 = AtomicU32::new(1);
        let begun = Instant::now();
        wait(&WORD, 0, Duration::from_secs(60));
        assert!(begun.elapsed() < Duration::from_secs(30), "another value");
        wait(&WORD, 1, Duration::from_millis(1));
        let (tell, told) = std::sync::mpsc::channel();
        let sleeper = std::thread::spawn(move || {
            tell.send(tasks::own()).unwrap();
            while WORD.load(Ordering::SeqCst) == 1 {
                wait(&WORD, 1, Duration::from_secs(60));
            }
        });
        let tid = told.recv().unwrap();
        while tasks::waits(tid) == Some(false) {
            std::thread::yield_now();
        }
        WORD.store(0, Ordering::SeqCst);
        wake(&WORD);
        sleeper.join().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
