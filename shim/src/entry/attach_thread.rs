//! AttachCurrentThread and the same as a daemon: whose threads are an agent's own, for a recording;
//! that a thread whose end is past begins anew; that one that has no room for Java code does not begin; and that one
//! whose attaching fails is nobody.
//!
//! # Safety
//! What the caller has passed goes on to the VM as it came.
#![allow(unsafe_code, reason = "functions of the VM's invoke interface")]

use std::ffi::c_void;
use std::ptr;

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JNI_VERSION_1_2, JavaVM, jint};

use crate::base::boundary::unlogged;
use crate::model::thread::current;
use crate::model::threads;
use crate::observe::jvmti::own_threads;
use crate::os::stack_room;
use crate::vm::hotspot::flags;
use crate::vm::java_vm;

mod plainly {
    use crate::os::processor::with_caller;

    with_caller!("jvmpi_attach", super::attach_from);

    pub(super) fn function() -> usize {
        code()
    }
}

mod as_daemon {
    use crate::os::processor::with_caller;

    with_caller!("jvmpi_attach_as_daemon", super::attach_as_daemon_from);

    pub(super) fn function() -> usize {
        code()
    }
}

/// Ours, null where nobody can say who calls.
pub(super) fn functions() -> [*mut c_void; 2] {
    [plainly::function(), as_daemon::function()].map(ptr::with_exposed_provenance_mut)
}

unsafe extern "C" fn attach_from(
    vm: *mut JavaVM,
    out: *mut *mut c_void,
    arguments: *mut c_void,
    caller: usize,
) -> jint {
    // SAFETY: the caller's arguments.
    unsafe { attached(vm, (out, arguments), false, caller) }
}

unsafe extern "C" fn attach_as_daemon_from(
    vm: *mut JavaVM,
    out: *mut *mut c_void,
    arguments: *mut c_void,
    caller: usize,
) -> jint {
    // SAFETY: the caller's arguments.
    unsafe { attached(vm, (out, arguments), true, caller) }
}

/// What the constructor of a Thread wants of the stack besides, with the VM's functions that call it: up to 6.5 KB on x86-64,
/// where a class is used for the first time.
const CONSTRUCTOR: usize = 8 * 1024;

/// Whether the VM would find no room on this thread for the constructor of a Thread. Where it does not say what it keeps
/// free of a stack it is asked itself.
fn has_no_room() -> bool {
    flags::kept_of_each_stack().is_some_and(|kept| stack_room::is_less_than(kept + CONSTRUCTOR))
}

/// The VM does it; no lock is held and nothing of ours is under way meanwhile.
unsafe fn attached(
    vm: *mut JavaVM,
    (out, arguments): (*mut *mut c_void, *mut c_void),
    as_daemon: bool,
    caller: usize,
) -> jint {
    let Some(attach) = java_vm::vms_own_attach(as_daemon) else {
        return JNI_ERR;
    };
    let mut known = ptr::null_mut();
    let is_known = java_vm::forward(vm, &raw mut known, JNI_VERSION_1_2) == JNI_OK;
    if !is_known && has_no_room() {
        // What the VM would say, too; but then it has told of an object that it has made for the thread, and keeps what it
        // knows of that for a thread that is none. At some later event it follows that (JVMTI facts 46).
        return JNI_ERR;
    }
    let has_ended = current::has_ended();
    let is_new = !is_known && (has_ended || own_threads::are_wanted());
    if is_new && has_ended {
        unlogged("AttachCurrentThread", threads::attaches_anew);
    }
    if is_new && own_threads::are_wanted() {
        unlogged("AttachCurrentThread", own_threads::attaches);
    }
    // SAFETY: the VM's own, and the caller's arguments.
    let code = unsafe { attach(vm, out, arguments) };
    if !is_known && code != JNI_OK {
        unlogged("AttachCurrentThread", threads::attach_failed);
    }
    if is_new && own_threads::are_wanted() && code == JNI_OK {
        unlogged("AttachCurrentThread", || own_threads::attached(caller));
    }
    code
}
