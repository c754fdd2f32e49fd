//! The records of all threads as one sequence.

use std::cmp::Ordering;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::mem;

use super::Records;
use crate::record::Item;

/// The records of all threads, in the order of time; those of the same moment by thread.
#[derive(Debug)]
pub struct Items<'r, 'a> {
    /// Boxes, for the heap moves its elements.
    pub(super) heads: BinaryHeap<Box<Next<'r, 'a>>>,
}

#[derive(Debug)]
pub(super) struct Next<'r, 'a> {
    pub(super) item: Item<'a>,
    pub(super) records: Records<'r, 'a>,
}

impl Next<'_, '_> {
    fn key(&self) -> (u64, u32) {
        (self.item.nanos, self.item.thread)
    }
}

impl PartialEq for Next<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Next<'_, '_> {}

impl PartialOrd for Next<'_, '_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next<'_, '_> {
    /// The earliest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<'a> Items<'_, 'a> {
    /// Shows all of them, in a third less time than one after the other as an iterator: nothing
    /// is allocated for most.
    ///
    /// # Errors
    /// The first that `look` has.
    pub fn each<E>(mut self, mut look: impl FnMut(&Item<'a>) -> Result<(), E>) -> Result<(), E> {
        while let Some(mut first) = self.heads.peek_mut() {
            look(&first.item)?;
            let Next { item, records } = &mut **first;
            if !records.next_into(item) {
                PeekMut::pop(first);
            }
        }
        Ok(())
    }
}

impl<'a> Iterator for Items<'_, 'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let mut first = self.heads.peek_mut()?;
        match first.records.next() {
            Some(next) => Some(mem::replace(&mut first.item, next)),
            None => Some(PeekMut::pop(first).item),
        }
    }
}
