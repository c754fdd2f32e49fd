//! Whether the VM tells of deaths: ObjectFree and the collector's events, and how they end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use event_translate::needs::{On, VmEvent};
use once_cell::sync::OnceCell;

use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::delivery::worker;
use crate::events::gc::collections;
use crate::model::thread::attention_guard::with_attention;
use crate::model::thread::{attention, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::heap::vm_counters;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::pause;
use crate::vm::refs::Global;

static ON: AtomicBool = AtomicBool::new(false);

/// Whether the VM tells of deaths.
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Acquire)
}

/// Switches ObjectFree and the collector's events on, once. While the program runs
/// ObjectFree's mode is never set again: that would make the VM post on our thread what its
/// own thread is posting, and both stop for ever at the next safepoint (JVMTI facts 4).
pub(crate) fn begin(jvmti: Jvmti, jni: Jni) {
    if ON.swap(true, Ordering::AcqRel) {
        return;
    }
    {
        let _aside = ExceptionAside::put(jni);
        let bytes = with_attention(attention::SILENT, || jni.byte_array(1));
        if let Some(bytes) = bytes.and_then(|bytes| Global::new(jni, bytes.get())) {
            let _ = BYTES.set(bytes);
        }
    }
    vm_counters::find_performance_memory();
    for event in VmEvent::ALL
        .into_iter()
        .filter(|event| event.on() == On::Deaths)
    {
        if let Err(error) = jvmti.set_event(event, true) {
            log::warning!("{error}; GC events and OBJECT_FREE will not come");
        }
    }
    // For the first sentinel.
    worker::wake();
}

/// Switches ObjectFree off on the thread that ends the VM, before VMDeath. There the VM waits,
/// from JDK 16 on, for the end of what its own thread is posting, and both stop for ever at a
/// safepoint as above (a C agent that only tags and listens, a loaded machine: 7 of 240 runs
/// with JDK 17, 8 of 150 with 21, 1 of 105 with 25). Here one can choose the moment, and see to
/// it that no collection brings anything new to post (not of G1 from JDK 22 on).
pub(crate) fn end(jvmti: Jvmti, jni: Jni) {
    if !is_on() || jvmti.tells_of_deaths_in_the_pause() {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if end_quietly(jvmti, jni, patience::VM_RESTS) {
        ENDED.store(true, Ordering::Release);
    } else {
        log::info!("the VM is still telling of deaths; its end may have to wait");
    }
}

/// The agent goes, and the program stays: the VM tells of no more deaths. False if it is
/// telling of some all the time, and goes on: then [`end`] is still to come at its end.
pub(crate) fn end_for_good(jvmti: Jvmti, jni: Jni, patience: Patience) -> bool {
    if !is_on() {
        return true;
    }
    if jvmti.tells_of_deaths_in_the_pause() {
        return jvmti.set_event(VmEvent::ObjectFree, false).is_ok();
    }
    let _aside = ExceptionAside::put(jni);
    end_quietly(jvmti, jni, patience)
}

/// The agent has gone, and [`end_for_good`] has not come to an end.
static LEFT_ON: AtomicBool = AtomicBool::new(false);

/// It goes on without an agent, and has to end when the VM does.
pub(crate) fn leave_on() {
    LEFT_ON.store(true, Ordering::Release);
}

/// Whether it does.
pub(crate) fn is_left_on() -> bool {
    LEFT_ON.load(Ordering::Acquire)
}

/// Waits for a moment at which nothing is posted, and switches it off in that.
///
/// Collections go on while it waits: a thread that needs memory would else wait, too. Whether one
/// has come since the last look is seen when no other can.
fn end_quietly(jvmti: Jvmti, jni: Jni, patience: Patience) -> bool {
    const LOOKS: u32 = 2;
    let own = current::own();
    let me = own.as_deref();
    let start = Instant::now();
    loop {
        let seen = collections::moment();
        let rest = patience.less(start.elapsed());
        if !collections::wait_for_poster(jvmti, me, LOOKS, rest, || false) {
            return false;
        }
        let switch_off = || {
            let quiet = collections::moment() == seen && !pause::is_on();
            quiet.then(|| jvmti.set_event(VmEvent::ObjectFree, false).is_ok())
        };
        // No array is made here: the collector may be gone.
        let ended = match BYTES.get() {
            Some(bytes) => jni.without_collections(bytes.get(), switch_off).flatten(),
            None => switch_off(),
        };
        if let Some(ended) = ended {
            return ended;
        }
        if start.elapsed() > patience.most {
            return false;
        }
    }
}

/// In VMDeath, which comes after that wait: an agent may still ask for a collection.
pub(crate) fn resume(jvmti: Jvmti) {
    if !ENDED.load(Ordering::Acquire) {
        // It is on, and to set it would be one more wait of that kind.
        return;
    }
    if let Err(error) = jvmti.set_event(VmEvent::ObjectFree, true) {
        log::info!("{error}; no more deaths are told");
    }
    RESUMED_AFTER.store(collections::last_pause(), Ordering::Release);
}

const NOT_RESUMED: u64 = u64::MAX;
/// [`end`] has switched it off; the VM has told all that it had found by then.
static ENDED: AtomicBool = AtomicBool::new(false);
/// The last pause before [`resume`].
static RESUMED_AFTER: AtomicU64 = AtomicU64::new(NOT_RESUMED);
/// For [`Jni::without_collections`].
static BYTES: OnceCell<Global> = OnceCell::new();

/// Whether the VM tells of no more deaths before the next collection.
pub(crate) fn all_are_told() -> bool {
    RESUMED_AFTER.load(Ordering::Acquire) == collections::last_pause()
}
