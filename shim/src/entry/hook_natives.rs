//! What rewritten code calls: the native methods of the hook class.
//!
//! # Safety
//! Called by the VM from Java code, with the thread's own environment and live
//! references.
#![allow(unsafe_code, reason = "native methods of a Java class")]

use std::ffi::c_void;

use class_rewriter::Hook;
use jvmpi_headers::jni::{JNIEnv, jclass, jint, jlong, jobject};

use crate::base::boundary::{bare, guarded, unlogged};
use crate::base::errno::ErrnoKept;
use crate::events::methods::fast_path;
use crate::events::methods::instruction_events::{self, Operands};
use crate::events::methods::method_events::{self, Receiver};
use crate::events::monitors::{contended_exit, parks, sleep};
use crate::hooks::hook_class;
use crate::os::processor::stack_here;
use crate::vm::hotspot::threads::pending_exception;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// For [`hook_class::set_functions`].
pub(crate) fn function(hook: Hook) -> *const c_void {
    match hook {
        Hook::Enter => enter as *const c_void,
        Hook::EnterReceiver => enter_receiver as *const c_void,
        Hook::Exit => exit as *const c_void,
        Hook::Unwind => unwind as *const c_void,
        Hook::Instruction => instruction as *const c_void,
        Hook::IfInt => if_int as *const c_void,
        Hook::IfInts => if_ints as *const c_void,
        Hook::IfReference => if_reference as *const c_void,
        Hook::IfReferences => if_references as *const c_void,
        Hook::Switch => switch as *const c_void,
        Hook::Leave => leave as *const c_void,
        Hook::LeaveCaller => leave_caller as *const c_void,
        Hook::Sleeps => sleeps as *const c_void,
        Hook::Slept => slept as *const c_void,
        Hook::Parks => parks as *const c_void,
        Hook::Parked => parked as *const c_void,
    }
}

/// The native `register()` of the hook class, called by its own Java code: so the VM
/// takes the hooks without a warning on stdout (JVMTI facts 18).
///
/// # Safety
/// See the module documentation.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_JvmpiHooks_register(
    env: *mut JNIEnv,
    class: jclass,
) {
    guarded("register", (), || {
        // SAFETY: the VM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) };
        if let (Some(jni), Some(class)) = (jni, lent(&class)) {
            hook_class::register(jni, class);
        }
    });
}

/// An argument of a native method; `None` for null.
#[inline(always)]
fn lent(argument: &jobject) -> Option<ObjectRef<'_>> {
    // SAFETY: as the module says.
    unsafe { ObjectRef::lent(argument) }
}

unsafe extern "system" fn enter(env: *mut JNIEnv, _: jclass, number: jint) {
    let stack = stack_here();
    bare("METHOD_ENTRY", (), || {
        if !fast_path::enters(number, stack) {
            enter_slow_path(env, None, number, stack);
        }
    });
}

unsafe extern "system" fn enter_receiver(
    env: *mut JNIEnv,
    _: jclass,
    receiver: jobject,
    number: jint,
) {
    let stack = stack_here();
    bare("METHOD_ENTRY2", (), || {
        let receiver = lent(&receiver);
        if !fast_path::enters_with(number, receiver, stack) {
            enter_slow_path(env, Some(receiver), number, stack);
        }
    });
}

/// Apart, so that the fast path has not to save what only this needs.
#[inline(never)]
fn enter_slow_path(env: *mut JNIEnv, receiver: Receiver<'_>, number: jint, stack: usize) {
    let _errno = ErrnoKept::here();
    method_events::entered(number, receiver, stack);
    // SAFETY: as the module says.
    unsafe { pending_exception::drop_it(env) };
}

unsafe extern "system" fn exit(env: *mut JNIEnv, _: jclass, number: jint) {
    bare("METHOD_EXIT", (), || {
        if !fast_path::leaves(number) {
            exit_slow_path(env, number);
        }
    });
}

#[inline(never)]
fn exit_slow_path(env: *mut JNIEnv, number: jint) {
    let _errno = ErrnoKept::here();
    method_events::left(number, false);
    // SAFETY: as the module says.
    unsafe { pending_exception::drop_it(env) };
}

/// A hook without a fast path: nothing that it has thrown is left.
fn hook(name: &'static str, env: *mut JNIEnv, body: impl FnOnce()) {
    unlogged(name, || {
        body();
        // SAFETY: as the module says.
        unsafe { pending_exception::drop_it(env) };
    });
}

unsafe extern "system" fn unwind(env: *mut JNIEnv, _: jclass, number: jint) {
    hook("METHOD_EXIT", env, || {
        method_events::left(number, true);
    });
}

unsafe extern "system" fn instruction(env: *mut JNIEnv, _: jclass, number: jint, at: jint) {
    hook("INSTRUCTION_START", env, || {
        instruction_events::begins(number, at, Operands::None);
    });
}

unsafe extern "system" fn if_int(env: *mut JNIEnv, _: jclass, value: jint, number: jint, at: jint) {
    hook("INSTRUCTION_START", env, || {
        instruction_events::begins(number, at, Operands::Ints(value, 0));
    });
}

unsafe extern "system" fn if_ints(
    env: *mut JNIEnv,
    _: jclass,
    first: jint,
    second: jint,
    number: jint,
    at: jint,
) {
    hook("INSTRUCTION_START", env, || {
        instruction_events::begins(number, at, Operands::Ints(first, second));
    });
}

unsafe extern "system" fn if_reference(
    env: *mut JNIEnv,
    _: jclass,
    value: jobject,
    number: jint,
    at: jint,
) {
    hook("INSTRUCTION_START", env, || {
        instruction_events::begins(number, at, Operands::Same(value.is_null()));
    });
}

unsafe extern "system" fn if_references(
    env: *mut JNIEnv,
    _: jclass,
    first: jobject,
    second: jobject,
    number: jint,
    at: jint,
) {
    hook("INSTRUCTION_START", env, || {
        // SAFETY: the VM passes the calling thread's environment.
        if let Some(jni) = unsafe { Jni::from_raw(env) } {
            let same = match (lent(&first), lent(&second)) {
                (Some(first), Some(second)) => jni.same(first, second),
                (first, second) => first.is_none() && second.is_none(),
            };
            instruction_events::begins(number, at, Operands::Same(same));
        }
    });
}

unsafe extern "system" fn switch(env: *mut JNIEnv, _: jclass, key: jint, number: jint, at: jint) {
    hook("INSTRUCTION_START", env, || {
        instruction_events::begins(number, at, Operands::Key(key));
    });
}

unsafe extern "system" fn leave(env: *mut JNIEnv, _: jclass, object: jobject) {
    unlogged("MONITOR_CONTENDED_EXIT", || {
        // SAFETY: the VM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) };
        if let (Some(jni), Some(object)) = (jni, lent(&object)) {
            contended_exit::leaves(jni, object);
        }
    });
}

unsafe extern "system" fn leave_caller(env: *mut JNIEnv, _: jclass) {
    unlogged("MONITOR_CONTENDED_EXIT", || {
        // SAFETY: the VM passes the calling thread's environment.
        if let Some(jni) = unsafe { Jni::from_raw(env) } {
            contended_exit::leaves_class(jni);
        }
    });
}

unsafe extern "system" fn sleeps(env: *mut JNIEnv, _: jclass, nanos: jlong) {
    hook("MONITOR_WAIT", env, || {
        // SAFETY: the VM passes the calling thread's environment.
        if let Some(jni) = unsafe { Jni::from_raw(env) } {
            sleep::virtual_begins(jni, nanos);
        }
    });
}

unsafe extern "system" fn slept(env: *mut JNIEnv, _: jclass) {
    hook("MONITOR_WAITED", env, || {
        // SAFETY: the VM passes the calling thread's environment.
        if let Some(jni) = unsafe { Jni::from_raw(env) } {
            sleep::virtual_ends(jni);
        }
    });
}

unsafe extern "system" fn parks(env: *mut JNIEnv, _: jclass, blocker: jobject) {
    hook("watch_parks", env, || {
        // SAFETY: the VM passes the calling thread's environment.
        if let Some(jni) = unsafe { Jni::from_raw(env) } {
            parks::begins(jni, lent(&blocker));
        }
    });
}

unsafe extern "system" fn parked(env: *mut JNIEnv, _: jclass) {
    hook("watch_parks", env, || {
        // SAFETY: the VM passes the calling thread's environment.
        if let Some(jni) = unsafe { Jni::from_raw(env) } {
            parks::ends(jni);
        }
    });
}
