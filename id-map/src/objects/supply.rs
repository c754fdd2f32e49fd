//! Giving out ids: by a supply of each thread, which takes them from the table in batches.

#[cfg(all(test, not(loom)))]
mod tests;

use std::sync::atomic::Ordering;

use super::entry::{ARENA_SHIFT, Flag, Kind, Shape, TYPE_SHIFT};
use super::slots::{CHUNK, CHUNKS, Slot};
use super::{ObjectTable, Recycler};
use crate::ObjectId;
use crate::sync::{AtomicU32, AtomicU64, const_fn};

/// How many ids a thread takes at a time.
pub(super) const BATCH: u32 = if cfg!(loom) { 2 } else { 64 };

/// Ids that one thread may give out without asking anybody.
///
/// # Threads
/// Only its owner passes it to the table; others may read the count.
#[derive(Debug, Default)]
pub struct Supply {
    /// The first of a chain of free slots.
    free: AtomicU32,
    /// Never used ones: next and end.
    fresh: AtomicU32,
    end: AtomicU32,
    given: AtomicU64,
}

impl Supply {
    const_fn! {
        /// An empty one.
        #[must_use]
        pub fn new() -> Self {
            Self {
                free: AtomicU32::new(0),
                fresh: AtomicU32::new(0),
                end: AtomicU32::new(0),
                given: AtomicU64::new(0),
            }
        }
    }

    /// How many ids it has given out.
    #[must_use]
    pub fn given(&self) -> u64 {
        // Relaxed: the owner's words, and counts; a thread that takes over another's supply has
        // joined it, or has its lock.
        self.given.load(Ordering::Relaxed)
    }
}

impl ObjectTable {
    /// Gives out an id, or `None` when all 2³⁰ are in use. It names an undescribed
    /// thing of this kind.
    ///
    /// A class gets one that nothing has had before: it may be named before its
    /// CLASS_LOAD, when an agent would take it for something that has died.
    pub fn allocate(&self, kind: Kind) -> Option<ObjectId> {
        let supply = Supply::new();
        if kind == Kind::Class
            && let Some(index) = self.take_never_used()
        {
            supply.fresh.store(index, Ordering::Relaxed);
            supply.end.store(index + 1, Ordering::Relaxed);
        }
        let id = self.take(&supply, kind)?;
        self.retire(&supply);
        Some(id)
    }

    fn take_never_used(&self) -> Option<u32> {
        let mut range = self.unused.load(Ordering::Acquire);
        loop {
            let (next, end) = (low_half(range), low_half(range >> 32));
            let (index, left) = if next < end {
                (next, range + 1)
            } else {
                let first = self.reserve_batch()?;
                (first, u64::from(first + BATCH) << 32 | u64::from(first + 1))
            };
            match self
                .unused
                .compare_exchange(range, left, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Some(index),
                // A batch that was reserved in vain stays unused: 64 of 2³⁰ ids.
                Err(now) => range = now,
            }
        }
    }

    /// The same from the calling thread's supply.
    pub fn take(&self, supply: &Supply, kind: Kind) -> Option<ObjectId> {
        let (index, slot) = self.take_slot(supply)?;
        slot.class.store(0, Ordering::Relaxed);
        slot.size.store(0, Ordering::Relaxed);
        slot.state.store(kind.to_bits(), Ordering::Release);
        ObjectId::from_index(index)
    }

    /// The same for an object of which everything is known.
    #[inline]
    pub fn take_described(
        &self,
        supply: &Supply,
        shape: Shape,
        size: u32,
        arena: u8,
    ) -> Option<ObjectId> {
        let (index, slot) = self.take_slot(supply)?;
        let class = shape.class.map_or(0, ObjectId::index);
        slot.class.store(class, Ordering::Relaxed);
        slot.size.store(size, Ordering::Relaxed);
        let state = Kind::Object.to_bits()
            | u32::from(shape.array) << TYPE_SHIFT
            | u32::from(arena) << ARENA_SHIFT
            | Flag::DESCRIBED.0;
        slot.state.store(state, Ordering::Release);
        ObjectId::from_index(index)
    }

    #[inline]
    fn take_slot(&self, supply: &Supply) -> Option<(u32, &Slot)> {
        let free = supply.free.load(Ordering::Relaxed);
        let found = if free != 0 {
            let slot = self.slot(free)?;
            supply
                .free
                .store(slot.class.load(Ordering::Relaxed), Ordering::Relaxed);
            (free, slot)
        } else {
            let fresh = supply.fresh.load(Ordering::Relaxed);
            if fresh < supply.end.load(Ordering::Relaxed) {
                supply.fresh.store(fresh + 1, Ordering::Relaxed);
                (fresh, self.slot(fresh)?)
            } else {
                return self.refill(supply);
            }
        };
        let given = supply.given.load(Ordering::Relaxed);
        supply.given.store(given + 1, Ordering::Relaxed);
        Some(found)
    }

    #[cold]
    fn refill(&self, supply: &Supply) -> Option<(u32, &Slot)> {
        let batch = self.pop_batch();
        if batch == 0 {
            let first = self.reserve_batch()?;
            supply.end.store(first + BATCH, Ordering::Relaxed);
            supply.fresh.store(first, Ordering::Relaxed);
        } else {
            supply.free.store(batch, Ordering::Relaxed);
        }
        self.take_slot(supply)
    }

    /// A batch that was never used.
    fn reserve_batch(&self) -> Option<u32> {
        let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
        let last = first.saturating_add(BATCH - 1);
        if usize::try_from(last).is_ok_and(|last| last >= CHUNK * CHUNKS) {
            // Keep the counter from wrapping round after very many refusals.
            self.next.fetch_sub(BATCH, Ordering::Relaxed);
            return None;
        }
        // A batch lies in one chunk or two. Without memory for them it stays unused.
        (self.grow(first) && self.grow(last)).then_some(first)
    }

    /// The supply's thread has ended: what it has left can be used by others.
    pub fn retire(&self, supply: &Supply) {
        let mut rest = Recycler::new(self);
        let fresh = supply.fresh.load(Ordering::Relaxed);
        let end = supply.end.swap(0, Ordering::Relaxed);
        for index in fresh..end {
            rest.add(index);
        }
        let mut index = supply.free.swap(0, Ordering::Relaxed);
        while let Some(slot) = self.slot(index).filter(|_| index != 0) {
            let next = slot.class.load(Ordering::Relaxed);
            rest.add(index);
            index = next;
        }
        drop(rest);
        self.settled
            .fetch_add(supply.given.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// How many ids are in use, given what the living supplies have given out.
    pub fn live(&self, given: u64) -> u64 {
        let released = self.released.load(Ordering::Acquire);
        (self.settled.load(Ordering::Acquire) + given).saturating_sub(released)
    }

    fn pop_batch(&self) -> u32 {
        let mut head = self.batches.load(Ordering::Acquire);
        loop {
            let index = low_half(head);
            let Some(slot) = self.slot(index).filter(|_| index != 0) else {
                return 0;
            };
            let next = u64::from(slot.size.load(Ordering::Acquire));
            let fresh = next_version(head) | next;
            match self
                .batches
                .compare_exchange(head, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return index,
                Err(now) => head = now,
            }
        }
    }

    pub(super) fn push_batch(&self, first: u32) {
        let Some(slot) = self.slot(first) else { return };
        let mut head = self.batches.load(Ordering::Acquire);
        loop {
            slot.size.store(low_half(head), Ordering::Release);
            let fresh = next_version(head) | u64::from(first);
            match self
                .batches
                .compare_exchange(head, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the low half is what is wanted"
)]
fn low_half(head: u64) -> u32 {
    head as u32
}

fn next_version(head: u64) -> u64 {
    (head >> 32).wrapping_add(1) << 32
}
