//! Ticks of the clock that a recording was made by, and nanoseconds.

/// Ticks to nanoseconds: the line through the first and the last moment of which both
/// are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    first: Option<(u64, u64)>,
    last: Option<(u64, u64)>,
}

impl Clock {
    pub(super) fn learn(&mut self, tick: u64, nanos: u64) {
        let moment = (tick, nanos);
        self.first = Some(self.first.map_or(moment, |first| first.min(moment)));
        self.last = Some(self.last.map_or(moment, |last| last.max(moment)));
    }

    /// What it knows, for reading it.
    pub(super) fn scale(self) -> Scale {
        let (Some(first), Some(last)) = (self.first, self.last) else {
            return Scale::default();
        };
        let ticks = u128::from(last.0 - first.0);
        let nanos = u128::from(last.1.saturating_sub(first.1));
        // Too short to tell: a tick is taken for a nanosecond.
        let factor = if ticks < 1000 || nanos == 0 {
            Scale::ONE
        } else {
            (nanos << 64).div_ceil(ticks)
        };
        Scale {
            tick: first.0,
            nanos: first.1,
            factor,
        }
    }
}

/// Nanoseconds of a tick by one multiplication: a division for each record is a seventh of what
/// counting a recording takes (128 million records: 14.8 s, and 12.5 without).
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    tick: u64,
    nanos: u64,
    /// Nanoseconds a tick, in 2^-64; rounded up, so that the last moment is met.
    factor: u128,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            tick: 0,
            nanos: 0,
            factor: Self::ONE,
        }
    }
}

impl Scale {
    const ONE: u128 = 1 << 64;

    #[inline]
    pub(super) fn nanos(self, tick: u64) -> u64 {
        let since = u128::from(tick.saturating_sub(self.tick));
        // A clock that ticks more seldom than once in 2^32 ns is none.
        let passed = since.saturating_mul(self.factor) >> 64;
        u64::try_from(passed)
            .unwrap_or(u64::MAX)
            .saturating_add(self.nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_met_and_none_is_passed() {
        for (ticks, nanos) in [
            (3_000_000_007_u64, 1_000_000_000_u64),
            (1000, 7),
            (5000, 5000),
            (1 << 40, (1 << 41) + 1),
        ] {
            let mut clock = Clock::default();
            clock.learn(77, 5);
            clock.learn(77 + ticks, 5 + nanos);
            let scale = clock.scale();
            assert_eq!((scale.nanos(0), scale.nanos(77)), (5, 5));
            assert_eq!(scale.nanos(77 + ticks), 5 + nanos);
            for part in 1..1000 {
                let since = u128::from(ticks) * part / 1000;
                let exact = since * u128::from(nanos) / u128::from(ticks);
                let tick = 77 + u64::try_from(since).unwrap();
                assert_eq!(u128::from(scale.nanos(tick)), 5 + exact, "{part}");
            }
        }
    }

    #[test]
    fn what_nobody_knows_is_a_nanosecond_a_tick() {
        let mut clock = Clock::default();
        assert_eq!(clock.scale().nanos(12), 12);
        clock.learn(10, 100);
        clock.learn(900, 5000);
        assert_eq!(clock.scale().nanos(20), 110);
        assert_eq!(clock.scale().nanos(u64::MAX), u64::MAX);
    }
}
