//! Small functions in front of functions that an agent must not call at times: those of
//! the C library in the agent's import table, and JNI's.
//!
//! A stub tells [`wires`] that it was called, and from where, and goes on to the real
//! function with all arguments as they were.
//!
//! # Safety
//! A stub is put only where a pointer to the very function stood that it goes on to.
#![allow(
    unsafe_code,
    reason = "assembler in front of other libraries' functions"
)]

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::boundary::unlogged;
use crate::observe::check::state;
use crate::observe::check::wires::{self, Wire};

const ROOM: usize = 512;
#[cfg(target_arch = "x86_64")]
const STUB: usize = 16;

struct Laid {
    wire: Wire,
    target: usize,
}

static LAID: [OnceLock<Laid>; ROOM] = [const { OnceLock::new() }; ROOM];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A stub in front of `target`; `None` when there is none left.
#[cfg(target_arch = "x86_64")]
pub(super) fn lay(wire: Wire, target: usize) -> Option<*mut c_void> {
    let index = NEXT.fetch_add(1, Ordering::Relaxed);
    LAID.get(index)?.set(Laid { wire, target }).ok()?;
    let stubs = (jvmpi_tripwires as *const ()).cast_mut();
    Some(stubs.wrapping_byte_add(index * STUB).cast())
}

/// Elsewhere nothing is laid.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn lay(_wire: Wire, _target: usize) -> Option<*mut c_void> {
    None
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn tripped(index: usize, caller: usize) -> usize {
    let Some(laid) = LAID.get(index).and_then(OnceLock::get) else {
        // Nobody has the address of a stub that was not laid.
        return 0;
    };
    if state::is_restricted() {
        unlogged("a check", || wires::tripped(laid.wire, caller));
    }
    laid.target
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn jvmpi_tripwires();
}

// System V ABI: rdi rsi rdx rcx r8 r9, xmm0 to 7, and al for functions with a variable
// number of arguments; r10 and r11 are free.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".text",
    ".p2align 4",
    ".hidden jvmpi_tripwires",
    ".globl jvmpi_tripwires",
    ".type jvmpi_tripwires,@function",
    "jvmpi_tripwires:",
    ".cfi_startproc",
    ".set jvmpi_tripwire_index, 0",
    ".rept {room}",
    ".p2align 4",
    "mov r11d, offset jvmpi_tripwire_index",
    ".set jvmpi_tripwire_index, jvmpi_tripwire_index + 1",
    "jmp jvmpi_tripwire",
    ".endr",
    ".p2align 4",
    ".cfi_endproc",
    ".size jvmpi_tripwires, . - jvmpi_tripwires",
    ".type jvmpi_tripwire,@function",
    "jvmpi_tripwire:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    // 7 words and 8 vector registers, kept aligned to 16.
    "sub rsp, 192",
    "mov [rsp], rdi",
    "mov [rsp + 8], rsi",
    "mov [rsp + 16], rdx",
    "mov [rsp + 24], rcx",
    "mov [rsp + 32], r8",
    "mov [rsp + 40], r9",
    "mov [rsp + 48], rax",
    "movups [rsp + 64], xmm0",
    "movups [rsp + 80], xmm1",
    "movups [rsp + 96], xmm2",
    "movups [rsp + 112], xmm3",
    "movups [rsp + 128], xmm4",
    "movups [rsp + 144], xmm5",
    "movups [rsp + 160], xmm6",
    "movups [rsp + 176], xmm7",
    "mov rdi, r11",
    "mov rsi, [rbp + 8]",
    "call {tripped}",
    "mov r11, rax",
    "mov rdi, [rsp]",
    "mov rsi, [rsp + 8]",
    "mov rdx, [rsp + 16]",
    "mov rcx, [rsp + 24]",
    "mov r8, [rsp + 32]",
    "mov r9, [rsp + 40]",
    "mov rax, [rsp + 48]",
    "movups xmm0, [rsp + 64]",
    "movups xmm1, [rsp + 80]",
    "movups xmm2, [rsp + 96]",
    "movups xmm3, [rsp + 112]",
    "movups xmm4, [rsp + 128]",
    "movups xmm5, [rsp + 144]",
    "movups xmm6, [rsp + 160]",
    "movups xmm7, [rsp + 176]",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "jmp r11",
    ".cfi_endproc",
    ".size jvmpi_tripwire, . - jvmpi_tripwire",
    room = const ROOM,
    tripped = sym tripped,
);
