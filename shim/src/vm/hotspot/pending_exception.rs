//! Whether an exception is pending, without asking the VM.
//!
//! JNI's ExceptionCheck brings the thread into the VM and back, 15 ns that every method
//! event would pay. The VM keeps a pending exception in a field of its thread structure
//! (`ThreadShadow::_pending_exception` in `gHotSpotVMStructs`), and the JNIEnv lies in
//! that structure, too; both are checked with a real exception before they are used.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use jvmpi_headers::jni::JNIEnv;

use crate::model::current::Mine;
use crate::vm::hotspot::{thread_env, vm_counters};
use crate::vm::jni::Jni;

/// From the JNIEnv to the field; 0 while unknown.
static DISTANCE: AtomicIsize = AtomicIsize::new(0);

/// Whether the calling thread has a pending exception.
#[inline]
pub(crate) fn is_there(jni: Jni) -> bool {
    match DISTANCE.load(Ordering::Relaxed) {
        0 => asked(jni),
        distance => read(jni, distance) != 0,
    }
}

/// Drops the calling thread's: one that the agent's handler has left is not the program's.
///
/// # Safety
/// `env` is the calling thread's environment, or null.
#[inline(always)]
pub(crate) unsafe fn drop_it(env: *mut JNIEnv) {
    // SAFETY: the caller's promise.
    if let Some(jni) = unsafe { Jni::from_raw(env) }
        && is_there(jni)
    {
        taken(jni);
    }
}

/// The same for a thread that has met the shim.
#[inline(always)]
pub(crate) fn drop_mine(mine: Mine<'_>) {
    // SAFETY: its own record has its own environment.
    unsafe { drop_it(mine.thread().env_ptr()) };
}

/// This and the next out of line, so that their callers have no registers to save for them.
#[cold]
#[inline(never)]
fn asked(jni: Jni) -> bool {
    jni.has_exception()
}

#[cold]
#[inline(never)]
fn taken(jni: Jni) {
    drop(jni.take_exception());
}

fn read(jni: Jni, distance: isize) -> usize {
    let field = jni.env().cast::<u8>().wrapping_offset(distance);
    let field: *mut usize = ptr::with_exposed_provenance_mut(field.expose_provenance());
    // SAFETY: a word in the VM's structure of this very thread, as `learn` has made sure.
    unsafe { AtomicUsize::from_ptr(field) }.load(Ordering::Relaxed)
}

/// Finds the field. Makes and drops an exception for that.
///
/// # Phase
/// Live.
pub(crate) fn learn(jni: Jni) {
    let found = || {
        let in_structure = vm_counters::offset_of(c"ThreadShadow", c"_pending_exception")?;
        let env = thread_env::distance()?;
        isize::try_from(in_structure)
            .ok()?
            .checked_sub(isize::try_from(env).ok()?)
    };
    let Some(distance) = found() else { return };
    let before = read(jni, distance);
    if before != 0 || !jni.throw_error() {
        return;
    }
    let during = read(jni, distance);
    drop(jni.take_exception());
    if during != 0 && read(jni, distance) == 0 {
        DISTANCE.store(distance, Ordering::Relaxed);
    }
}
