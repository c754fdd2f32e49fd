//! 32-bit x86: all arguments lie on the stack, the caller takes them away, eax, ecx and edx are
//! free. Results come in eax (and edx), or on the floating-point stack; a structure is put where a
//! pointer in front of the arguments says, which the callee takes away.
//!
//! Compilers of today align the stack to 16 bytes at calls; those of 2003 did not, nor does HotSpot.
//! So we are built without SSE, which alone needs that (`build-i386`).
//!
//! # Safety
//! The functions in assembler are called as what they stand in front of is called.
#![allow(unsafe_code, reason = "assembler")]

use std::ffi::c_int;

#[path = "i386/thread.rs"]
mod thread;

pub(crate) use thread::*;

/// The kernel's part of the addresses begins here: beside a 64-bit one it has the last page only.
pub(crate) const USER_END: usize = 0xffff_f000;

/// A table of stubs, each of which has its number in eax when it jumps to `$common`.
macro_rules! stubs {
    ($table:literal, $common:literal) => {
        $crate::os::processor::stubs_by!("jmp ", $table, $common, "mov eax, offset jvmpi_stub")
    };
}

/// A function `$name` begins: its caller at [ebp + 4], its arguments from [ebp + 8] on.
macro_rules! enter {
    ($name:literal) => {
        concat!(
            ".p2align 4\n",
            ".type ",
            $name,
            ",@function\n",
            $name,
            ":\n",
            ".cfi_startproc\n",
            "push ebp\n",
            ".cfi_def_cfa_offset 8\n",
            ".cfi_offset ebp, -8\n",
            "mov ebp, esp\n",
            ".cfi_def_cfa_register ebp"
        )
    };
}

/// The function `$name` leaves with `$jump`.
macro_rules! leave {
    ($name:literal, $jump:literal) => {
        concat!(
            "leave\n",
            ".cfi_def_cfa esp, 4\n",
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

        // ebx keeps the number, edi the stack; esi first what is behind, then whether there is a
        // floating-point number.
        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_native_thunks", "jvmpi_native_thunk"),
            $crate::os::processor::enter!("jvmpi_native_thunk"),
            "push ebx",
            "push esi",
            "push edi",
            ".cfi_offset ebx, -12",
            ".cfi_offset esi, -16",
            ".cfi_offset edi, -20",
            "mov ebx, eax",
            "sub esp, 48",
            "and esp, -16",
            "mov edi, esp",
            "lea eax, [esp + 24]",
            "mov [esp], eax",
            "mov [esp + 4], ebx",
            "mov eax, [ebp + 12]",
            "mov [esp + 8], eax",
            "mov [esp + 12], ebp",
            "mov eax, [ebp + 8]",
            "mov [esp + 16], eax",
            "call {begins}",
            "mov esi, [edi + 24]",
            "mov ecx, [edi + 28]",
            "lea eax, [ecx * 4]",
            "mov esp, edi",
            "sub esp, eax",
            "and esp, -16",
            "2:",
            "test ecx, ecx",
            "jz 3f",
            "mov eax, [ebp + ecx * 4 + 4]",
            "mov [esp + ecx * 4 - 4], eax",
            "dec ecx",
            "jmp 2b",
            "3:",
            "call esi",
            "mov esp, edi",
            "mov [esp + 16], eax",
            "mov [esp + 20], edx",
            // What the top of the floating-point stack holds: 0x4100 is nothing.
            "fxam",
            "fnstsw ax",
            "and eax, 0x4500",
            "mov esi, eax",
            "cmp eax, 0x4100",
            "je 4f",
            "fstp tbyte ptr [esp + 24]",
            "4:",
            "mov [esp], ebx",
            "mov eax, [ebp + 8]",
            "mov [esp + 4], eax",
            "mov eax, [ebp + 12]",
            "mov [esp + 8], eax",
            "call {ends}",
            "cmp esi, 0x4100",
            "je 5f",
            "fld tbyte ptr [esp + 24]",
            "5:",
            "mov eax, [esp + 16]",
            "mov edx, [esp + 20]",
            "mov edi, [ebp - 12]",
            "mov esi, [ebp - 8]",
            "mov ebx, [ebp - 4]",
            $crate::os::processor::leave!("jvmpi_native_thunk", "ret"),
            room = const $room,
            begins = sym $begins,
            ends = sym $ends,
        );
    };
}

/// Functions that give `observed` a call's three arguments, its caller and their own number.
macro_rules! observed_stubs {
    ($room:expr, $observed:path) => {
        $crate::os::processor::code_at!("jvmpi_observed_stubs");

        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_observed_stubs", "jvmpi_observe"),
            $crate::os::processor::enter!("jvmpi_observe"),
            "sub esp, 24",
            "and esp, -16",
            "mov [esp + 16], eax",
            "mov eax, [ebp + 4]",
            "mov [esp + 12], eax",
            "mov eax, [ebp + 16]",
            "mov [esp + 8], eax",
            "mov eax, [ebp + 12]",
            "mov [esp + 4], eax",
            "mov eax, [ebp + 8]",
            "mov [esp], eax",
            "call {observed}",
            $crate::os::processor::leave!("jvmpi_observe", "ret"),
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

/// A function in front of one that is to know its caller: there is none here.
macro_rules! with_caller {
    ($symbol:literal, $called:path) => {
        fn code() -> usize {
            let _ = $called as *const ();
            0
        }
    };
}

/// Functions that tell `tripped` of a call, by number, caller and first argument, and go on where it
/// says.
macro_rules! tripwires {
    ($room:expr, $tripped:path) => {
        $crate::os::processor::code_at!("jvmpi_tripwires");

        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_tripwires", "jvmpi_tripwire"),
            $crate::os::processor::enter!("jvmpi_tripwire"),
            "sub esp, 24",
            "and esp, -16",
            "mov [esp], eax",
            "mov eax, [ebp + 4]",
            "mov [esp + 4], eax",
            "mov eax, [ebp + 8]",
            "mov [esp + 8], eax",
            "call {tripped}",
            $crate::os::processor::leave!("jvmpi_tripwire", "jmp eax"),
            room = const $room,
            tripped = sym $tripped,
        );
    };
}

/// Whether [`forwarding_envs`] makes any: the VMs that exist here run each virtual thread on a
/// thread of its own.
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

/// `jvmpi_call_agent`, which calls a function with three arguments in a frame with this personality,
/// and the landing pad of that frame.
macro_rules! agent_call {
    ($personality:path) => {
        // The third argument may be two words.
        std::arch::global_asm!(
            ".text",
            ".hidden jvmpi_call_agent",
            ".globl jvmpi_call_agent",
            $crate::os::processor::enter!("jvmpi_call_agent"),
            ".cfi_personality 0x1b, {personality}",
            "sub esp, 24",
            "and esp, -16",
            "mov eax, [ebp + 12]",
            "mov [esp], eax",
            "mov eax, [ebp + 16]",
            "mov [esp + 4], eax",
            "mov eax, [ebp + 20]",
            "mov [esp + 8], eax",
            "mov eax, [ebp + 24]",
            "mov [esp + 12], eax",
            "call dword ptr [ebp + 28]",
            "xor edx, edx",
            "jmp 2f",
            ".hidden jvmpi_call_agent_caught",
            ".globl jvmpi_call_agent_caught",
            "jvmpi_call_agent_caught:",
            "mov edx, eax",
            "xor eax, eax",
            "2:",
            "mov ecx, [ebp + 8]",
            "mov [ecx], eax",
            "mov [ecx + 4], edx",
            "mov eax, ecx",
            $crate::os::processor::leave!("jvmpi_call_agent", "ret 4"),
            personality = sym $personality,
        );
    };
}

/// GLOB_DAT and JUMP_SLOT: relocations of a slot with a function's address.
pub(crate) const FUNCTION_SLOTS: [usize; 2] = [6, 7];

/// DWARF's number of the register that the landing pad has the exception in.
pub(crate) const LANDING_REGISTER: c_int = 0;

/// A VM of this width has its agents in its own process.
pub(crate) const WHOLE_IN_REGISTERS: usize = 0;
pub(crate) const FLOATING_FROM: usize = 0;

/// None.
macro_rules! far_natives {
    ($room:expr, $called:path) => {
        fn code() -> usize {
            let _: unsafe extern "C" fn(usize, *const u64, *const u64) -> u64 = $called;
            0
        }
    };
}

pub(crate) use {
    agent_call, enter, far_natives, forwarding_envs, leave, native_thunks, observed_stubs,
    signal_handler, stubs, tripwires, with_caller,
};
