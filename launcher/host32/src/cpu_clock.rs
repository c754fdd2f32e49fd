//! The processor time of a thread.
#![allow(unsafe_code, reason = "the kernel's clock")]

/// Nanoseconds of the processor that the calling thread has used here: one for the JVM's stands for no other.
pub(crate) fn own_nanos() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: room for it.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) } != 0 {
        return 0;
    }
    #[allow(clippy::useless_conversion, reason = "a long is wider elsewhere")]
    let [seconds, nanos] = [i64::from(time.tv_sec), i64::from(time.tv_nsec)];
    (seconds * 1_000_000_000 + nanos).cast_unsigned()
}
