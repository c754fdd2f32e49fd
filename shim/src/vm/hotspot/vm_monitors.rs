//! What the VM itself knows of Java monitors, without a stop of the program.
//!
//! # Safety
//! Fields are found by [`super::structures`]. A thread reads its
//! own structure; a monitor's structure stays as long as somebody waits to enter it, as far as is known.
#![allow(unsafe_code, reason = "functions and memory of the VM")]

use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use crate::os::memory;
use crate::vm::hotspot::found::{
    ContendedMonitor, HOTSPOT, Holds, NOT_THERE, SOMETHING_ELSE, Why, function,
};
use crate::vm::hotspot::structures;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

pub(super) fn find_holds(jni: Jni) -> Result<Holds, Why> {
    let function = function!(c"JVM_HoldsLock" as Holds)?;
    let object = jni.byte_array(1).ok_or("no memory for its trial")?;
    let before = asked(jni, function, object.get());
    if !jni.enter_monitor(object.get()) {
        return Err("no memory for its trial");
    }
    let inside = asked(jni, function, object.get());
    jni.exit_monitor(object.get());
    if (before, inside) == (false, true) {
        Ok(function)
    } else {
        Err(SOMETHING_ELSE)
    }
}

fn asked(jni: Jni, function: Holds, object: ObjectRef<'_>) -> bool {
    // SAFETY: a live object, on its env's own thread, in native state; the class is not
    // looked at.
    unsafe { function(jni.env(), std::ptr::null_mut(), object.to_jni()) != 0 }
}

/// Whether the calling thread owns the object's monitor, as `Thread.holdsLock` says; true
/// if that cannot be told.
pub(crate) fn holds(jni: Jni, object: ObjectRef<'_>) -> bool {
    match HOTSPOT.holds_lock.get() {
        Some(&function) => asked(jni, function, object),
        None => is_owner(jni, object).unwrap_or(true),
    }
}

fn is_owner(jni: Jni, object: ObjectRef<'_>) -> Option<bool> {
    let jvmti = this_vm::jvmti()?;
    let me = jvmti.current_thread(jni)?;
    let owner = jvmti.monitor_usage(jni, object).ok()?.owner;
    Some(owner.is_some_and(|owner| jni.same(owner.get(), me.get())))
}

pub(super) fn find() -> Result<ContendedMonitor, Why> {
    let places = || {
        // JDK 11 has it in the class above.
        let of = |class| structures::offset_of(class, c"_current_pending_monitor");
        Some(ContendedMonitor {
            pending: HOTSPOT.behind_env(of(c"JavaThread").or_else(|| of(c"Thread"))?)?,
            recursions: structures::offset_of(c"ObjectMonitor", c"_recursions")?,
        })
    };
    places().ok_or(NOT_THERE)
}

/// The VM's structure of the monitor that the calling thread is about to wait for; 0 if it
/// cannot be had.
pub(crate) fn pending(jni: Jni) -> usize {
    let Some(places) = HOTSPOT.contended_monitor.get() else {
        return 0;
    };
    // The JNIEnv lies in the same structure.
    let field = jni.env().cast::<u8>().wrapping_offset(places.pending);
    let field: *mut usize = std::ptr::with_exposed_provenance_mut(field.expose_provenance());
    // SAFETY: a word in the VM's structure of this very thread.
    // Relaxed: the VM's, which writes it as it likes: what is read is checked, or a hint.
    unsafe { AtomicUsize::from_ptr(field) }.load(Ordering::Relaxed)
}

/// From this JDK on nobody may say the end of somebody's waiting (JVMTI facts 20).
const LOSES_WAITERS: i32 = 26;

/// How often the owner has entered the monitor beyond the first time, without entries made
/// before the monitor had this structure; 0 if that is not known. For the owner, while
/// somebody waits.
pub(crate) fn recursions(monitor: usize) -> isize {
    let (Some(places), true) = (HOTSPOT.contended_monitor.get(), monitor != 0) else {
        return 0;
    };
    let field = monitor + places.recursions.bytes();
    // Relaxed: written once.
    if HOTSPOT.jdk.load(Ordering::Relaxed) >= LOSES_WAITERS {
        // Its structure may have been freed; a call of the kernel, under a lock.
        return memory::bytes_at(field).map_or(0, isize::from_ne_bytes);
    }
    let field: *mut isize = std::ptr::with_exposed_provenance_mut(field);
    // SAFETY: a word of a structure that stays while somebody waits.
    // Relaxed: the owner's own.
    unsafe { AtomicIsize::from_ptr(field) }.load(Ordering::Relaxed)
}
