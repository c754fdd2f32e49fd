//! `rewrite=60s`: how often, and until when.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::ffi::host::RawMonitor;

/// When to write, and whether to go on.
#[derive(Debug)]
pub(crate) struct Rewriting {
    /// Between the end of one and the start of the next.
    pub(crate) every: Duration,
    wake: RawMonitor,
    ended: AtomicBool,
}

impl Rewriting {
    /// None if the VM has no monitor for it.
    pub(crate) fn new(every: Duration) -> Option<Self> {
        Some(Self {
            every,
            wake: RawMonitor::new("_hprof_rewriting")?,
            ended: AtomicBool::new(false),
        })
    }

    /// The VM ends: what is written then is the last.
    pub(crate) fn end(&self) {
        self.wake.wake(|| self.ended.store(true, Ordering::Release));
    }

    /// False if it has ended.
    pub(crate) fn rest(&self, until: Instant) -> bool {
        let is_over = || self.ended.load(Ordering::Acquire);
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            // No less than one: 0 would be for ever.
            let millis = rest.as_micros().div_ceil(1000);
            if millis == 0 {
                return !is_over();
            }
            if self
                .wake
                .wait(u32::try_from(millis).unwrap_or(u32::MAX), is_over)
            {
                return false;
            }
        }
    }
}
