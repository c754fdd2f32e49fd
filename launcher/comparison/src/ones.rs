//! Each one by itself: where both sides are in one recording, an id is the same thing for both.

use std::collections::{BTreeMap, HashMap};

use crate::known::{Known, Name};
use crate::rules::Noun;

/// How often one side was told of each id, by name: ids are used again.
#[derive(Debug, Default)]
pub(crate) struct Ones {
    is_on: bool,
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
        if self.is_on && id != 0 && self.counts.len() < Self::MOST {
            *self.counts.entry((noun, name, id)).or_default() += 1;
        }
    }

    /// Held against the other side.
    pub(crate) fn matched(&self, new: &Self, known: &Known) -> BTreeMap<Noun, Matched> {
        let mut found: BTreeMap<Noun, Matched> = BTreeMap::new();
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
