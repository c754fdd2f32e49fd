//! Words of each thread that are read a hundred million times a second.
//!
//! Rust's own thread-locals in a shared library cost a call of `__tls_get_addr` each
//! time; these are an instruction or two (the initial-exec model, for which the linker
//! keeps room for libraries that come late: we need sixteen bytes).
#![allow(unsafe_code, reason = "thread-local words in assembler")]

use std::ffi::c_void;

/// The thread's record; `model::current` alone uses it.
pub(crate) const RECORD: usize = 0;
/// What it records with; `observe::own_trace` alone uses it.
pub(crate) const RECORDER: usize = 1;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".p2align 3",
    ".hidden jvmpi_own",
    ".globl jvmpi_own",
    ".type jvmpi_own,@object",
    ".size jvmpi_own, 16",
    "jvmpi_own:",
    ".zero 16",
    ".text",
);

/// This word of the calling thread; null at first.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn get<const WORD: usize>() -> *mut c_void {
    const { assert!(WORD <= RECORDER) };
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
#[cfg(target_arch = "x86_64")]
pub(crate) fn set<const WORD: usize>(value: *mut c_void) {
    const { assert!(WORD <= RECORDER) };
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

#[cfg(not(target_arch = "x86_64"))]
thread_local! {
    static OWN: [std::cell::Cell<*mut c_void>; 2] =
        const { [const { std::cell::Cell::new(std::ptr::null_mut()) }; 2] };
}

/// This word of the calling thread; null at first.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn get<const WORD: usize>() -> *mut c_void {
    OWN.with(|[record, recorder]| if WORD == RECORD { record } else { recorder }.get())
}

/// Sets it.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn set<const WORD: usize>(value: *mut c_void) {
    OWN.with(|[record, recorder]| if WORD == RECORD { record } else { recorder }.set(value));
}
