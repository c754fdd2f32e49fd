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

/// Bytes from one small function of a table to the next.
pub(crate) const STUB: usize = 16;

/// A hidden function `$table` of `{room}` stubs of [`STUB`] bytes: each does `$line`s, in which `jvmpi_stub` is its
/// number, and goes to `$common` by `$jump`.
macro_rules! stubs_by {
    ($jump:literal, $table:literal, $common:literal, $($line:literal),+) => {
        concat!(
            ".text\n",
            ".p2align 4\n",
            ".hidden ", $table, "\n",
            ".globl ", $table, "\n",
            ".type ", $table, ",@function\n",
            $table, ":\n",
            ".cfi_startproc\n",
            ".set jvmpi_stub, 0\n",
            ".rept {room}\n",
            ".p2align 4\n",
            $($line, "\n",)+
            ".set jvmpi_stub, jvmpi_stub + 1\n",
            $jump, $common, "\n",
            ".endr\n",
            ".p2align 4\n",
            ".cfi_endproc\n",
            ".size ", $table, ", . - ", $table
        )
    };
}

/// So many bytes of each thread's own, zero at first, which this symbol stands for.
macro_rules! words_of_thread {
    ($symbol:literal, $bytes:literal) => {
        std::arch::global_asm!(
            ".section .tbss,\"awT\",@nobits",
            ".p2align 3",
            concat!(".hidden ", $symbol),
            concat!(".globl ", $symbol),
            concat!(".type ", $symbol, ",@object"),
            concat!(".size ", $symbol, ", ", $bytes),
            concat!($symbol, ":"),
            concat!(".zero ", $bytes),
            ".text",
        );
    };
}

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

pub(crate) use {code_at, stubs_by, words_of_thread};

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
