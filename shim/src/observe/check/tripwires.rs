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
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::base::boundary::unlogged;
use crate::model::thread::current;
use crate::observe::check::state;
use crate::observe::check::wires::{self, Wire};
use crate::os::processor::{STUB, tripwires};

const ROOM: usize = 512;

struct Laid {
    wire: Wire,
    target: usize,
}

static LAID: [OnceLock<Laid>; ROOM] = [const { OnceLock::new() }; ROOM];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A stub in front of `target`; `None` when there is none left, or where there are none.
pub(super) fn lay(wire: Wire, target: usize) -> Option<*mut c_void> {
    let stubs = Some(code()).filter(|&code| code != 0)?;
    // Relaxed: numbers need only differ.
    let index = NEXT.fetch_add(1, Ordering::Relaxed);
    LAID.get(index)?.set(Laid { wire, target }).ok()?;
    // For whoever writes the stub's address where others read it.
    fence(Ordering::Release);
    Some(std::ptr::with_exposed_provenance_mut(stubs + index * STUB))
}

unsafe extern "C" fn tripped(index: usize, caller: usize, first: usize) -> usize {
    // Behind the caller's own read of the stub's address.
    fence(Ordering::Acquire);
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

tripwires!(ROOM, tripped);
