//! A second `JVMPI_Interface` for agents that are watched: each function tells
//! [`observe`] what the agent called, and with which arguments, before and after
//! the function of the plain table does its work.
//!
//! No function of JVMPI takes more than three arguments, and all of them, results
//! too, are integers or pointers. So 28 small pieces of assembler put the caller's
//! address and their own number behind the arguments, and one function serves all.
//!
//! # Safety
//! Reached only through the table, from agents; what they pass goes on as it came.
#![allow(unsafe_code, reason = "a table of C functions")]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem;

use event_translate::Function;
use jvmpi_headers::jvmpi::JVMPI_Interface;

use crate::agent::table;
use crate::base::boundary::unlogged;
use crate::observe::observers::{self, Call};

const WORDS: usize = size_of::<JVMPI_Interface>() / size_of::<usize>();
/// The first slot with a function of ours, and how many there are.
const FIRST: usize = 2;
const COUNT: usize = WORDS - FIRST;
const _: () = assert!(COUNT == 28);

struct Table(UnsafeCell<[*mut c_void; WORDS]>);

// SAFETY: filled once before anybody gets it; its two changing words are accessed
// as atomics.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new([std::ptr::null_mut(); WORDS]));

/// The table; version and NotifyEvent are those that agents have written into it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn interface() -> *mut JVMPI_Interface {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let words = TABLE.0.get().cast::<*mut c_void>();
    ONCE.call_once(|| {
        let stubs = (jvmpi_observed_stubs as *const ()).cast_mut();
        for index in 0..COUNT {
            // SAFETY: a slot of our static; nobody else has it yet.
            let slot = unsafe { &mut *words.wrapping_add(FIRST + index) };
            *slot = stubs.wrapping_byte_add(index * STUB).cast();
        }
    });
    words.cast()
}

/// Elsewhere agents are not watched.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn interface() -> *mut JVMPI_Interface {
    table::plain()
}

/// Bytes of one stub.
#[cfg(target_arch = "x86_64")]
const STUB: usize = 16;

type Any = unsafe extern "C-unwind" fn(usize, usize, usize) -> usize;

/// A call of the agent, by whatever slot.
#[cfg(target_arch = "x86_64")]
unsafe extern "C-unwind" fn observed(
    first: usize,
    second: usize,
    third: usize,
    caller: usize,
    slot: usize,
) -> usize {
    // SAFETY: a slot of the plain table, which is filled for ever.
    let plain = unsafe { *table::plain().cast::<*mut c_void>().wrapping_add(slot) };
    // SAFETY: it takes at most three integers and returns at most one; what it does not
    // take it does not look at.
    let plain: Any = unsafe { mem::transmute(plain) };
    let function = u8::try_from(slot).ok().and_then(Function::from_slot);
    let call = function.map(|function| Call {
        function,
        arguments: [first, second, third],
        caller,
    });
    if let Some(call) = &call {
        unlogged("the agent's call", || observers::call_begins(call));
    }
    // SAFETY: the agent's own arguments.
    let result = unsafe { plain(first, second, third) };
    if let Some(call) = &call {
        unlogged("the agent's call", || observers::call_ends(call, result));
    }
    result
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn jvmpi_observed_stubs();
}

// System V ABI: rdi, rsi, rdx are the arguments, rcx and r8 are free, the return
// address lies on top of the stack.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".text",
    ".p2align 4",
    ".hidden jvmpi_observed_stubs",
    ".globl jvmpi_observed_stubs",
    ".type jvmpi_observed_stubs,@function",
    "jvmpi_observed_stubs:",
    ".cfi_startproc",
    ".set jvmpi_observed_slot, {first}",
    ".rept {count}",
    ".p2align 4",
    "mov rcx, [rsp]",
    "mov r8d, offset jvmpi_observed_slot",
    ".set jvmpi_observed_slot, jvmpi_observed_slot + 1",
    "jmp {observed}",
    ".endr",
    ".p2align 4",
    ".cfi_endproc",
    ".size jvmpi_observed_stubs, . - jvmpi_observed_stubs",
    first = const FIRST,
    count = const COUNT,
    observed = sym observed,
);
