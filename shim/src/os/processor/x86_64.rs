//! x86-64: rdi rsi rdx rcx r8 r9 and xmm0 to 7 carry arguments, al how many vector registers a
//! function with a variable number of them gets, and what else there is lies on the stack; r10 and
//! r11 are free.
//!
//! # Safety
//! The functions in assembler are called as what they stand in front of is called.
#![allow(unsafe_code, reason = "assembler")]

use std::ffi::c_int;

#[path = "x86_64/signals.rs"]
mod signals;
#[path = "x86_64/thread.rs"]
mod thread;

pub(crate) use signals::*;
pub(crate) use thread::*;

/// The kernel's half of the addresses begins here.
pub(crate) const USER_END: usize = 1 << 47;

/// A table of stubs, each of which jumps to `$common` when it has done the lines behind that.
macro_rules! stubs {
    ($table:literal, $common:literal, $($line:literal),+) => {
        $crate::os::processor::stubs_by!("jmp ", $table, $common, $($line),+)
    };
}

/// A function `$name` begins, and has put all arguments where rsp points to, rdi first, and then
/// rsi, rdx, rcx; rsp is aligned to 16. The word under rbp is free.
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
            "push rbp\n",
            ".cfi_def_cfa_offset 16\n",
            ".cfi_offset rbp, -16\n",
            "mov rbp, rsp\n",
            ".cfi_def_cfa_register rbp\n",
            "sub rsp, 208\n",
            "mov [rsp], rdi\n",
            "mov [rsp + 8], rsi\n",
            "mov [rsp + 16], rdx\n",
            "mov [rsp + 24], rcx\n",
            "mov [rsp + 32], r8\n",
            "mov [rsp + 40], r9\n",
            "mov [rsp + 48], rax\n",
            "movups [rsp + 64], xmm0\n",
            "movups [rsp + 80], xmm1\n",
            "movups [rsp + 96], xmm2\n",
            "movups [rsp + 112], xmm3\n",
            "movups [rsp + 128], xmm4\n",
            "movups [rsp + 144], xmm5\n",
            "movups [rsp + 160], xmm6\n",
            "movups [rsp + 176], xmm7"
        )
    };
}

/// All arguments are in their registers again.
macro_rules! restore_arguments {
    () => {
        "mov rdi, [rsp]
        mov rsi, [rsp + 8]
        mov rdx, [rsp + 16]
        mov rcx, [rsp + 24]
        mov r8, [rsp + 32]
        mov r9, [rsp + 40]
        mov rax, [rsp + 48]
        movups xmm0, [rsp + 64]
        movups xmm1, [rsp + 80]
        movups xmm2, [rsp + 96]
        movups xmm3, [rsp + 112]
        movups xmm4, [rsp + 128]
        movups xmm5, [rsp + 144]
        movups xmm6, [rsp + 160]
        movups xmm7, [rsp + 176]"
    };
}

/// The function `$name` leaves with `$jump`.
macro_rules! leave {
    ($name:literal, $jump:literal) => {
        concat!(
            "leave\n",
            ".cfi_def_cfa rsp, 8\n",
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

        // rbx keeps the number, where no function that is called changes it.
        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_native_thunks", "jvmpi_native_thunk", "mov r11d, offset jvmpi_stub"),
            $crate::os::processor::keep_arguments!("jvmpi_native_thunk"),
            "mov [rbp - 8], rbx",
            ".cfi_offset rbx, -24",
            "mov rbx, r11",
            "mov rdi, rbx",
            "mov rdx, rbp",
            "mov rcx, [rsp]",
            "call {begins}",
            "mov r11, rax",
            "mov r10, rdx",
            $crate::os::processor::restore_arguments!(),
            "mov rax, r10",
            // An odd number of words needs one more to keep the alignment.
            "test al, 1",
            "jz 2f",
            "push 0",
            "2:",
            "test rax, rax",
            "jz 3f",
            "push [rbp + rax * 8 + 8]",
            "dec rax",
            "jmp 2b",
            "3:",
            "call r11",
            // Still there: what was pushed lies below.
            "mov rsi, [rbp - 208]",
            "mov rdx, [rbp - 200]",
            "lea rsp, [rbp - 48]",
            "mov [rsp], rax",
            "movsd [rsp + 8], xmm0",
            "mov rdi, rbx",
            "call {ends}",
            "mov rax, [rsp]",
            "movsd xmm0, [rsp + 8]",
            "mov rbx, [rbp - 8]",
            $crate::os::processor::leave!("jvmpi_native_thunk", "ret"),
            room = const $room,
            begins = sym $begins,
            ends = sym $ends,
        );
    };
}

/// So many arguments of [`far_natives`] are in words of their own, in front of the eight that are floating-point
/// numbers, each in two words from that one on.
pub(crate) const WHOLE_IN_REGISTERS: usize = 6;
pub(crate) const FLOATING_FROM: usize = 8;

/// Functions that stand for native methods that are elsewhere: `called` is given a function's number,
/// where the arguments are that came in registers, and those on the stack; what it gives is the
/// result, of whatever type.
macro_rules! far_natives {
    ($room:expr, $called:path) => {
        $crate::os::processor::code_at!("jvmpi_far_natives");

        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_far_natives", "jvmpi_far_native", "mov r11d, offset jvmpi_stub"),
            $crate::os::processor::keep_arguments!("jvmpi_far_native"),
            "mov rdi, r11",
            "mov rsi, rsp",
            "lea rdx, [rbp + 16]",
            "call {called}",
            "movq xmm0, rax",
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

        // Three arguments, so rcx and r8 are free; the return address lies on top of the stack.
        std::arch::global_asm!(
            $crate::os::processor::stubs!(
                "jvmpi_observed_stubs",
                "{observed}",
                "mov rcx, [rsp]",
                "mov r8d, offset jvmpi_stub"
            ),
            room = const $room,
            observed = sym $observed,
        );
    };
}

/// A function of three arguments that gives `called` a fourth: where it returns to.
macro_rules! with_caller {
    ($symbol:literal, $called:path) => {
        $crate::os::processor::code_at!($symbol);

        std::arch::global_asm!(
            $crate::os::processor::stubs!(
                $symbol,
                "{called}",
                "mov rcx, [rsp]"
            ),
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
            $crate::os::processor::stubs!("jvmpi_tripwires", "jvmpi_tripwire", "mov r11d, offset jvmpi_stub"),
            $crate::os::processor::keep_arguments!("jvmpi_tripwire"),
            "mov rdx, rdi",
            "mov rdi, r11",
            "mov rsi, [rbp + 8]",
            "call {tripped}",
            "mov r11, rax",
            $crate::os::processor::restore_arguments!(),
            $crate::os::processor::leave!("jvmpi_tripwire", "jmp r11"),
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

        // All argument registers stay as they are, al too, but for the env itself.
        std::arch::global_asm!(
            $crate::os::processor::stubs!("jvmpi_forwarding_env", "jvmpi_forward", "mov r11d, offset jvmpi_stub"),
            ".p2align 4",
            ".type jvmpi_forward,@function",
            "jvmpi_forward:",
            ".cfi_startproc",
            "mov r10, qword ptr [rip + jvmpi_own@GOTTPOFF]",
            "cmp rdi, qword ptr fs:[r10 + 8 * {mounted}]",
            "jne 2f",
            "mov rdi, [rdi + 8]",
            "mov r10, [rdi]",
            "jmp [r10 + 8 * r11]",
            "2:",
            "mov rdx, [rsp]",
            "sub rsp, 8",
            ".cfi_adjust_cfa_offset 8",
            "mov rsi, rdi",
            "mov rdi, r11",
            "call {refuse}",
            "add rsp, 8",
            ".cfi_adjust_cfa_offset -8",
            "pxor xmm0, xmm0",
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
            // For the alignment of the stack.
            "push rax",
            ".cfi_def_cfa_offset 16",
            "call rcx",
            "xor edx, edx",
            "pop rcx",
            ".cfi_remember_state",
            ".cfi_def_cfa_offset 8",
            "ret",
            ".cfi_restore_state",
            ".hidden jvmpi_call_agent_caught",
            ".globl jvmpi_call_agent_caught",
            "jvmpi_call_agent_caught:",
            "mov rdx, rax",
            "xor eax, eax",
            "pop rcx",
            ".cfi_def_cfa_offset 8",
            "ret",
            ".cfi_endproc",
            ".size jvmpi_call_agent, . - jvmpi_call_agent",
            personality = sym $personality,
        );
    };
}

/// GLOB_DAT and JUMP_SLOT: relocations of a slot with a function's address.
pub(crate) const FUNCTION_SLOTS: [usize; 2] = [6, 7];

/// DWARF's number of the register that the landing pad has the exception in.
pub(crate) const LANDING_REGISTER: c_int = 0;

pub(crate) use {
    agent_call, far_natives, forwarding_envs, keep_arguments, leave, native_thunks, observed_stubs,
    restore_arguments, stubs, tripwires, with_caller,
};
