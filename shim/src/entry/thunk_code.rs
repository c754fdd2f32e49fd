//! The code of thunks ([`crate::hooks::native_thunks`]), and what they call when a native method
//! begins and ends.
//!
//! It is made by the assembler and not at run time, so no memory is both written and executed.
//! A thunk leaves its number in r11 and jumps to what all have in common. That keeps all argument
//! registers and copies the arguments on the stack; result and errno pass through.
//!
//! # Safety
//! The VM calls a thunk as it would call what is behind it, which is the address that
//! the VM itself gave for the method.
#![allow(unsafe_code, reason = "assembler in front of native methods")]

use jvmpi_headers::jni::{JNIEnv, jobject};

use crate::base::boundary::unlogged;
use crate::events::methods::{fast_path, method_events};
use crate::events::monitors::monitor_events;
use crate::hooks::native_thunks::{self, ROOM, Thunk};
use crate::vm::hotspot::pending_exception::{self, ExceptionAside};
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// For [`native_thunks::set_code`].
pub(crate) fn address() -> usize {
    (jvmpi_native_thunks as *const ()).expose_provenance()
}

/// A native method begins on this thread. `second` is its `this`, or its class.
fn begin(thunk: &Thunk, second: Option<ObjectRef<'_>>, stack: usize) {
    if !thunk.is_taken {
        return;
    }
    let receiver = second.filter(|_| thunk.has_receiver);
    method_events::entered(thunk.number, Some(receiver), stack);
}

/// It ends; an exception may be pending.
fn end(jni: Jni, thunk: &Thunk, second: Option<ObjectRef<'_>>) {
    if thunk.is_taken {
        tell_of_end(jni, thunk);
    }
    if thunk.is_synchronized
        && let Some(second) = second
    {
        // The VM unlocks it when this returns.
        monitor_events::leaves(jni, second);
    }
}

fn tell_of_end(jni: Jni, thunk: &Thunk) {
    // What is pending afterwards is the agent's.
    let _aside = ExceptionAside::put(jni);
    if !fast_path::native_leaves(thunk.number) {
        method_events::left(thunk.number, false);
    }
}

/// Hooks see the stack from further down than a thunk does: what the frames of a hook and
/// of the VM's wrapper around a native method differ by at most. An upcall from a native
/// method takes more.
const ABOVE_HOOKS: usize = 384;

/// Where the assembler finds what it needs.
#[repr(C)]
struct Begun {
    address: usize,
    stack_words: usize,
}

/// A native method begins; called by the assembler.
unsafe extern "C" fn begins(
    index: usize,
    second: jobject,
    stack: usize,
    env: *mut JNIEnv,
) -> Begun {
    let Some(thunk) = native_thunks::get(index) else {
        // No VM has the address of a thunk that was not made, or is free again.
        return Begun {
            address: (nothing as *const ()).expose_provenance(),
            stack_words: 0,
        };
    };
    unlogged("METHOD_ENTRY", || {
        // SAFETY: the second argument of a native method.
        let second = unsafe { ObjectRef::lent(&second) };
        begin(&thunk, second, stack.wrapping_sub(ABOVE_HOOKS));
        // SAFETY: the first argument of a native method.
        unsafe { pending_exception::drop_it(env) };
    });
    Begun {
        address: thunk.address,
        stack_words: thunk.stack_words,
    }
}

unsafe extern "C" fn nothing() -> usize {
    0
}

/// It ends; called by the assembler.
unsafe extern "C" fn ends(index: usize, env: *mut JNIEnv, second: jobject) {
    if let Some(thunk) = native_thunks::get(index) {
        unlogged("METHOD_EXIT", || {
            // SAFETY: the first argument of a native method.
            if let Some(jni) = unsafe { Jni::from_raw(env) } {
                // SAFETY: the second argument of a native method.
                let second = unsafe { ObjectRef::lent(&second) };
                end(jni, &thunk, second);
            }
        });
    }
}

unsafe extern "C" {
    fn jvmpi_native_thunks();
}

// System V ABI: rdi rsi rdx rcx r8 r9 and xmm0 to 7 carry arguments, the rest is on the
// stack in words; rax and xmm0 the result. rbx keeps the index.
std::arch::global_asm!(
    ".text",
    ".p2align 4",
    ".hidden jvmpi_native_thunks",
    ".globl jvmpi_native_thunks",
    ".type jvmpi_native_thunks,@function",
    "jvmpi_native_thunks:",
    ".cfi_startproc",
    ".set jvmpi_thunk, 0",
    ".rept {room}",
    ".p2align 4",
    "mov r11d, offset jvmpi_thunk",
    ".set jvmpi_thunk, jvmpi_thunk + 1",
    "jmp jvmpi_native_thunk",
    ".endr",
    ".p2align 4",
    ".cfi_endproc",
    ".size jvmpi_native_thunks, . - jvmpi_native_thunks",
    ".p2align 4",
    ".type jvmpi_native_thunk,@function",
    "jvmpi_native_thunk:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    ".cfi_offset rbx, -24",
    // 6 words and 8 vector registers, of which arguments use the low 8 bytes; kept
    // aligned to 16 with the two pushes and the return address.
    "sub rsp, 120",
    "mov rbx, r11",
    "mov [rsp], rdi",
    "mov [rsp + 8], rsi",
    "mov [rsp + 16], rdx",
    "mov [rsp + 24], rcx",
    "mov [rsp + 32], r8",
    "mov [rsp + 40], r9",
    "movsd [rsp + 48], xmm0",
    "movsd [rsp + 56], xmm1",
    "movsd [rsp + 64], xmm2",
    "movsd [rsp + 72], xmm3",
    "movsd [rsp + 80], xmm4",
    "movsd [rsp + 88], xmm5",
    "movsd [rsp + 96], xmm6",
    "movsd [rsp + 104], xmm7",
    "mov rdi, rbx",
    "mov rdx, rbp",
    "mov rcx, [rsp]",
    "call {begins}",
    "mov r11, rax",
    "mov rax, rdx",
    "mov rdi, [rsp]",
    "mov rsi, [rsp + 8]",
    "mov rdx, [rsp + 16]",
    "mov rcx, [rsp + 24]",
    "mov r8, [rsp + 32]",
    "mov r9, [rsp + 40]",
    "movsd xmm0, [rsp + 48]",
    "movsd xmm1, [rsp + 56]",
    "movsd xmm2, [rsp + 64]",
    "movsd xmm3, [rsp + 72]",
    "movsd xmm4, [rsp + 80]",
    "movsd xmm5, [rsp + 88]",
    "movsd xmm6, [rsp + 96]",
    "movsd xmm7, [rsp + 104]",
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
    "mov rsi, [rbp - 128]",
    "mov rdx, [rbp - 120]",
    "lea rsp, [rbp - 48]",
    "mov [rsp], rax",
    "movsd [rsp + 8], xmm0",
    "mov rdi, rbx",
    "call {ends}",
    "mov rax, [rsp]",
    "movsd xmm0, [rsp + 8]",
    "mov rbx, [rbp - 8]",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size jvmpi_native_thunk, . - jvmpi_native_thunk",
    room = const ROOM,
    begins = sym begins,
    ends = sym ends,
);
