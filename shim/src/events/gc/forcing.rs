//! Collections that RunGC asks for.
//!
//! Before VMDeath the VM stops the threads of a concurrent collector (ZGC, Shenandoah). Who waits for a
//! collection of such a one then waits until the process has gone, with all that the agent's thread holds, which the
//! handler of JVM_SHUT_DOWN may want. So a thread of ours asks the collector, and the caller waits for
//! that one or for the VM's end.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::agent::agent_call::ThreadEntry;
use crate::base::boundary::guarded;
use crate::base::{log, patience};
use crate::delivery::system_thread::{self, Whose};
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::flags;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// What callers and the thread have to say to each other. Collections are numbered.
struct Requests {
    asked: u64,
    begun: u64,
    made: u64,
    /// The VM ends: nobody waits any more.
    has_ended: bool,
}

static REQUESTS: Mutex<Requests> = Mutex::new(Requests {
    asked: 0,
    begun: 0,
    made: 0,
    has_ended: false,
});
static CHANGED: Condvar = Condvar::new();

/// Has the VM collect all of its heap, and waits for that; false if it is too late for this collector.
pub(super) fn collect(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> bool {
    if flags::stops_the_world() {
        force(jvmti);
        return true;
    }
    if this_vm::phase() != Phase::Live {
        return false;
    }
    ensure_thread(jvmti, jni);
    own.resting(ask).unwrap_or_else(|| {
        // There is no thread, or its THREAD_START waits for what the caller holds.
        force(jvmti);
        true
    })
}

/// The VM is about to end: whoever waits here goes on.
pub(crate) fn vm_ends() {
    REQUESTS.lock().has_ended = true;
    CHANGED.notify_all();
}

fn force(jvmti: Jvmti) {
    if let Err(error) = jvmti.force_collection() {
        log::warn_once!("RunGC: {error}");
    }
}

/// Asks the thread for a collection. Whether it was made before the VM ends; none if the thread does not
/// begin with it.
fn ask() -> Option<bool> {
    let mut requests = REQUESTS.lock();
    requests.asked += 1;
    let mine = requests.asked;
    let mut deadline = patience::NEW_THREAD_SAYS_HELLO.deadline();
    while !requests.has_ended && requests.made < mine {
        if requests.begun > requests.made {
            CHANGED.wait(&mut requests);
            // That may have been an earlier one.
            deadline = patience::NEW_THREAD_SAYS_HELLO.deadline();
        } else if CHANGED.wait_until(&mut requests, deadline).timed_out() && requests.begun < mine {
            return None;
        }
    }
    Some(requests.made >= mine)
}

/// Starts the thread, once.
fn ensure_thread(jvmti: Jvmti, jni: Jni) {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if STARTED.swap(true, Ordering::AcqRel) {
        return;
    }
    let entry: ThreadEntry = run;
    if !system_thread::start(jvmti, jni, c"JVMPI GC", 10, Whose::Ours, entry) {
        log::warning!("no thread for RunGC: at the VM's end it may wait until the process has gone");
    }
}

extern "C-unwind" fn run(_: *mut c_void) {
    guarded("the thread of RunGC", (), || {
        while let Some(number) = next() {
            if let Some(jvmti) = this_vm::jvmti() {
                force(jvmti);
            }
            REQUESTS.lock().made = number;
            CHANGED.notify_all();
        }
    });
}

/// The newest collection that was asked for and is not made; none when there will be no more.
fn next() -> Option<u64> {
    let mut requests = REQUESTS.lock();
    loop {
        if requests.has_ended || this_vm::phase() != Phase::Live {
            return None;
        }
        if requests.asked > requests.made {
            requests.begun = requests.asked;
            return Some(requests.begun);
        }
        let deadline = Instant::now() + Duration::from_secs(1);
        CHANGED.wait_until(&mut requests, deadline);
    }
}
