//! Where each object of a dump is to be found in it.
//!
//! Objects that get their ids in a walk get them in the order of their records, and keep
//! them for the next walk, which goes the same way. So eight ids have one word, that says
//! where the first of their records lies and the first of the second four, and the others
//! are looked for behind these: a byte for each object. What lies elsewhere has a number of
//! its own.
//!
//! # Threads
//! Fit for callbacks of a heap walk, as [`Numbers`] are.

use dump_format::{Detail, Extent};
use id_map::ObjectId;

use crate::events::dumps::survey::outward;
use crate::os::mapping::Numbers;

/// What is known of an object in this walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// It was not seen yet.
    None,
    /// It has a record.
    Record(Extent),
    /// It is the class of this row.
    Class(usize),
    /// It has no record, or gets it after the walk.
    Bare,
}

/// One for each id. The dump that records lie in begins with a gap: no offset is 0.
pub(super) struct RecordIndex {
    /// Of eight ids each ([`Group`]).
    groups: Numbers,
    /// By id, of those for which their group's number does not do: two bits say what
    /// ([`RECORD`] and the others), the rest is an offset or a row.
    others: Numbers,
    detail: Detail,
}

const GROUP: u32 = 8;
/// Farther from its group's first record no record is looked for.
const NEAR: usize = 2048;
const _: () = assert!(NEAR + 1 < 1 << (Group::FIRST - Group::SECOND));

const RECORD: u64 = 1;
const CLASS: u64 = 2;
const BARE: u64 = 3;

/// A bit for each id that was seen, one if any of them has a number of its own; one more
/// than how far behind the first record that of the second four lies, and the offset of the
/// first; 0 while there is none.
#[derive(Clone, Copy)]
struct Group(u64);

impl Group {
    const OTHERS: u64 = 1 << GROUP;
    const SECOND: u32 = GROUP + 1;
    const FIRST: u32 = Self::SECOND + 15;

    fn has(self, id: ObjectId) -> bool {
        self.0 >> (id.index() % GROUP) & 1 != 0
    }

    fn with(self, id: ObjectId) -> Self {
        Self(self.0 | 1 << (id.index() % GROUP))
    }

    fn is_of_second(id: ObjectId) -> bool {
        id.index() % GROUP >= GROUP / 2
    }

    fn first(self) -> u64 {
        self.0 >> Self::FIRST
    }

    fn second(self) -> u64 {
        self.0 >> Self::SECOND & ((1 << (Self::FIRST - Self::SECOND)) - 1)
    }

    /// The first record that may be the id's; 0 if none is.
    fn start(self, id: ObjectId) -> u64 {
        let behind = self.second().saturating_sub(1);
        self.first() + if Self::is_of_second(id) { behind } else { 0 }
    }

    /// With a record behind all others; `None` if it is too far from the first one.
    fn with_record(self, id: ObjectId, begin: u64) -> Option<Self> {
        let mut group = self.with(id);
        if self.first() == 0 {
            group.0 |= begin << Self::FIRST;
        }
        let behind = begin.checked_sub(group.first())?;
        if behind > NEAR as u64 {
            return None;
        }
        if Self::is_of_second(id) && self.second() == 0 {
            group.0 |= (behind + 1) << Self::SECOND;
        }
        Some(group)
    }
}

impl RecordIndex {
    pub(super) const fn new(detail: Detail) -> Self {
        Self {
            groups: Numbers::wide(),
            others: Numbers::new(),
            detail,
        }
    }

    #[inline]
    fn group(&self, id: ObjectId) -> Group {
        Group(self.groups.get(id.index() / GROUP))
    }

    /// Whether it has been seen.
    #[inline]
    pub(super) fn has(&self, id: ObjectId) -> bool {
        self.group(id).has(id)
    }

    /// The row of a class.
    #[inline]
    pub(super) fn row(&self, id: ObjectId) -> Option<usize> {
        let number = self.others.get(id.index());
        if number & 3 == CLASS {
            usize::try_from(number >> 2).ok()
        } else {
            None
        }
    }

    /// Whether it has been met and had no record then.
    #[inline]
    pub(super) fn is_bare(&self, id: ObjectId) -> bool {
        self.others.get(id.index()) & 3 == BARE
    }

    /// What is known of an object; `dump` is what has been written of the objects.
    #[inline]
    pub(super) fn find(&self, id: ObjectId, dump: &[u8]) -> Place {
        let group = self.group(id);
        if !group.has(id) {
            return Place::None;
        }
        if group.0 & Group::OTHERS != 0 {
            let number = self.others.get(id.index());
            let rest = usize::try_from(number >> 2).unwrap_or(0);
            match number & 3 {
                0 => {}
                CLASS => return Place::Class(rest),
                RECORD => {
                    let record = Extent::at(dump, rest, self.detail);
                    return record.map_or(Place::Bare, Place::Record);
                }
                _ => return Place::Bare,
            }
        }
        let object = outward(id);
        let start = usize::try_from(group.start(id)).unwrap_or(0);
        let mut at = start;
        // Not of level 0, which has no records.
        while at != 0 && at - start <= NEAR {
            match Extent::at(dump, at, self.detail) {
                Some(record) if record.object == object => return Place::Record(record),
                Some(record) => at = record.end,
                None => break,
            }
        }
        Place::Bare
    }

    /// An object whose record has just been begun, behind all others. False if there is no
    /// memory.
    #[inline]
    pub(super) fn add_record(&mut self, id: ObjectId, begin: usize) -> bool {
        match self.group(id).with_record(id, begin as u64) {
            Some(group) => self.put(id, group),
            None => self.add_other(id, (begin as u64) << 2 | RECORD),
        }
    }

    /// A class.
    pub(super) fn add_class(&mut self, id: ObjectId, row: usize) -> bool {
        self.add_other(id, (row as u64) << 2 | CLASS)
    }

    /// One that has no record, or gets it after the walk.
    pub(super) fn add_bare(&mut self, id: ObjectId) -> bool {
        self.add_other(id, BARE)
    }

    /// An object of a dump that has no records.
    #[inline]
    pub(super) fn add_kind(&mut self, id: ObjectId) -> bool {
        self.put(id, self.group(id).with(id))
    }

    fn add_other(&mut self, id: ObjectId, number: u64) -> bool {
        let group = Group(self.group(id).with(id).0 | Group::OTHERS);
        self.others.put(id.index(), number) && self.put(id, group)
    }

    #[inline]
    fn put(&mut self, id: ObjectId, group: Group) -> bool {
        self.groups.put(id.index() / GROUP, group.0)
    }

    /// Everything that was seen, by the order of ids.
    pub(super) fn each(&self) -> impl Iterator<Item = ObjectId> {
        let groups = 0..self.groups.len();
        let some = groups.filter(|&group| self.groups.get(group) != 0);
        let ids = some.flat_map(|group| group * GROUP..(group + 1) * GROUP);
        ids.filter_map(ObjectId::from_index)
            .filter(|&id| self.has(id))
    }
}

#[cfg(test)]
mod tests {
    use dump_format::{Detail, HeapWriter};
    use id_map::ObjectId;

    use super::{Place, RecordIndex};
    use crate::events::dumps::survey::outward;

    fn id(index: u32) -> ObjectId {
        ObjectId::from_index(index).expect("not 0")
    }

    /// A dump of these objects, each with so many bytes of fields, in this order.
    fn dump(objects: &[(u32, u32)]) -> (RecordIndex, Vec<u8>, Vec<usize>) {
        let mut places = RecordIndex::new(Detail::Values);
        let mut writer = HeapWriter::new(vec![0; 1], Detail::Values);
        let mut begins = Vec::new();
        for &(index, bytes) in objects {
            let begin = writer.len();
            let object = outward(id(index));
            writer.open_instance(object, 1, bytes).expect("memory");
            assert!(places.add_record(id(index), begin));
            begins.push(begin);
        }
        (places, writer.into_sink(), begins)
    }

    fn all_are_found(objects: &[(u32, u32)]) {
        let (places, bytes, begins) = dump(objects);
        for (&(index, length), begin) in objects.iter().zip(begins) {
            let Place::Record(record) = places.find(id(index), &bytes) else {
                panic!("{index} has no record");
            };
            assert_eq!(record.begin, begin, "{index}");
            let length = usize::try_from(length).expect("small");
            assert_eq!(record.end - record.values, length, "{index}");
        }
        let mut all: Vec<u32> = objects.iter().map(|&(index, _)| index).collect();
        all.sort_unstable();
        let each: Vec<u32> = places.each().map(ObjectId::index).collect();
        assert_eq!(each, all);
    }

    #[test]
    fn in_every_order_and_far_apart() {
        let rising: Vec<_> = (1..500).map(|index| (index, index % 60)).collect();
        let falling: Vec<_> = rising.iter().rev().copied().collect();
        let scattered: Vec<_> = (1..500).map(|at| (at * 7919 % 7907 + 1, at % 9)).collect();
        let large: Vec<_> = (1..100)
            .map(|index| (index, index % 3 * 1000 + index % 7 * 400))
            .collect();
        for objects in [rising, falling, scattered, large] {
            all_are_found(&objects);
        }
    }

    #[test]
    fn classes_and_objects_without_a_record() {
        let (mut places, bytes, _) = dump(&[(17, 8), (18, 8)]);
        assert!(places.add_class(id(19), 5) && places.add_bare(id(20)));
        assert!(places.add_kind(id(40)));
        assert_eq!(places.find(id(19), &bytes), Place::Class(5));
        assert_eq!(places.row(id(19)), Some(5));
        assert_eq!([17, 18, 20, 21, 40].map(|at| places.row(id(at))), [None; 5]);
        assert_eq!(places.find(id(20), &bytes), Place::Bare);
        assert_eq!(places.find(id(40), &bytes), Place::Bare);
        for unseen in [16, 21, 33, 5000] {
            assert_eq!(places.find(id(unseen), &bytes), Place::None);
        }
        for seen in [17, 18] {
            let place = places.find(id(seen), &bytes);
            assert!(matches!(place, Place::Record(_)), "{place:?}");
        }
    }

    #[test]
    fn a_group_costs_a_word() {
        let objects: Vec<_> = (1..=160_000).map(|index| (index, 30)).collect();
        let (places, ..) = dump(&objects);
        assert_eq!(places.groups.len(), 160_000 / 8 + 1);
        assert_eq!(places.others.len(), 0);
    }
}
