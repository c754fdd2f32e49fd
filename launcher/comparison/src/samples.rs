//! Stacks that were taken at moments, and what their shares say.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::known::{Known, Name};

/// Frames that are kept.
const DEPTH: usize = 64;
/// Different stacks that are kept; all others are one.
const STACKS: usize = 1 << 14;

/// Stacks, while they are counted.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    times: HashMap<Box<[Name]>, u64>,
    other: u64,
    /// Of all, by the innermost frame.
    leaves: HashMap<Name, u64>,
    /// As many frames as were asked for, at least once.
    depth: usize,
}

impl Stacks {
    /// One more, the innermost frame first; without frames it is none.
    pub(crate) fn add(&mut self, mut frames: Vec<Name>, asked: i64) {
        self.depth = self.depth.max(usize::try_from(asked).unwrap_or(0));
        frames.truncate(DEPTH);
        let Some(leaf) = frames.first() else { return };
        *self.leaves.entry(*leaf).or_default() += 1;
        if let Some(times) = self.times.get_mut(frames.as_slice()) {
            *times += 1;
        } else if self.times.len() < STACKS {
            self.times.insert(frames.into(), 1);
        } else {
            self.other += 1;
        }
    }

    pub(crate) fn named(self, known: &Known) -> Samples {
        let mut texts: HashMap<Name, Rc<str>> = HashMap::new();
        let mut named = |frames: &[Name]| -> Vec<Rc<str>> {
            let mut named = |&frame| {
                let text = texts
                    .entry(frame)
                    .or_insert_with(|| known.text(frame).into());
                Rc::clone(text)
            };
            frames.iter().map(&mut named).collect()
        };
        let mut stacks: BTreeMap<Vec<Rc<str>>, u64> = BTreeMap::new();
        for (frames, times) in self.times {
            *stacks.entry(named(&frames)).or_default() += times;
        }
        let mut leaves: BTreeMap<String, u64> = BTreeMap::new();
        for (leaf, times) in self.leaves {
            *leaves.entry(known.text(leaf).to_owned()).or_default() += times;
        }
        Samples {
            stacks,
            leaves,
            other: self.other,
            depth: self.depth.clamp(1, DEPTH),
        }
    }
}

/// Stacks, counted; the innermost frame first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    stacks: BTreeMap<Vec<Rc<str>>, u64>,
    leaves: BTreeMap<String, u64>,
    other: u64,
    pub(crate) depth: usize,
}

impl Samples {
    pub(crate) fn all(&self) -> u64 {
        self.stacks.values().sum::<u64>() + self.other
    }

    /// By the innermost frame.
    pub(crate) const fn leaves(&self) -> &BTreeMap<String, u64> {
        &self.leaves
    }

    /// By the innermost so many frames.
    pub(crate) fn cut_to(&self, depth: usize) -> BTreeMap<String, u64> {
        let mut cut: BTreeMap<String, u64> = BTreeMap::new();
        for (frames, times) in &self.stacks {
            let frames = frames.get(..depth).unwrap_or(frames);
            *cut.entry(frames.join(" < ")).or_default() += times;
        }
        cut
    }
}

/// Of all, between these two parts of one, with 99.9 % confidence (Wilson's interval).
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn interval(times: u64, all: u64) -> (f64, f64) {
    const Z: f64 = 3.29;
    if all == 0 {
        return (0.0, 1.0);
    }
    let (all, share) = (all as f64, times as f64 / all as f64);
    let square = Z * Z / all;
    let middle = share + square / 2.0;
    let half = Z * (share * (1.0 - share) / all + square / (4.0 * all)).sqrt();
    (
        ((middle - half) / (1.0 + square)).max(0.0),
        ((middle + half) / (1.0 + square)).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_samples_say_more() {
        let width = |times, all| {
            let (from, to) = interval(times, all);
            to - from
        };
        assert!(width(10, 100) > 0.15 && width(1000, 10_000) < 0.03);
        let (from, to) = interval(0, 100);
        assert!(from == 0.0 && (0.05..0.15).contains(&to), "{to}");
    }
}
