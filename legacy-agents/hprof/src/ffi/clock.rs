//! Clocks and dates.
//!
//! # Safety
//!
//! Every block calls a function of libc with a structure of ours to fill.
#![allow(unsafe_code, reason = "the C library's clocks")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::ffi::host;
use crate::options::Clock;

/// Nanoseconds of a clock, since some time.
#[inline]
pub(crate) fn now(clock: Clock) -> u64 {
    read(match clock {
        Clock::Cpu => libc::CLOCK_THREAD_CPUTIME_ID,
        Clock::Wall => libc::CLOCK_MONOTONIC,
    })
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: see the module documentation.
    unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) };
    // SAFETY: of integers, and zeroed.
    let time = unsafe { time.assume_init() };
    #[allow(
        clippy::useless_conversion,
        reason = "of what width depends on the processor"
    )]
    let nanos = i64::from(time.tv_sec) * 1_000_000_000 + i64::from(time.tv_nsec);
    nanos.cast_unsigned()
}

/// What a stretch of time is measured with. Reading it is most of what `cpu=times`
/// costs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Watch {
    /// The kernel's clock of the thread.
    Thread,
    /// The same by the host, which may have a shorter way to it than a system call.
    Host,
    /// The kernel's clock of the machine.
    Machine,
    /// The processor's counter, which the kernel's clock is made from: half the price.
    /// With its reading, and the clock's in nanoseconds, at the start.
    Counter { ticks: u64, nanos: u64 },
}

impl Watch {
    pub(crate) fn new(clock: Clock) -> Self {
        match clock {
            Clock::Cpu if is_the_threads(host::cpu_time) || !vm_is_here() => Self::Host,
            Clock::Cpu => Self::Thread,
            Clock::Wall if counter_is_trusted() => Self::Counter {
                ticks: counter(),
                nanos: now(Clock::Wall),
            },
            Clock::Wall => Self::Machine,
        }
    }

    /// Its reading, in units of its own.
    #[inline]
    pub(crate) fn read(self) -> u64 {
        match self {
            Self::Thread => now(Clock::Cpu),
            Self::Host => host::cpu_time().unwrap_or(0),
            Self::Machine => now(Clock::Wall),
            Self::Counter { .. } => counter(),
        }
    }

    /// What one reading takes, in its own units: that much lies between two readings with
    /// nothing in between. The median, for the thread may be interrupted.
    pub(crate) fn cost(self) -> u64 {
        const READINGS: usize = 2000;
        let readings: Vec<u64> = (0..=READINGS).map(|_| self.read()).collect();
        let mut costs: Vec<u64> = readings
            .windows(2)
            // The first ones pay for memory.
            .skip(READINGS / 4)
            .map(|pair| {
                pair.last()
                    .zip(pair.first())
                    .map_or(0, |(to, from)| to.saturating_sub(*from))
            })
            .collect();
        costs.sort_unstable();
        costs.get(costs.len() / 2).copied().unwrap_or(0)
    }

    /// What another thread, of this number, would read.
    pub(crate) fn read_for(self, tid: i32) -> u64 {
        match self {
            Self::Thread | Self::Host => of_thread(tid),
            Self::Machine | Self::Counter { .. } => self.read(),
        }
    }

    /// Nanoseconds of a unit.
    #[allow(
        clippy::cast_precision_loss,
        reason = "52 bits of nanoseconds are 52 days"
    )]
    pub(crate) fn unit(self) -> f64 {
        match self {
            Self::Thread | Self::Host | Self::Machine => 1.0,
            Self::Counter { ticks, nanos } => {
                let passed = counter().wrapping_sub(ticks).max(1);
                now(Clock::Wall).saturating_sub(nanos) as f64 / passed as f64
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: an instruction that all processors of this kind have.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn counter() -> u64 {
    let ticks;
    // SAFETY: reads a register that Linux lets programs read.
    unsafe {
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    ticks
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline]
fn counter() -> u64 {
    now(Clock::Wall)
}

/// GetCurrentThreadCpuTime may be any clock of any unit: one of nanoseconds that goes on while the
/// thread runs, and stands while it sleeps, is the thread's. What is held against what are the
/// host's answers alone, so that a replay, where they are another run's, decides as that one did.
///
/// The kernel's clock of a thread goes on while an interrupt, or another machine on this processor, has the time: one
/// look may be spoilt by that. One of wall time or another unit passes none.
fn is_the_threads(ask: impl Fn() -> Option<u64>) -> bool {
    const LOOKS: usize = 5;
    (0..LOOKS).any(|_| goes_as_the_threads(&ask))
}

fn goes_as_the_threads(ask: impl Fn() -> Option<u64>) -> bool {
    const RUN: u64 = 200_000;
    const SLEEP: u64 = 3_000_000;
    let first = ask();
    // Behind it: the host may have had to find out how it reads that clock.
    let begin = now(Clock::Cpu);
    while now(Clock::Cpu) < begin + RUN {}
    let second = ask();
    std::thread::sleep(std::time::Duration::from_nanos(SLEEP));
    let third = ask();
    let (Some(first), Some(second), Some(third)) = (first, second, third) else {
        return false;
    };
    let run = second.saturating_sub(first);
    (RUN / 2..2 * RUN).contains(&run) && third >= second && third - second < SLEEP / 2
}

/// The kernel uses it itself: it runs at one speed, and alike on all processors.
fn counter_is_trusted() -> bool {
    const PLACE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let name = match std::env::consts::ARCH {
        "x86_64" => "tsc",
        "aarch64" => "arch_sys_counter",
        _ => return false,
    };
    std::fs::read_to_string(PLACE).is_ok_and(|source| source.trim() == name)
}

/// The running time of any thread of this process in nanoseconds, 0 when it is gone.
pub(crate) fn of_thread(tid: i32) -> u64 {
    /// The kernel's: a thread's scheduler clock is `~tid << 3` with these bits.
    const PER_THREAD_SCHED: i32 = 6;
    read((!tid << 3) | PER_THREAD_SCHED)
}

/// The calling thread's number in the kernel; 0 where the host's threads are another process's, and
/// the kernel's word on this one says nothing of them.
pub(crate) fn own_tid() -> i32 {
    if !vm_is_here() {
        return 0;
    }
    // SAFETY: no arguments, no failure.
    unsafe { libc::gettid() }
}

/// Whether a VM is in this process: a host may run its agents in another one.
fn vm_is_here() -> bool {
    static HERE: OnceLock<bool> = OnceLock::new();
    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        found: *mut c_void,
    ) -> c_int {
        // SAFETY: filled in by the dynamic linker, which calls this.
        let name = unsafe { (*info).dlpi_name };
        // SAFETY: a text, if it is not NULL.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes());
        let is_vm = name.is_some_and(|name| name.ends_with(b"/libjvm.so"));
        if is_vm {
            // SAFETY: the place that is handed over below.
            unsafe { *found.cast::<bool>() = true };
        }
        c_int::from(is_vm)
    }
    *HERE.get_or_init(|| {
        let mut found = cfg!(test);
        // SAFETY: `look` gets the place and keeps nothing.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
        found
    })
}

/// `Wed Oct  7 11:38:10 1998`, in local time.
pub(crate) fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let seconds = libc::time_t::try_from(seconds).unwrap_or(0);
    let mut parts = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: see the module documentation.
    let known = unsafe { !libc::localtime_r(&raw const seconds, parts.as_mut_ptr()).is_null() };
    if !known {
        return "Thu Jan  1 00:00:00 1970".to_owned();
    }
    // SAFETY: filled in, and of integers and a pointer that is not used.
    let parts = unsafe { parts.assume_init() };
    let name = |names: &[&'static str], index: i32| {
        let name = usize::try_from(index).ok().and_then(|i| names.get(i));
        name.copied().unwrap_or("???")
    };
    format!(
        "{} {} {:2} {:02}:{:02}:{:02} {}",
        name(
            &["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
            parts.tm_wday
        ),
        name(
            &[
                "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
            ],
            parts.tm_mon
        ),
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min,
        parts.tm_sec,
        parts.tm_year + 1900
    )
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn clocks_go_forward_and_dates_have_24_characters() {
        let before = now(Clock::Cpu);
        assert!(now(Clock::Cpu) >= before);
        assert!(of_thread(own_tid()) >= before);
        let watch = Watch::new(Clock::Wall);
        // Around the watch's two, however long it takes from one to the other.
        let (from, start) = (now(Clock::Wall), watch.read());
        std::thread::sleep(std::time::Duration::from_millis(20));
        #[allow(clippy::cast_precision_loss, reason = "a test")]
        let measured = (watch.read() - start) as f64 * watch.unit();
        let passed = now(Clock::Wall) - from;
        assert!(
            measured > 19e6 && measured < 1e6 + 1.1 * passed as f64,
            "{measured} {passed}"
        );
        assert_eq!(date(SystemTime::now()).len(), 24);
    }

    #[test]
    fn the_threads_clock_is_told_from_others() {
        let cpu = || now(Clock::Cpu);
        assert!(is_the_threads(|| Some(cpu())));
        // Somebody else had the processor for 5 ms of the first look, and for as long of the second.
        let (asked, stolen) = (Cell::new(0), Cell::new(0));
        let disturbed = || {
            asked.set(asked.get() + 1);
            if matches!(asked.get(), 2 | 6) {
                stolen.set(stolen.get() + 5_000_000);
            }
            Some(cpu() + stolen.get())
        };
        assert!(is_the_threads(disturbed));
        assert!(!is_the_threads(|| Some(now(Clock::Wall))));
        assert!(!is_the_threads(|| Some(cpu() / 1000)));
        assert!(!is_the_threads(|| None));
    }
}
