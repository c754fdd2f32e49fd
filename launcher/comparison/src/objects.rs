//! The classes and arenas of objects that may be freed or waited for, by their ids.

use std::collections::HashMap;

use crate::known::Name;

/// Those of more objects than memory should be spent on are not known.
#[derive(Debug, Default)]
pub(crate) struct Objects(HashMap<u64, Object>);

#[derive(Debug)]
struct Object {
    class: Name,
    arena: i32,
}

impl Objects {
    /// As many as a table of 4 Mi places holds.
    const MOST: usize = 3_600_000;

    /// One that is in this arena.
    pub(crate) fn insert(&mut self, id: u64, class: Name, arena: i32) {
        if self.0.len() < Self::MOST {
            self.0.insert(id, Object { class, arena });
        }
    }

    pub(crate) fn get(&self, id: u64) -> Option<Name> {
        self.0.get(&id).map(|object| object.class)
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Name> {
        self.0.remove(&id).map(|object| object.class)
    }

    /// It has another id from now on, perhaps, and is in this arena.
    pub(crate) fn moves(&mut self, id: u64, to: u64, arena: i32) {
        if let Some(Object { class, .. }) = self.0.remove(&id) {
            self.insert(to, class, arena);
        }
    }

    /// The classes of all that goes with an arena: what has moved out of it is in another one.
    pub(crate) fn remove_arena(&mut self, arena: i32) -> Vec<Name> {
        let gone = self.0.extract_if(|_, object| object.arena == arena);
        gone.map(|(_, object)| object.class).collect()
    }
}
