//! What is known of a thread that an agent has suspended.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::vm::env::Frame;

/// Of a thread that an agent has suspended.
#[derive(Debug)]
pub(in crate::model) struct Suspension {
    /// The [`crate::model::thread::current::key`] of whoever has done so.
    by: AtomicU64,
    /// The stack it had then, until it is resumed.
    captured: Mutex<Option<Vec<Frame>>>,
    /// Raised when it is suspended, and before it is let go on.
    turns: AtomicU64,
    /// CPU time, in nanoseconds, at the last suspension and the one before; -1 unknown.
    cpu: [AtomicI64; 2],
}

impl Default for Suspension {
    fn default() -> Self {
        Self {
            by: AtomicU64::new(0),
            captured: Mutex::new(None),
            turns: AtomicU64::new(0),
            cpu: [AtomicI64::new(-1), AtomicI64::new(-1)],
        }
    }
}

impl Suspension {
    /// The thread of this key has done so.
    pub(in crate::model) fn begun(&self, by: u64) {
        // Relaxed: numbers each for itself, that say nothing of others.
        self.by.store(by, Ordering::Relaxed);
        self.turns.fetch_add(1, Ordering::AcqRel);
    }

    /// It is about to be let go on.
    pub(in crate::model) fn ends(&self) {
        self.turns.fetch_add(1, Ordering::AcqRel);
        self.capture(None);
    }

    /// Which suspension this is, for [`Suspension::keep`].
    pub(in crate::model) fn turn(&self) -> u64 {
        self.turns.load(Ordering::Acquire)
    }

    /// The stack that it was found to have, unless that was another suspension.
    pub(in crate::model) fn keep(&self, turn: u64, frames: &[Frame]) {
        let mut captured = self.captured.lock();
        // Who ends it meanwhile forgets what is kept, behind this.
        if self.turn() == turn {
            *captured = Some(frames.to_vec());
        }
    }

    /// Who has.
    pub(in crate::model) fn by(&self) -> u64 {
        self.by.load(Ordering::Relaxed)
    }

    /// The stack that it has now.
    pub(in crate::model) fn capture(&self, frames: Option<Vec<Frame>>) {
        *self.captured.lock() = frames;
    }

    /// The whole of it, if what it `gave` is still that: it may have been let go on and suspended again.
    pub(in crate::model) fn complete(&self, gave: &[Frame], whole: &[Frame]) {
        if let Some(captured) = &mut *self.captured.lock()
            && captured == gave
        {
            captured.clear();
            captured.extend_from_slice(whole);
        }
    }

    /// The stack it had when it was suspended, if it gave it.
    pub(in crate::model) fn captured(&self) -> Option<Vec<Frame>> {
        self.captured.lock().clone()
    }

    /// It is suspended when it has used so many nanoseconds.
    pub(in crate::model) fn note_cpu_time(&self, nanos: Option<i64>) {
        let [last, before] = &self.cpu;
        before.store(last.load(Ordering::Relaxed), Ordering::Relaxed);
        last.store(nanos.unwrap_or(-1), Ordering::Relaxed);
    }

    /// It was so many by then.
    pub(in crate::model) fn correct_cpu_time(&self, nanos: Option<i64>) {
        let [last, _] = &self.cpu;
        last.store(nanos.unwrap_or(-1), Ordering::Relaxed);
    }

    /// Whether it used CPU between the last two; yes if that is unknown (JVMPI facts B.9).
    pub(in crate::model) fn has_run(&self) -> bool {
        let [last, before] = &self.cpu;
        let [last, before] = [last, before].map(|time| time.load(Ordering::Relaxed));
        last < 0 || before < 0 || last > before
    }
}
