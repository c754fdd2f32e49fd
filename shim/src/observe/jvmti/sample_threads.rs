//! For which threads an agent wants to hear of sampled allocations, when these are lent: our own
//! environment hears of all.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// All threads, some, or none.
#[derive(Debug)]
pub(super) struct SampleThreads {
    all: AtomicBool,
    any: AtomicBool,
    /// The ids of those that the agent has named.
    some: Mutex<Vec<u64>>,
}

impl SampleThreads {
    /// None.
    pub(super) const fn new() -> Self {
        Self {
            all: AtomicBool::new(false),
            any: AtomicBool::new(false),
            some: Mutex::new(Vec::new()),
        }
    }

    /// Whether there is any thread.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Whether one of them is meant, which is asked for its id only if that matters.
    #[inline]
    pub(super) fn has(&self, id: impl FnOnce() -> u64) -> bool {
        self.any() && (self.all.load(Ordering::Acquire) || self.has_named(id()))
    }

    #[inline(never)]
    fn has_named(&self, id: u64) -> bool {
        self.some.lock().contains(&id)
    }

    /// Whether any thread is named.
    pub(super) fn names_any(&self) -> bool {
        self.any() && !self.some.lock().is_empty()
    }

    /// Switches one thread on or off, or with `None` all of them, beside those that were named.
    pub(super) fn set(&self, thread: Option<u64>, on: bool) {
        let mut some = self.some.lock();
        match thread {
            None => self.all.store(on, Ordering::Release),
            Some(id) => {
                some.retain(|one| *one != id);
                if on {
                    some.push(id);
                }
            }
        }
        let any = self.all.load(Ordering::Acquire) || !some.is_empty();
        self.any.store(any, Ordering::Release);
    }

    /// Switches all off.
    pub(super) fn none(&self) {
        let mut some = self.some.lock();
        some.clear();
        self.all.store(false, Ordering::Release);
        self.any.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_threads_are_beside_all() {
        let threads = SampleThreads::new();
        assert!(!threads.any() && !threads.has(|| 1));
        threads.set(Some(1), true);
        assert!(threads.any() && threads.has(|| 1) && !threads.has(|| 2));
        threads.set(None, true);
        assert!(threads.has(|| 2));
        threads.set(Some(2), false);
        assert!(threads.has(|| 2));
        threads.set(None, false);
        assert!(threads.has(|| 1) && !threads.has(|| 2));
        assert!(threads.names_any());
        threads.set(Some(1), false);
        assert!(!threads.any() && !threads.names_any());
        threads.set(Some(2), true);
        threads.none();
        assert!(!threads.any() && !threads.has(|| 2));
    }
}
