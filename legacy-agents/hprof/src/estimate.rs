//! From allocations that were picked to what all were: `sample=`.
//!
//! The VM picks bytes (how well, JVMTI facts 35): the distances between them are exponential,
//! `interval` on average, and the object that has one is picked. So one of `size` bytes is picked
//! with the probability `p = 1 - exp(-size / interval)`, whatever else is allocated, and each that
//! was stands for `1 / p` of its size. The sum of these is right on average, also where few are
//! picked (Horvitz and Thompson), and the sum of `(1 - p) / p²` is that of its variance.

use std::ops::AddAssign;

use crate::amount::Amount;

/// A number of objects and their bytes, and how sure both are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// How many it is made from.
    pub picked: u64,
    objects: f64,
    bytes: f64,
    objects_variance: f64,
    bytes_variance: f64,
}

impl Estimate {
    /// What so many picked objects of one size stand for. Sizes, and the interval, are bytes.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn new(picked: u64, size: u32, interval: u32) -> Self {
        let (number, size) = (picked as f64, f64::from(size));
        let missed = (-size / f64::from(interval)).exp();
        let one = 1.0 / (1.0 - missed);
        let variance = number * missed * one * one;
        if !one.is_finite() {
            return Self::default();
        }
        Self {
            picked,
            objects: number * one,
            bytes: number * one * size,
            objects_variance: variance,
            bytes_variance: variance * size * size,
        }
    }

    /// Both, rounded.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "neither negative nor near the limit"
    )]
    pub fn amount(&self) -> Amount {
        Amount {
            objects: self.objects.round() as u64,
            bytes: self.bytes.round() as u64,
        }
    }

    /// The standard errors of objects and of bytes: two of three estimates are at most that far from
    /// the truth, 19 of 20 at most twice as far, once a dozen or so are picked.
    #[must_use]
    pub fn errors(&self) -> (f64, f64) {
        (self.objects_variance.sqrt(), self.bytes_variance.sqrt())
    }

    /// The squares of the two: these can be added up.
    #[must_use]
    pub fn variances(&self) -> (f64, f64) {
        (self.objects_variance, self.bytes_variance)
    }

    /// The standard error of the bytes in percent of them; 0 of nothing.
    #[must_use]
    pub fn percent(&self) -> f64 {
        if self.bytes > 0.0 {
            100.0 * self.bytes_variance.sqrt() / self.bytes
        } else {
            0.0
        }
    }
}

impl AddAssign for Estimate {
    fn add_assign(&mut self, other: Self) {
        self.picked += other.picked;
        self.objects += other.objects;
        self.bytes += other.bytes;
        self.objects_variance += other.objects_variance;
        self.bytes_variance += other.bytes_variance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers in (0, 1].
    struct Dice(u64);

    impl Dice {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            ((self.0 >> 11) + 1) as f64 / (1_u64 << 53) as f64
        }
    }

    /// A thread that allocates `counts` of `sizes`, in random order: the estimate, and the truth.
    fn run(dice: &mut Dice, sizes: &[u32], counts: u64, interval: u32) -> (Estimate, [f64; 2]) {
        let exponential = |dice: &mut Dice| -dice.next().ln() * f64::from(interval);
        let mut until = exponential(dice);
        let (mut all, mut truth) = (Estimate::default(), [counts as f64, 0.0]);
        for _ in 0..counts {
            let which = (dice.next() * sizes.len() as f64) as usize;
            let size = sizes[which.min(sizes.len() - 1)];
            truth[1] += f64::from(size);
            if until > f64::from(size) {
                until -= f64::from(size);
                continue;
            }
            until = exponential(dice);
            all += Estimate::new(1, size, interval);
        }
        (all, truth)
    }

    /// The share of runs whose truth is at most so many standard errors away, by objects and bytes;
    /// the mean of the estimates in their own standard errors; the variance against its estimate.
    struct Seen {
        within: [[f64; 2]; 2],
        off: [f64; 2],
        variance: [f64; 2],
    }

    fn many(sizes: &[u32], counts: u64, interval: u32, runs: u32) -> Seen {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        let mut seen = Seen {
            within: [[0.0; 2]; 2],
            off: [0.0; 2],
            variance: [0.0; 2],
        };
        let (mut sum, mut squares, mut variances) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for _ in 0..runs {
            let (one, truth) = run(&mut dice, sizes, counts, interval);
            let estimates = [one.objects, one.bytes];
            let errors = [one.errors().0, one.errors().1];
            for what in 0..2 {
                let far = (estimates[what] - truth[what]).abs();
                for times in 0..2 {
                    if far <= (times + 1) as f64 * errors[what] {
                        seen.within[what][times] += 1.0 / f64::from(runs);
                    }
                }
                sum[what] += estimates[what] - truth[what];
                squares[what] += (estimates[what] - truth[what]).powi(2);
                variances[what] += errors[what].powi(2);
            }
        }
        for what in 0..2 {
            let runs = f64::from(runs);
            seen.off[what] = sum[what] / runs / (squares[what] / runs / runs).sqrt();
            seen.variance[what] = variances[what] / squares[what];
        }
        seen
    }

    /// From few of tiny objects to most of large ones.
    #[test]
    fn estimates_are_right_on_average_and_so_are_their_errors() {
        for (sizes, counts, interval) in [
            (&[16][..], 20_000, 4096),
            (&[24], 400, 4096),
            (&[4096], 200, 4096),
            (&[16_384], 2_000, 4096),
            (&[1 << 20], 100, 1 << 19),
            (&[16, 1024, 65_536], 4_000, 16_384),
        ] {
            let seen = many(sizes, counts, interval, 2000);
            for what in 0..2 {
                assert!(seen.off[what].abs() < 4.0, "{sizes:?} {}", seen.off[what]);
                let ratio = seen.variance[what];
                assert!((0.85..1.15).contains(&ratio), "{sizes:?} {ratio}");
            }
        }
    }

    /// Two of three, and 19 of 20.
    #[test]
    fn errors_cover_what_they_promise() {
        for (sizes, counts, interval) in [
            (&[16][..], 40_000, 4096),
            (&[512], 2_000, 4096),
            (&[8192], 2_000, 4096),
        ] {
            let seen = many(sizes, counts, interval, 2000);
            for [one, two] in seen.within {
                assert!((0.64..0.73).contains(&one), "{sizes:?} {one}");
                assert!((0.93..0.975).contains(&two), "{sizes:?} {two}");
            }
        }
    }

    #[test]
    fn what_is_always_picked_is_exact() {
        let large = Estimate::new(3, 1 << 30, 1024);
        let amount = Amount {
            objects: 3,
            bytes: 3 << 30,
        };
        assert_eq!((large.amount(), large.errors()), (amount, (0.0, 0.0)));
        assert_eq!(Estimate::new(0, 16, 1024), Estimate::default());
        assert_eq!(Estimate::new(7, 0, 1024), Estimate::default());
        let small = Estimate::new(1, 16, 1 << 19);
        assert_eq!(small.amount().objects, 32_769);
        assert!((small.percent() - 100.0).abs() < 0.01);
    }
}
