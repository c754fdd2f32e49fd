//! aarch64: x0 to x7 and v0 to v7 carry arguments, x8 where a structure is to be put, and what else
//! there is lies on the stack, each in eight bytes; x30 says where a function returns to; x9 to x17
//! are free. The stack is aligned to 16 always. A function with a variable number of arguments gets
//! them as any other does.
//!
//! # Safety
//! The functions in assembler are called as what they stand in front of is called.
#![allow(unsafe_code, reason = "assembler")]

use std::ffi::c_int;

#[path = "aarch64/calls.rs"]
mod calls;
#[path = "aarch64/thread.rs"]
mod thread;

pub(crate) use calls::*;
pub(crate) use thread::*;

/// Addresses of programs end here, but for memory that was asked for above it.
pub(crate) const USER_END: usize = 1 << 48;

/// A table of stubs, each of which jumps to `$common` when it has done the lines behind that.
macro_rules! stubs {
    ($table:literal, $common:literal, $($line:literal),+) => {
        $crate::os::processor::stubs_by!("b ", $table, $common, $($line),+)
    };
}

/// A function `$name` begins: x29 points to its frame of 240 bytes, in which all arguments lie, x0 at
/// 32, and then x1, x2, x3. The word at 16 is free.
macro_rules! keep_arguments {
    ($name:literal) => {
        concat!(
            ".p2align 4\n",
            ".type ",
            $name,
            ",@function\n",
            $name,
            ":\n",
            ".cfi_startproc\n",
            "stp x29, x30, [sp, #-240]!\n",
            ".cfi_def_cfa_offset 240\n",
            ".cfi_offset x29, -240\n",
            ".cfi_offset x30, -232\n",
            "mov x29, sp\n",
            ".cfi_def_cfa_register x29\n",
            "stp x0, x1, [x29, #32]\n",
            "stp x2, x3, [x29, #48]\n",
            "stp x4, x5, [x29, #64]\n",
            "stp x6, x7, [x29, #80]\n",
            "str x8, [x29, #96]\n",
            "stp q0, q1, [x29, #112]\n",
            "stp q2, q3, [x29, #144]\n",
            "stp q4, q5, [x29, #176]\n",
            "stp q6, q7, [x29, #208]"
        )
    };
}

/// All arguments are in their registers again.
macro_rules! restore_arguments {
    () => {
        "ldp x0, x1, [x29, #32]
        ldp x2, x3, [x29, #48]
        ldp x4, x5, [x29, #64]
        ldp x6, x7, [x29, #80]
        ldr x8, [x29, #96]
        ldp q0, q1, [x29, #112]
        ldp q2, q3, [x29, #144]
        ldp q4, q5, [x29, #176]
        ldp q6, q7, [x29, #208]"
    };
}

/// The function `$name` leaves with `$jump`; sp is x29.
macro_rules! leave {
    ($name:literal, $jump:literal) => {
        concat!(
            "ldp x29, x30, [sp], #240\n",
            ".cfi_def_cfa sp, 0\n",
            ".cfi_restore x29\n",
            ".cfi_restore x30\n",
            $jump,
            "\n",
            ".cfi_endproc\n",
            ".size ",
            $name,
            ", . - ",
            $name
        )
    };
}

/// Functions in front of native methods: `begins` is given a thunk's number and says what is behind
/// it and how many words of arguments lie on the stack, `ends` is told of the end.
macro_rules! native_thunks {
    ($room:expr, $begins:path, $ends:path) => {
        $crate::os::processor::code_at!("jvmpi_native_thunks");

        // x19 keeps the number, where no function that is called changes it.
        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_native_thunks", "jvmpi_native_thunk", "mov w9, #jvmpi_stub"),
            $crate::os::processor::keep_arguments!("jvmpi_native_thunk"),
            "str x19, [x29, #16]",
            ".cfi_offset x19, -224",
            "mov x19, x9",
            "mov x3, x0",
            "mov x0, x19",
            "add x2, x29, #240",
            "bl {begins}",
            "mov x10, x0",
            // An odd number of words needs one more to keep the alignment.
            "add x11, x1, #1",
            "and x11, x11, #-2",
            "sub sp, sp, x11, lsl #3",
            "add x12, x29, #240",
            "mov x13, sp",
            "2:",
            "cbz x1, 3f",
            "ldr x14, [x12], #8",
            "str x14, [x13], #8",
            "sub x1, x1, #1",
            "b 2b",
            "3:",
            $crate::os::processor::restore_arguments!(),
            "blr x10",
            "mov sp, x29",
            "ldp x1, x2, [x29, #32]",
            "str x0, [x29, #32]",
            "str d0, [x29, #112]",
            "mov x0, x19",
            "bl {ends}",
            "ldr x0, [x29, #32]",
            "ldr d0, [x29, #112]",
            "ldr x19, [x29, #16]",
            ".cfi_restore x19",
            $crate::os::processor::leave!("jvmpi_native_thunk", "ret"),
            room = const $room,
            begins = sym $begins,
            ends = sym $ends,
        );
    };
}

/// So many arguments of [`far_natives`] are in words of their own, in front of the eight that are floating-point
/// numbers, each in two words from that one on.
pub(crate) const WHOLE_IN_REGISTERS: usize = 8;
pub(crate) const FLOATING_FROM: usize = 10;

/// Functions that stand for native methods that are elsewhere: `called` is given a function's number,
/// where the arguments are that came in registers, and those on the stack; what it gives is the
/// result, of whatever type.
macro_rules! far_natives {
    ($room:expr, $called:path) => {
        $crate::os::processor::code_at!("jvmpi_far_natives");

        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_far_natives", "jvmpi_far_native", "mov w9, #jvmpi_stub"),
            $crate::os::processor::keep_arguments!("jvmpi_far_native"),
            "mov w0, w9",
            "add x1, x29, #32",
            "add x2, x29, #240",
            "bl {called}",
            "fmov d0, x0",
            $crate::os::processor::leave!("jvmpi_far_native", "ret"),
            room = const $room,
            called = sym $called,
        );
    };
}

/// Functions that give `observed` a call's three arguments, its caller and their own number.
macro_rules! observed_stubs {
    ($room:expr, $observed:path) => {
        $crate::os::processor::code_at!("jvmpi_observed_stubs");

        // Three arguments, so x3 and x4 are free.
        std::arch::global_asm!(
            $crate::os::processor::stubs!(
                "jvmpi_observed_stubs",
                "{observed}",
                "mov x3, x30",
                "mov w4, #jvmpi_stub"
            ),
            room = const $room,
            observed = sym $observed,
        );
    };
}

/// A handler of signals, which is `handler` as it is.
macro_rules! signal_handler {
    ($handler:path) => {
        fn code() -> usize {
            ($handler as *const ()).expose_provenance()
        }
    };
}

/// A function of three arguments that gives `called` a fourth: where it returns to.
macro_rules! with_caller {
    ($symbol:literal, $called:path) => {
        $crate::os::processor::code_at!($symbol);

        std::arch::global_asm!(
            $crate::os::processor::stubs!($symbol, "{called}", "mov x3, x30"),
            room = const 1,
            called = sym $called,
        );
    };
}

/// Functions that tell `tripped` of a call, by number, caller and first argument, and go on where it
/// says.
macro_rules! tripwires {
    ($room:expr, $tripped:path) => {
        $crate::os::processor::code_at!("jvmpi_tripwires");

        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_tripwires", "jvmpi_tripwire", "mov w9, #jvmpi_stub"),
            $crate::os::processor::keep_arguments!("jvmpi_tripwire"),
            "mov x2, x0",
            "mov x0, x9",
            "mov x1, x30",
            "bl {tripped}",
            "mov x16, x0",
            $crate::os::processor::restore_arguments!(),
            $crate::os::processor::leave!("jvmpi_tripwire", "br x16"),
            room = const $room,
            tripped = sym $tripped,
        );
    };
}

/// Whether [`forwarding_envs`] makes any.
pub(crate) const FORWARDS: bool = true;

/// The functions of a JNIEnv that pass a call on to the env in its second word, if the thread's own
/// word `mounted` says that it is this thread's; else `refuse` answers.
macro_rules! forwarding_envs {
    ($room:expr, $mounted:expr, $refuse:path) => {
        $crate::os::processor::code_at!("jvmpi_forwarding_env");

        // All argument registers stay as they are, but for the env itself.
        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_forwarding_env", "jvmpi_forward", "mov w9, #jvmpi_stub"),
            ".p2align 4",
            ".type jvmpi_forward,@function",
            "jvmpi_forward:",
            ".cfi_startproc",
            "mrs x10, tpidr_el0",
            "adrp x11, :gottprel:jvmpi_own",
            "ldr x11, [x11, :gottprel_lo12:jvmpi_own]",
            "add x10, x10, x11",
            "ldr x10, [x10, #8 * {mounted}]",
            "cmp x0, x10",
            "b.ne 2f",
            "ldr x0, [x0, #8]",
            "ldr x10, [x0]",
            "ldr x16, [x10, x9, lsl #3]",
            "br x16",
            "2:",
            "stp x29, x30, [sp, #-16]!",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset x29, -16",
            ".cfi_offset x30, -8",
            "mov x29, sp",
            "mov x1, x0",
            "mov x0, x9",
            "mov x2, x30",
            "bl {refuse}",
            "movi d0, #0",
            "ldp x29, x30, [sp], #16",
            ".cfi_def_cfa_offset 0",
            ".cfi_restore x29",
            ".cfi_restore x30",
            "ret",
            ".cfi_endproc",
            ".size jvmpi_forward, . - jvmpi_forward",
            room = const $room,
            mounted = const $mounted,
            refuse = sym $refuse,
        );
    };
}

/// `jvmpi_call_agent`, which calls a function with three arguments in a frame with this personality,
/// and the landing pad of that frame.
macro_rules! agent_call {
    ($personality:path) => {
        std::arch::global_asm!(
            ".text",
            ".p2align 4",
            ".hidden jvmpi_call_agent",
            ".globl jvmpi_call_agent",
            ".type jvmpi_call_agent,@function",
            "jvmpi_call_agent:",
            ".cfi_startproc",
            ".cfi_personality 0x1b, {personality}",
            "stp x29, x30, [sp, #-16]!",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset x29, -16",
            ".cfi_offset x30, -8",
            "mov x29, sp",
            "blr x3",
            "mov x1, xzr",
            "b 2f",
            ".hidden jvmpi_call_agent_caught",
            ".globl jvmpi_call_agent_caught",
            "jvmpi_call_agent_caught:",
            "mov x1, x0",
            "mov x0, xzr",
            "2:",
            "ldp x29, x30, [sp], #16",
            ".cfi_def_cfa_offset 0",
            ".cfi_restore x29",
            ".cfi_restore x30",
            "ret",
            ".cfi_endproc",
            ".size jvmpi_call_agent, . - jvmpi_call_agent",
            personality = sym $personality,
        );
    };
}

/// GLOB_DAT and JUMP_SLOT: relocations of a slot with a function's address.
pub(crate) const FUNCTION_SLOTS: [usize; 2] = [1025, 1026];

/// DWARF's number of the register that the landing pad has the exception in.
pub(crate) const LANDING_REGISTER: c_int = 0;

pub(crate) use {
    agent_call, far_natives, forwarding_envs, keep_arguments, leave, native_thunks, observed_stubs,
    restore_arguments, signal_handler, stubs, tripwires, with_caller,
};
