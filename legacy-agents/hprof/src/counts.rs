//! What threads allocate, counted by each for itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indexmap::IndexMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::amount::Amount;

/// What one thread allocated in one place. Only the thread itself writes.
#[derive(Debug)]
pub(crate) struct Count {
    pub(crate) site: u32,
    objects: AtomicU64,
    bytes: AtomicU64,
}

impl Count {
    pub(crate) fn new(site: u32) -> Self {
        Self {
            site,
            objects: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// An object of so many bytes.
    #[inline]
    pub(crate) fn add(&self, bytes: u32) {
        // Relaxed: one thread adds, and who sums up may be a moment late; that no death is seen without
        // its birth the fence in `Sites::amounts` sees to.
        let add = |counter: &AtomicU64, amount| {
            counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
        };
        add(&self.objects, 1);
        add(&self.bytes, u64::from(bytes));
    }
}

/// Those of one thread.
pub(crate) type Counts = Arc<Mutex<Vec<Arc<Count>>>>;

/// What all threads have counted. Under one lock, so that a dump finds what a thread counted
/// among the living or among the ended ones, and not in neither.
#[derive(Debug, Default)]
pub(crate) struct Counted(Mutex<Threads>);

#[derive(Debug, Default)]
struct Threads {
    /// By address, in the order in which they began: profiles of one course of events are the same.
    live: IndexMap<usize, Counts, FxBuildHasher>,
    ended: FxHashMap<u32, Amount>,
}

impl Threads {
    fn settle(&mut self, counts: &Counts) {
        let mut counts = counts.lock();
        sum(&counts, &mut self.ended);
        counts.clear();
    }
}

impl Counted {
    /// A thread has begun to count.
    pub(crate) fn begun(&self, counts: &Counts) {
        let key = Arc::as_ptr(counts).addr();
        self.0.lock().live.insert(key, Arc::clone(counts));
    }

    /// What a thread has counted so far stays; it begins anew.
    pub(crate) fn settle(&self, counts: &Counts) {
        self.0.lock().settle(counts);
    }

    /// The same for good.
    pub(crate) fn ended(&self, counts: &Counts) {
        let mut threads = self.0.lock();
        threads.settle(counts);
        threads.live.swap_remove(&Arc::as_ptr(counts).addr());
    }

    /// What was allocated, by site.
    pub(crate) fn totals(&self) -> FxHashMap<u32, Amount> {
        let threads = self.0.lock();
        let mut totals = threads.ended.clone();
        for counts in threads.live.values() {
            sum(&counts.lock(), &mut totals);
        }
        totals
    }
}

fn sum(counts: &[Arc<Count>], into: &mut FxHashMap<u32, Amount>) {
    for count in counts {
        let total = into.entry(count.site).or_default();
        total.objects += count.objects.load(Ordering::Relaxed);
        total.bytes += count.bytes.load(Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_finds_what_threads_count_that_are_just_ending() {
        const THREADS: u64 = 2000;
        let counted = Counted::default();
        let thread = |_| {
            let count = Count::new(0);
            count.add(16);
            let counts = Counts::new(Mutex::new(vec![Arc::new(count)]));
            counted.begun(&counts);
            counts
        };
        let all: Vec<_> = (0..THREADS).map(thread).collect();
        std::thread::scope(|scope| {
            let counted = &counted;
            let looks = scope.spawn(move || {
                let mut looks = Vec::new();
                while !counted.0.lock().live.is_empty() {
                    looks.push(counted.totals().get(&0).map_or(0, |total| total.objects));
                }
                looks
            });
            for (number, counts) in all.iter().enumerate() {
                if number % 2 == 0 {
                    counted.settle(counts);
                }
                counted.ended(counts);
            }
            let looks = looks.join().unwrap();
            assert!(looks.iter().all(|&objects| objects == THREADS), "{looks:?}");
        });
        assert_eq!(counted.totals()[&0].bytes, 16 * THREADS);
    }
}
