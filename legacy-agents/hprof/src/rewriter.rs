//! `rewrite=60s`: the profile so far, every minute, in place of the last.
//!
//! So a process that crashes or is killed leaves one that is at most that old.

use std::time::Instant;

use crate::agent::Agent;
use crate::dump::{self, Why};

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
