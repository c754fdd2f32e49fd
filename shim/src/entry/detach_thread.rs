//! DetachCurrentThread: an agent detaches its own threads, and none on which we have called it.
//!
//! Agents that do not ask on which thread they are attach it, do something, and detach it, in handlers, too. The VM
//! refuses that where Java code is below; elsewhere it would free the thread that it stands on itself (JVMTI facts 50).
#![allow(unsafe_code, reason = "functions of the VM's invoke interface")]

use std::ffi::c_void;

use jvmpi_headers::jni::{JNI_ERR, JavaVM, jint};

use crate::base::boundary::guarded;
use crate::base::log;
use crate::events::gc::claim;
use crate::model::thread::current::{self, Runs};
use crate::vm::java_vm;

/// Ours.
pub(super) fn function() -> *mut c_void {
    detach as *mut c_void
}

/// As DestroyJavaVM: the VM's part, in which the agent hears of the thread's end, is outside the boundary.
unsafe extern "system" fn detach(vm: *mut JavaVM) -> jint {
    let refused = guarded("DetachCurrentThread", false, || {
        let refused =
            current::runs() != Runs::Nothing || current::is_in_handler() || claim::is_mine();
        if refused {
            log::warn_once!(
                "DetachCurrentThread: in a handler, in JVM_OnLoad or in the function of a system thread; JNI_ERR"
            );
        }
        refused
    });
    match java_vm::vms_own_detach() {
        // SAFETY: the VM's own, and the caller's argument.
        Some(detach) if !refused => unsafe { detach(vm) },
        _ => JNI_ERR,
    }
}
