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
    /// Told without an id, which may be any that the other side was told of.
    without: HashMap<(Noun, Name), u64>,
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

    /// Whether it is: what one side has, the other one knows as well.
    pub(crate) const fn are_matched(&self) -> bool {
        self.is_on
    }

    /// One more; 0 is no id.
    pub(crate) fn add(&mut self, noun: Noun, id: u64, name: Name) {
        match id {
            0 => self.add_without(noun, name, 1),
            _ => self.add_up_to(Self::MOST, (noun, name, id)),
        }
    }

    /// So many more that have none.
    pub(crate) fn add_without(&mut self, noun: Noun, name: Name, times: u64) {
        *self.without.entry((noun, name)).or_default() += times;
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
        // Of each name: what the one side was told of more often, and what the other.
        let mut off: HashMap<(Noun, Name), [u64; 2]> = HashMap::new();
        for (&key, &times) in &self.counts {
            let others = new.counts.get(&key).copied().unwrap_or(0);
            let (noun, name, _) = key;
            if times == others {
                found.entry(noun).or_default().same += 1;
            }
            let [old, new] = off.entry((noun, name)).or_default();
            *old += times.saturating_sub(others);
            *new += others.saturating_sub(times);
        }
        for (&(noun, name, id), &times) in &new.counts {
            if !self.counts.contains_key(&(noun, name, id)) {
                let [_, new] = off.entry((noun, name)).or_default();
                *new += times;
            }
        }
        for (key, [by_old, by_new]) in off {
            let without = |side: &Self| side.without.get(&key).copied().unwrap_or(0);
            let [by_old, by_new] = [(by_old, without(new)), (by_new, without(self))]
                .map(|(told, without)| told.saturating_sub(without));
            let (noun, name) = key;
            let others = &mut found.entry(noun).or_default().others;
            if by_old + by_new > 0 {
                *others.entry(known.text(name).to_owned()).or_default() += by_old + by_new;
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

    /// As many on the other side may be the same ones.
    #[test]
    fn what_has_no_id_is_matched_by_its_name() {
        let others = |without: u64| -> u64 {
            let [mut old, mut new] = [begun(), begun()];
            for id in 1..=5 {
                old.add(NOUN, id, 0);
            }
            new.add(NOUN, 1, 0);
            new.add(NOUN, 6, 0);
            (0..without).for_each(|_| new.add(NOUN, 0, 0));
            let matched = old.matched(&new, &Known::default());
            matched.values().flat_map(|it| it.others.values()).sum()
        };
        assert_eq!([0, 3, 4, 9].map(others), [5, 2, 1, 1]);
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
