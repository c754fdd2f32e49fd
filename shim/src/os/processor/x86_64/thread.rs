//! Where a thread is, and four words of its own.
//!
//! # Safety
//! Reads registers, words of the calling thread, and a context that the caller vouches for.
#![allow(unsafe_code, reason = "assembler; a signal's context")]

use std::ffi::{c_int, c_void};

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
            "mov {value}, qword ptr [rip + jvmpi_own@GOTTPOFF]",
            "mov {value}, qword ptr fs:[{value} + 8 * {word}]",
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
            "mov {place}, qword ptr [rip + jvmpi_own@GOTTPOFF]",
            "mov qword ptr fs:[{place} + 8 * {word}], {value}",
            place = out(reg) _,
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
        std::arch::asm!("mov {}, rsp", out(reg) here, options(nomem, nostack, preserves_flags));
    }
    here
}

const REGISTERS: [c_int; 3] = [libc::REG_RIP, libc::REG_RSP, libc::REG_RBP];

fn register(context: *mut c_void, which: c_int) -> *mut libc::greg_t {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: an address inside of the structure; nothing is read.
    let all = unsafe { &raw mut (*context).uc_mcontext.gregs };
    all.cast::<libc::greg_t>()
        .wrapping_add(usize::try_from(which).unwrap_or(0))
}

/// Where a signal has interrupted the thread.
///
/// # Safety
/// `context` is the third argument of a handler.
pub(crate) unsafe fn registers(context: *mut c_void) -> Registers {
    let [pc, sp, fp] = REGISTERS.map(|which| {
        // SAFETY: the caller's context.
        let value = unsafe { register(context, which).read() };
        usize::try_from(value).unwrap_or(0)
    });
    Registers {
        pc,
        sp,
        fp,
        link: None,
    }
}

/// Changes it.
///
/// # Safety
/// As of [`registers`].
pub(crate) unsafe fn set_registers(context: *mut c_void, to: Registers) {
    for (which, value) in REGISTERS.into_iter().zip([to.pc, to.sp, to.fp]) {
        // SAFETY: the caller's context.
        unsafe { register(context, which).write(value.cast_signed() as libc::greg_t) };
    }
}

/// How far from where a handler returns to, on the stack, its context begins: what the kernel has
/// put there, the same for all handlers.
pub(crate) const CONTEXT_BEHIND: Option<usize> = Some(8);

/// mov r10, address; call r10.
pub(crate) const LONGEST_CALL: usize = 13;

/// What a call instruction at the end of `code`, which ends at `back`, calls.
pub(crate) fn called(code: &[u8; LONGEST_CALL], back: usize) -> Option<usize> {
    match *code {
        [0x49, 0xba, a, b, c, d, e, f, g, h, 0x41, 0xff, 0xd2] => {
            Some(usize::from_le_bytes([a, b, c, d, e, f, g, h]))
        }
        [.., 0xe8, a, b, c, d] => {
            let distance = i32::from_le_bytes([a, b, c, d]);
            Some(back.wrapping_add_signed(distance as isize))
        }
        _ => None,
    }
}

/// What the kernel calls the clock that is the processor's counter; in guests, for the host that
/// says how to scale it: the same instruction.
pub(crate) const COUNTERS: &[&str] = &["tsc", "kvm-clock", "hyperv_clocksource_tsc_page"];

/// How often it counts in a second, where the processor tells.
pub(crate) const fn counter_hertz() -> Option<u64> {
    None
}

/// The processor's counter, where it has one.
#[inline(always)]
pub(crate) fn counter() -> Option<u64> {
    // SAFETY: every x86-64 processor has this instruction.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}
