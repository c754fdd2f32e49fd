//! `rewrite=60s`: the profile so far, every minute, in place of the last.
//!
//! So a process that crashes or is killed leaves one that is at most that old.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::dump::{self, Why};
use crate::ffi::host::RawMonitor;

/// When to write, and whether to go on.
#[derive(Debug)]
pub(crate) struct Rewriting {
    every: Duration,
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
    fn rest(&self, until: Instant) -> bool {
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

/// The thread's body.
pub(crate) fn run(agent: &'static Agent) {
    let Some(rewriting) = &agent.rewriting else {
        return;
    };
    let mut next = Instant::now() + rewriting.every;
    while rewriting.rest(next) {
        dump::everything(agent, Why::Rewrite);
        // A profile that takes longer to write than that is not written all the time.
        next = Instant::now() + rewriting.every;
    }
}
