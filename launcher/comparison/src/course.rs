//! How often something was found, from the beginning of a recording to its end.

/// Parts of a recording that are counted apart, at most.
const SLOTS: usize = 64;
/// Parts of the same length that two recordings are held against each other by.
const PARTS: usize = 16;
/// So many parts in a row are a while.
const WHILE: usize = 5;
/// How much of a recording is outside of a while.
#[allow(clippy::cast_precision_loss, reason = "there are few parts")]
pub(crate) const OUTSIDE: f64 = (PARTS - WHILE) as f64 / PARTS as f64;

/// Where a recording has got to: all slots have as many samples, but for the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    each: u64,
    slot: usize,
    in_slot: u64,
}

impl Default for Length {
    fn default() -> Self {
        Self {
            each: 1,
            slot: 0,
            in_slot: 0,
        }
    }
}

impl Length {
    /// One sample more; true where all slots are full: then two have to become one everywhere.
    #[must_use]
    pub(crate) const fn goes_on(&mut self) -> bool {
        if self.in_slot < self.each {
            self.in_slot += 1;
            return false;
        }
        self.slot += 1;
        self.in_slot = 1;
        let is_full = self.slot == SLOTS;
        if is_full {
            self.slot /= 2;
            self.each *= 2;
        }
        is_full
    }
}

/// The samples of one thing, by slot.
#[derive(Clone, Debug)]
pub(crate) struct Course([u32; SLOTS]);

impl Default for Course {
    fn default() -> Self {
        Self([0; SLOTS])
    }
}

impl Course {
    pub(crate) fn add(&mut self, length: &Length) {
        if let Some(slot) = self.0.get_mut(length.slot) {
            *slot = slot.saturating_add(1);
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (slot, more) in self.0.iter_mut().zip(other.0) {
            *slot = slot.saturating_add(more);
        }
    }

    /// Two slots become one.
    pub(crate) fn halve(&mut self) {
        let mut halved = [0; SLOTS];
        for (slot, pair) in halved.iter_mut().zip(self.0.chunks(2)) {
            *slot = pair.iter().sum();
        }
        self.0 = halved;
    }

    pub(crate) fn times(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }

    /// How many until `end` samples of the recording; within a slot they are spread evenly.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn until(&self, length: &Length, end: f64) -> f64 {
        let (mut before, mut found) = (0.0, 0.0);
        for (number, times) in self.0.iter().take(length.slot + 1).enumerate() {
            let is_last = number == length.slot;
            let of = if is_last { length.in_slot } else { length.each } as f64;
            found += f64::from(*times) * ((end - before) / of.max(1.0)).clamp(0.0, 1.0);
            before += of;
        }
        found
    }

    /// Its share of each of so many parts.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn shares(&self, length: &Length) -> [f64; PARTS] {
        let all = length.each as f64 * length.slot as f64 + length.in_slot as f64;
        let part = all.max(1.0) / PARTS as f64;
        let mut before = 0.0;
        std::array::from_fn(|number| {
            let until = self.until(length, part * (number + 1) as f64);
            (until - std::mem::replace(&mut before, until)) / part
        })
    }
}

/// The two shares without the while in which they are furthest apart: where one program is compiled late, or one machine
/// had no time, they are apart there and nowhere else.
#[allow(clippy::cast_precision_loss, reason = "there are few parts")]
pub(crate) fn outside_of_a_while([one, other]: [&Course; 2], lengths: [&Length; 2]) -> [f64; 2] {
    let both = [one.shares(lengths[0]), other.shares(lengths[1])];
    let sums = both.map(|shares| {
        let all: f64 = shares.iter().sum();
        let of = |from| shares.iter().skip(from).take(WHILE).sum::<f64>();
        (
            all,
            std::array::from_fn::<f64, { PARTS - WHILE + 1 }, _>(of),
        )
    });
    let [(first, first_whiles), (second, second_whiles)] = sums;
    let apart = |(one, other): &(f64, f64)| ((first - second).signum()) * (one - other);
    let whiles = first_whiles.into_iter().zip(second_whiles);
    let furthest = whiles.max_by(|one, other| apart(one).total_cmp(&apart(other)));
    let (of_first, of_second) = furthest.unwrap_or_default();
    [first - of_first, second - of_second].map(|sum| (sum / (PARTS - WHILE) as f64).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of this, one by one, or not.
    fn course(samples: impl Iterator<Item = bool>) -> (Course, Length) {
        let (mut course, mut length) = (Course::default(), Length::default());
        for is_this in samples {
            if length.goes_on() {
                course.halve();
            }
            if is_this {
                course.add(&length);
            }
        }
        (course, length)
    }

    fn outside(first: &(Course, Length), second: &(Course, Length)) -> f64 {
        let [one, other] = outside_of_a_while([&first.0, &second.0], [&first.1, &second.1]);
        (one - other).abs()
    }

    #[test]
    fn none_is_lost() {
        for all in [1_u64, 2, 63, 64, 65, 127, 128, 129, 1000, 4097] {
            let (course, length) = course((0..all).map(|it| it % 2 == 0));
            assert_eq!(course.times(), all.div_ceil(2), "of {all}");
            assert_eq!(
                length.each * length.slot as u64 + length.in_slot,
                all,
                "of {all}"
            );
            let found = course.until(&length, all as f64);
            assert!((found - course.times() as f64).abs() < 1e-6, "of {all}");
            let shares = course.shares(&length).iter().sum::<f64>() / PARTS as f64;
            let share = course.times() as f64 / all as f64;
            assert!((shares - share).abs() < 1e-6, "of {all}: {shares}");
        }
    }

    /// Three of four all the time, and two of four.
    #[test]
    fn what_is_so_all_the_time_is_so_outside() {
        let of = |parts| course((0..600).map(move |it| it * 7 % 4 < parts));
        assert!((0.23..0.27).contains(&outside(&of(3), &of(2))));
        assert!(outside(&of(3), &of(3)) < 0.01);
        assert!(outside(&of(4), &of(0)) > 0.99);
    }

    /// A third of one recording is otherwise, as where a method is compiled late; wherever that third is.
    #[test]
    fn what_is_so_for_a_while_is_not() {
        let as_ever = |it: u32| it * 7 % 4 < 3;
        let early = course((0..559).map(as_ever));
        for from in [0, 200, 430] {
            let odd = from..from + 190;
            let late = |it| {
                if odd.contains(&it) {
                    it % 5 == 0
                } else {
                    as_ever(it)
                }
            };
            let late = course((0..627).map(late));
            let apart = outside(&early, &late);
            assert!(apart < 0.04, "from {from}: {apart}");
        }
    }

    /// What is so for longer stays so.
    #[test]
    fn what_is_so_for_half_of_the_time_is_so_outside() {
        let hot = |most: u32| course((0..6000).map(move |it| it < 2400 && it % 4 < most));
        assert!(outside(&hot(4), &hot(2)) > 0.06);
        assert!(outside(&hot(4), &hot(4)) < 0.01);
    }
}
