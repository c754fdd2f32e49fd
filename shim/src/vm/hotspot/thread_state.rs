//! What a thread does at this moment, by a field of the VM's structure of it.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::collections::BTreeSet;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use parking_lot::Mutex;

use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, SOMETHING_ELSE, ThreadState, Why};
use crate::vm::hotspot::structures;
use crate::vm::jni::Jni;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It waits inside the VM: for a monitor, in Object.wait, parked, asleep, or stopped by the VM. It does not go on
    /// without using its processor.
    Rests,
    /// It runs Java code, or could if it had a processor.
    RunsJava,
    /// It is in native code, or in the VM's own.
    Elsewhere,
}

pub(super) fn find(jni: Jni) -> Result<ThreadState, Why> {
    let found = || {
        let field = structures::offset_of(c"JavaThread", c"_thread_state")?;
        let state = ThreadState {
            distance: HOTSPOT.behind_env(field)?,
            in_java: structures::constant(c"_thread_in_Java")?,
            blocked: structures::constant(c"_thread_blocked")?,
        };
        Some((state, structures::constant(c"_thread_in_native")?))
    };
    let (state, in_native) = found().ok_or(NOT_THERE)?;
    // SAFETY: the calling thread's.
    let own = unsafe { state.of(jni.env().expose_provenance()) };
    if own == in_native {
        Ok(state)
    } else {
        Err(SOMETHING_ELSE)
    }
}

impl ThreadState {
    /// # Safety
    /// The thread that has this JNIEnv lives until this returns.
    unsafe fn of(&self, env: usize) -> i32 {
        let field = env.wrapping_add_signed(self.distance);
        // SAFETY: a field of 4 bytes in the structure of a thread that lives, which the VM writes as an atomic.
        let field = unsafe { AtomicI32::from_ptr(ptr::with_exposed_provenance_mut(field)) };
        // Relaxed: it is as of some moment of late, and nothing else is read by it.
        field.load(Ordering::Relaxed)
    }

    fn means(&self, state: i32) -> Activity {
        if state == self.blocked {
            Activity::Rests
        } else if state == self.in_java {
            Activity::RunsJava
        } else {
            Activity::Elsewhere
        }
    }
}

/// The JNIEnvs of the threads whose structures are there as long as this is locked.
static THERE: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// The calling thread, which has this JNIEnv, can be looked at.
pub(crate) fn enter(env: usize) {
    THERE.lock().insert(env);
}

/// The calling thread, which has this JNIEnv and ends, is looked at no more.
pub(crate) fn leave(env: usize) {
    THERE.lock().remove(&env);
}

/// What the threads do that have these JNIEnvs, for each in turn; `None` where that cannot be seen. Nobody's
/// record is touched: hundreds of them would cost more than all else a look does.
pub(crate) fn of_each(envs: impl Iterator<Item = usize>, mut tell: impl FnMut(Option<Activity>)) {
    let known = HOTSPOT.thread_state.get();
    let there = THERE.lock();
    for env in envs {
        let known = known.filter(|_| there.contains(&env));
        tell(known.map(|known| {
            // SAFETY: its thread cannot leave meanwhile.
            known.means(unsafe { known.of(env) })
        }));
    }
}
