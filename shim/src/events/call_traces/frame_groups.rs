//! Which of a stack's frames, as GetStackTrace gives them, belong to which frame as it lies in memory:
//! compiled code has its method at the bottom of its group, and on top of that what is inlined.

use std::ops::{Range, RangeInclusive};

/// More are taken not to be inlined into one method: HotSpot goes 15 deep, and 100 where it always inlines (`MaxInlineLevel`,
/// `MaxForceInlineLevel`).
pub(super) const LONGEST: usize = 128;

/// A frame as it lies in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The method at the bottom of its group.
    pub(super) method: usize,
    /// How many frames it has, if that is known.
    pub(super) count: Option<usize>,
}

impl Part {
    fn lengths(self) -> RangeInclusive<usize> {
        match self.count {
            Some(count) => count..=count,
            None => 1..=LONGEST,
        }
    }

    /// Where its group may end that begins at `from`.
    fn ends(self, from: usize, methods: &[usize]) -> impl Iterator<Item = usize> {
        self.lengths()
            .map(move |length| from + length)
            .take_while(|&end| end <= methods.len())
            .filter(move |&end| methods.get(end.wrapping_sub(1)) == Some(&self.method))
    }
}

/// Of a method that calls itself there are more and more places where groups may begin: further down nothing is said.
const MANY: usize = 16;

/// The group of each part, callee first, among frames of these methods; `None` where more than one would do (a
/// method that is inlined into itself), or none. Unless they are the whole stack, those parts have
/// none that might go on behind the last frame, nor what comes after them.
pub(super) fn groups(
    parts: &[Part],
    methods: &[usize],
    is_whole: bool,
) -> Vec<Option<Range<usize>>> {
    // Where the group of each may begin, up to where that can be said: all that may are there.
    let mut begins = vec![vec![0]];
    for part in parts {
        let last = begins.last().map_or(&[][..], Vec::as_slice);
        let goes_on = |from: &usize| from + part.lengths().end() > methods.len();
        if !is_whole && last.iter().any(goes_on) {
            break;
        }
        let mut ends: Vec<usize> = last
            .iter()
            .flat_map(|&from| part.ends(from, methods))
            .collect();
        ends.sort_unstable();
        ends.dedup();
        // None: a method of which there is another version by now has that one's id.
        if ends.is_empty() || ends.len() > MANY {
            break;
        }
        begins.push(ends);
    }
    if is_whole && begins.len() > parts.len() {
        let mut after = vec![methods.len()];
        for (at, begin) in begins.iter_mut().enumerate().rev() {
            match parts.get(at) {
                // Behind the last.
                None => begin.retain(|from| after.contains(from)),
                Some(part) => begin.retain(|&from| {
                    let mut ends = part.ends(from, methods);
                    ends.any(|end| after.contains(&end))
                }),
            }
            after.clone_from(begin);
        }
    }
    let only = |at: usize| match begins.get(at).map(Vec::as_slice) {
        Some(&[only]) => Some(only),
        _ => None,
    };
    (0..parts.len())
        .map(|at| Some(only(at)?..only(at + 1)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreted(method: usize) -> Part {
        Part {
            method,
            count: Some(1),
        }
    }

    fn compiled(method: usize) -> Part {
        Part {
            method,
            count: None,
        }
    }

    #[test]
    fn what_is_inlined_belongs_to_the_method_below() {
        let parts = [compiled(3), interpreted(4), compiled(6), interpreted(7)];
        let found = groups(&parts, &[1, 2, 3, 4, 5, 6, 7], true);
        assert_eq!(found, [Some(0..3), Some(3..4), Some(4..6), Some(6..7)]);
    }

    #[test]
    fn a_method_inlined_into_itself_is_left_open() {
        // 1 called by 1 called by 1: two of them in one group, and nobody knows in which.
        let parts = [compiled(1), compiled(1), interpreted(2)];
        let found = groups(&parts, &[1, 1, 1, 2], true);
        assert_eq!(found, [None, None, Some(3..4)]);
        // Once one is known, so is the other.
        let mut parts = parts;
        parts[1].count = Some(2);
        let found = groups(&parts, &[1, 1, 1, 2], true);
        assert_eq!(found, [Some(0..1), Some(1..3), Some(3..4)]);
    }

    #[test]
    fn the_last_frames_of_a_part_of_a_stack_may_belong_together() {
        let parts = [interpreted(1), interpreted(2), compiled(4), interpreted(5)];
        assert_eq!(
            groups(&parts, &[1, 2, 3, 4], false),
            [Some(0..1), Some(1..2), None, None]
        );
        assert_eq!(groups(&parts[..1], &[1, 2, 3, 4], false), [Some(0..1)]);
        // Those of the compiled one cannot reach the end.
        let many: Vec<usize> = [1, 2, 3, 4, 5]
            .into_iter()
            .chain(100..100 + LONGEST)
            .collect();
        let all = [Some(0..1), Some(1..2), Some(2..4), Some(4..5)];
        assert_eq!(groups(&parts, &many, false), all);
    }

    #[test]
    fn a_method_that_calls_itself_many_times_is_left_open() {
        let parts: Vec<Part> = [interpreted(2), interpreted(3)]
            .into_iter()
            .chain([compiled(1); 1000])
            .collect();
        let methods: Vec<usize> = [2, 3].into_iter().chain([1; 2000]).collect();
        let found = groups(&parts, &methods, true);
        assert_eq!(found[..2], [Some(0..1), Some(1..2)]);
        assert!(found.len() == parts.len() && found[2..].iter().all(Option::is_none));
    }

    #[test]
    fn what_lies_above_a_method_of_another_version_is_told() {
        let parts = [compiled(3), interpreted(4), interpreted(5)];
        let found = groups(&parts, &[1, 2, 3, 4, 6], true);
        assert_eq!(found, [Some(0..3), Some(3..4), None]);
    }

    #[test]
    fn frames_of_another_stack_have_no_groups() {
        let parts = [compiled(3), interpreted(4)];
        assert_eq!(groups(&parts, &[1, 2, 4], true), [None, None]);
        assert_eq!(groups(&parts, &[1, 3, 4, 5], true), [None, None]);
        assert_eq!(groups(&parts, &[], true), [None, None]);
        assert_eq!(groups(&[interpreted(3)], &[1, 3], false), [None]);
        assert_eq!(groups(&[], &[], true), []);
    }
}
