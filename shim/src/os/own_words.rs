//! Words of each thread that are read a hundred million times a second.
//!
//! Rust's own thread-locals in a shared library cost a call of `__tls_get_addr` each
//! time; these are an instruction or two (the initial-exec model, for which the linker
//! keeps room for libraries that come late: we need 32 bytes).
#![allow(unsafe_code, reason = "thread-local words in assembler")]

use std::ffi::c_void;

/// The thread's record; `model::current` alone uses it.
pub(crate) const RECORD: usize = 0;
/// What it records with; `observe::own_trace` alone uses it.
pub(crate) const RECORDER: usize = 1;
/// The record of a platform thread while it carries a virtual one, whose record then is
/// [`RECORD`]; `model::current` alone uses it.
pub(crate) const CARRIER: usize = 2;
/// The JNIEnv that the agent knows of the virtual thread that is mounted here;
/// `vm::forwarding_env` alone uses it.
pub(crate) const MOUNTED_ENV: usize = 3;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".p2align 3",
    ".hidden jvmpi_own",
    ".globl jvmpi_own",
    ".type jvmpi_own,@object",
    ".size jvmpi_own, 32",
    "jvmpi_own:",
    ".zero 32",
    ".text",
);

/// This word of the calling thread; null at first.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn get<const WORD: usize>() -> *mut c_void {
    const { assert!(WORD <= MOUNTED_ENV) };
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
    const { assert!(WORD <= MOUNTED_ENV) };
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
    static OWN: [std::cell::Cell<*mut c_void>; 4] =
        const { [const { std::cell::Cell::new(std::ptr::null_mut()) }; 4] };
}

/// This word of the calling thread; null at first.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn get<const WORD: usize>() -> *mut c_void {
    OWN.with(|own| {
        own.get(WORD)
            .map_or(std::ptr::null_mut(), std::cell::Cell::get)
    })
}

/// Sets it.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn set<const WORD: usize>(value: *mut c_void) {
    OWN.with(|own| own.get(WORD).map(|word| word.set(value)));
}
