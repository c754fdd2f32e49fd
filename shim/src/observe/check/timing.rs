//! How long a handler took, and what of that its thread ran or stood in line for a processor.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::os::{cpu_clock, tasks};

/// A moment, and how long the thread had waited for processors until then.
type Reading = (Instant, u64);

thread_local! {
    static LAST: Cell<Option<Reading>> = const { Cell::new(None) };
}

/// A handler that runs.
pub(super) struct Handler {
    began: Instant,
    ran: u64,
    waited: Option<u64>,
}

/// What it took, in nanoseconds.
pub(super) struct Took {
    /// From its beginning to its end, without what it waited for a processor: that is the
    /// machine's load.
    pub(super) own: u64,
    /// The thread's CPU time.
    pub(super) ran: u64,
    /// How long it waited for a processor; only asked of those that took long.
    pub(super) waited: u64,
}

impl Handler {
    /// It begins.
    pub(super) fn begin() -> Self {
        /// The kernel is asked no more often; what was waited in between may count as well.
        const OFTEN: Duration = Duration::from_millis(10);
        let began = Instant::now();
        let last = LAST.try_with(Cell::get).ok().flatten();
        let last = last.filter(|(read, _)| began.saturating_duration_since(*read) < OFTEN);
        let waited = match last {
            Some((_, waited)) => Some(waited),
            None => tasks::waited_for_processor(),
        };
        if let (None, Some(waited)) = (last, waited) {
            let _ = LAST.try_with(|last| last.set(Some((began, waited))));
        }
        Self {
            began,
            ran: cpu_clock::nanos(),
            waited,
        }
    }

    /// It has ended.
    pub(super) fn end(self) -> Took {
        let took = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let ran = cpu_clock::nanos().saturating_sub(self.ran);
        let waited = match self.waited {
            Some(before) if took >= agent_check::durations::SLOW => tasks::waited_for_processor()
                .unwrap_or(before)
                .saturating_sub(before)
                .min(took),
            _ => 0,
        };
        Took {
            own: took - waited,
            ran,
            waited,
        }
    }
}
