//! Stacks, each kept once and numbered from 1.

use hashbrown::HashTable;
use std::hash::{BuildHasher as _, BuildHasherDefault};

use rustc_hash::FxHasher;

/// A frame: the index of a method, and a line.
pub(crate) type Frame = (u32, i32);

#[derive(Clone, Copy, Debug)]
struct Span {
    end: u32,
    thread: u32,
}

/// Eight bytes a frame, some twenty a trace.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    by_hash: HashTable<u32>,
    frames: Vec<Frame>,
    spans: Vec<Span>,
}

fn hash(thread: u32, frames: &[Frame]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one((thread, frames))
}

fn at(spans: &[Span], frames: &[Frame], index: u32) -> Option<(u32, usize, usize)> {
    let index = usize::try_from(index).ok()?;
    let span = spans.get(index)?;
    let start = match index.checked_sub(1) {
        None => 0,
        Some(before) => spans.get(before)?.end,
    };
    let (start, end) = (
        usize::try_from(start).ok()?,
        usize::try_from(span.end).ok()?,
    );
    debug_assert!(end <= frames.len());
    Some((span.thread, start, end))
}

impl Traces {
    /// The serial of a stack; 0 when there are too many.
    pub(crate) fn intern(&mut self, thread: u32, frames: &[Frame]) -> u32 {
        let hash_of_this = hash(thread, frames);
        let Self {
            by_hash,
            frames: all,
            spans,
        } = self;
        let stored = |index: u32| {
            let (thread, start, end) = at(spans, all, index)?;
            Some((thread, all.get(start..end)?))
        };
        if let Some(&known) = by_hash.find(hash_of_this, |&index| {
            stored(index) == Some((thread, frames))
        }) {
            return known + 1;
        }
        let (Ok(index), Ok(end)) = (
            u32::try_from(spans.len()),
            u32::try_from(all.len() + frames.len()),
        ) else {
            return 0;
        };
        by_hash.insert_unique(hash_of_this, index, |&index| {
            stored(index).map_or(0, |(thread, frames)| hash(thread, frames))
        });
        all.extend_from_slice(frames);
        spans.push(Span { end, thread });
        index + 1
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Thread and frames of the trace of this serial.
    pub(crate) fn get(&self, serial: u32) -> Option<(u32, &[Frame])> {
        let (thread, start, end) = at(&self.spans, &self.frames, serial.checked_sub(1)?)?;
        Some((thread, self.frames.get(start..end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_one_number() {
        let mut traces = Traces::default();
        assert_eq!(traces.intern(0, &[]), 1);
        for i in 0..1000 {
            assert_eq!(traces.intern(0, &[(i, 5), (7, -1)]), i + 2);
        }
        assert_eq!(traces.intern(0, &[]), 1);
        assert_eq!(traces.intern(0, &[(999, 5), (7, -1)]), 1001);
        assert_eq!(traces.intern(3, &[(999, 5), (7, -1)]), 1002);
        assert_eq!(traces.len(), 1002);
        assert_eq!(traces.get(1), Some((0, &[][..])));
        assert_eq!(traces.get(3), Some((0, &[(1, 5), (7, -1)][..])));
        assert_eq!(traces.get(1002), Some((3, &[(999, 5), (7, -1)][..])));
        assert_eq!(traces.get(0), None);
        assert_eq!(traces.get(1003), None);
    }
}
