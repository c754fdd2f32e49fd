//! The classes and arenas of objects that may be freed or waited for, by their ids.

use std::collections::HashMap;

use crate::known::Name;

/// Those of more objects than memory should be spent on are not known. Arenas are a few, and go with all that is in them.
#[derive(Debug, Default)]
pub(crate) struct Objects(HashMap<i32, HashMap<u64, Name>>);

impl Objects {
    /// As many as a table of 4 Mi places holds.
    const MOST: usize = 3_600_000;

    /// One that is in this arena.
    pub(crate) fn insert(&mut self, id: u64, class: Name, arena: i32) {
        self.remove(id);
        if self.0.values().map(HashMap::len).sum::<usize>() < Self::MOST {
            self.0.entry(arena).or_default().insert(id, class);
        }
    }

    pub(crate) fn get(&self, id: u64) -> Option<Name> {
        self.0
            .values()
            .find_map(|objects| objects.get(&id))
            .copied()
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Name> {
        self.0.values_mut().find_map(|objects| objects.remove(&id))
    }

    /// It has another id from now on, perhaps, and is in this arena.
    pub(crate) fn moves(&mut self, id: u64, to: u64, arena: i32) {
        if let Some(class) = self.remove(id) {
            self.insert(to, class, arena);
        }
    }

    /// The classes of all that goes with an arena: what has moved out of it is in another one.
    pub(crate) fn remove_arena(&mut self, arena: i32) -> Vec<Name> {
        let gone = self.0.remove(&arena).unwrap_or_default();
        gone.into_values().collect()
    }
}
