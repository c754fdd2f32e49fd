//! Objects as models see them, and what models make of their births and deaths.

use std::ffi::CStr;

/// An object and the arena it lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resident {
    /// Its JVMPI id at the moment.
    pub object: u64,
    /// [`crate::Model::nursery`] when it was announced, or the `new_arena` of its last
    /// [`ArenaEvent::Move`].
    pub arena: u8,
}

/// An event of a model; the fields are those of the JVMPI event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArenaEvent {
    /// An arena appears.
    #[doc(alias = "JVMPI_EVENT_ARENA_NEW")]
    New {
        /// Its id, from 1.
        arena: u8,
        /// Its name, for people.
        name: &'static CStr,
    },
    /// An arena disappears, and all objects left in it are garbage; none of
    /// them is freed one by one (R5).
    #[doc(alias = "JVMPI_EVENT_ARENA_DELETE")]
    Delete {
        /// Its id.
        arena: u8,
    },
    /// An object is garbage.
    #[doc(alias = "JVMPI_EVENT_OBJECT_FREE")]
    Free {
        /// Its id.
        object: u64,
    },
    /// An object got another place: another arena, or another address in the
    /// same one.
    #[doc(alias = "JVMPI_EVENT_OBJECT_MOVE")]
    Move {
        /// Its id so far.
        object: u64,
        /// Its arena so far.
        arena: u8,
        /// Its id from now on; the same with `ids=stable`.
        new_object: u64,
        /// Its arena from now on.
        new_arena: u8,
    },
}
