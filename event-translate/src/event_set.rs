//! A set of events in one word.
//!
//! The shim keeps what an agent enabled in one `AtomicU64` and looks at it
//! before every event, so the set is nothing but its bits: bit *n* is the event
//! of number *n*, and the largest number is 61.

use crate::table::EventKind;

/// A set of [`EventKind`]s.
///
/// Invariant: only bits of existing events are set, so every set bit is one
/// event of [`EventSet::iter`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EventSet(u64);

impl EventSet {
    /// No event.
    pub const EMPTY: Self = Self(0);

    /// All 37.
    pub const ALL: Self = Self::of(&EventKind::ALL);

    /// The bit of one event, for `fetch_or` and `fetch_and`.
    #[must_use]
    pub const fn bit(kind: EventKind) -> u64 {
        1 << kind.raw()
    }

    /// The set of these events.
    #[must_use]
    pub const fn of(mut kinds: &[EventKind]) -> Self {
        let mut bits = 0;
        while let [kind, rest @ ..] = kinds {
            bits |= Self::bit(*kind);
            kinds = rest;
        }
        Self(bits)
    }

    /// The set with these bits; bits of no event are dropped.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Whether the event is in it.
    #[must_use]
    pub const fn contains(self, kind: EventKind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// Whether any of these events is in it.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether nothing is in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many events are in it.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Adds an event; true if it is new.
    pub const fn insert(&mut self, kind: EventKind) -> bool {
        let new = !self.contains(kind);
        self.0 |= Self::bit(kind);
        new
    }

    /// Takes an event out; true if it was there.
    pub const fn remove(&mut self, kind: EventKind) -> bool {
        let there = self.contains(kind);
        self.0 &= !Self::bit(kind);
        there
    }

    /// The events, by number.
    pub fn iter(self) -> impl Iterator<Item = EventKind> {
        EventKind::ALL
            .into_iter()
            .filter(move |&kind| self.contains(kind))
    }
}

impl FromIterator<EventKind> for EventSet {
    fn from_iter<I: IntoIterator<Item = EventKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, |mut set, kind| {
            set.insert(kind);
            set
        })
    }
}

impl std::fmt::Debug for EventSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set()
            .entries(self.iter().map(EventKind::name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_one_word() {
        assert_eq!(EventSet::ALL.len(), 37);
        assert!(EventSet::ALL.iter().eq(EventKind::ALL));
        assert_eq!(EventSet::ALL.0 >> 62, 0);
        assert_eq!(EventSet::from_bits(u64::MAX), EventSet::ALL);
        assert_eq!(EventSet::from_bits(1), EventSet::EMPTY);
    }

    #[test]
    fn each_event_goes_in_and_out_alone() {
        for kind in EventKind::ALL {
            let mut set = EventSet::EMPTY;
            assert!(set.insert(kind) && !set.insert(kind));
            assert!(set.iter().eq([kind]));
            assert_eq!(EventSet::from_bits(EventSet::bit(kind)), set);
            assert_eq!([kind].into_iter().collect::<EventSet>(), set);
            let mut others = EventSet::ALL;
            assert!(others.remove(kind) && !others.remove(kind));
            assert_eq!(others.len(), 36);
            assert!(!others.contains(kind) && !others.intersects(set));
            assert!(EventSet::ALL.intersects(set) && set.intersects(EventSet::ALL));
            assert!(set.remove(kind) && set.is_empty());
        }
    }

    #[test]
    fn debug_output_has_names() {
        let set = EventSet::of(&[EventKind::GcStart, EventKind::MethodEntry]);
        assert_eq!(format!("{set:?}"), r#"{"METHOD_ENTRY", "GC_START"}"#);
    }
}
