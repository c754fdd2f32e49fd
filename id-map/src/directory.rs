//! From a number that an agent or the VM hands us to the record behind it.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use parking_lot::RwLock;

/// Ids and pointers are spread by one multiplication; they are not chosen by an
/// adversary, and this runs once per stack frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // Fibonacci hashing; the rotation brings the well-mixed high bits down
        // to where the table looks, since ids end in zero bits.
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(32);
    }
}

type Map<T> = HashMap<u64, Arc<T>, BuildHasherDefault<IdHasher>>;

/// A concurrent map from a number to a shared record.
///
/// # Threads
/// Any. Locks are held for the look-up alone; records are dropped outside.
pub struct Directory<T> {
    map: RwLock<Map<T>>,
}

/// A directory under its read lock; see [`Directory::read`].
pub struct View<'a, T>(&'a Map<T>);

impl<T> View<'_, T> {
    /// The record of `key`.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<&Arc<T>> {
        self.0.get(&key)
    }
}

/// After a time with many records: their room is given back when an eighth of it is used, so that
/// each removal costs little on the whole.
fn give_back<T>(map: &mut Map<T>) {
    const FEW: usize = 4096;
    if map.capacity() > FEW && map.len() < map.capacity() / 8 {
        map.shrink_to(2 * map.len());
    }
}

impl<T> Default for Directory<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Directory<T> {
    /// An empty directory.
    #[must_use]
    pub const fn new() -> Self {
        let hasher = BuildHasherDefault::new();
        Self {
            map: RwLock::new(HashMap::with_hasher(hasher)),
        }
    }

    /// The record of `key`.
    pub fn get(&self, key: u64) -> Option<Arc<T>> {
        self.map.read().get(&key).cloned()
    }

    /// Looks up many keys under one lock. The closure must not call the VM, an
    /// agent, or this directory.
    pub fn read<O>(&self, look: impl FnOnce(View<'_, T>) -> O) -> O {
        look(View(&self.map.read()))
    }

    /// The record of `key`, made from `record` if there is none; the second value
    /// says whether it is the new one.
    pub fn get_or_insert(&self, key: u64, record: Arc<T>) -> (Arc<T>, bool) {
        let mut map = self.map.write();
        if let Some(present) = map.get(&key) {
            let present = Arc::clone(present);
            drop(map);
            return (present, false);
        }
        map.insert(key, Arc::clone(&record));
        (record, true)
    }

    /// Puts `record` in place of whatever `key` had; that is returned.
    pub fn replace(&self, key: u64, record: Arc<T>) -> Option<Arc<T>> {
        self.map.write().insert(key, record)
    }

    /// Takes `key` out.
    pub fn remove(&self, key: u64) -> Option<Arc<T>> {
        let mut map = self.map.write();
        let record = map.remove(&key);
        give_back(&mut map);
        record
    }

    /// Takes `key` out if that is this record, and no other has its place.
    pub fn remove_own(&self, key: u64, record: &T) {
        let mut map = self.map.write();
        if map
            .get(&key)
            .is_some_and(|it| std::ptr::eq(&raw const **it, record))
        {
            map.remove(&key);
            give_back(&mut map);
        }
    }

    /// Takes out all records that `keep` does not want. The closure must not call the
    /// VM, an agent, or this directory; what was taken out is returned, to be dropped
    /// outside.
    pub fn retain(&self, keep: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let mut map = self.map.write();
        let out: Vec<u64> = map
            .iter()
            .filter(|(_, record)| !keep(record))
            .map(|(&key, _)| key)
            .collect();
        let out = out.into_iter().filter_map(|key| map.remove(&key)).collect();
        give_back(&mut map);
        out
    }

    /// How many records there are.
    pub fn count(&self) -> usize {
        self.map.read().len()
    }

    /// Whether any record has this property. The closure must not call the VM, an
    /// agent, or this directory.
    pub fn any(&self, property: impl Fn(&T) -> bool) -> bool {
        self.map.read().values().any(|record| property(record))
    }

    /// All records of this moment.
    pub fn snapshot(&self) -> Vec<Arc<T>> {
        self.map.read().values().cloned().collect()
    }
}

/// A concurrent set of numbers.
///
/// # Threads
/// Any; locks are held for the look-up alone.
#[derive(Default)]
pub struct IdSet {
    numbers: RwLock<HashSet<u64, BuildHasherDefault<IdHasher>>>,
}

impl IdSet {
    /// An empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            numbers: RwLock::new(HashSet::with_hasher(BuildHasherDefault::new())),
        }
    }

    /// Adds all of them under one lock.
    pub fn extend(&self, numbers: impl IntoIterator<Item = u64>) {
        self.numbers.write().extend(numbers);
    }

    /// Adds one; false if it was there.
    pub fn insert(&self, number: u64) -> bool {
        self.numbers.write().insert(number)
    }

    /// Takes one out; false if it was not there.
    pub fn remove(&self, number: u64) -> bool {
        self.numbers.write().remove(&number)
    }

    /// Whether the number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        self.numbers.read().contains(&number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::Hasher;
    use std::sync::Arc;

    use super::{Directory, IdHasher, IdSet};

    #[test]
    fn a_set_knows_what_was_added() {
        let set = IdSet::new();
        set.extend([16, 32]);
        assert!(set.contains(16) && set.contains(32));
        assert!(!set.contains(48));
        assert!(set.insert(48) && !set.insert(48));
        assert!(set.remove(48) && !set.remove(48));
    }

    #[test]
    fn the_room_of_many_is_given_back() {
        let directory = Directory::new();
        for key in 0..100_000 {
            directory.replace(key, Arc::new(()));
        }
        for key in 0..100_000 {
            assert!(directory.remove(key).is_some());
        }
        assert!(directory.map.read().capacity() < 10_000);
    }

    /// The room of a directory of so many, and that after all but some are taken out.
    fn room(records: u64, left: u64) -> (usize, usize) {
        let directory = Directory::new();
        for key in 0..records {
            directory.replace(key, Arc::new(key));
        }
        let before = directory.map.read().capacity();
        directory.retain(|&key| key < left);
        assert_eq!(directory.count() as u64, left);
        let after = directory.map.read().capacity();
        (before, after)
    }

    #[test]
    fn there_is_room_for_twice_as_many_and_few_keep_theirs() {
        let (before, after) = room(20_000, 2000);
        assert!((4000..before).contains(&after), "{after} of {before}");
        // What may come again soon, and what is not worth it.
        let (before, after) = room(20_000, 5000);
        assert_eq!(before, after);
        let (before, after) = room(1000, 10);
        assert_eq!(before, after);
    }

    #[test]
    fn a_record_that_has_lost_its_place_takes_nobodys() {
        let directory = Directory::new();
        let (old, new) = (Arc::new(1), Arc::new(1));
        directory.replace(16, Arc::clone(&old));
        directory.replace(16, Arc::clone(&new));
        directory.remove_own(16, &old);
        assert!(directory.get(16).is_some_and(|it| Arc::ptr_eq(&it, &new)));
        directory.remove_own(16, &new);
        assert!(directory.get(16).is_none());
    }

    #[test]
    fn the_first_record_stays() {
        let directory = Directory::new();
        let (first, new) = directory.get_or_insert(16, Arc::new("first"));
        assert!(new);
        let (again, new) = directory.get_or_insert(16, Arc::new("second"));
        assert!(!new);
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(
            directory.replace(16, Arc::new("third")).as_deref(),
            Some(&"first")
        );
        assert_eq!(directory.remove(16).as_deref(), Some(&"third"));
        assert!(directory.get(16).is_none());
    }

    #[test]
    fn what_is_not_wanted_comes_out() {
        let directory = Directory::new();
        for key in 1..=10u64 {
            directory.replace(key, Arc::new(key));
        }
        assert_eq!(directory.retain(|key| key % 2 == 0).len(), 5);
        assert!(directory.get(3).is_none() && directory.get(4).is_some());
        assert!(directory.any(|&key| key == 4) && !directory.any(|&key| key == 3));
        let mut left: Vec<u64> = directory.snapshot().iter().map(|record| **record).collect();
        left.sort_unstable();
        assert_eq!(left, [2, 4, 6, 8, 10]);
    }

    #[test]
    fn a_view_shows_each_record() {
        let directory = Directory::new();
        directory.replace(16, Arc::new("record"));
        let seen = directory.read(|view| (view.get(16).cloned(), view.get(32).cloned()));
        assert_eq!(seen, (Some(Arc::new("record")), None));
    }

    #[test]
    fn each_part_of_a_key_counts() {
        let hash = |parts: &[u64]| {
            let mut hasher = IdHasher::default();
            parts.iter().for_each(|&part| hasher.write_u64(part));
            hasher.finish()
        };
        // The same bits again take each other out.
        let two = hash(&[1]);
        assert_ne!(hash(&[1, two]), hash(&[1, 0]));
        assert_eq!(hash(&[1, two]), 0);
        let bytes = |bytes: &[u8]| {
            let mut hasher = IdHasher::default();
            hasher.write(bytes);
            hasher.finish()
        };
        assert_ne!(bytes(&[1, 2]), bytes(&[2, 1]));
        assert_eq!(bytes(&[1]), hash(&[1]));
    }

    #[test]
    fn aligned_numbers_spread_over_the_low_bits() {
        let slots: HashSet<u64> = (1..=1024u64)
            .map(|n| {
                let mut hasher = IdHasher::default();
                hasher.write_u64(n * 1024);
                hasher.finish() & 1023
            })
            .collect();
        assert!(slots.len() > 512, "only {} of 1024 slots used", slots.len());
    }
}
