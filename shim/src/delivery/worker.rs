//! The worker: a thread of ours that sends the brackets of collections nobody asked for, and
//! does in rounds what must not be done on a thread of the program.
//!
//! A Java thread like any other, with its own THREAD_START, so that agents which take
//! a lock in GC_START and look for the thread's storage find both (JVMPI facts R17).
//! It is never suspended on an agent's behalf, and waits for no other thread without
//! a bound.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;
use parking_lot::{Condvar, Mutex};

use crate::agent::agent_call::ThreadEntry;
use crate::base::boundary::guarded;
use crate::base::log;
use crate::delivery::{gate, system_thread};
use crate::model::thread::Thread;
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

static AWAKE: Mutex<bool> = Mutex::new(false);
static WAKING: Condvar = Condvar::new();

/// There may be something to do. Takes a lock of a few instructions that no stopped
/// thread holds: the collector calls this.
pub(crate) fn wake() {
    *AWAKE.lock() = true;
    WAKING.notify_one();
}

/// What the thread does whenever it wakes.
pub(crate) type Round = fn(Jvmti, Jni, &Arc<Thread>);

static ROUND: OnceCell<Round> = OnceCell::new();

/// Put in at load.
pub(crate) fn set_round(round: Round) {
    let _ = ROUND.set(round);
}

static STARTED: AtomicBool = AtomicBool::new(false);

/// Whether there is the thread, or will be in a moment.
pub(crate) fn is_started() -> bool {
    STARTED.load(Ordering::Acquire)
}

/// Starts the thread, once.
///
/// # Phase
/// Live.
pub(crate) fn ensure(jvmti: Jvmti, jni: Jni) {
    if this_vm::phase() != Phase::Live || STARTED.swap(true, Ordering::AcqRel) {
        return;
    }
    let entry: ThreadEntry = run;
    if !system_thread::start(
        jvmti,
        jni,
        c"JVMPI GC",
        10,
        system_thread::Whose::Ours,
        entry,
    ) {
        log::warning!("no thread for GC events: they come only with RunGC and at the end");
    }
}

extern "C-unwind" fn run(_: *mut c_void) {
    guarded("the GC thread", (), || {
        let Some(own) = threads::own() else { return };
        // Not at start-up, and not on a thread of the program.
        gate::take_over_barriers();
        while let Some((jvmti, jni)) = vm() {
            // At first, too: the next collection needs its sentinel.
            if let Some(round) = ROUND.get() {
                round(jvmti, jni, &own);
            }
            own.resting(|| sleep(Duration::from_millis(1000)));
        }
    });
}

fn vm() -> Option<(Jvmti, Jni)> {
    if this_vm::phase() != Phase::Live {
        return None;
    }
    Some((this_vm::jvmti()?, Jni::of_this_thread()?))
}

fn sleep(at_most: Duration) {
    let deadline = Instant::now() + at_most;
    let mut awake = AWAKE.lock();
    while !*awake {
        if WAKING.wait_until(&mut awake, deadline).timed_out() {
            break;
        }
    }
    *awake = false;
}
