//! Processors without assembler of ours: native methods have no events, no agent is watched, a C++
//! exception that leaves an agent ends the process, and virtual threads have no JNIEnv.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use super::Registers;

/// Addresses of programs end here at the latest: not known.
pub(crate) const USER_END: usize = usize::MAX;

/// Bytes from one small function of a table to the next.
pub(crate) const STUB: usize = 16;

/// Functions in front of native methods.
macro_rules! native_thunks {
    ($room:expr, $begins:path, $ends:path) => {
        fn code() -> usize {
            let _ = ($begins as *const (), $ends as *const ());
            0
        }
    };
}

/// Functions in front of those of the agent's table.
macro_rules! observed_stubs {
    ($room:expr, $observed:path) => {
        fn code() -> usize {
            let _ = $observed as *const ();
            0
        }
    };
}

/// A function in front of one that is to know its caller: there is none here.
macro_rules! with_caller {
    ($called:path) => {
        fn code() -> usize {
            let _ = $called as *const ();
            0
        }
    };
}

/// Functions in front of what an agent must not call at times.
macro_rules! tripwires {
    ($room:expr, $tripped:path) => {
        fn code() -> usize {
            let _ = $tripped as *const ();
            0
        }
    };
}

/// Whether [`forwarding_envs`] makes any.
pub(crate) const FORWARDS: bool = false;

/// The functions of a JNIEnv that pass calls on.
macro_rules! forwarding_envs {
    ($room:expr, $mounted:expr, $refuse:path) => {
        fn code() -> usize {
            let _ = ($mounted, $refuse as *const ());
            0
        }
    };
}

/// `jvmpi_call_agent`: an exception ends the process, as it does without us.
macro_rules! agent_call {
    ($personality:path) => {
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn jvmpi_call_agent(
            first: *mut std::ffi::c_void,
            second: *mut std::ffi::c_void,
            third: u64,
            function: *const std::ffi::c_void,
        ) -> Outcome {
            type Any = unsafe extern "C-unwind" fn(
                *mut std::ffi::c_void,
                *mut std::ffi::c_void,
                u64,
            ) -> usize;
            // SAFETY: a C function that takes at most these.
            let function: Any = unsafe { std::mem::transmute(function) };
            // SAFETY: the caller's promise.
            let value = unsafe { function(first, second, third) };
            Outcome {
                value,
                exception: std::ptr::null_mut(),
            }
        }

        #[unsafe(no_mangle)]
        extern "C" fn jvmpi_call_agent_caught() {
            let _ = $personality as *const ();
        }
    };
}

/// Relocations of a slot with a function's address: not known.
pub(crate) const FUNCTION_SLOTS: [usize; 2] = [0; 2];

/// DWARF's number of the register that the landing pad has the exception in.
pub(crate) const LANDING_REGISTER: c_int = 0;

pub(crate) use {
    agent_call, forwarding_envs, native_thunks, observed_stubs, tripwires, with_caller,
};

thread_local! {
    static OWN: [Cell<*mut c_void>; 4] =
        const { [const { Cell::new(std::ptr::null_mut()) }; 4] };
}

/// One of four words of the calling thread; null at first.
pub(crate) fn own_word<const WORD: usize>() -> *mut c_void {
    OWN.with(|own| own.get(WORD).map_or(std::ptr::null_mut(), Cell::get))
}

/// Sets it.
pub(crate) fn set_own_word<const WORD: usize>(value: *mut c_void) {
    OWN.with(|own| own.get(WORD).map(|word| word.set(value)));
}

/// Where the stack is: a number that is lower in a callee of the caller.
#[inline(always)]
pub(crate) fn stack_here() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}

/// Where a signal has interrupted the thread: not known.
pub(crate) unsafe fn registers(_: *mut c_void) -> Registers {
    Registers {
        pc: 0,
        sp: 0,
        fp: 0,
        link: None,
    }
}

/// Not changed.
pub(crate) unsafe fn set_registers(_: *mut c_void, _: Registers) {}

/// Not known.
pub(crate) const CONTEXT_BEHIND: Option<usize> = None;

pub(crate) const LONGEST_CALL: usize = 1;

/// No call is known by its code.
pub(crate) fn called(_: &[u8; LONGEST_CALL], _: usize) -> Option<usize> {
    None
}

/// The clock is the kernel's always.
pub(crate) const COUNTERS: &[&str] = &[];

/// The processor's counter: not known.
#[inline(always)]
pub(crate) fn counter() -> Option<u64> {
    None
}
