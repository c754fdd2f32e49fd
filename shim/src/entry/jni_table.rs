//! The VM's JNI functions for global references and for leaving a monitor, with our events
//! around them ([`crate::vm::jni_wrappers`]).
//!
//! # Safety
//! The wrappers have the types of what they wrap and pass everything on. They keep
//! errno and a pending exception as they are.
#![allow(unsafe_code, reason = "functions of the JNI table")]

use event_translate::table::EventKind;
use jvmpi_headers::jni::{JNI_ERR, JNIEnv, jint, jobject};

use crate::base::boundary::guarded;
use crate::events::monitors::{contended_exit, monitor_events};
use crate::events::references::global_refs;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;
use crate::vm::jni_wrappers::{Functions, original};

/// What the VM is to call instead of its own.
pub(crate) const WRAPPERS: Functions = Functions {
    new_global: new_global_ref,
    delete_global: delete_global_ref,
    new_weak: new_weak_global_ref,
    delete_weak: delete_weak_global_ref,
    monitor_exit,
};

/// errno belongs to whoever calls JNI.
fn keeping_errno(body: impl FnOnce()) {
    // SAFETY: this thread's errno.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let errno = unsafe { *place };
    body();
    // SAFETY: as above.
    unsafe { *place = errno };
}

fn created(kind: EventKind, env: *mut JNIEnv, reference: jobject) {
    keeping_errno(|| {
        guarded(kind.name(), (), || {
            // SAFETY: JNI functions are called with the thread's own env.
            if let Some(jni) = unsafe { Jni::from_raw(env) }.filter(|_| !reference.is_null()) {
                global_refs::created(jni, kind, reference);
            }
        });
    });
}

fn deleted(kind: EventKind, env: *mut JNIEnv, reference: jobject) {
    keeping_errno(|| {
        guarded(kind.name(), (), || {
            // SAFETY: JNI functions are called with the thread's own env.
            if let Some(jni) = unsafe { Jni::from_raw(env) }.filter(|_| !reference.is_null()) {
                global_refs::deleted(jni, kind, reference);
            }
        });
    });
}

unsafe extern "system" fn new_global_ref(env: *mut JNIEnv, object: jobject) -> jobject {
    let Some(vms_own) = original() else {
        return std::ptr::null_mut();
    };
    // SAFETY: what the caller passed.
    let reference = unsafe { (vms_own.new_global)(env, object) };
    created(EventKind::JniGlobalrefAlloc, env, reference);
    reference
}

unsafe extern "system" fn new_weak_global_ref(env: *mut JNIEnv, object: jobject) -> jobject {
    let Some(vms_own) = original() else {
        return std::ptr::null_mut();
    };
    // SAFETY: what the caller passed.
    let reference = unsafe { (vms_own.new_weak)(env, object) };
    created(EventKind::JniWeakGlobalrefAlloc, env, reference);
    reference
}

/// The event comes first: afterwards the VM may give the same reference to another
/// thread.
unsafe extern "system" fn delete_global_ref(env: *mut JNIEnv, reference: jobject) {
    deleted(EventKind::JniGlobalrefFree, env, reference);
    if let Some(vms_own) = original() {
        // SAFETY: what the caller passed.
        unsafe { (vms_own.delete_global)(env, reference) };
    }
}

unsafe extern "system" fn delete_weak_global_ref(env: *mut JNIEnv, reference: jobject) {
    deleted(EventKind::JniWeakGlobalrefFree, env, reference);
    if let Some(vms_own) = original() {
        // SAFETY: what the caller passed.
        unsafe { (vms_own.delete_weak)(env, reference) };
    }
}

unsafe extern "system" fn monitor_exit(env: *mut JNIEnv, object: jobject) -> jint {
    if contended_exit::any() && !object.is_null() {
        keeping_errno(|| {
            guarded("MONITOR_CONTENDED_EXIT", (), || {
                // SAFETY: JNI functions are called with the thread's own env.
                if let Some(jni) = unsafe { Jni::from_raw(env) }
                    && vm_monitors::holds(jni, object)
                {
                    monitor_events::leaves(jni, object);
                }
            });
        });
    }
    let Some(vms_own) = original() else {
        return JNI_ERR;
    };
    // SAFETY: what the caller passed.
    unsafe { (vms_own.monitor_exit)(env, object) }
}
