//! The way back of ids whose life has ended.

use std::sync::atomic::Ordering;

use super::ObjectTable;
use super::entry::{DEATH, Flag};
use super::slots::Slot;
use super::supply::BATCH;
use crate::ObjectId;

/// Collects ids whose life has ended and hands them back when it is dropped: after the bracket
/// in which they died.
pub struct Recycler<'a> {
    table: &'a ObjectTable,
    first: u32,
    released: u64,
}

impl<'a> Recycler<'a> {
    /// Nothing collected yet.
    #[must_use]
    pub fn new(table: &'a ObjectTable) -> Self {
        Self {
            table,
            first: 0,
            released: 0,
        }
    }

    /// How many lives have ended here.
    #[must_use]
    pub fn released(&self) -> u64 {
        self.released
    }

    /// After a death: an id whose object bears its tag twice is free only after
    /// the second, which the VM may tell later.
    pub(super) fn note_death(&mut self, id: ObjectId, slot: &Slot) {
        let once = |state: u32| {
            let awaits_another = state & Flag::TWICE.0 != 0 && state < 2 * DEATH;
            // Without a kind it is stale for everybody.
            awaits_another.then_some(Flag::TWICE.0 | DEATH)
        };
        if slot
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, once)
            .is_err()
        {
            self.end(id.index(), slot);
        }
    }

    pub(super) fn end(&mut self, index: u32, slot: &Slot) {
        slot.state.store(0, Ordering::Release);
        self.released += 1;
        self.add(index);
    }

    pub(super) fn add(&mut self, index: u32) {
        if let Some(slot) = self.table.slot(index) {
            // Relaxed: links of a chain that is this one's until `push_batch`, which releases it.
            slot.class.store(self.first, Ordering::Relaxed);
            self.first = index;
        }
    }
}

impl Drop for Recycler<'_> {
    fn drop(&mut self) {
        self.table
            .released
            .fetch_add(self.released, Ordering::AcqRel);
        // Cut the chain into batches.
        let mut first = self.first;
        while first != 0 {
            let mut last = first;
            for _ in 1..BATCH {
                match self
                    .table
                    .slot(last)
                    .map(|slot| slot.class.load(Ordering::Relaxed))
                {
                    Some(next) if next != 0 => last = next,
                    _ => break,
                }
            }
            let rest = self
                .table
                .slot(last)
                .map_or(0, |slot| slot.class.swap(0, Ordering::Relaxed));
            self.table.push_batch(first);
            first = rest;
        }
    }
}
