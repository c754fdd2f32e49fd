//! The thread that sends the brackets of collections nobody asked for.
//!
//! A Java thread like any other, with its own THREAD_START, so that agents which take
//! a lock in GC_START and look for the thread's storage find both (JVMPI facts R17).
//! It is never suspended on an agent's behalf, and waits for no other thread without
//! a bound.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use event_translate::EventKind;
use parking_lot::{Condvar, Mutex};

use crate::agent::agent_call::ThreadEntry;
use crate::base::boundary::guarded;
use crate::base::log;
use crate::delivery::{deferred, gate};
use crate::events::compiled_code::compiled;
use crate::events::gc::{bracket, collections, object_free};
use crate::events::objects::reporting;
use crate::events::threads::system_thread;
use crate::hooks::{instrument, unlinked_classes};
use crate::model::thread::Thread;
use crate::model::{threads, wanted};
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
            work(jvmti, jni, &own);
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

/// As long, or until the VM ends.
fn sleep_live(time: Duration) {
    const SLICE: Duration = Duration::from_millis(5);
    let start = Instant::now();
    while start.elapsed() < time && this_vm::phase() == Phase::Live {
        std::thread::sleep(SLICE);
    }
}

fn work(jvmti: Jvmti, jni: Jni, own: &std::sync::Arc<Thread>) {
    reporting::end_idle(jvmti);
    instrument::take_out_idle(jvmti, jni);
    instrument::catch_up(jvmti, jni);
    unlinked_classes::catch_up(jvmti, jni, own);
    if collections::wants_sentinel() && object_free::is_on() {
        collections::plant_sentinel(jvmti, jni, own);
    }
    while collections::is_pending() && this_vm::phase() == Phase::Live {
        let rest = bracket::VM_TELLS.saturating_sub(collections::since_last_pause());
        own.resting(|| collections::wait_for_newest(jvmti, own.object(), rest));
        if let Some(pause) = bracket::send_pending(jvmti, jni, own) {
            // Somebody is in a handler, or GC is disabled: it is ours to postpone.
            own.resting(|| sleep_live(pause));
        }
        if collections::wants_sentinel() {
            collections::plant_sentinel(jvmti, jni, own);
        }
    }
    deferred::flush(jvmti, jni, own);
    compiled::send(jvmti, jni, own);
}

/// Whether an agent wants something that only this thread can do.
pub(crate) fn is_wanted() -> bool {
    let wanted = wanted::wanted();
    wanted.contains(EventKind::ObjectAlloc)
        || wanted.intersects(bracket::EVENTS)
        || wanted.intersects(compiled::EVENTS)
}
