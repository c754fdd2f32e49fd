//! `rewrite=60s`: the profile so far, every minute, in place of the last.
//!
//! The first ones come sooner. So a process that crashes or is killed leaves one that is at most that old.

use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::dump::{self, Why};

/// After its start, or `every` if that is less; then twice as long each time, up to that: who is killed
/// young leaves one, too.
const FIRST: Duration = Duration::from_secs(2);

/// The thread's body.
pub(crate) fn run(agent: &'static Agent) {
    let Some(rewriting) = &agent.rewriting else {
        return;
    };
    let mut wait = FIRST.min(rewriting.every);
    // A profile that takes longer to write than that is not written all the time.
    while rewriting.rest(Instant::now() + wait) {
        dump::everything(agent, Why::Rewrite);
        wait = wait.saturating_mul(2).min(rewriting.every);
    }
}
