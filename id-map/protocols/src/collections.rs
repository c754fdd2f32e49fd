//! Which of the VM's collections still want a bracket.
//!
//! The VM reports pauses. Its own counter says which of them began a collection; a pause that did
//! not is part of a concurrent cycle, and wants a bracket once deaths are told. Where there is no
//! counter, a collection has happened when a *sentinel* has died: an object that nobody holds.
//!
//! # Order
//! A pause's figures are written before it counts, and it counts with release; whoever takes a
//! collection, or sees that there is one, reads the count with acquire, and so has figures that are
//! not older than the pause. They may be younger: of the next one. A collection is taken once,
//! whoever takes it. Nothing here needs an order of all accesses, so loom shows the whole of it.
//!
//! # Threads
//! The VM's callbacks run at safepoints: they touch atomics, and nothing else.

use crate::sync::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering, const_fn};

/// What has been collected and what has been told of it.
pub struct Collections {
    /// Collections that have had no bracket yet.
    pending: AtomicU32,
    /// The VM's count at the end of the last pause.
    counted: AtomicU32,
    /// A pause since the last bracket that began no collection.
    part_of_cycle: AtomicBool,
    /// When the last pause ended; 0 if there was none.
    last_pause: AtomicU64,
    /// Bytes used and bytes there at the end of the last pause; 0 while unknown.
    used: AtomicI64,
    total: AtomicI64,
}

impl Collections {
    const_fn! {
        /// None so far.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self {
                pending: AtomicU32::new(0),
                counted: AtomicU32::new(0),
                part_of_cycle: AtomicBool::new(false),
                last_pause: AtomicU64::new(0),
                used: AtomicI64::new(0),
                total: AtomicI64::new(0),
            }
        }
    }

    /// A pause has ended; `count` is the VM's, if it has one. Whoever sees that something is
    /// pending sees when that was, too.
    pub fn pause_ended(&self, now: u64, (used, total): (i64, i64), count: Option<u32>) {
        // Relaxed: numbers for people; `last_pause` releases them.
        self.used.store(used, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.last_pause.store(now, Ordering::Release);
        match count {
            Some(count) if self.counted.swap(count, Ordering::AcqRel) != count => self.add(),
            _ => self.part_of_cycle.store(true, Ordering::Release),
        }
    }

    /// There is one more: a sentinel has died, or a bracket could not be sent in full.
    pub fn add(&self) {
        self.pending.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes one that wants its bracket; the deaths of a concurrent cycle want one, too.
    pub fn take(&self, any_dead: impl FnOnce() -> bool) -> bool {
        let lower = |count: u32| count.checked_sub(1);
        let cycle = any_dead() && self.part_of_cycle.swap(false, Ordering::AcqRel);
        self.pending
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, lower)
            .is_ok()
            || cycle
    }

    /// Whether [`Collections::take`] would find one.
    pub fn is_pending(&self, any_dead: impl FnOnce() -> bool) -> bool {
        self.pending.load(Ordering::Acquire) > 0
            || self.part_of_cycle.load(Ordering::Acquire) && any_dead()
    }

    /// Nobody has listened to them.
    pub fn forget(&self) {
        self.pending.store(0, Ordering::Release);
        self.part_of_cycle.store(false, Ordering::Release);
    }

    /// When the last pause ended; 0 if there was none.
    pub fn last_pause(&self) -> u64 {
        self.last_pause.load(Ordering::Acquire)
    }

    /// Bytes used and bytes there at the end of the last pause, if both are known.
    pub fn space(&self) -> Option<(i64, i64)> {
        let used = self.used.load(Ordering::Relaxed);
        let total = self.total.load(Ordering::Relaxed);
        (used > 0 && total > 0).then_some((used, total))
    }
}

/// Objects that nobody holds, numbered from 1.
pub struct Sentinels {
    /// The newest there is.
    newest: AtomicU64,
    /// The newest that has died.
    dead: AtomicU64,
    /// The last pause before the newest was planted.
    planted_after: AtomicU64,
}

impl Sentinels {
    const_fn! {
        /// None.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self {
                newest: AtomicU64::new(0),
                dead: AtomicU64::new(0),
                planted_after: AtomicU64::new(0),
            }
        }
    }

    /// The number of another.
    pub fn next(&self) -> u64 {
        self.newest.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The newest is planted. The allocation may have waited for a pause: this is the last.
    pub fn planted_after(&self, pause: u64) {
        self.planted_after.store(pause, Ordering::Release);
    }

    /// The VM has told of this one's death; whether of no newer one before.
    pub fn died(&self, number: u64) -> bool {
        self.dead.fetch_max(number, Ordering::AcqRel) < number
    }

    /// Whether that one is dead.
    pub fn is_dead(&self, number: u64) -> bool {
        self.dead.load(Ordering::Acquire) >= number
    }

    /// The newest there is.
    pub fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    /// Whether the newest was planted when this pause was the last: it says nothing of it.
    pub fn is_younger_than(&self, pause: u64) -> bool {
        self.planted_after.load(Ordering::Acquire) == pause
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Collections, Sentinels};

    const DEAD: fn() -> bool = || true;
    const ALIVE: fn() -> bool = || false;

    #[test]
    fn each_collection_has_one_bracket() {
        let vm = Collections::new();
        assert!(!vm.is_pending(DEAD) && !vm.take(DEAD));
        vm.pause_ended(1, (0, 0), Some(1));
        vm.pause_ended(2, (5, 9), Some(2));
        assert_eq!((vm.last_pause(), vm.space()), (2, Some((5, 9))));
        assert!(vm.is_pending(ALIVE));
        assert!(vm.take(ALIVE) && vm.take(ALIVE) && !vm.take(ALIVE));
        // One that could not be sent comes again.
        vm.add();
        assert!(vm.take(ALIVE) && !vm.is_pending(DEAD));
    }

    #[test]
    fn a_pause_of_a_cycle_waits_for_deaths() {
        let vm = Collections::new();
        vm.pause_ended(1, (0, 0), Some(1));
        assert!(vm.take(ALIVE));
        vm.pause_ended(2, (0, 0), Some(1));
        vm.pause_ended(3, (0, 0), Some(1));
        assert!(!vm.is_pending(ALIVE) && !vm.take(ALIVE));
        // They are told later, in one bracket for all pauses.
        assert!(vm.is_pending(DEAD) && vm.take(DEAD) && !vm.take(DEAD));
        // A collection takes the deaths of the cycle along.
        vm.pause_ended(4, (0, 0), Some(1));
        vm.pause_ended(5, (0, 0), Some(2));
        assert!(vm.take(DEAD) && !vm.is_pending(DEAD));
        assert_eq!(vm.space(), None);
    }

    #[test]
    fn half_of_the_space_is_not_told() {
        let vm = Collections::new();
        for (space, known) in [((5, 0), None), ((0, 9), None), ((5, 9), Some((5, 9)))] {
            vm.pause_ended(1, space, None);
            assert_eq!(vm.space(), known, "{space:?}");
        }
    }

    #[test]
    fn what_nobody_listened_to_is_forgotten() {
        let vm = Collections::new();
        vm.pause_ended(1, (0, 0), Some(1));
        vm.pause_ended(2, (0, 0), Some(1));
        vm.forget();
        assert!(!vm.is_pending(DEAD));
        vm.pause_ended(3, (0, 0), Some(2));
        assert!(vm.is_pending(DEAD));
    }

    #[test]
    fn without_a_counter_the_newest_sentinel_counts() {
        let (vm, sentinels) = (Collections::new(), Sentinels::new());
        assert!(sentinels.is_dead(sentinels.newest()));
        let (first, second) = (sentinels.next(), sentinels.next());
        assert!(!sentinels.is_dead(first) && sentinels.newest() == second);
        vm.pause_ended(1, (0, 0), None);
        sentinels.planted_after(vm.last_pause());
        assert!(sentinels.is_younger_than(vm.last_pause()));
        vm.pause_ended(2, (0, 0), None);
        assert!(!sentinels.is_younger_than(vm.last_pause()));
        // The VM tells of both, in any order; of the older it has nothing new to say.
        assert!(sentinels.died(second) && !sentinels.died(first));
        assert!(sentinels.is_dead(first) && sentinels.is_dead(second));
        // Twice, or of one that was planted later.
        assert!(!sentinels.died(second));
        assert!(!sentinels.is_dead(sentinels.next()));
    }
}
