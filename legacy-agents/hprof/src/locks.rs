//! `monitor=y`: how long locks were waited for.

use std::cell::Cell;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::ffi::clock;
use crate::options::Clock;
use crate::profile::Monitor;

/// How often and how long somebody waited, by lock and trace.
#[derive(Debug, Default)]
pub(crate) struct Locks(Mutex<FxHashMap<(Monitor, u32), (u64, u64)>>);

impl Locks {
    pub(crate) fn waits(&self) -> Vec<((Monitor, u32), (u64, u64))> {
        self.0
            .lock()
            .iter()
            .map(|(key, cost)| (key.clone(), *cost))
            .collect()
    }

    /// Somebody has waited for so many nanoseconds.
    pub(crate) fn add(&self, monitor: Monitor, trace: u32, nanos: u64) {
        let mut all = self.0.lock();
        let cost = all.entry((monitor, trace)).or_default();
        cost.0 += 1;
        cost.1 += nanos;
    }
}

thread_local! {
    /// What the thread waits for, since when.
    static WAITS: Cell<(usize, usize, u64)> = const { Cell::new((0, 0, 0)) };
}

/// What virtual threads wait for that have left their carrier meanwhile, by JNIEnv.
static AWAY: Mutex<Option<FxHashMap<usize, (usize, u64)>>> = Mutex::new(None);

/// CONTENDED_ENTER.
pub(crate) fn waits(env: usize, id: usize) {
    let (who, what, since) = WAITS.replace((env, id, clock::now(Clock::Wall)));
    if who != 0 && who != env {
        AWAY.lock()
            .get_or_insert_default()
            .insert(who, (what, since));
    }
}

/// CONTENDED_ENTERED: how many nanoseconds the thread has waited, if its wait began before us.
pub(crate) fn got(env: usize, id: usize) -> Option<u64> {
    let now = clock::now(Clock::Wall);
    let (who, what, since) = WAITS.get();
    let since = if who == env {
        WAITS.set((0, 0, 0));
        (what == id).then_some(since)
    } else {
        let away = AWAY.lock().as_mut().and_then(|away| away.remove(&env));
        away.filter(|&(what, _)| what == id).map(|(_, since)| since)
    };
    since.map(|since| now.saturating_sub(since))
}
