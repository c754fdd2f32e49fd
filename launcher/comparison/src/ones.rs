//! Each one by itself: where both sides are in one recording, an id is the same thing for both.

use std::collections::{BTreeMap, HashMap};

use crate::known::{Known, Name};
use crate::rules::Noun;

/// How often one side was told of each id, by name: ids are used again.
#[derive(Debug, Default)]
pub(crate) struct Ones {
    is_on: bool,
    /// There were more, or others before the other side came: what is missing here proves nothing.
    is_partial: bool,
    counts: HashMap<(Noun, Name, u64), u64>,
}

/// Of a noun: how many ids both sides were told of as often, and of which names others are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matched {
    pub(crate) same: u64,
    pub(crate) others: BTreeMap<String, u64>,
}

impl Ones {
    /// As many as a table of 4 Mi places holds.
    const MOST: usize = 3_600_000;

    /// The other side is in the same recording.
    pub(crate) fn begin(&mut self) {
        self.is_on = true;
    }

    /// One more; 0 is no id.
    pub(crate) fn add(&mut self, noun: Noun, id: u64, name: Name) {
        if id != 0 {
            self.add_up_to(Self::MOST, (noun, name, id));
        }
    }

    fn add_up_to(&mut self, most: usize, key: (Noun, Name, u64)) {
        if !self.is_on {
            self.is_partial = true;
        } else if let Some(count) = self.counts.get_mut(&key) {
            *count += 1;
        } else if self.counts.len() < most {
            self.counts.insert(key, 1);
        } else {
            self.is_partial = true;
        }
    }

    /// Held against the other side; nothing if one is not whole.
    pub(crate) fn matched(&self, new: &Self, known: &Known) -> BTreeMap<Noun, Matched> {
        let mut found: BTreeMap<Noun, Matched> = BTreeMap::new();
        if self.is_partial || new.is_partial {
            return found;
        }
        let mut note = |noun, name, off: u64| {
            let matched = found.entry(noun).or_default();
            if off == 0 {
                matched.same += 1;
            } else {
                *matched
                    .others
                    .entry(known.text(name).to_owned())
                    .or_default() += off;
            }
        };
        for (&key, &times) in &self.counts {
            let others = new.counts.get(&key).copied().unwrap_or(0);
            note(key.0, key.1, times.abs_diff(others));
        }
        for (&key, &times) in &new.counts {
            if !self.counts.contains_key(&key) {
                note(key.0, key.1, times);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOUN: Noun = Noun::ClassesLoaded;

    fn begun() -> Ones {
        let mut ones = Ones::default();
        ones.begin();
        ones
    }

    #[test]
    fn one_that_is_known_is_counted_when_all_is_full() {
        let [mut old, mut new] = [begun(), begun()];
        for ones in [&mut old, &mut new] {
            (0..3).for_each(|_| ones.add_up_to(1, (NOUN, 0, 7)));
        }
        let matched = old.matched(&new, &Known::default());
        let same: Vec<u64> = matched.values().map(|it| it.same).collect();
        assert_eq!(same, [1]);
        assert!(matched.values().all(|it| it.others.is_empty()));
    }

    /// Which of them are kept is chance then.
    #[test]
    fn what_is_not_whole_matches_nothing() {
        let mut whole = begun();
        whole.add(NOUN, 7, 0);
        let mut full = begun();
        full.add_up_to(1, (NOUN, 0, 7));
        full.add_up_to(1, (NOUN, 0, 8));
        let mut late = Ones::default();
        late.add(NOUN, 6, 0);
        late.begin();
        late.add(NOUN, 7, 0);
        for partial in [&full, &late] {
            assert!(whole.matched(partial, &Known::default()).is_empty());
            assert!(partial.matched(&whole, &Known::default()).is_empty());
        }
        assert!(!whole.matched(&whole, &Known::default()).is_empty());
    }
}
