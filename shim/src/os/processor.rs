//! What depends on the processor: small functions in assembler, words of each thread, where a
//! thread is. One file for each; all offer the same names.
//!
//! Macros make functions whose parts lie in the file that calls for them. Each but the last leaves
//! a function `code` there that says where they begin, 0 where there are none.

use std::ffi::c_int;

#[cfg(target_arch = "x86_64")]
#[path = "processor/x86_64.rs"]
mod this;

#[cfg(target_arch = "x86")]
#[path = "processor/i386.rs"]
mod this;

#[cfg(target_arch = "aarch64")]
#[path = "processor/aarch64.rs"]
mod this;

#[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
compile_error!("a processor that has no file in os/processor yet");

pub(crate) use this::*;

/// `code` of what begins at this symbol.
macro_rules! code_at {
    ($symbol:literal) => {
        fn code() -> usize {
            unsafe extern "C" {
                #[link_name = $symbol]
                fn begins();
            }
            (begins as *const ()).expose_provenance()
        }
    };
}

pub(crate) use code_at;

/// Tested on all.
#[cfg(all(test, not(target_arch = "aarch64")))]
#[path = "processor/aarch64/calls.rs"]
mod aarch64_calls;

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) pc: usize,
    pub(crate) sp: usize,
    pub(crate) fp: usize,
    /// Where a function returns to that has not put it on the stack, where a register says so.
    pub(crate) link: Option<usize>,
}

/// What became of a call of the agent's code.
#[repr(C)]
pub(crate) struct Outcome {
    /// What the function has returned.
    pub(crate) value: usize,
    /// Null if it has returned, else what it has thrown.
    pub(crate) exception: *mut UnwindException,
}

/// Itanium C++ ABI, level 1.
#[repr(C)]
pub(crate) struct UnwindException {
    pub(crate) class: u64,
    pub(crate) cleanup: Option<unsafe extern "C" fn(c_int, *mut UnwindException)>,
    pub(crate) private: [usize; 2],
}
