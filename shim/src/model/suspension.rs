//! Of a thread that an agent has suspended.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::vm::env::Frame;

/// Of a thread that an agent has suspended.
#[derive(Debug)]
pub(super) struct Suspension {
    /// The [`crate::model::current::key`] of whoever has done so.
    pub(super) by: AtomicU64,
    /// The stack it had then, until it is resumed.
    pub(super) captured: Mutex<Option<Vec<Frame>>>,
    /// CPU time, in nanoseconds, at the last suspension and the one before; -1 unknown.
    cpu: [AtomicI64; 2],
}

impl Default for Suspension {
    fn default() -> Self {
        Self {
            by: AtomicU64::new(0),
            captured: Mutex::new(None),
            cpu: [AtomicI64::new(-1), AtomicI64::new(-1)],
        }
    }
}

impl Suspension {
    /// Its CPU time at one.
    pub(super) fn note_cpu_time(&self, nanos: Option<i64>) {
        let [last, before] = &self.cpu;
        before.store(last.load(Ordering::Relaxed), Ordering::Relaxed);
        last.store(nanos.unwrap_or(-1), Ordering::Relaxed);
    }

    /// Counts CPU time that we have cost the thread as used before it.
    pub(super) fn correct_cpu_time(&self, nanos: Option<i64>) {
        let [last, _] = &self.cpu;
        last.store(nanos.unwrap_or(-1), Ordering::Relaxed);
    }

    /// Whether it used CPU between its last two suspensions; yes if that is unknown (JVMPI facts B.9).
    pub(super) fn has_run(&self) -> bool {
        let [last, before] = &self.cpu;
        let [last, before] = [last, before].map(|time| time.load(Ordering::Relaxed));
        last < 0 || before < 0 || last > before
    }
}
