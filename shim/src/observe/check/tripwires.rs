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
use crate::model::current;
use crate::observe::check::state;
use crate::observe::check::wires::{self, Wire};
#[cfg(target_arch = "x86_64")]
use crate::os::stub_code::{STUB, keep_arguments, leave, restore_arguments, stubs};

const ROOM: usize = 512;

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
unsafe extern "C" fn tripped(index: usize, caller: usize, first: usize) -> usize {
    let Some(laid) = LAID.get(index).and_then(OnceLock::get) else {
        // Nobody has the address of a stub that was not laid.
        return 0;
    };
    if matches!(laid.wire, Wire::Jni(_)) && current::is_foreign(first) {
        unlogged("a check", || wires::foreign(laid.wire, caller));
    } else if state::is_restricted() {
        unlogged("a check", || wires::tripped(laid.wire, caller));
    }
    laid.target
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn jvmpi_tripwires();
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    stubs!("jvmpi_tripwires", "jvmpi_tripwire", "mov r11d, offset jvmpi_stub"),
    keep_arguments!("jvmpi_tripwire"),
    "mov rdx, rdi",
    "mov rdi, r11",
    "mov rsi, [rbp + 8]",
    "call {tripped}",
    "mov r11, rax",
    restore_arguments!(),
    leave!("jvmpi_tripwire", "jmp r11"),
    room = const ROOM,
    tripped = sym tripped,
);
