//! A clock that costs some nanoseconds: the processor's, where it runs at the same speed
//! all the time and the kernel trusts it on all processors.
#![allow(unsafe_code, reason = "clock_gettime")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use once_cell::sync::OnceCell;

use crate::os::processor;

static PROCESSORS: AtomicBool = AtomicBool::new(false);
/// The first moment, in ticks and in nanoseconds.
static FIRST: OnceCell<(u64, u64)> = OnceCell::new();
/// Nanoseconds of a tick since then, times 2^32; 0 before they are measured.
static SCALE: AtomicU64 = AtomicU64::new(0);

/// Chooses the clock; before the first [`now`].
pub(crate) fn choose() {
    // Relaxed: a word that says nothing of others.
    PROCESSORS.store(processors_is_good(), Ordering::Relaxed);
    FIRST.get_or_init(|| (now(), nanos()));
}

/// Measures the clock by the kernel's: the better, the longer it was chosen.
pub(crate) fn measure() {
    const SHORTEST: u64 = 1_000_000;
    let Some(&(first_tick, first)) = FIRST.get() else {
        return;
    };
    let passed = nanos().saturating_sub(first);
    let ticks = now().saturating_sub(first_tick);
    if passed > SHORTEST && ticks > 0 {
        let scale = (u128::from(passed) << 32) / u128::from(ticks);
        SCALE.store(u64::try_from(scale).unwrap_or(0), Ordering::Relaxed);
    }
}

/// Ticks since [`choose`].
#[inline]
pub(crate) fn since_chosen() -> u64 {
    let first = FIRST.get().map_or(0, |(tick, _)| *tick);
    now().saturating_sub(first)
}

/// How long so many ticks are, in nanoseconds, by what was measured last; before, one each.
#[inline]
pub(crate) fn in_nanos(ticks: u64) -> u64 {
    in_known_nanos(ticks).unwrap_or(ticks)
}

/// The same, `None` before the clock was measured.
#[inline]
pub(crate) fn in_known_nanos(ticks: u64) -> Option<u64> {
    match SCALE.load(Ordering::Relaxed) {
        0 => None,
        scale => {
            let nanos = (u128::from(ticks) * u128::from(scale)) >> 32;
            Some(u64::try_from(nanos).unwrap_or(u64::MAX))
        }
    }
}

pub(super) fn processors_is_good() -> bool {
    // Where the kernel itself does not use it (it tests it), we do not either.
    let name = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = std::fs::read_to_string(name).unwrap_or_default();
    processor::COUNTERS.contains(&source.trim())
}

/// Ticks since some moment, of some length.
#[inline]
pub(crate) fn now() -> u64 {
    if PROCESSORS.load(Ordering::Relaxed)
        && let Some(ticks) = processor::counter()
    {
        return ticks;
    }
    nanos()
}

/// Two to this many ticks are 32 to 64 ns, or a tick is longer: less than it takes to tell another thread
/// of anything, through a handler.
pub(crate) fn short_step() -> u32 {
    /// The counter of an x86-64, which does not tell, ticks 2 to 4 times a nanosecond.
    const OF_X86_64: u32 = 7;
    if PROCESSORS.load(Ordering::Relaxed) {
        processor::counter_hertz().map_or(OF_X86_64, step_at)
    } else {
        step_at(1_000_000_000)
    }
}

/// Of so many ticks a second.
fn step_at(hertz: u64) -> u32 {
    let ticks = hertz.saturating_mul(64) / 1_000_000_000;
    ticks.checked_ilog2().unwrap_or(0)
}

/// What a reading itself takes, in ticks, at least.
pub(crate) fn reading() -> u64 {
    const TIMES: usize = 64;
    static READING: OnceCell<u64> = OnceCell::new();
    let between = |_| {
        let before = now();
        now().saturating_sub(before)
    };
    *READING.get_or_init(|| (0..TIMES).map(between).min().unwrap_or(0))
}

/// Nanoseconds since some moment; never goes back.
pub(crate) fn nanos() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds that all threads of the process have run.
pub(crate) fn cpu_nanos_of_process() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Nanoseconds of a clock that the kernel has.
pub(super) fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a local out-parameter.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    #[allow(
        clippy::useless_conversion,
        reason = "of what width depends on the processor"
    )]
    let nanos = i64::from(time.tv_sec) * 1_000_000_000 + i64::from(time.tv_nsec);
    u64::try_from(nanos).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::step_at;

    #[test]
    fn steps_are_at_most_64_ns() {
        assert_eq!(step_at(1_000_000_000), 6);
        assert_eq!(step_at(4_000_000_000), 8);
        // A tick of 40 ns.
        assert_eq!(step_at(25_000_000), 0);
    }
}
