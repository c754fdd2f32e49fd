//! Collections that RunGC asks for.
//!
//! Before VMDeath the VM stops the threads of a concurrent collector (ZGC, Shenandoah). Who waits for a
//! collection of such a one then waits until the process has gone, with all that the agent's thread holds, which the
//! handler of JVM_SHUT_DOWN may want. So a thread of ours asks the collector, and the caller waits for
//! that one or for the VM's end.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::agent::agent_call::ThreadEntry;
use crate::base::boundary::guarded;
use crate::base::{log, patience};
use crate::delivery::system_thread::{self, Whose};
use crate::model::thread::Thread;
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::flags;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forced {
    Made,
    /// The VM has refused, which is said.
    Refused,
    /// The VM has stopped this collector.
    TooLate,
    /// The thread that asks for it has not come back from the VM.
    NotInTime,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OurThread {
    NotStarted,
    Started,
    /// There is none, and will be none.
    Gone,
}

/// What callers and the thread have to say to each other. Collections are numbered.
struct Requests {
    thread: OurThread,
    /// Of them all, the last that somebody waits for, that was begun, and that was made.
    asked: u64,
    begun: u64,
    made: u64,
    last: Forced,
    has_ended: bool,
}

static REQUESTS: Mutex<Requests> = Mutex::new(Requests {
    thread: OurThread::NotStarted,
    asked: 0,
    begun: 0,
    made: 0,
    last: Forced::TooLate,
    has_ended: false,
});
static CHANGED: Condvar = Condvar::new();

/// Has the VM collect all of its heap, and waits for that.
pub(super) fn collect(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> Forced {
    if flags::stops_the_world() {
        return force(jvmti);
    }
    if this_vm::phase() != Phase::Live {
        return Forced::TooLate;
    }
    ensure_thread(jvmti, jni);
    own.resting(ask).unwrap_or_else(|| force(jvmti))
}

/// The VM is about to end: whoever waits here goes on.
pub(crate) fn vm_ends() {
    REQUESTS.lock().has_ended = true;
    CHANGED.notify_all();
}

fn force(jvmti: Jvmti) -> Forced {
    match jvmti.force_collection() {
        Ok(()) => Forced::Made,
        Err(error) => {
            log::warn_once!("RunGC: {error}");
            Forced::Refused
        }
    }
}

/// Asks the thread for a collection. None if there is no thread, or none that begins with it: its THREAD_START may
/// wait for what the caller holds.
fn ask() -> Option<Forced> {
    let mut requests = REQUESTS.lock();
    let mine = requests.begun + 1;
    requests.asked = mine;
    CHANGED.notify_all();
    let mut under_way = (requests.begun, patience::COLLECTION.deadline());
    let mut deadline = patience::NEW_THREAD_RUNS.deadline();
    loop {
        if requests.made >= mine {
            return Some(requests.last);
        }
        if requests.has_ended {
            return Some(Forced::TooLate);
        }
        if requests.thread == OurThread::Gone {
            return None;
        }
        if requests.begun > requests.made {
            // Perhaps an earlier one.
            if requests.begun != under_way.0 {
                under_way = (requests.begun, patience::COLLECTION.deadline());
            }
            let is_late = CHANGED.wait_until(&mut requests, under_way.1).timed_out();
            if is_late && requests.begun == under_way.0 && requests.made < under_way.0 {
                if requests.begun < mine {
                    requests.asked = requests.begun;
                }
                return Some(Forced::NotInTime);
            }
            deadline = patience::NEW_THREAD_RUNS.deadline();
        } else if CHANGED.wait_until(&mut requests, deadline).timed_out() && requests.begun < mine {
            requests.asked = requests.begun;
            return None;
        }
    }
}

/// Starts the thread, once.
fn ensure_thread(jvmti: Jvmti, jni: Jni) {
    {
        let mut requests = REQUESTS.lock();
        if requests.thread != OurThread::NotStarted {
            return;
        }
        requests.thread = OurThread::Started;
    }
    let entry: ThreadEntry = run;
    if !system_thread::start(jvmti, jni, c"JVMPI RunGC", 10, Whose::Ours, entry) {
        log::warning!(
            "no thread for RunGC: one at the VM's end may wait until the process has gone"
        );
        ours_is_gone();
    }
}

fn ours_is_gone() {
    REQUESTS.lock().thread = OurThread::Gone;
    CHANGED.notify_all();
}

extern "C-unwind" fn run(_: *mut c_void) {
    guarded("the thread of RunGC", (), || {
        let Some(own) = threads::own() else { return };
        // It waits all its life, be it for the collector.
        own.resting(|| {
            while let Some((number, jvmti)) = next() {
                let forced = force(jvmti);
                let mut requests = REQUESTS.lock();
                requests.last = forced;
                requests.made = number;
                CHANGED.notify_all();
            }
        });
    });
    ours_is_gone();
}

/// The next collection that somebody waits for; none when there will be no more.
fn next() -> Option<(u64, Jvmti)> {
    let mut requests = REQUESTS.lock();
    while !requests.has_ended && this_vm::phase() == Phase::Live {
        if requests.asked > requests.begun {
            requests.begun = requests.asked;
            CHANGED.notify_all();
            return Some((requests.begun, this_vm::jvmti()?));
        }
        CHANGED.wait_until(&mut requests, patience::NEXT_REQUEST.deadline());
    }
    None
}
