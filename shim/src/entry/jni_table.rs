//! The VM's JNI functions for global references and for entering and leaving a monitor, with our
//! events around them ([`crate::vm::jni::wrappers`]).
//!
//! # Safety
//! The wrappers have the types of what they wrap and pass everything on. They keep
//! errno and a pending exception as they are.
#![allow(unsafe_code, reason = "functions of the JNI table")]

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JNIEnv, jint, jobject};

use crate::base::boundary::guarded;
use crate::events::monitors::{contended_exit, waiters};
use crate::events::references::global_refs::{self, Strength};
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;
use crate::vm::jni::wrappers::{Functions, original};
use crate::vm::refs::ObjectRef;

/// What the VM is to call instead of its own.
pub(crate) const WRAPPERS: Functions = Functions {
    new_global: new_global_ref,
    delete_global: delete_global_ref,
    new_weak: new_weak_global_ref,
    delete_weak: delete_weak_global_ref,
    monitor_enter,
    monitor_exit,
};

/// What a JNI function is called with; `None` where there is no reference.
fn called(env: *mut JNIEnv, reference: &jobject) -> Option<(Jni, ObjectRef<'_>)> {
    // SAFETY: JNI functions are called with the thread's own env.
    let jni = unsafe { Jni::from_raw(env) }?;
    // SAFETY: and with live references, or null.
    Some((jni, unsafe { ObjectRef::lent(reference) }?))
}

fn created(strength: Strength, env: *mut JNIEnv, reference: jobject) {
    guarded(strength.made().name(), (), || {
        if let Some((jni, reference)) = called(env, &reference) {
            global_refs::created(jni, strength, reference);
        }
    });
}

fn deleted(strength: Strength, env: *mut JNIEnv, reference: jobject) {
    guarded(strength.deleted().name(), (), || {
        if let Some((jni, reference)) = called(env, &reference) {
            global_refs::deleted(jni, strength, reference);
        }
    });
}

unsafe extern "system" fn new_global_ref(env: *mut JNIEnv, object: jobject) -> jobject {
    let Some(vms_own) = original() else {
        return std::ptr::null_mut();
    };
    // SAFETY: what the caller passed.
    let reference = unsafe { (vms_own.new_global)(env, object) };
    created(Strength::Strong, env, reference);
    reference
}

unsafe extern "system" fn new_weak_global_ref(env: *mut JNIEnv, object: jobject) -> jobject {
    let Some(vms_own) = original() else {
        return std::ptr::null_mut();
    };
    // SAFETY: what the caller passed.
    let reference = unsafe { (vms_own.new_weak)(env, object) };
    created(Strength::Weak, env, reference);
    reference
}

/// The event comes first: afterwards the VM may give the same reference to another
/// thread.
unsafe extern "system" fn delete_global_ref(env: *mut JNIEnv, reference: jobject) {
    deleted(Strength::Strong, env, reference);
    if let Some(vms_own) = original() {
        // SAFETY: what the caller passed.
        unsafe { (vms_own.delete_global)(env, reference) };
    }
}

unsafe extern "system" fn delete_weak_global_ref(env: *mut JNIEnv, reference: jobject) {
    deleted(Strength::Weak, env, reference);
    if let Some(vms_own) = original() {
        // SAFETY: what the caller passed.
        unsafe { (vms_own.delete_weak)(env, reference) };
    }
}

unsafe extern "system" fn monitor_enter(env: *mut JNIEnv, object: jobject) -> jint {
    let Some(vms_own) = original() else {
        return JNI_ERR;
    };
    // SAFETY: what the caller passed.
    let done = unsafe { (vms_own.monitor_enter)(env, object) };
    if done == JNI_OK {
        guarded("MonitorEnter", (), contended_exit::note_jni_entry);
    }
    done
}

unsafe extern "system" fn monitor_exit(env: *mut JNIEnv, object: jobject) -> jint {
    if waiters::any() {
        guarded("MONITOR_CONTENDED_EXIT", (), || {
            if let Some((jni, object)) = called(env, &object)
                && vm_monitors::holds(jni, object)
            {
                contended_exit::leaves(jni, object);
            }
        });
    }
    let Some(vms_own) = original() else {
        return JNI_ERR;
    };
    // SAFETY: what the caller passed.
    let done = unsafe { (vms_own.monitor_exit)(env, object) };
    if done == JNI_OK {
        guarded("MonitorExit", (), contended_exit::note_jni_exit);
    }
    done
}
