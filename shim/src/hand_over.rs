//! MONITOR_CONTENDED_EXIT: the owner leaves a monitor that another waits for.
//!
//! JVMTI tells of the waiter only, so the owner says it itself: rewritten code asks a
//! static field before it leaves a monitor, and the field is true while anybody waits for
//! anything. JNI's MonitorExit and `Object.wait` come here too.
//!
//! # Order
//! EXIT comes after the waiter's ENTER and before its ENTERED: an owner that leaves while
//! the waiter is still telling of itself waits for that, 50 ms at most and not if it may hold
//! a lock of the agent's; and it has said EXIT before it lets go. One that leaves, comes back before anybody else got in,
//! and leaves again, has handed over once and says so once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use event_translate::table::EventKind;
use id_map::ObjectId;
use parking_lot::Mutex;

use crate::ffi::{current, vm_monitors};
use crate::jvmti::hook_class;
use crate::jvmti::jni::Jni;
use crate::monitor_events;
use crate::state;
use crate::threads::Thread;

/// A monitor that somebody waits to enter.
#[derive(Default)]
struct Contended {
    /// Whose ENTER the agent has had.
    waiting: u32,
    /// Whose ENTER it is getting.
    coming: u32,
    /// The owner that has said EXIT last; 0 when somebody has come or got in since.
    told_by: u64,
    /// The VM's own structure, which stays while anybody waits; 0 if that is not known.
    monitor: usize,
}

static CONTENDED: Mutex<Option<HashMap<u64, Contended>>> = Mutex::new(None);
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Changes the entry of an object, if it has one or `make`.
fn change<T>(id: ObjectId, make: bool, act: impl FnOnce(&mut Contended) -> T) -> Option<T> {
    let mut all = CONTENDED.lock();
    let all = all.get_or_insert_default();
    let entry = if make {
        all.entry(id.raw()).or_default()
    } else {
        all.get_mut(&id.raw())?
    };
    let result = act(entry);
    if entry.waiting == 0 && entry.coming == 0 {
        all.remove(&id.raw());
    }
    COUNT.store(all.len(), Ordering::SeqCst);
    Some(result)
}

/// Brings the hook class's field in line. Another thread may change the count meanwhile:
/// whoever looks last is right.
fn show(jni: Jni) {
    loop {
        let any = COUNT.load(Ordering::SeqCst) != 0;
        hook_class::set_contended(jni, any);
        if (COUNT.load(Ordering::SeqCst) != 0) == any {
            return;
        }
    }
}

/// Whether anybody waits for anything.
#[inline]
pub(crate) fn any() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

/// Whether anybody waits for this.
pub(crate) fn is_contended(id: ObjectId) -> bool {
    change(id, false, |_| ()).is_some()
}

/// The calling thread is about to wait for a monitor, and to tell the agent. True if
/// [`has_said_so`] and [`has_entered`] are to follow.
pub(crate) fn waits(jni: Jni, id: ObjectId) -> bool {
    if !state::wants(EventKind::MonitorContendedExit) {
        return false;
    }
    let monitor = vm_monitors::pending(jni);
    change(id, true, |entry| {
        entry.coming += 1;
        entry.told_by = 0;
        if monitor != 0 {
            entry.monitor = monitor;
        }
    });
    show(jni);
    true
}

/// It has told the agent.
pub(crate) fn has_said_so(id: ObjectId) {
    change(id, false, |entry| {
        entry.coming = entry.coming.saturating_sub(1);
        entry.waiting += 1;
    });
}

/// It owns the monitor now.
pub(crate) fn has_entered(jni: Jni, id: ObjectId) {
    change(id, false, |entry| {
        entry.waiting = entry.waiting.saturating_sub(1);
        entry.told_by = 0;
    });
    show(jni);
}

/// What a leaving owner has to do.
enum Duty {
    Nothing,
    Wait,
    Tell,
}

/// The calling thread, which owns the monitor, is about to leave it; `wholly`, whatever the
/// number of its entries.
pub(crate) fn leaves(own: &Thread, id: ObjectId, wholly: bool) {
    const PATIENCE: Duration = Duration::from_millis(50);
    /// What a handler takes if its thread has a processor.
    const USUAL: Duration = Duration::from_micros(20);
    let me = current::key();
    let duty = |patient: bool| {
        let duty = change(id, false, |entry| {
            // The owner's own count: nobody else changes it.
            if entry.told_by == me || !wholly && vm_monitors::recursions(entry.monitor) > 0 {
                Duty::Nothing
            } else if entry.waiting == 0 && patient {
                Duty::Wait
            } else {
                entry.told_by = me;
                Duty::Tell
            }
        });
        duty.unwrap_or(Duty::Nothing)
    };
    let start = Instant::now();
    loop {
        let waited = start.elapsed();
        match duty(waited < PATIENCE && !own.may_hold_a_lock()) {
            Duty::Nothing => return,
            Duty::Tell => break,
            Duty::Wait => {
                if waited < USUAL {
                    std::hint::spin_loop();
                } else {
                    std::thread::sleep(USUAL);
                }
            }
        }
    }
    monitor_events::send(own, EventKind::MonitorContendedExit, Some(id), 0);
}

/// Nobody wants to hear of it any more.
pub(crate) fn forget() {
    *CONTENDED.lock() = None;
    COUNT.store(0, Ordering::SeqCst);
}
