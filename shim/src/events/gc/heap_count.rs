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

/// How a bracket counts the objects: decided before its handlers run, which may switch OBJECT_ALLOC and GC_FINISH.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    /// Those that have an id.
    Ids,
    Estimate(i64),
    /// Nobody has asked yet.
    Unknown,
}

/// The last bracket had a GC_FINISH.
static FINISHED: AtomicBool = AtomicBool::new(false);

/// Before the gate is closed: it may take a walk over the heap. Not all objects have an id if OBJECT_ALLOC has been off:
/// then there are as many as a walk found, which is repeated when it would cost less than a thirtieth of the time and scaled
/// by the space used in between.
pub(super) fn begin_bracket(jvmti: Jvmti, used: i64) -> Count {
    if COMPLETE.load(Ordering::Acquire) {
        return Count::Ids;
    }
    // Some enable GC_FINISH in each GC_START.
    let is_awaited = wanted::wants(EventKind::GcFinish) || FINISHED.load(Ordering::Acquire);
    by_walk(jvmti, used, is_awaited).map_or(Count::Unknown, Count::Estimate)
}

/// Behind the handlers: whether a GC_FINISH was sent.
pub(super) fn end_bracket(finished: bool) {
    FINISHED.store(finished, Ordering::Release);
}

impl Count {
    /// For GC_FINISH. `swept`: the ids of the open bracket, which are not released yet.
    pub(super) fn objects(self, jvmti: Jvmti, used: i64, swept: u64) -> i64 {
        match self {
            Self::Ids => with_ids(swept),
            Self::Estimate(objects) => objects,
            // Its GC_START has enabled it, the first time.
            Self::Unknown => by_walk(jvmti, used, true).unwrap_or_else(|| with_ids(swept)),
        }
    }
}

fn with_ids(swept: u64) -> i64 {
    let given = AtomicU64::new(0);
    THREADS.any(|thread| {
        // Relaxed: a sum of one thread's; what is added may be of just before.
        given.fetch_add(thread.native().supply.given(), Ordering::Relaxed);
        false
    });
    let others = swept + NUMBERS.in_use();
    let live = IDS.live(given.into_inner()).saturating_sub(others);
    i64::try_from(live).unwrap_or(i64::MAX)
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
fn by_walk(jvmti: Jvmti, used: i64, may_walk: bool) -> Option<i64> {
    static LAST: Mutex<Option<Counted>> = Mutex::new(None);
    let due = || {
        let last = LAST.lock();
        let last = last.as_ref();
        last.is_none_or(|last| last.at.elapsed() > 30 * last.took)
    };
    if may_walk && due() {
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
    let last = LAST.lock();
    last.as_ref().map(|last| {
        let scale = used as f64 / last.used.max(1) as f64;
        (last.objects as f64 * scale) as i64
    })
}
