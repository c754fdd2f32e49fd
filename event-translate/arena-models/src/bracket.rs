//! What collectors do in a bracket: free, slide, evacuate.

use super::event::{ArenaEvent, Resident};
use super::kind::Arena;

/// One bracket; the fields are the arguments of [`crate::Model::collect`].
pub(super) struct Bracket<'a> {
    pub(super) dead: &'a [Resident],
    pub(super) live: &'a [Resident],
    pub(super) rename: &'a mut dyn FnMut(u64) -> u64,
    pub(super) emit: &'a mut dyn FnMut(ArenaEvent),
}

impl Bracket<'_> {
    /// Frees the dead in these arenas one by one.
    pub(super) fn free(&mut self, arenas: impl Fn(u8) -> bool) {
        for dead in self.dead.iter().filter(|dead| arenas(dead.arena)) {
            (self.emit)(ArenaEvent::Free {
                object: dead.object,
            });
        }
    }

    /// Slides survivors down over the holes of the freed. Who lies below the
    /// first one stays.
    pub(super) fn slide(&mut self, arena: Arena) {
        let holes = self.dead.iter().filter(|dead| dead.arena == arena.id);
        let Some(first) = holes.map(|dead| dead.object).min() else {
            return;
        };
        self.move_all(arena, arena, |object| object > first);
    }

    /// Moves survivors over to `to`.
    pub(super) fn promote(&mut self, from: Arena, to: Arena) {
        self.move_all(from, to, |_| true);
    }

    /// Moves survivors over to `to` and lets the dead go with their arena, which
    /// is then created anew.
    pub(super) fn evacuate(&mut self, from: Arena, to: Arena) {
        self.promote(from, to);
        (self.emit)(ArenaEvent::Delete { arena: from.id });
        (self.emit)(from.created());
    }

    /// Whether an object of this arena died.
    pub(super) fn died_in(&self, arena: Arena) -> bool {
        self.dead.iter().any(|dead| dead.arena == arena.id)
    }

    fn move_all(&mut self, from: Arena, to: Arena, objects: impl Fn(u64) -> bool) {
        let here = |live: &&Resident| live.arena == from.id && objects(live.object);
        for &Resident { object, arena } in self.live.iter().filter(here) {
            (self.emit)(ArenaEvent::Move {
                object,
                arena,
                new_object: (self.rename)(object),
                new_arena: to.id,
            });
        }
    }
}
