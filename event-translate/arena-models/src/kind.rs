//! The kinds of collectors, their names and their arenas.

use std::ffi::CStr;

use super::event::ArenaEvent;

/// The `arenas=` option: whose events the agent sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What agents met in practice: arena 1, deaths, nothing else.
    #[default]
    Hotspot,
    /// One arena, announced; deaths.
    MarkSweep,
    /// One arena, announced; deaths, then what lay behind the first hole slides
    /// down.
    MarkCompact,
    /// Two arenas; all survivors move to the other one, and the dead go with
    /// the arena they are left in.
    TwoSpace,
    /// Three arenas by age. Survivors move to the next older one and the dead
    /// go with their arena; the oldest is compacted, for which the patent has
    /// no word of its own.
    Generational,
    /// phoneME's CVM, whose arenas are known: survivors of the young one move to the old
    /// one, which is compacted; none is deleted. Its moves all say arena 1.
    Cvm,
    /// Deaths in arena 1. The patent's collector sends them when a count drops
    /// to zero; here they are known only after a real collection.
    ReferenceCounting,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Hotspot,
        Self::MarkSweep,
        Self::MarkCompact,
        Self::TwoSpace,
        Self::Generational,
        Self::ReferenceCounting,
        Self::Cvm,
    ];

    /// The kind of this name, as [`Kind::name`] spells it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name as a value of the option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hotspot => "hotspot",
            Self::MarkSweep => "mark-sweep",
            Self::MarkCompact => "mark-compact",
            Self::TwoSpace => "two-space",
            Self::Generational => "generational",
            Self::Cvm => "cvm",
            Self::ReferenceCounting => "reference-counting",
        }
    }

    /// The arenas it announces. The kinds without any use arena 1 all the same,
    /// as VMs that never send arena events do (R6).
    pub(super) const fn arenas(self) -> &'static [Arena] {
        match self {
            Self::Hotspot | Self::ReferenceCounting => &[],
            Self::MarkSweep | Self::MarkCompact => &[HEAP],
            Self::TwoSpace => &[SPACE_1, SPACE_2],
            Self::Generational => &[YOUNG, MIDDLE, OLD],
            Self::Cvm => &[PRELOADED, YOUNG_GEN, OLD_GEN],
        }
    }

    /// The arena that an OBJECT_MOVE names for this one.
    #[must_use]
    pub const fn in_moves(self, arena: u8) -> u8 {
        match self {
            Self::Cvm => HEAP.id,
            Self::Hotspot
            | Self::MarkSweep
            | Self::MarkCompact
            | Self::TwoSpace
            | Self::Generational
            | Self::ReferenceCounting => arena,
        }
    }
}

/// An arena's id and name; both stay when it is deleted and created anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arena {
    pub(super) id: u8,
    name: &'static CStr,
}

impl Arena {
    const fn new(id: u8, name: &'static CStr) -> Self {
        Self { id, name }
    }

    /// Announces it.
    pub(super) const fn created(self) -> ArenaEvent {
        ArenaEvent::New {
            arena: self.id,
            name: self.name,
        }
    }
}

pub(super) const HEAP: Arena = Arena::new(1, c"heap");
pub(super) const SPACE_1: Arena = Arena::new(1, c"semispace 1");
pub(super) const SPACE_2: Arena = Arena::new(2, c"semispace 2");
pub(super) const YOUNG: Arena = Arena::new(1, c"young generation");
pub(super) const MIDDLE: Arena = Arena::new(2, c"middle generation");
pub(super) const PRELOADED: Arena = Arena::new(1, c"Preloaded");
pub(super) const YOUNG_GEN: Arena = Arena::new(2, c"YoungGen");
pub(super) const OLD_GEN: Arena = Arena::new(3, c"OldGen");
pub(super) const OLD: Arena = Arena::new(3, c"old generation");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_option() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        for name in ["", "Hotspot", "mark_sweep", "two-space "] {
            assert_eq!(Kind::from_name(name), None);
        }
        assert_eq!(Kind::default().name(), "hotspot");
    }

    /// The CVM's say arena 1, wherever it goes; all others' say what is so.
    #[test]
    fn arenas_in_moves() {
        for kind in Kind::ALL {
            let named = [1, 2, 3].map(|arena| kind.in_moves(arena));
            let all_say_1 = kind == Kind::Cvm;
            let expected = if all_say_1 { [1, 1, 1] } else { [1, 2, 3] };
            assert_eq!(named, expected, "{}", kind.name());
        }
    }
}
