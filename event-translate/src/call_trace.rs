//! Line numbers of frames and methods.
//!
//! JVMTI gives a bytecode index per frame and a table per method; JVMPI wants a
//! line. A sampler asks for thousands of lines a second, so a table is made once
//! per method, small, and searched by halves.

/// `lineno` of a frame whose line is not known (facts A.3).
pub const LINE_UNKNOWN: i32 = -1;

/// `lineno` of a native method's frame (facts A.3). (-2 was a compiled one without line numbers;
/// today's VMs know the line of a compiled frame as well.)
pub const LINE_NATIVE: i32 = -3;

/// From this bytecode index on, this line; 0 if the class file names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    start: u16,
    line: u16,
}

/// The lines of one method, by bytecode index.
///
/// Made from the pairs (first bytecode index, line) of `GetLineNumberTable` in
/// any order. A class file has 16 bits for either (JVMS 4.7.3, 4.7.12): a start
/// beyond is dropped, a line beyond, or below 1, is unknown. Of two pairs with
/// one start the later counts.
///
/// Invariant: entries are sorted by `start`, no two equal, neighbours differ in
/// `line`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable(Box<[Entry]>);

impl FromIterator<(i64, i32)> for LineTable {
    fn from_iter<I: IntoIterator<Item = (i64, i32)>>(pairs: I) -> Self {
        let mut entries: Vec<Entry> = pairs
            .into_iter()
            .filter_map(|(start, line)| {
                let start = u16::try_from(start).ok()?;
                let line = u16::try_from(line).unwrap_or(0);
                Some(Entry { start, line })
            })
            .collect();
        entries.sort_by_key(|entry| entry.start);
        entries.dedup_by(|later, kept| {
            let same = later.start == kept.start;
            if same {
                *kept = *later;
            }
            same
        });
        entries.dedup_by_key(|entry| entry.line);
        Self(entries.into_boxed_slice())
    }
}

impl LineTable {
    /// The line of a bytecode index; [`LINE_UNKNOWN`] before the first entry and
    /// for what is no bytecode index (JVMTI's -1 for native methods).
    #[must_use]
    pub fn line_at(&self, location: i64) -> i32 {
        let Ok(location) = u16::try_from(location) else {
            return LINE_UNKNOWN;
        };
        let after = self.0.partition_point(|entry| entry.start <= location);
        after
            .checked_sub(1)
            .and_then(|last| self.0.get(last))
            .filter(|entry| entry.line > 0)
            .map_or(LINE_UNKNOWN, |entry| i32::from(entry.line))
    }

    /// `start_lineno` and `end_lineno` of `JVMPI_Method`: the smallest and the
    /// largest line; -1 and -1 if there is none (facts A.3).
    #[must_use]
    pub fn first_and_last(&self) -> (i32, i32) {
        let lines = || {
            let lines = self.0.iter().map(|entry| i32::from(entry.line));
            lines.filter(|&line| line > 0)
        };
        (
            lines().min().unwrap_or(LINE_UNKNOWN),
            lines().max().unwrap_or(LINE_UNKNOWN),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pairs: &[(i64, i32)]) -> LineTable {
        pairs.iter().copied().collect()
    }

    #[test]
    fn unsorted_pairs_are_found_by_halves() {
        let lines = table(&[(9, 12), (0, 10), (4, 11), (20, 10)]);
        for (location, line) in [
            (0, 10),
            (3, 10),
            (4, 11),
            (8, 11),
            (9, 12),
            (19, 12),
            (20, 10),
            (65535, 10),
            (-1, LINE_UNKNOWN),
            (65536, LINE_UNKNOWN),
            (i64::MIN, LINE_UNKNOWN),
        ] {
            assert_eq!(lines.line_at(location), line, "at {location}");
        }
        assert_eq!(lines.first_and_last(), (10, 12));
    }

    /// Agents compare with these numbers (facts A.3).
    #[test]
    fn what_is_no_line_is_below_zero() {
        assert_eq!((LINE_UNKNOWN, LINE_NATIVE), (-1, -3));
    }

    #[test]
    fn an_empty_table_knows_nothing() {
        let lines = table(&[]);
        assert_eq!(lines.line_at(0), LINE_UNKNOWN);
        assert_eq!(lines.first_and_last(), (-1, -1));
    }

    #[test]
    fn before_the_first_entry_nothing_is_known() {
        assert_eq!(table(&[(5, 7)]).line_at(4), LINE_UNKNOWN);
        assert_eq!(table(&[(5, 7)]).line_at(5), 7);
    }

    #[test]
    fn impossible_pairs_are_dropped_or_unknown() {
        let lines = table(&[(-3, 1), (70_000, 2), (0, 5), (6, 0), (8, -4), (9, 6)]);
        assert_eq!(lines.line_at(1), 5);
        assert_eq!(lines.line_at(7), LINE_UNKNOWN);
        assert_eq!(lines.line_at(8), LINE_UNKNOWN);
        assert_eq!(lines.line_at(9), 6);
        assert_eq!(lines.first_and_last(), (5, 6));
        let none = table(&[(0, 0), (4, i32::MAX)]);
        assert_eq!(none.first_and_last(), (-1, -1));
    }

    #[test]
    fn the_later_of_two_pairs_with_one_start_counts() {
        assert_eq!(table(&[(2, 7), (0, 6), (2, 8), (2, 9)]).line_at(2), 9);
    }

    #[test]
    fn agrees_with_a_plain_search() {
        // A small generator of our own: the crate has no dependencies.
        let mut seed = 42_u64;
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i64::try_from((seed >> 33) % below).unwrap()
        };
        for _ in 0..300 {
            let pairs: Vec<(i64, i32)> = (0..next(20))
                .map(|_| (next(60), i32::try_from(next(9)).unwrap()))
                .collect();
            let lines = table(&pairs);
            assert!(lines.0.is_sorted_by(|a, b| a.start < b.start));
            assert!(lines.0.is_sorted_by(|a, b| a.line != b.line));
            for location in -2..70 {
                let best = pairs
                    .iter()
                    .filter(|(start, _)| *start <= location)
                    // The last of equal ones.
                    .max_by_key(|(start, _)| *start);
                let expected = best.map_or(0, |&(_, line)| line);
                let expected = if expected > 0 { expected } else { LINE_UNKNOWN };
                assert_eq!(lines.line_at(location), expected, "{pairs:?} at {location}");
            }
        }
    }
}
