//! CPU time = the kernel's at some moment + the processor's counter since, for as long as the
//! thread has not been off its processor. Whether it has, the kernel tells by `rseq`: when a
//! thread is preempted, sleeps, moves or gets a signal, the kernel clears the thread's word
//! `rseq_cs`, unless the thread is in the critical section that the word names. Ours is one that
//! nobody is ever in (JVMTI facts 34).
//!
//! # Order
//! A reading takes its copies of the thread's [`Own`], then the counter, then looks at the word:
//! whatever came in between shows there. Only a signal handler can change `Own` meanwhile. If it
//! has read the clock it has moved `last`, so that the reading's own move of it fails. The
//! compiler moves nothing across: both assembler pieces are barriers to it. The processor needs none, since a
//! thread sees its own interruptions in order.
//!
//! # Others' critical sections
//! A word that is neither zero nor ours is left alone, and the system call used, until the kernel clears
//! it. The signal before the abort address is the one that glibc has registered.
//!
//! # Safety
//! `fs:0` is the thread's own address, from which its own variables have fixed distances; `Own`
//! and the `rseq` area are such variables, used by their thread only.
#![allow(
    unsafe_code,
    reason = "thread-local words in assembler; the kernel's area"
)]

use std::arch::asm;
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use super::kernels;
use crate::os::{library, ticks};

#[cfg(test)]
#[path = "stepped.rs"]
mod stepped;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;
#[path = "trial.rs"]
mod trial;

/// Where the kernel's area lies, from `fs:0`.
static AREA: AtomicIsize = AtomicIsize::new(0);
/// The address of our critical section's description; 0 while the way is not trusted.
static OURS: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds of a tick, times 2³².
static SCALE: AtomicU64 = AtomicU64::new(0);
/// So many ticks after it the kernel's clock is asked anew: what it does not count, and what is
/// wrong with `SCALE`, adds up no longer than that.
static STRIDE: AtomicU64 = AtomicU64::new(0);
/// A question to it that takes more ticks was interrupted, and does not say when it was answered.
static LONGEST: AtomicU64 = AtomicU64::new(0);
/// See [`STRIDE`].
const STRIDE_NANOS: u64 = 500_000;

/// What a thread knows.
#[repr(C)]
pub(super) struct Own {
    /// The kernel's clock...
    cpu: AtomicU64,
    /// ... at this reading of the counter; 0: ask it anew.
    tick: AtomicU64,
    /// The last value given.
    last: AtomicU64,
}

crate::os::processor::words_of_thread!("jvmpi_cpu_clock", 24);

/// The calling thread's. The reference must not leave the thread.
#[inline(always)]
fn own<'a>() -> &'a Own {
    let own: *const Own;
    // SAFETY: see the module documentation.
    unsafe {
        asm!(
            "mov {own}, qword ptr [rip + jvmpi_cpu_clock@GOTTPOFF]",
            "add {own}, qword ptr fs:[0]",
            own = out(reg) own,
            options(pure, readonly, nostack),
        );
    }
    // SAFETY: three words of this thread's, all zero at first.
    unsafe { &*own }
}

/// The word `rseq_cs` of the calling thread. The reference must not leave the thread.
#[inline(always)]
fn word<'a>() -> &'a AtomicU64 {
    /// Behind two numbers of the processor.
    const WORD: isize = 8;
    let thread: usize;
    // SAFETY: see the module documentation.
    unsafe {
        asm!("mov {}, qword ptr fs:[0]", out(reg) thread, options(pure, readonly, nostack, preserves_flags));
    }
    // Relaxed: all but what `OURS` releases is the thread's own (see the module's "Order"); of a
    // refined scale it does not matter who has seen it.
    let place = thread.wrapping_add_signed(AREA.load(Relaxed) + WORD);
    // SAFETY: glibc has registered the area, and says where it is; eight bytes, aligned.
    unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(place)) }
}

/// The processor's counter.
#[inline(always)]
fn counter() -> u64 {
    let (low, high): (u64, u64);
    // SAFETY: every x86-64 processor has this instruction. Not `nomem`: see "Order".
    unsafe {
        asm!("rdtsc", out("rax") low, out("rdx") high, options(nostack, preserves_flags));
    }
    high << 32 | low
}

/// Compares and exchanges in one step for this thread and its signal handlers, which needs no lock
/// of the bus: that would cost as much as the rest. False if the word was another.
#[inline(always)]
fn exchange(word: &AtomicU64, from: u64, to: u64) -> bool {
    let found: u64;
    // SAFETY: a word that no other thread uses.
    unsafe {
        asm!(
            "cmpxchg qword ptr [{word}], {to}",
            word = in(reg) word.as_ptr(),
            to = in(reg) to,
            inout("rax") from => found,
            options(nostack),
        );
    }
    found == from
}

/// `None` where this way is not trusted.
#[inline]
pub(super) fn nanos() -> Option<u64> {
    let ours = OURS.load(std::sync::atomic::Ordering::Acquire);
    if ours == 0 {
        return None;
    }
    let own = own();
    let last = own.last.load(Relaxed);
    let cpu = own.cpu.load(Relaxed);
    let tick = own.tick.load(Relaxed);
    let passed = counter().wrapping_sub(tick);
    if word().load(Relaxed) == ours && passed < STRIDE.load(Relaxed) {
        let value = last.max(cpu + ((passed * SCALE.load(Relaxed)) >> 32));
        if exchange(&own.last, last, value) {
            return Some(value);
        }
    }
    Some(ask(own, ours))
}

/// Asks the kernel, and begins anew.
#[cold]
#[inline(never)]
fn ask(own: &Own, ours: u64) -> u64 {
    /// One that is interrupted so often counts without a beginning.
    const TRIES: usize = 4;
    for _ in 0..TRIES {
        let last = own.last.load(Relaxed);
        // A handler in the middle of this must not go by what has been.
        own.tick.store(0, Relaxed);
        if word().load(Relaxed) != ours && !exchange(word(), 0, ours) {
            break;
        }
        let from = counter();
        let cpu = kernels();
        let took = counter().wrapping_sub(from);
        own.cpu.store(cpu, Relaxed);
        own.tick.store(from.wrapping_add(took / 2), Relaxed);
        // Another value than the last one, so that a reading that this handler has interrupted
        // can tell.
        let value = cpu.max(last + 1);
        if took < LONGEST.load(Relaxed)
            && word().load(Relaxed) == ours
            && exchange(&own.last, last, value)
        {
            refine();
            return value;
        }
    }
    own.tick.store(0, Relaxed);
    loop {
        let last = own.last.load(Relaxed);
        let value = kernels().max(last + 1);
        if exchange(&own.last, last, value) {
            return value;
        }
    }
}

/// One moment on the counter and on the clock that nobody sets, in nanoseconds.
#[derive(Clone, Copy)]
struct Moment {
    tick: u64,
    nanos: u64,
}

impl Moment {
    /// The best of some: the thread may be interrupted between the two.
    fn now() -> Self {
        let pair = || {
            let from = counter();
            let nanos = ticks::read(libc::CLOCK_MONOTONIC_RAW);
            let took = counter().wrapping_sub(from);
            let tick = from.wrapping_add(took / 2);
            (took, Self { tick, nanos })
        };
        let more = (0..7).map(|_| pair());
        let best = more.fold(
            pair(),
            |best, next| if next.0 < best.0 { next } else { best },
        );
        best.1
    }

    /// Nanoseconds of a tick since then, times 2³²; `None` if the counter has not moved.
    fn scale_until(self, now: Self) -> Option<u64> {
        let ticks = now.tick.checked_sub(self.tick).filter(|ticks| *ticks > 0)?;
        let nanos = u128::from(now.nanos.saturating_sub(self.nanos));
        u64::try_from((nanos << 32) / u128::from(ticks)).ok()
    }
}

/// What `SCALE` was measured from, and when to do so again, by the counter.
static MEASURED: Mutex<Option<(Moment, u64)>> = Mutex::new(None);

/// Measures the length of a tick again, over longer and longer stretches up to a minute: a
/// virtual machine may have come to another processor.
fn refine() {
    // A handler may have interrupted who has it.
    let Some(mut measured) = MEASURED.try_lock() else {
        return;
    };
    let Some((since, again)) = *measured else {
        return;
    };
    if counter() < again {
        return;
    }
    let now = Moment::now();
    if let Some(scale) = since.scale_until(now) {
        SCALE.store(scale, Relaxed);
        let minute = STRIDE
            .load(Relaxed)
            .saturating_mul(60_000_000_000 / STRIDE_NANOS);
        let stretch = now.tick.wrapping_sub(since.tick);
        // Beyond a minute the beginning moves along.
        let since = if stretch < minute { since } else { now };
        *measured = Some((since, now.tick.saturating_add(stretch.min(minute))));
    }
}

/// In the child of a fork the one thread begins at zero.
extern "C" fn in_child() {
    let own = own();
    own.tick.store(0, Relaxed);
    own.last.store(0, Relaxed);
}

/// Tries it, and trusts it from then on; else why not.
pub(super) fn start() -> Result<(), &'static str> {
    trial::run()
}
