//! Small functions in front of the native methods of the program: they call us when
//! such a method begins and when it ends.
//!
//! There is one for each number, made by the assembler and not at run time, so no memory
//! is both written and executed. It finds the number in r11 and everything else in
//! [`THUNKS`]. It keeps all argument registers and copies the arguments on the stack;
//! result and errno pass through.
//!
//! # Safety
//! The VM calls a thunk as it would call what is behind it, which is the address that
//! the VM itself gave for the method.
//!
//! # Used again
//! When a method's class is gone, so is every way into its thunk: the VM calls it from a Java
//! frame of the method and from nowhere else, and takes its address from the method; that
//! frame lies on the thread's stack from before the jump to the thunk until after its return,
//! and a class with a frame on a stack is not unloaded. An agent beside us that was shown the
//! address (NativeMethodBind) stands between the two, in the same frame. So no thread is in the
//! thunk or about to enter it. A method that is bound to another function while its class
//! lives proves nothing of the kind: its old thunk stays until the class goes.
#![allow(unsafe_code, reason = "assembler in front of native methods")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use jvmpi_headers::jni::{JNIEnv, jobject};
use parking_lot::Mutex;

use crate::ffi::boundary::unlogged;
use crate::ffi::pending_exception;
use crate::jvmti::jni::Jni;
use crate::native_methods;

/// How many native methods can be seen at a time. A JDK binds some hundred in a run.
#[cfg(target_arch = "x86_64")]
const ROOM: usize = 8192;
#[cfg(not(target_arch = "x86_64"))]
const ROOM: usize = 0;

/// What is behind one thunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thunk {
    pub(crate) address: usize,
    /// Arguments that are passed on the stack, in words.
    pub(crate) stack_words: usize,
    /// Of the method.
    pub(crate) number: i32,
    /// The agent may hear of it.
    pub(crate) is_taken: bool,
    /// Its second argument is `this`, not the class.
    pub(crate) has_receiver: bool,
    pub(crate) is_synchronized: bool,
}

/// A [`Thunk`] where any thread can read it without a lock.
struct Place {
    /// 0 while nothing is behind it.
    address: AtomicUsize,
    /// The number in the high half, `stack_words` and three flags in the low one.
    rest: AtomicU64,
}

const TAKEN: u64 = 1;
const RECEIVER: u64 = 2;
const SYNCHRONIZED: u64 = 4;
const WORDS_SHIFT: u32 = 3;
const NUMBER_SHIFT: u32 = 32;

impl Place {
    const fn new() -> Self {
        Self {
            address: AtomicUsize::new(0),
            rest: AtomicU64::new(0),
        }
    }

    /// False if the thunk has too many arguments.
    fn put(&self, thunk: Thunk) -> bool {
        // A method has 255 words of arguments at most.
        let Ok(words) = u8::try_from(thunk.stack_words) else {
            return false;
        };
        let flag = |on: bool, flag: u64| if on { flag } else { 0 };
        let rest = u64::from(thunk.number.cast_unsigned()) << NUMBER_SHIFT
            | u64::from(words) << WORDS_SHIFT
            | flag(thunk.is_taken, TAKEN)
            | flag(thunk.has_receiver, RECEIVER)
            | flag(thunk.is_synchronized, SYNCHRONIZED);
        self.rest.store(rest, Ordering::Relaxed);
        self.address.store(thunk.address, Ordering::Release);
        true
    }

    fn get(&self) -> Option<Thunk> {
        let address = self.address.load(Ordering::Acquire);
        let rest = self.rest.load(Ordering::Relaxed);
        #[allow(clippy::cast_possible_truncation, reason = "parts of a word")]
        let (number, words) = ((rest >> NUMBER_SHIFT) as u32, (rest >> WORDS_SHIFT) as u8);
        (address != 0).then_some(Thunk {
            address,
            stack_words: usize::from(words),
            number: number.cast_signed(),
            is_taken: rest & TAKEN != 0,
            has_receiver: rest & RECEIVER != 0,
            is_synchronized: rest & SYNCHRONIZED != 0,
        })
    }
}

static THUNKS: [Place; ROOM] = [const { Place::new() }; ROOM];

/// Which of them are free.
struct Free {
    /// The first that nothing has been behind yet.
    unused: usize,
    given_back: Vec<usize>,
}

static FREE: Mutex<Free> = Mutex::new(Free {
    unused: 0,
    given_back: Vec::new(),
});

/// The code of a thunk; `None` when there is none left.
pub(crate) fn make(thunk: Thunk) -> Option<*mut c_void> {
    let mut free = FREE.lock();
    let index = free.given_back.last().copied().unwrap_or(free.unused);
    if !THUNKS.get(index)?.put(thunk) {
        return None;
    }
    if free.given_back.pop().is_none() {
        free.unused += 1;
    }
    Some(std::ptr::with_exposed_provenance_mut(
        table() + index * SIZE,
    ))
}

/// The class of the thunk's method is gone: it may be used for another.
pub(crate) fn give_back(thunk: usize) {
    let index = thunk.wrapping_sub(table()) / SIZE;
    if let Some(place) = THUNKS.get(index)
        && place.address.swap(0, Ordering::AcqRel) != 0
    {
        FREE.lock().given_back.push(index);
    }
}

/// How many are in use, or have been.
pub(crate) fn extent() -> usize {
    FREE.lock().unused
}

/// Whether this is the address of a thunk.
pub(crate) fn is_thunk(address: usize) -> bool {
    (table()..table() + ROOM * SIZE).contains(&address)
}

/// Hooks see the stack from further down than a thunk does: what the frames of a hook and
/// of the VM's wrapper around a native method differ by at most. An upcall from a native
/// method takes more.
#[cfg(target_arch = "x86_64")]
const ABOVE_HOOKS: usize = 384;

/// Bytes of one thunk.
const SIZE: usize = 16;

#[cfg(target_arch = "x86_64")]
fn table() -> usize {
    (jvmpi_native_thunks as *const ()).expose_provenance()
}

#[cfg(not(target_arch = "x86_64"))]
fn table() -> usize {
    0
}

/// Where the assembler finds what it needs.
#[repr(C)]
struct Begun {
    address: usize,
    stack_words: usize,
}

/// A native method begins; called by the assembler.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn begins(
    index: usize,
    second: jobject,
    stack: usize,
    env: *mut JNIEnv,
) -> Begun {
    let Some(thunk) = THUNKS.get(index).and_then(Place::get) else {
        // No VM has the address of a thunk that was not made, or is free again.
        return Begun {
            address: (nothing as *const ()).expose_provenance(),
            stack_words: 0,
        };
    };
    unlogged("METHOD_ENTRY", || {
        native_methods::begins(&thunk, second, stack.wrapping_sub(ABOVE_HOOKS));
        // SAFETY: the first argument of a native method.
        unsafe { pending_exception::drop_it(env) };
    });
    Begun {
        address: thunk.address,
        stack_words: thunk.stack_words,
    }
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn nothing() -> usize {
    0
}

/// It ends; called by the assembler.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn ends(index: usize, env: *mut JNIEnv, second: jobject) {
    if let Some(thunk) = THUNKS.get(index).and_then(Place::get) {
        unlogged("METHOD_EXIT", || {
            // SAFETY: the first argument of a native method.
            if let Some(jni) = unsafe { Jni::from_raw(env) } {
                native_methods::ends(jni, &thunk, second);
            }
        });
    }
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn jvmpi_native_thunks();
}

// System V ABI: rdi rsi rdx rcx r8 r9 and xmm0 to 7 carry arguments, the rest is on the
// stack in words; rax and xmm0 the result. rbx keeps the index.
#[cfg(target_arch = "x86_64")]
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn thunk(number: i32) -> Thunk {
        Thunk {
            address: 0x1234,
            stack_words: 255,
            number,
            is_taken: number % 2 == 0,
            has_receiver: number % 3 == 0,
            is_synchronized: number % 5 == 0,
        }
    }

    #[test]
    fn thunks_that_were_given_back_are_used_again() {
        // Three times as many as there are, a thousand at a time.
        for _ in 0..3 * ROOM / 1000 {
            let made: Vec<_> = (-500..500)
                .map(|number| (number, make(thunk(number))))
                .collect();
            for (number, code) in made {
                let code = code.expect("there is room").addr();
                assert!(is_thunk(code));
                let place = &THUNKS[(code - table()) / SIZE];
                assert_eq!(place.get(), Some(thunk(number)));
                give_back(code);
                assert_eq!(place.get(), None);
                // Of no effect.
                give_back(code);
            }
        }
        assert_eq!(extent(), 1000);
        let endless = Thunk {
            stack_words: 256,
            ..thunk(1)
        };
        assert_eq!(make(endless), None);
    }
}
