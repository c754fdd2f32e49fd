//! The functions of the second `JVMPI_Interface`, for agents that are watched: each tells
//! [`observers`] what the agent called, and with which arguments, before and after
//! the function of the plain table does its work.
//!
//! No function of JVMPI takes more than three arguments, and all of them, results
//! too, are integers or pointers (three words, for a jlong is second and last). So 28 small pieces of assembler put the caller's
//! address and their own number behind the arguments, and one function serves all.
//!
//! # Safety
//! Reached only through the table, from agents; what they pass goes on as it came.
#![allow(unsafe_code, reason = "a table of C functions")]

use std::mem;

use event_translate::Function;

use crate::agent::table::{self, FUNCTIONS};
use crate::base::boundary::unlogged;
use crate::observe::call::Call;
use crate::observe::observers;
use crate::os::processor::{STUB, observed_stubs};

/// The slot of the first function.
const FIRST: usize = 2;

/// Puts them in; where there are none, the plain ones, and agents are not watched.
pub(crate) fn fill() {
    let stub = |index| match code() {
        0 => table::PLAIN.function(index).unwrap_or(std::ptr::null_mut()),
        stubs => std::ptr::with_exposed_provenance_mut(stubs + index * STUB),
    };
    table::OBSERVED.fill(std::array::from_fn(stub));
}

/// A result takes two words where words are short, if it is a jlong.
type Any = unsafe extern "C-unwind" fn(usize, usize, usize) -> u64;

/// A call of the agent, by whatever slot.
unsafe extern "C-unwind" fn observed(
    first: usize,
    second: usize,
    third: usize,
    caller: usize,
    index: usize,
) -> u64 {
    let Some(plain) = table::PLAIN.function(index) else {
        // No stub has another number.
        return 0;
    };
    // SAFETY: it takes at most three integers and returns at most one; what it does not
    // take it does not look at.
    let plain: Any = unsafe { mem::transmute(plain) };
    let function = u8::try_from(FIRST + index)
        .ok()
        .and_then(Function::from_slot);
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

observed_stubs!(FUNCTIONS, observed);
