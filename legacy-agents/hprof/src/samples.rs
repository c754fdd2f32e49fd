//! What `cpu=samples` has seen.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use crate::ffi::host::RawMonitor;

/// What was seen.
#[derive(Debug)]
pub(crate) struct Samples {
    wake: Option<RawMonitor>,
    stopped: AtomicBool,
    /// The sampler has begun, and not ended.
    at_work: Mutex<bool>,
    /// Told when it has ended.
    has_ended: Condvar,
    paused: AtomicBool,
    looks: AtomicU64,
    /// Looks that found the VM stopped.
    stops: AtomicU64,
    /// Samples that a virtual thread would have got.
    unseen: AtomicU64,
    counts: Mutex<FxHashMap<u32, u64>>,
}

impl Samples {
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            wake: wanted.then(|| RawMonitor::new("_hprof_sampler")).flatten(),
            stopped: AtomicBool::new(false),
            at_work: Mutex::new(false),
            has_ended: Condvar::new(),
            paused: AtomicBool::new(false),
            looks: AtomicU64::new(0),
            stops: AtomicU64::new(0),
            unseen: AtomicU64::new(0),
            counts: Mutex::default(),
        }
    }

    /// The calling thread is the sampler, until [`Self::ends`].
    pub(crate) fn begins(&self) {
        *self.at_work.lock() = true;
    }

    /// The sampler has counted what it saw, and looks no more.
    pub(crate) fn ends(&self) {
        *self.at_work.lock() = false;
        self.has_ended.notify_all();
    }

    /// For good. What the sampler sees at this moment is counted before this returns, unless the VM holds
    /// it up.
    pub(crate) fn stop(&self) {
        /// Much more than a look takes.
        const LONGEST: Duration = Duration::from_millis(500);
        let Some(wake) = self.wake else { return };
        wake.wake(|| self.stopped.store(true, Ordering::Release));
        let mut at_work = self.at_work.lock();
        let is_at_work = |at_work: &mut bool| *at_work;
        self.has_ended
            .wait_while_for(&mut at_work, is_at_work, LONGEST);
    }

    /// For now.
    pub(crate) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        self.counts.lock().clear();
    }

    pub(crate) fn counts(&self) -> Vec<(u32, u64)> {
        self.counts
            .lock()
            .iter()
            .map(|(&trace, &count)| (trace, count))
            .collect()
    }

    /// How often it was looked, and how often of these the VM had stopped all threads.
    pub(crate) fn looks(&self) -> (u64, u64) {
        // Relaxed: counts, here and below.
        let [looks, stops] = [&self.looks, &self.stops].map(|count| count.load(Ordering::Relaxed));
        (looks, stops)
    }

    /// What is in no trace: JVMPI has no thread for it.
    pub(crate) fn unseen(&self) -> u64 {
        self.unseen.load(Ordering::Relaxed)
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Acquire)
    }

    /// Rests so many ms; false if there is nothing more to look for.
    pub(crate) fn rest(&self, ms: u32) -> bool {
        let is_over = || self.stopped.load(Ordering::Acquire);
        self.wake.is_some_and(|wake| !wake.wait(ms, is_over))
    }

    /// Somebody looks; whether the VM had stopped all threads.
    pub(crate) fn looked(&self, stopped: bool) {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.stops.fetch_add(stopped.into(), Ordering::Relaxed);
    }

    /// A carrier was seen that runs a virtual thread.
    pub(crate) fn missed(&self) {
        self.unseen.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread was seen with this trace.
    pub(crate) fn saw(&self, trace: u32) {
        *self.counts.lock().entry(trace).or_default() += 1;
    }
}
