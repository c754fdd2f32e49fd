//! Where a thread is, and four words of its own.
//!
//! # Safety
//! Reads registers, words of the calling thread, and a context that the caller vouches for.
#![allow(unsafe_code, reason = "assembler; a signal's context")]

use std::ffi::c_void;

use crate::os::processor::Registers;

crate::os::processor::words_of_thread!("jvmpi_own", 32);

/// One of four words of the calling thread; null at first.
#[inline(always)]
pub(crate) fn own_word<const WORD: usize>() -> *mut c_void {
    const { assert!(WORD < 4) };
    let value: *mut c_void;
    // SAFETY: reads eight bytes of this thread's own.
    unsafe {
        std::arch::asm!(
            "adrp {place}, :gottprel:jvmpi_own",
            "ldr {place}, [{place}, :gottprel_lo12:jvmpi_own]",
            "mrs {value}, tpidr_el0",
            "add {place}, {place}, {value}",
            "ldr {value}, [{place}, #8 * {word}]",
            place = out(reg) _,
            value = out(reg) value,
            word = const WORD,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    value
}

/// Sets it.
pub(crate) fn set_own_word<const WORD: usize>(value: *mut c_void) {
    const { assert!(WORD < 4) };
    // SAFETY: writes eight bytes of this thread's own.
    unsafe {
        std::arch::asm!(
            "adrp {place}, :gottprel:jvmpi_own",
            "ldr {place}, [{place}, :gottprel_lo12:jvmpi_own]",
            "mrs {thread}, tpidr_el0",
            "add {place}, {place}, {thread}",
            "str {value}, [{place}, #8 * {word}]",
            place = out(reg) _,
            thread = out(reg) _,
            value = in(reg) value,
            word = const WORD,
            options(nostack, preserves_flags),
        );
    }
}

/// Where the stack is: a number that is lower in a callee of the caller.
#[inline(always)]
pub(crate) fn stack_here() -> usize {
    let here: usize;
    // SAFETY: reads a register.
    unsafe {
        std::arch::asm!("mov {}, sp", out(reg) here, options(nomem, nostack, preserves_flags));
    }
    here
}

/// The registers of a signal's context, and those that are not numbered.
fn machine(context: *mut c_void) -> *mut libc::mcontext_t {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: an address inside of the structure; nothing is read.
    unsafe { &raw mut (*context).uc_mcontext }
}

const FP: usize = 29;
const LINK: usize = 30;

/// Where a signal has interrupted the thread.
///
/// # Safety
/// `context` is the third argument of a handler.
pub(crate) unsafe fn registers(context: *mut c_void) -> Registers {
    // SAFETY: the caller's context.
    let machine = unsafe { &*machine(context) };
    let numbered = |at: usize| machine.regs.get(at).map_or(0, |value| *value as usize);
    Registers {
        pc: machine.pc as usize,
        sp: machine.sp as usize,
        fp: numbered(FP),
        link: Some(numbered(LINK)),
    }
}

/// Changes it; the link is left as it is.
///
/// # Safety
/// As of [`registers`].
pub(crate) unsafe fn set_registers(context: *mut c_void, to: Registers) {
    // SAFETY: the caller's context.
    let machine = unsafe { &mut *machine(context) };
    machine.pc = to.pc as u64;
    machine.sp = to.sp as u64;
    if let Some(fp) = machine.regs.get_mut(FP) {
        *fp = to.fp as u64;
    }
}

/// What a handler returns to is in a register: it is not known where the signal's context lies of a
/// handler that has not begun.
pub(crate) const CONTEXT_BEHIND: Option<usize> = None;

/// What the kernel calls the clock that is the processor's counter.
pub(crate) const COUNTERS: &[&str] = &["arch_sys_counter"];

/// How often it counts in a second, where the processor tells: 25 to 100 million times, since ARMv8.6 a
/// thousand million times.
pub(crate) fn counter_hertz() -> Option<u64> {
    let hertz: u64;
    // SAFETY: reads a register that Linux lets programs read.
    unsafe {
        std::arch::asm!("mrs {}, cntfrq_el0", out(reg) hertz, options(pure, nomem, nostack, preserves_flags));
    }
    Some(hertz)
}

/// The processor's counter, where it has one.
#[inline(always)]
pub(crate) fn counter() -> Option<u64> {
    let ticks: u64;
    // SAFETY: reads a register that Linux lets programs read. What comes before is done before.
    unsafe {
        std::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    Some(ticks)
}
