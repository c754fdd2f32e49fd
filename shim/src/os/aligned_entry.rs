//! Functions that old agents call with their stack as old compilers left it.
//!
//! On 32-bit x86 our code needs it aligned to 16 bytes, which those of 2003 did not promise: a stub
//! in front of each function aligns it. Elsewhere all compilers always have, and there are none.
//!
//! # Safety
//! A stub calls the function that it was made for with the words it was called with, of which there
//! are four at most.
#![allow(unsafe_code, reason = "assembler in front of functions of ours")]

use std::ffi::c_void;
use std::sync::OnceLock;

use crate::os::processor::{STUB, aligned_entries};

/// The functions of the interface, GetEnv and DestroyJavaVM, JNI's that have wrappers, and some.
const ROOM: usize = 64;

static TARGETS: [OnceLock<usize>; ROOM] = [const { OnceLock::new() }; ROOM];

/// What agents are to call instead of `function`, which takes at most four words of arguments; the
/// function itself where it needs no stub.
pub(crate) fn of(function: *mut c_void) -> *mut c_void {
    let stubs = code();
    if stubs == 0 {
        return function;
    }
    // The first free place, or the one that it has.
    let address = function.expose_provenance();
    let has_it = |place: &OnceLock<usize>| *place.get_or_init(|| address) == address;
    let Some(index) = TARGETS.iter().position(has_it) else {
        return function;
    };
    std::ptr::with_exposed_provenance_mut(stubs + index * STUB)
}

/// Where the stub of this number goes on.
#[allow(dead_code, reason = "called by the stubs, where there are any")]
extern "C" fn target(index: usize) -> usize {
    // Nobody has the address of a stub that was not given out.
    TARGETS
        .get(index)
        .and_then(OnceLock::get)
        .copied()
        .unwrap_or(0)
}

aligned_entries!(ROOM, target);
