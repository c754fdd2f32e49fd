//! One word of each thread that is read a hundred million times a second.
//!
//! Rust's own thread-locals in a shared library cost a call of `__tls_get_addr` each
//! time; this one is an instruction or two (the initial-exec model, for which the linker
//! keeps room for libraries that come late: we need eight bytes).
#![allow(unsafe_code, reason = "a thread-local word in assembler")]

use crate::model::thread::Thread;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".p2align 3",
    ".hidden jvmpi_own",
    ".globl jvmpi_own",
    ".type jvmpi_own,@object",
    ".size jvmpi_own, 8",
    "jvmpi_own:",
    ".zero 8",
    ".text",
);

/// The word of the calling thread; null at first.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn get() -> *const Thread {
    let record: *const Thread;
    // SAFETY: reads eight bytes of this thread's own.
    unsafe {
        std::arch::asm!(
            "mov {record}, qword ptr [rip + jvmpi_own@GOTTPOFF]",
            "mov {record}, qword ptr fs:[{record}]",
            record = out(reg) record,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    record
}

/// Sets it; what it was.
#[cfg(target_arch = "x86_64")]
pub(crate) fn replace(record: *const Thread) -> *const Thread {
    let before = get();
    // SAFETY: writes eight bytes of this thread's own.
    unsafe {
        std::arch::asm!(
            "mov {place}, qword ptr [rip + jvmpi_own@GOTTPOFF]",
            "mov qword ptr fs:[{place}], {record}",
            place = out(reg) _,
            record = in(reg) record,
            options(nostack, preserves_flags),
        );
    }
    before
}

#[cfg(not(target_arch = "x86_64"))]
thread_local! {
    static OWN: std::cell::Cell<*const Thread> = const { std::cell::Cell::new(std::ptr::null()) };
}

/// The word of the calling thread; null at first.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn get() -> *const Thread {
    OWN.get()
}

/// Sets it; what it was.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn replace(record: *const Thread) -> *const Thread {
    OWN.replace(record)
}
