//! The code of thunks ([`crate::hooks::native_thunks`]), and what they call when a native method
//! begins and ends.
//!
//! It is made by the assembler and not at run time, so no memory is both written and executed.
//! A thunk says its number to what all have in common. That keeps all argument
//! registers and copies the arguments on the stack; result and errno pass through.
//!
//! # Safety
//! The VM calls a thunk as it would call what is behind it, which is the address that
//! the VM itself gave for the method.
#![allow(unsafe_code, reason = "assembler in front of native methods")]

use jvmpi_headers::jni::{JNIEnv, jobject};

use crate::base::boundary::unlogged;
use crate::events::methods::{fast_path, method_events};
use crate::events::monitors::contended_exit;
use crate::hooks::native_thunks::{self, ROOM, Thunk};
use crate::os::processor::native_thunks;
use crate::vm::hotspot::threads::pending_exception::{self, ExceptionAside};
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// For [`native_thunks::set_code`].
pub(crate) fn address() -> usize {
    code()
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
        contended_exit::leaves(jni, second);
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

native_thunks!(ROOM, begins, ends);
