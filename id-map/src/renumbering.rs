//! New ids for objects that were moved, to test how an agent handles OBJECT_MOVE
//! (`ids=renumber`).
//!
//! The object's tag stays what it was; only the number that the agent is given
//! changes. Without a move this is one load and no look-up.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;

use crate::{ObjectId, ObjectTable};

#[derive(Default)]
struct Maps {
    /// Tag to the agent's number, and back.
    outward: HashMap<ObjectId, ObjectId>,
    inward: HashMap<ObjectId, ObjectId>,
    /// Numbers that were given up in this bracket.
    given_up: Vec<ObjectId>,
}

/// The agent's numbers of objects that were moved.
///
/// # Threads
/// Any; locks are held for the look-up alone.
#[derive(Default)]
pub struct Renumbering {
    active: AtomicBool,
    maps: RwLock<Option<Maps>>,
}

impl Renumbering {
    /// Nothing has moved.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            active: AtomicBool::new(false),
            maps: RwLock::new(None),
        }
    }

    /// The number by which the agent knows the object with this tag.
    #[inline]
    pub fn outward(&self, tag: ObjectId) -> ObjectId {
        if !self.active.load(Ordering::Acquire) {
            return tag;
        }
        self.outward_of_moved(tag)
    }

    #[cold]
    fn outward_of_moved(&self, tag: ObjectId) -> ObjectId {
        let maps = self.maps.read();
        let moved = maps.as_ref().and_then(|maps| maps.outward.get(&tag));
        moved.copied().unwrap_or(tag)
    }

    /// The tag of the object that the agent knows by this number; `None` for a
    /// number that the object has lost by a move.
    pub fn inward(&self, number: ObjectId) -> Option<ObjectId> {
        if !self.active.load(Ordering::Acquire) {
            return Some(number);
        }
        let maps = self.maps.read();
        let Some(maps) = maps.as_ref() else {
            return Some(number);
        };
        match maps.inward.get(&number) {
            Some(&tag) => Some(tag),
            None => (!maps.outward.contains_key(&number)).then_some(number),
        }
    }

    /// Gives the object a new number, one of [`Kind::Alias`] that nothing else has.
    ///
    /// [`Kind::Alias`]: crate::Kind::Alias
    pub fn assign(&self, tag: ObjectId, fresh: ObjectId) {
        let mut maps = self.maps.write();
        let maps = maps.get_or_insert_default();
        if let Some(old) = maps.outward.insert(tag, fresh) {
            maps.inward.remove(&old);
            maps.given_up.push(old);
        }
        maps.inward.insert(fresh, tag);
        self.active.store(true, Ordering::Release);
    }

    /// How many numbers are taken by moved objects, those given up in this bracket
    /// included.
    pub fn in_use(&self) -> u64 {
        let maps = self.maps.read();
        let count = maps
            .as_ref()
            .map_or(0, |maps| maps.inward.len() + maps.given_up.len());
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// The object is dead and the agent has been told.
    pub fn forget(&self, tag: ObjectId) {
        if !self.active.load(Ordering::Acquire) {
            return;
        }
        if let Some(maps) = self.maps.write().as_mut()
            && let Some(old) = maps.outward.remove(&tag)
        {
            maps.inward.remove(&old);
            maps.given_up.push(old);
        }
    }

    /// The bracket is closed: numbers given up in it may be used again.
    pub fn settle(&self, table: &ObjectTable) {
        if !self.active.load(Ordering::Acquire) {
            return;
        }
        let given_up = self
            .maps
            .write()
            .as_mut()
            .map(|maps| std::mem::take(&mut maps.given_up));
        for number in given_up.unwrap_or_default() {
            table.release(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Renumbering;
    use crate::{Kind, ObjectTable};

    #[test]
    fn a_moved_object_answers_to_its_last_number_only() {
        let table = Box::new(ObjectTable::new());
        let numbers = Renumbering::new();
        let tag = table.allocate(Kind::Object).expect("room");
        assert_eq!(numbers.outward(tag), tag);
        assert_eq!(numbers.inward(tag), Some(tag));
        let alias = || table.allocate(Kind::Alias).expect("room");
        let (first, second) = (alias(), alias());
        numbers.assign(tag, first);
        assert_eq!(numbers.inward(first), Some(tag));
        numbers.assign(tag, second);
        assert_eq!(numbers.in_use(), 2);
        assert!(first != tag && second != first);
        assert_eq!(numbers.outward(tag), second);
        assert_eq!(numbers.inward(second), Some(tag));
        assert_eq!(numbers.inward(tag), None, "stale");
        assert_eq!(table.kind_of(first), Some(Kind::Alias), "not yet reusable");
        numbers.settle(&table);
        assert_eq!(table.kind_of(first), None);
        numbers.forget(tag);
        numbers.settle(&table);
        assert_eq!(table.kind_of(second), None);
        assert_eq!(numbers.outward(tag), tag);
    }
}
