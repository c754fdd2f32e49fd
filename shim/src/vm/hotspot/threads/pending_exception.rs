//! Whether an exception is pending, without asking the VM.
//!
//! JNI's ExceptionCheck brings the thread into the VM and back, 15 ns that every method
//! event would pay. The VM keeps a pending exception in a field of its thread structure
//! (`ThreadShadow::_pending_exception` in `gHotSpotVMStructs`), and the JNIEnv lies in
//! that structure, too; both are checked with a real exception before they are used.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use jvmpi_headers::jni::JNIEnv;

use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, SOMETHING_ELSE, Why};
use crate::vm::hotspot::structures;
use crate::vm::jni::Jni;
use crate::vm::refs::Local;

/// Whether the calling thread has a pending exception.
#[inline]
pub(crate) fn is_there(jni: Jni) -> bool {
    match HOTSPOT.pending_exception.get() {
        None => asked(jni),
        Some(&distance) => read(jni, distance) != 0,
    }
}

/// The same of an environment; false of none.
///
/// # Safety
/// `env` is the calling thread's environment, or null.
#[inline]
pub(crate) unsafe fn is_there_of(env: *mut JNIEnv) -> bool {
    // SAFETY: the caller's promise.
    unsafe { Jni::from_raw(env) }.is_some_and(is_there)
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
    // SAFETY: a word in the VM's structure of this very thread, as `find` has made sure.
    // Relaxed: the VM's, the calling thread's own.
    unsafe { AtomicUsize::from_ptr(field) }.load(Ordering::Relaxed)
}

/// Finds the field. Makes and drops an exception for that, of the class that `error` gives.
///
/// # Phase
/// Live.
pub(in crate::vm::hotspot) fn find(
    jni: Jni,
    error: impl FnOnce() -> Option<Local>,
) -> Result<isize, Why> {
    let offset = structures::offset_of(c"ThreadShadow", c"_pending_exception");
    let distance = offset.and_then(|offset| HOTSPOT.behind_env(offset));
    let distance = distance.ok_or(NOT_THERE)?;
    let before = read(jni, distance);
    let throws = || error().is_some_and(|class| jni.throw_new(class.get()));
    if before != 0 || !throws() {
        return Err(SOMETHING_ELSE);
    }
    let during = read(jni, distance);
    drop(jni.take_exception());
    if during != 0 && read(jni, distance) == 0 {
        Ok(distance)
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// The pending exception of the calling thread, put aside: the program's. What is pending when
/// this is dropped is ours or an agent's, and dropped first.
pub(crate) struct ExceptionAside {
    jni: Jni,
    thrown: Option<Local>,
}

impl ExceptionAside {
    pub(crate) fn put(jni: Jni) -> Self {
        Self {
            jni,
            thrown: take(jni),
        }
    }
}

impl Drop for ExceptionAside {
    fn drop(&mut self) {
        drop(take(self.jni));
        self.jni.rethrow(self.thrown.take());
    }
}

fn take(jni: Jni) -> Option<Local> {
    is_there(jni).then(|| jni.take_exception()).flatten()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::ExceptionAside;
    use crate::vm::jni::fake_jni;

    #[test]
    fn the_programs_exception_comes_back() {
        const PROGRAMS: usize = 1;
        const AGENTS: usize = 2;
        fake_jni::with(|jni| {
            fake_jni::throw(PROGRAMS);
            let panicking = AssertUnwindSafe(|| {
                let _aside = ExceptionAside::put(jni);
                assert_eq!(fake_jni::pending(), 0);
                fake_jni::throw(AGENTS);
                panic!("inside");
            });
            assert!(catch_unwind(panicking).is_err());
            assert_eq!(fake_jni::pending(), PROGRAMS);
            fake_jni::throw(0);
            let aside = ExceptionAside::put(jni);
            fake_jni::throw(AGENTS);
            drop(aside);
            assert_eq!(fake_jni::pending(), 0);
        });
    }
}
