//! How long a handler took, and what of that its thread ran or stood in line for a processor.

use std::cell::Cell;

use agent_check::durations::SLOW;

use crate::os::{cpu_clock, tasks, ticks};

/// What the kernel's clocks of the thread said at a moment.
#[derive(Clone, Copy)]
struct Reading {
    /// By [`ticks::now`].
    when: u64,
    /// Nanoseconds that it had run.
    ran: u64,
    /// How long it had waited for processors; `None` if the kernel does not say.
    waited: Option<u64>,
}

thread_local! {
    static LAST: Cell<Option<Reading>> = const { Cell::new(None) };
}

/// A handler that runs.
pub(super) struct Handler {
    began: u64,
    /// The last reading before.
    before: Reading,
}

/// What it took, in nanoseconds.
pub(super) struct Took {
    /// From its beginning to its end, without what it waited for a processor: that is the
    /// machine's load.
    pub(super) own: u64,
    /// The thread's CPU time; only asked of those that took long.
    pub(super) ran: u64,
    /// How long it waited for a processor; only asked of those that took long.
    pub(super) waited: u64,
}

impl Handler {
    /// It begins.
    #[inline]
    pub(super) fn begin() -> Self {
        /// In nanoseconds: the kernel is asked no more often. What was run and waited in
        /// between may count as well.
        const OFTEN: u64 = 10_000_000;
        let began = ticks::now();
        let last = LAST.try_with(Cell::get).ok().flatten();
        // How long a tick is differs between processors, and is not known at first.
        let recent = last.filter(|last| {
            ticks::in_known_nanos(began.saturating_sub(last.when)).is_some_and(|ago| ago < OFTEN)
        });
        let before = recent.unwrap_or_else(|| Reading::take(began));
        Self { began, before }
    }

    /// It has ended.
    #[inline]
    pub(super) fn end(self) -> Took {
        let ended = ticks::now();
        let took = ticks::in_nanos(ended.saturating_sub(self.began));
        if took < SLOW {
            let (own, ran, waited) = (took, 0, 0);
            return Took { own, ran, waited };
        }
        self.slow(ended)
    }

    #[cold]
    fn slow(self, ended: u64) -> Took {
        ticks::measure();
        let took = ticks::in_nanos(ended.saturating_sub(self.began));
        let waited = match self.before.waited {
            Some(before) => tasks::waited_for_processor()
                .unwrap_or(before)
                .saturating_sub(before)
                .min(took),
            None => 0,
        };
        let own = took - waited;
        // What was run since the last reading may be more than the handler itself has.
        let ran = cpu_clock::nanos().saturating_sub(self.before.ran).min(own);
        Took { own, ran, waited }
    }
}

impl Reading {
    /// Asks the kernel, and remembers.
    #[cold]
    fn take(when: u64) -> Self {
        ticks::measure();
        let reading = Self {
            when,
            ran: cpu_clock::nanos(),
            waited: tasks::waited_for_processor(),
        };
        let _ = LAST.try_with(|last| last.set(Some(reading)));
        reading
    }
}
