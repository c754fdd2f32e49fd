//! In which order locks are entered, and whether two orders contradict each other.

use std::collections::{BTreeMap, BTreeSet};

/// The collector, as a lock: GC_START takes it, and DisableGC waits for it.
pub(super) const COLLECTOR: u64 = 0;

/// Which lock was entered inside which.
#[derive(Debug, Default)]
pub(super) struct LockOrder {
    inside: BTreeMap<u64, BTreeSet<u64>>,
}

impl LockOrder {
    /// A lock is entered by a thread that is inside `held`. The first of those that has
    /// been entered inside `lock`, or inside something that was: a cycle, told once.
    pub(super) fn enter(&mut self, held: &[u64], lock: u64) -> Option<u64> {
        let mut cycle = None;
        for &outer in held {
            if outer == lock || !self.inside.entry(outer).or_default().insert(lock) {
                continue;
            }
            if self.leads(lock, outer) {
                cycle = cycle.or(Some(outer));
            }
        }
        cycle
    }

    fn leads(&self, from: u64, to: u64) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![from];
        while let Some(lock) = next.pop() {
            if lock == to {
                return true;
            }
            if seen.insert(lock) {
                next.extend(self.inside.get(&lock).into_iter().flatten());
            }
        }
        false
    }

    /// A lock is gone: its number may be another's.
    pub(super) fn forget(&mut self, lock: u64) {
        self.inside.remove(&lock);
        for inside in self.inside.values_mut() {
            inside.remove(&lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_two_and_three() {
        let mut order = LockOrder::default();
        assert_eq!(order.enter(&[1], 2), None);
        assert_eq!(order.enter(&[1], 2), None);
        assert_eq!(order.enter(&[2], 3), None);
        assert_eq!(order.enter(&[1, 2], 3), None);
        assert_eq!(order.enter(&[3], 1), Some(3));
        assert_eq!(order.enter(&[3], 1), None, "told once");
        assert_eq!(order.enter(&[2], 1), Some(2));
    }

    #[test]
    fn recursion_is_no_order_and_the_dead_are_forgotten() {
        let mut order = LockOrder::default();
        assert_eq!(order.enter(&[1], 1), None);
        assert_eq!(order.enter(&[1], 2), None);
        order.forget(2);
        assert_eq!(order.enter(&[2], 1), None);
    }
}
