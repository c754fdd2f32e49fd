//! Stacks that were taken at moments, and what their shares say.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::course::{Course, Length};
use crate::known::{Frames, Known, Name};

/// Frames that are kept.
const DEPTH: usize = 64;
/// Different stacks that are kept; all others are one.
const STACKS: usize = 1 << 14;

/// Stacks, while they are counted.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    times: HashMap<Box<[Name]>, Course>,
    other: u64,
    /// Of all, by the innermost frame.
    leaves: HashMap<Name, Course>,
    length: Length,
    /// As many frames as were asked for, at least once.
    depth: usize,
    /// Those that have as many frames as were asked for, some of them hidden: how many by the number of the others.
    cut: BTreeMap<usize, u64>,
    /// Those that have hidden frames, as many as were asked for, and no others.
    blind: u64,
    /// The innermost frames of each thread, and how often one was that of the sample before.
    threads: HashMap<u64, Thread>,
}

/// Of one thread.
#[derive(Debug, Default)]
struct Thread {
    leaves: HashMap<Name, u64>,
    last: Option<Name>,
    again: u64,
}

impl Stacks {
    /// One more of this thread, the innermost frame first; without frames it is none.
    pub(crate) fn add(&mut self, frames: Frames, asked: i64, thread: u64) {
        let asked = usize::try_from(asked).unwrap_or(0);
        self.depth = self.depth.max(asked);
        let Frames { mut shown, hidden } = frames;
        let is_cut = hidden > 0 && shown.len() + hidden >= asked;
        if is_cut && shown.is_empty() {
            self.blind += 1;
        } else if is_cut {
            *self.cut.entry(shown.len()).or_default() += 1;
        }
        shown.truncate(DEPTH);
        let frames = shown;
        let Some(leaf) = frames.first() else { return };
        if self.length.goes_on() {
            let all = self.times.values_mut().chain(self.leaves.values_mut());
            all.for_each(Course::halve);
        }
        self.leaves.entry(*leaf).or_default().add(&self.length);
        let thread = self.threads.entry(thread).or_default();
        *thread.leaves.entry(*leaf).or_default() += 1;
        thread.again += u64::from(thread.last.replace(*leaf) == Some(*leaf));
        if let Some(times) = self.times.get_mut(frames.as_slice()) {
            times.add(&self.length);
        } else if self.times.len() < STACKS {
            let times = self.times.entry(frames.into()).or_default();
            times.add(&self.length);
        } else {
            self.other += 1;
        }
    }

    /// How much a sample says of those that come one after the other. Where a thread waits for a
    /// processor, many are of the same moment of it: then by as much less as a thread is more
    /// often where it was than chance would have it.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn weight(&self) -> f64 {
        let (mut again, mut by_chance, mut all) = (0.0, 0.0, 0.0);
        for thread in self.threads.values() {
            let times: u64 = thread.leaves.values().sum();
            let squares: f64 = thread.leaves.values().map(|&it| (it * it) as f64).sum();
            let pairs = times.saturating_sub(1) as f64;
            again += thread.again as f64;
            by_chance += squares / (times as f64).powi(2) * pairs;
            all += pairs;
        }
        if all - by_chance < 1.0 {
            return 1.0;
        }
        let more = ((again - by_chance) / (all - by_chance)).clamp(0.0, 0.95);
        (1.0 - more) / (1.0 + more)
    }

    pub(crate) fn named(self, known: &Known) -> Samples {
        let weight = self.weight();
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
        let mut stacks: BTreeMap<Vec<Rc<str>>, Course> = BTreeMap::new();
        for (frames, times) in &self.times {
            stacks.entry(named(frames)).or_default().add_all(times);
        }
        let mut leaves: BTreeMap<String, Course> = BTreeMap::new();
        for (leaf, times) in &self.leaves {
            let leaf = known.text(*leaf).to_owned();
            leaves.entry(leaf).or_default().add_all(times);
        }
        Samples {
            stacks,
            leaves,
            other: self.other,
            weight,
            length: self.length,
            depth: self.depth.clamp(1, DEPTH),
            cut: self.cut,
            blind: self.blind,
        }
    }
}

/// Stacks, counted; the innermost frame first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    stacks: BTreeMap<Vec<Rc<str>>, Course>,
    leaves: BTreeMap<String, Course>,
    other: u64,
    /// Of one, up to 1.
    pub(crate) weight: f64,
    pub(crate) length: Length,
    pub(crate) depth: usize,
    cut: BTreeMap<usize, u64>,
    /// Beside all others: so many show nothing but hidden frames, for no more were asked for.
    pub(crate) blind: u64,
}

impl Samples {
    pub(crate) fn all(&self) -> u64 {
        self.stacks.values().map(Course::times).sum::<u64>() + self.other
    }

    /// As deep as all are whole, or cut; but for a few, which are less than what chance makes of the smallest share.
    pub(crate) fn common_depth(&self) -> usize {
        let mut left = (self.all().isqrt() / 10).max(1);
        for (&shown, &times) in &self.cut {
            if times > left {
                return shown.min(self.depth);
            }
            left -= times;
        }
        self.depth
    }

    /// How many have more frames than that.
    pub(crate) fn deeper_than(&self, depth: usize) -> u64 {
        let deeper = self
            .stacks
            .iter()
            .filter(|(frames, _)| frames.len() > depth);
        deeper.map(|(_, times)| times.times()).sum()
    }

    /// By the innermost frame.
    pub(crate) const fn leaves(&self) -> &BTreeMap<String, Course> {
        &self.leaves
    }

    /// By the innermost so many frames.
    pub(crate) fn cut_to(&self, depth: usize) -> BTreeMap<String, Course> {
        let mut cut: BTreeMap<String, Course> = BTreeMap::new();
        for (frames, times) in &self.stacks {
            let frames = frames.get(..depth).unwrap_or(frames);
            cut.entry(frames.join(" < ")).or_default().add_all(times);
        }
        cut
    }
}

/// Between these two parts of one with 99.9 % confidence (Wilson's interval), if it is this part of so many; each of them
/// counts as much as `weight` says.
pub(crate) fn interval(share: f64, of: f64, weight: f64) -> (f64, f64) {
    const Z: f64 = 3.29;
    let all = of * weight;
    if all <= 0.0 {
        return (0.0, 1.0);
    }
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
        let width = |times: f64, all| {
            let (from, to) = interval(times / all, all, 1.0);
            to - from
        };
        assert!(width(10.0, 100.0) > 0.15 && width(1000.0, 10_000.0) < 0.03);
        let (from, to) = interval(0.0, 100.0, 1.0);
        assert!(from == 0.0 && (0.05..0.15).contains(&to), "{to}");
        assert_eq!(interval(0.5, 100.0, 0.5), interval(0.5, 50.0, 1.0));
    }

    /// One that stands for long says less; one that is always at the same place says nothing of that.
    #[test]
    fn samples_of_the_same_moment_weigh_less() {
        let of = |leaf| Frames {
            shown: vec![leaf],
            hidden: 0,
        };
        let weight = |leaves: &[u32]| {
            let mut stacks = Stacks::default();
            for &leaf in leaves {
                stacks.add(of(leaf), 1, 7);
                stacks.add(of(9), 1, 8);
            }
            stacks.weight()
        };
        let turns = |length: usize| -> Vec<u32> {
            (0..200)
                .map(|it| u32::from((it / length).is_multiple_of(2)))
                .collect()
        };
        assert!((weight(&turns(1)) - 1.0).abs() < 0.01);
        assert!(
            (weight(&turns(2)) - 1.0).abs() < 0.02,
            "{}",
            weight(&turns(2))
        );
        assert!(weight(&turns(20)) < 0.1, "{}", weight(&turns(20)));
        assert!((weight(&[3; 200]) - 1.0).abs() < 0.01);
    }
}
