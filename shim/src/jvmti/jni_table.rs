//! The VM's JNI functions for global references and for leaving a monitor, with our events
//! around them (SetJNIFunctionTable).
//!
//! # Safety
//! The wrappers have the types of what they wrap and pass everything on. They keep
//! errno and a pending exception as they are.
#![allow(unsafe_code, reason = "functions of the JNI table")]

use event_translate::table::EventKind;
use jvmpi_headers::jni::{JNI_ERR, JNIEnv, JNINativeInterface_, jint, jobject};
use once_cell::sync::OnceCell;

use crate::ffi::boundary::guarded;
use crate::ffi::vm_monitors;
use crate::jvmti::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::jvmti::jni::Jni;
use crate::{global_refs, hand_over, monitor_events};

type NewRef = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jobject;
type MonitorExit = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;
type DeleteRef = unsafe extern "system" fn(*mut JNIEnv, jobject);

/// What we have put ourselves in front of.
pub(super) struct Original {
    pub(super) new_global: NewRef,
    pub(super) delete_global: DeleteRef,
    pub(super) new_weak: NewRef,
    pub(super) delete_weak: DeleteRef,
    monitor_exit: MonitorExit,
}

static ORIGINAL: OnceCell<Original> = OnceCell::new();

/// The functions behind our wrappers, once these are in place.
pub(super) fn original() -> Option<&'static Original> {
    ORIGINAL.get()
}

/// Puts the wrappers in place, once. They stay: another agent may have built on them.
///
/// # Phase
/// Start or live.
pub(crate) fn install(jvmti: Jvmti) -> Result<()> {
    if ORIGINAL.get().is_some() {
        return Ok(());
    }
    let mut table: *mut JNINativeInterface_ = std::ptr::null_mut();
    invoke!(jvmti.GetJNIFunctionTable((&raw mut table).cast()))?;
    // SAFETY: a copy of the table that the VM has just made for us; only we have it.
    let Some(versions) = (unsafe { table.as_mut() }) else {
        return Ok(());
    };
    // SAFETY: every VM from 11 on has the functions of this version.
    let functions = unsafe { &mut versions.v1_2 };
    let original = Original {
        new_global: functions.NewGlobalRef,
        delete_global: functions.DeleteGlobalRef,
        new_weak: functions.NewWeakGlobalRef,
        delete_weak: functions.DeleteWeakGlobalRef,
        monitor_exit: functions.MonitorExit,
    };
    if ORIGINAL.set(original).is_err() {
        jvmti.deallocate(table.cast());
        return Ok(());
    }
    functions.NewGlobalRef = new_global_ref;
    functions.DeleteGlobalRef = delete_global_ref;
    functions.NewWeakGlobalRef = new_weak_global_ref;
    functions.DeleteWeakGlobalRef = delete_weak_global_ref;
    functions.MonitorExit = monitor_exit;
    let done = invoke!(jvmti.SetJNIFunctionTable(table.cast_const().cast()));
    jvmti.deallocate(table.cast());
    done
}

fn created(kind: EventKind, env: *mut JNIEnv, reference: jobject) {
    guarded(kind.name(), (), || {
        // SAFETY: JNI functions are called with the thread's own env.
        if let Some(jni) = unsafe { Jni::from_raw(env) }.filter(|_| !reference.is_null()) {
            global_refs::created(jni, kind, reference);
        }
    });
}

fn deleted(kind: EventKind, env: *mut JNIEnv, reference: jobject) {
    guarded(kind.name(), (), || {
        // SAFETY: JNI functions are called with the thread's own env.
        if let Some(jni) = unsafe { Jni::from_raw(env) }.filter(|_| !reference.is_null()) {
            global_refs::deleted(jni, kind, reference);
        }
    });
}

unsafe extern "system" fn new_global_ref(env: *mut JNIEnv, object: jobject) -> jobject {
    let Some(original) = ORIGINAL.get() else {
        return std::ptr::null_mut();
    };
    // SAFETY: what the caller passed.
    let reference = unsafe { (original.new_global)(env, object) };
    created(EventKind::JniGlobalrefAlloc, env, reference);
    reference
}

unsafe extern "system" fn new_weak_global_ref(env: *mut JNIEnv, object: jobject) -> jobject {
    let Some(original) = ORIGINAL.get() else {
        return std::ptr::null_mut();
    };
    // SAFETY: what the caller passed.
    let reference = unsafe { (original.new_weak)(env, object) };
    created(EventKind::JniWeakGlobalrefAlloc, env, reference);
    reference
}

/// The event comes first: afterwards the VM may give the same reference to another
/// thread.
unsafe extern "system" fn delete_global_ref(env: *mut JNIEnv, reference: jobject) {
    deleted(EventKind::JniGlobalrefFree, env, reference);
    if let Some(original) = ORIGINAL.get() {
        // SAFETY: what the caller passed.
        unsafe { (original.delete_global)(env, reference) };
    }
}

unsafe extern "system" fn delete_weak_global_ref(env: *mut JNIEnv, reference: jobject) {
    deleted(EventKind::JniWeakGlobalrefFree, env, reference);
    if let Some(original) = ORIGINAL.get() {
        // SAFETY: what the caller passed.
        unsafe { (original.delete_weak)(env, reference) };
    }
}

unsafe extern "system" fn monitor_exit(env: *mut JNIEnv, object: jobject) -> jint {
    if hand_over::any() && !object.is_null() {
        guarded("MONITOR_CONTENDED_EXIT", (), || {
            // SAFETY: JNI functions are called with the thread's own env.
            if let Some(jni) = unsafe { Jni::from_raw(env) }
                && vm_monitors::holds(jni, object)
            {
                monitor_events::leaves(jni, object);
            }
        });
    }
    let Some(original) = ORIGINAL.get() else {
        return JNI_ERR;
    };
    // SAFETY: what the caller passed.
    unsafe { (original.monitor_exit)(env, object) }
}
