//! `monitor=y`: how long locks were waited for.

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

/// Who waits, by JNIEnv, for what and since when. A virtual thread may get its lock on another carrier.
static WAITS: Mutex<Option<FxHashMap<usize, (usize, u64)>>> = Mutex::new(None);

/// CONTENDED_ENTER.
pub(crate) fn waits(env: usize, id: usize) {
    let wait = (id, clock::now(Clock::Wall));
    WAITS.lock().get_or_insert_default().insert(env, wait);
}

/// CONTENDED_ENTERED: how many nanoseconds the thread has waited, unless its wait began before us.
pub(crate) fn got(env: usize, id: usize) -> Option<u64> {
    let now = clock::now(Clock::Wall);
    let wait = WAITS.lock().as_mut()?.remove(&env);
    let (_, since) = wait.filter(|&(what, _)| what == id)?;
    Some(now.saturating_sub(since))
}
