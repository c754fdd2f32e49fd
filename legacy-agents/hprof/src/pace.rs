//! When the sampler looks.

use std::time::{Duration, Instant};

/// Moments that are an interval apart in the middle, wherever the looks before ended: as many
/// looks come together as the time has intervals, whatever a look costs.
///
/// From one to the next it is between a half and one and a half intervals. Else a program that
/// does something every ten milliseconds would be seen doing that always, or never.
#[derive(Debug)]
pub(crate) struct Pace {
    interval: Duration,
    moment: Instant,
    random: u32,
}

impl Pace {
    pub(crate) fn new(interval: Duration, now: Instant) -> Self {
        Self {
            interval,
            moment: now,
            random: 0x9E37_79B9,
        }
    }

    /// How long to rest from `now` on, when the last look took so long. The program gets as
    /// much time as the look has had, and a quarter of an interval at least: moments that are
    /// missed for that are gone.
    pub(crate) fn rest(&mut self, now: Instant, look: Duration) -> Duration {
        let jitter = self.interval * (self.next() % 1024) / 1024;
        self.moment += self.interval / 2 + jitter;
        let soonest = now + look.max(self.interval / 4);
        self.moment = self.moment.max(soonest);
        self.moment - now
    }

    /// Marsaglia's xorshift.
    fn next(&mut self) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(10);

    /// The moments of looks that take so long, behind waits that take so much longer.
    fn moments(look: Duration, late: Duration) -> Vec<Duration> {
        let start = Instant::now();
        let (mut now, mut took) = (start, Duration::ZERO);
        let mut pace = Pace::new(INTERVAL, now);
        let moments = (0..10_000).map(|_| {
            now += pace.rest(now, took) + late;
            let moment = now - start;
            (now, took) = (now + look, look);
            moment
        });
        moments.collect()
    }

    #[test]
    fn there_are_as_many_looks_as_intervals_and_at_all_their_times() {
        let (look, late) = (Duration::from_millis(2), Duration::from_micros(500));
        let moments = moments(look, late);
        let passed = moments.last().unwrap().as_secs_f64();
        assert!((99.0..101.0).contains(&passed), "{passed}");
        // Something that lasts a millisecond of every ten is a tenth of what is seen.
        for begin in 0..10 {
            let seen = |moment: &&Duration| moment.as_millis() % 10 == begin;
            let seen = moments.iter().filter(seen).count();
            assert!((800..1200).contains(&seen), "{begin}: {seen}");
        }
    }

    #[test]
    fn looks_that_take_long_leave_the_program_its_half() {
        for millis in [1, 5, 9, 30, 200] {
            let look = Duration::from_millis(millis);
            let moments = moments(look, Duration::ZERO);
            let passed = moments.last().unwrap().as_secs_f64();
            let looking = look.as_secs_f64() * 10_000.0;
            assert!(passed > 1.9 * looking, "{millis}: {passed}");
        }
    }
}
