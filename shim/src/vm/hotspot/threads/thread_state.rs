//! What a thread does at this moment, by a field of the VM's structure of it.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI32, Ordering};
use std::{iter, ptr};

use parking_lot::{Mutex, MutexGuard};

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

pub(in crate::vm::hotspot) fn find(jni: Jni) -> Result<ThreadState, Why> {
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

/// The JNIEnvs of the threads whose structures are there as long as this is locked; `None` once nobody tells of a
/// thread's end any more.
static THERE: Mutex<Option<BTreeSet<usize>>> = Mutex::new(Some(BTreeSet::new()));

/// The calling thread, which has this JNIEnv, can be looked at.
pub(crate) fn enter(env: usize) {
    if let Some(there) = THERE.lock().as_mut() {
        there.insert(env);
    }
}

/// The calling thread, which has this JNIEnv and ends, is looked at no more.
pub(crate) fn leave(env: usize) {
    if let Some(there) = THERE.lock().as_mut() {
        there.remove(&env);
    }
}

/// Nobody is looked at any more.
pub(crate) fn close() {
    *THERE.lock() = None;
}

/// So many are looked at in one go, in some microseconds: for no more has a thread to wait that begins or ends.
const AT_ONCE: usize = 64;

/// What the threads do that have these JNIEnvs, for each in turn; `None` where that cannot be seen. Nobody's
/// record is touched: hundreds of them would cost more than all else a look does.
pub(crate) fn of_each(
    mut envs: impl Iterator<Item = usize>,
    mut tell: impl FnMut(Option<Activity>),
) {
    let known = HOTSPOT.thread_state.get();
    while let Some(first) = envs.next() {
        let there = THERE.lock();
        for env in iter::once(first).chain(envs.by_ref().take(AT_ONCE - 1)) {
            let is_there = |_: &&_| there.as_ref().is_some_and(|there| there.contains(&env));
            let known = known.filter(is_there);
            tell(known.map(|known| {
                // SAFETY: its thread cannot leave meanwhile.
                known.means(unsafe { known.of(env) })
            }));
        }
        // Else this thread would have it again before who waits for it.
        MutexGuard::unlock_fair(there);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn nobody_waits_for_a_look_at_very_many() {
        const LONG: Duration = Duration::from_secs(10);
        const COUNT: usize = 10 * AT_ONCE + 1;
        let envs = (0..COUNT).inspect(|at| {
            if at % AT_ONCE == 0 {
                assert!(THERE.try_lock_for(LONG).is_some(), "{at}");
            }
        });
        let mut told = 0;
        of_each(envs, |activity| {
            assert_eq!(activity, None);
            told += 1;
        });
        assert_eq!(told, COUNT);
    }
}
