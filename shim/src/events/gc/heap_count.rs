//! GC_FINISH's used_objects.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use event_translate::EventKind;
use parking_lot::Mutex;

use crate::model::tables::{IDS, NUMBERS, THREADS};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::heap;

/// OBJECT_ALLOC has been on since the replay: every object has an id.
static COMPLETE: AtomicBool = AtomicBool::new(false);

/// The replay has given every object an id.
pub(crate) fn begin() {
    COMPLETE.store(true, Ordering::Release);
}

/// OBJECT_ALLOC was switched off: from now on objects are made that nobody counts.
pub(crate) fn end() {
    COMPLETE.store(false, Ordering::Release);
}

/// How many objects have an id, if all have one. `swept`: those of the open bracket,
/// which are not released yet.
pub(crate) fn exact(swept: u64) -> Option<i64> {
    if !COMPLETE.load(Ordering::Acquire) {
        return None;
    }
    let given = AtomicU64::new(0);
    THREADS.any(|thread| {
        // Relaxed: a sum of one thread's; what is added may be of just before.
        given.fetch_add(thread.native().supply.given(), Ordering::Relaxed);
        false
    });
    let others = swept + NUMBERS.in_use();
    let live = IDS.live(given.into_inner()).saturating_sub(others);
    Some(i64::try_from(live).unwrap_or(i64::MAX))
}

/// How many objects there are when not all have an id: as many as a walk over the
/// heap found, which is repeated when it would cost less than a thirtieth of the time
/// and scaled by the space used in between.
pub(crate) fn estimate(jvmti: Jvmti, used: i64) -> i64 {
    if COMPLETE.load(Ordering::Acquire) || !wanted::wants(EventKind::GcFinish) {
        return 0;
    }
    by_walk(jvmti, used)
}

struct Counted {
    at: Instant,
    took: Duration,
    objects: u64,
    used: i64,
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate"
)]
fn by_walk(jvmti: Jvmti, used: i64) -> i64 {
    static LAST: Mutex<Option<Counted>> = Mutex::new(None);
    let due = LAST
        .lock()
        .as_ref()
        .is_none_or(|last| last.at.elapsed() > 30 * last.took);
    if due {
        let at = Instant::now();
        let mut objects = 0;
        if heap::each_object(jvmti, |_, _, _| objects += 1).is_ok() {
            let took = at.elapsed();
            *LAST.lock() = Some(Counted {
                at,
                took,
                objects,
                used,
            });
        }
    }
    LAST.lock().as_ref().map_or(0, |last| {
        let scale = used as f64 / last.used.max(1) as f64;
        (last.objects as f64 * scale) as i64
    })
}
