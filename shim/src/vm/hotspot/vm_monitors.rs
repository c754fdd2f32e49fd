//! What the VM itself knows of Java monitors, without a stop of the program.
//!
//! # Safety
//! Fields are found by `gHotSpotVMStructs` ([`crate::vm::hotspot::vm_counters`]). A thread reads its
//! own structure; a monitor's structure stays as long as somebody waits to enter it.
#![allow(unsafe_code, reason = "functions and memory of the VM")]

use jvmpi_headers::jni::{JNIEnv, jclass, jobject};
use once_cell::sync::OnceCell;

use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use crate::os::library;
use crate::vm::hotspot::{thread_env, vm_counters};
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

type HoldsLock = unsafe extern "C" fn(*mut JNIEnv, jclass, jobject) -> u8;

/// Whether the calling thread owns the object's monitor, as `Thread.holdsLock` says; true
/// if that cannot be told.
pub(crate) fn holds(jni: Jni, object: ObjectRef<'_>) -> bool {
    static FUNCTION: OnceCell<Option<HoldsLock>> = OnceCell::new();
    let function = FUNCTION.get_or_init(|| {
        let address = library::symbol_of_process(c"JVM_HoldsLock")?;
        // SAFETY: the symbol's type in every JDK's jvm.h.
        Some(unsafe { std::mem::transmute::<*mut std::ffi::c_void, HoldsLock>(address) })
    });
    // SAFETY: a live object, on its env's own thread, in native state; the class is not
    // looked at.
    function
        .is_none_or(|holds| unsafe { holds(jni.env(), std::ptr::null_mut(), object.to_jni()) } != 0)
}

/// The VM's structure of the monitor that the calling thread is about to wait for; 0 if it
/// cannot be had.
pub(crate) fn pending(jni: Jni) -> usize {
    static OFFSET: OnceCell<Option<isize>> = OnceCell::new();
    let offset = OFFSET.get_or_init(|| {
        // JDK 11 has it in the class above.
        let of = |class| vm_counters::offset_of(class, c"_current_pending_monitor");
        let field = of(c"JavaThread").or_else(|| of(c"Thread"))?;
        isize::try_from(field).ok()
    });
    let (Some(field), Some(env)) = (*offset, thread_env::distance()) else {
        return 0;
    };
    // The JNIEnv lies in the same structure.
    let distance = field.wrapping_sub(env.cast_signed());
    let field = jni.env().cast::<u8>().wrapping_offset(distance);
    let field: *mut usize = std::ptr::with_exposed_provenance_mut(field.expose_provenance());
    // SAFETY: a word in the VM's structure of this very thread.
    unsafe { AtomicUsize::from_ptr(field) }.load(Ordering::Relaxed)
}

/// How often the owner has entered the monitor beyond the first time, without entries made
/// before the monitor had this structure; 0 if that is not known. For the owner, while
/// somebody waits.
pub(crate) fn recursions(monitor: usize) -> isize {
    static OFFSET: OnceCell<Option<usize>> = OnceCell::new();
    let offset = OFFSET.get_or_init(|| vm_counters::offset_of(c"ObjectMonitor", c"_recursions"));
    let (Some(offset), true) = (*offset, monitor != 0) else {
        return 0;
    };
    let field: *mut isize = std::ptr::with_exposed_provenance_mut(monitor + offset);
    // SAFETY: a word of a structure that stays while somebody waits.
    unsafe { AtomicIsize::from_ptr(field) }.load(Ordering::Relaxed)
}
