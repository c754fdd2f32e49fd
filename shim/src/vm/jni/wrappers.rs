//! Puts wrappers in front of JNI's functions for global references and for entering and leaving a monitor
//! (SetJNIFunctionTable).
#![allow(unsafe_code, reason = "functions of the JNI table")]

use std::sync::atomic::{Ordering, fence};

use jvmpi_headers::jni::{JNIEnv, JNINativeInterface_, jint, jobject};
use once_cell::sync::OnceCell;

use crate::vm::jni_env;
use crate::vm::jvmti::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

type NewRef = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jobject;
type Monitor = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;
type DeleteRef = unsafe extern "system" fn(*mut JNIEnv, jobject);

/// The functions that have wrappers: ours, or the VM's own behind them.
pub(crate) struct Functions {
    pub(crate) new_global: NewRef,
    pub(crate) delete_global: DeleteRef,
    pub(crate) new_weak: NewRef,
    pub(crate) delete_weak: DeleteRef,
    pub(crate) monitor_enter: Monitor,
    pub(crate) monitor_exit: Monitor,
}

static ORIGINAL: OnceCell<Functions> = OnceCell::new();

/// The functions behind our wrappers, once these are in place.
#[inline]
pub(crate) fn original() -> Option<&'static Functions> {
    // Who is here has read the VM's table without order: what was written before it is read after it.
    fence(Ordering::Acquire);
    ORIGINAL.get()
}

static WRAPPERS: OnceCell<Functions> = OnceCell::new();

/// What [`install`] is to put in place; put in at load.
pub(crate) fn set_wrappers(wrappers: Functions) {
    let _ = WRAPPERS.set(wrappers);
}

/// Keeps the VM's functions as they are now, for our own calls; those that are kept stay.
///
/// # Phase
/// Start or live; best before other agents have come to put theirs in place.
pub(crate) fn keep_vms_own(jvmti: Jvmti) {
    if jni_env::are_kept() {
        return;
    }
    let mut table: *mut JNINativeInterface_ = std::ptr::null_mut();
    let given = invoke!(jvmti.GetJNIFunctionTable((&raw mut table).cast()));
    // SAFETY: the VM's copy for us; given back only if it does not count.
    if given.is_ok() && !table.is_null() && !unsafe { jni_env::keep(table) } {
        jvmti.deallocate(table.cast());
    }
}

/// Puts the VM's own functions back, where ours are in place and nobody else's.
pub(crate) fn uninstall(jvmti: Jvmti) -> Result<()> {
    let (Some(wrappers), Some(original)) = (WRAPPERS.get(), ORIGINAL.get()) else {
        return Ok(());
    };
    let mut table: *mut JNINativeInterface_ = std::ptr::null_mut();
    invoke!(jvmti.GetJNIFunctionTable((&raw mut table).cast()))?;
    // SAFETY: a copy of the table that the VM has just made for us; only we have it.
    let Some(versions) = (unsafe { table.as_mut() }) else {
        return Ok(());
    };
    // SAFETY: every VM from 11 on has the functions of this version.
    let functions = unsafe { &mut versions.v1_2 };
    macro_rules! put_back {
        ($($slot:ident: $name:ident),*) => {$(
            if functions.$slot as usize == wrappers.$name as usize {
                functions.$slot = original.$name;
            }
        )*};
    }
    put_back!(
        NewGlobalRef: new_global,
        DeleteGlobalRef: delete_global,
        NewWeakGlobalRef: new_weak,
        DeleteWeakGlobalRef: delete_weak,
        MonitorEnter: monitor_enter,
        MonitorExit: monitor_exit
    );
    let done = invoke!(jvmti.SetJNIFunctionTable(table.cast_const().cast()));
    jvmti.deallocate(table.cast());
    done
}

/// Puts the wrappers in place, once. They stay as long as there is an agent: another one may have
/// built on them.
///
/// # Phase
/// Start or live.
pub(crate) fn install(jvmti: Jvmti) -> Result<()> {
    let Some(wrappers) = WRAPPERS.get().filter(|_| ORIGINAL.get().is_none()) else {
        return Ok(());
    };
    // Else our own references would be told of.
    keep_vms_own(jvmti);
    let mut table: *mut JNINativeInterface_ = std::ptr::null_mut();
    invoke!(jvmti.GetJNIFunctionTable((&raw mut table).cast()))?;
    // SAFETY: a copy of the table that the VM has just made for us; only we have it.
    let Some(versions) = (unsafe { table.as_mut() }) else {
        return Ok(());
    };
    // SAFETY: every VM from 11 on has the functions of this version.
    let functions = unsafe { &mut versions.v1_2 };
    let original = Functions {
        new_global: functions.NewGlobalRef,
        delete_global: functions.DeleteGlobalRef,
        new_weak: functions.NewWeakGlobalRef,
        delete_weak: functions.DeleteWeakGlobalRef,
        monitor_enter: functions.MonitorEnter,
        monitor_exit: functions.MonitorExit,
    };
    if ORIGINAL.set(original).is_err() {
        jvmti.deallocate(table.cast());
        return Ok(());
    }
    // Partner: [`original`].
    fence(Ordering::Release);
    functions.NewGlobalRef = wrappers.new_global;
    functions.DeleteGlobalRef = wrappers.delete_global;
    functions.NewWeakGlobalRef = wrappers.new_weak;
    functions.DeleteWeakGlobalRef = wrappers.delete_weak;
    functions.MonitorEnter = wrappers.monitor_enter;
    functions.MonitorExit = wrappers.monitor_exit;
    let done = invoke!(jvmti.SetJNIFunctionTable(table.cast_const().cast()));
    jvmti.deallocate(table.cast());
    done
}
