//! Whether the fast path does here what it relies on, tried on a thread of our own.

use std::mem::size_of;
use std::thread;

use super::*;
use crate::os::children;

/// What the kernel reads at the address that stands in `rseq_cs`, then an abort address with
/// its signature. Nothing of it is ever run.
#[repr(C, align(32))]
struct Description {
    version: u32,
    flags: u32,
    start: u64,
    length: u64,
    abort: u64,
    range: [u8; 32],
    signature: u32,
    code: [u8; 28],
}

/// What glibc registers on x86-64.
const SIGNATURE: u32 = 0x5305_3053;
/// A question to the kernel that takes longer has an answer of no known time, by half of it.
const LONGEST_NANOS: u64 = 3_000;

/// Puts the description where it stays when this library is gone, since threads may keep its address;
/// and where nobody writes, since the kernel ends a process whose description is wrong.
pub(super) fn describe() -> Option<u64> {
    let size = size_of::<Description>();
    // SAFETY: new memory where the kernel likes.
    let page = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    let start = page.expose_provenance() as u64;
    let description = Description {
        version: 0,
        flags: 0,
        start: start + std::mem::offset_of!(Description, range) as u64,
        length: 32,
        abort: start + std::mem::offset_of!(Description, code) as u64,
        range: [0; 32],
        signature: SIGNATURE,
        code: [0; 28],
    };
    // SAFETY: large enough, aligned to a page, and nobody else's.
    unsafe { page.cast::<Description>().write(description) };
    // SAFETY: the mapping made above.
    let sealed = unsafe { libc::mprotect(page, size, libc::PROT_READ) };
    (sealed == 0).then_some(start)
}

pub(super) fn run() -> Result<(), &'static str> {
    if !ticks::processors_is_good() {
        return Err("the kernel does not trust the processor's counter");
    }
    let size: Option<u32> = library::variable_of_libc(c"__rseq_size");
    let area: Option<isize> = library::variable_of_libc(c"__rseq_offset");
    let (Some(1..), Some(area)) = (size, area) else {
        return Err("the C library has not registered rseq");
    };
    let ours = describe().ok_or("no memory")?;
    // Relaxed: the thread that tries is made behind this; all others read it behind `OURS`.
    AREA.store(area, Relaxed);
    // It is tied to a processor meanwhile, which no thread of the program shall be.
    let tried = thread::Builder::new().spawn(move || on_own_thread(ours));
    tried
        .map_err(|_| "no thread to try the other way")?
        .join()
        .unwrap_or(Err("trying the other way failed"))?;
    if !children::at_fork(in_child) {
        OURS.store(0, Relaxed);
        return Err("no memory");
    }
    Ok(())
}

fn on_own_thread(ours: u64) -> Result<(), &'static str> {
    mask_signals();
    stay_on_this_processor();
    let since = Moment::now();
    // Sleeping it gives its processor up in a call of the kernel's and, since it stays there,
    // comes back to the same one: the change that a kernel is likeliest to pass over.
    for _ in 0..4 {
        word().store(ours, Relaxed);
        thread::sleep(std::time::Duration::from_micros(50));
        if word().load(Relaxed) == ours {
            word().store(0, Relaxed);
            return Err("the kernel does not say when a thread has slept");
        }
    }
    let now = Moment::now();
    let scale = since.scale_until(now).filter(|scale| *scale > 0);
    let scale = scale.ok_or("the processor's counter stands still")?;
    let ticks = |nanos: u64| (nanos << 32) / scale;
    SCALE.store(scale, Relaxed);
    STRIDE.store(ticks(STRIDE_NANOS), Relaxed);
    LONGEST.store(ticks(LONGEST_NANOS), Relaxed);
    let again = now.tick.saturating_add(now.tick.wrapping_sub(since.tick));
    *MEASURED.lock() = Some((since, again));
    OURS.store(ours, std::sync::atomic::Ordering::Release);
    if (0..10).any(|_| agrees()) {
        return Ok(());
    }
    OURS.store(0, Relaxed);
    word().store(0, Relaxed);
    Err("it disagrees with the kernel's clock, or asking for that takes too long")
}

/// Whether a value is read without the kernel, as it never is where asking that takes too long, and lies between the
/// kernel's before and after it, some time behind the beginning.
fn agrees() -> bool {
    const RUN: u64 = STRIDE_NANOS / 5;
    const SLACK: u64 = LONGEST_NANOS / 2;
    let begin = nanos().unwrap_or(0);
    let asked = own().tick.load(Relaxed);
    while kernels() < begin + RUN {}
    let before = kernels();
    let value = nanos().unwrap_or(0);
    let after = kernels();
    let is_read_without = asked != 0 && own().tick.load(Relaxed) == asked;
    is_read_without && (before..after + SLACK).contains(&(value + SLACK / 2))
}

/// Handlers of the program's and of the agent's have no business on this thread.
fn mask_signals() {
    // SAFETY: plain data.
    let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a set of ours.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: a set that is filled in; the old one is not asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut()) };
}

/// Where this is forbidden the thread will mostly stay by itself.
fn stay_on_this_processor() {
    // SAFETY: plain data.
    let mut here: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: no arguments.
    let processor = unsafe { libc::sched_getcpu() };
    let Ok(processor) = usize::try_from(processor) else {
        return;
    };
    // SAFETY: a set of ours; numbers beyond it are left out.
    unsafe { libc::CPU_SET(processor, &mut here) };
    // SAFETY: this thread, and a set that is filled in.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const here) };
}
