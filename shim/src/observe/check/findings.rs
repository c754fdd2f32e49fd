//! The end of a checked run: the findings, on stderr.

use std::sync::atomic::{AtomicBool, Ordering};

use agent_check::{Rule, Severity};
use shim_options::Check;

use crate::base::{config, log};
use crate::model::current;
use crate::observe::check::state;
use crate::os::library;

/// What a run ends with that would have ended well, with `check=fail`.
const FAILED: i32 = 3;

/// Prints what was found, once.
pub(crate) fn finish() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.swap(true, Ordering::AcqRel) {
        return;
    }
    let now = state::now();
    // exit(3) has taken the thread's own state away by now; its number stays.
    let thread = current::key();
    let found = state::with_state(|state| {
        state.finish(thread, now);
        let slow = Rule::SlowHandler.row().id;
        let lines = state.findings.lines(library::place_of);
        let slow = lines.iter().any(|line| line.contains(slow));
        (lines, state.findings.summary(), slow)
    });
    let Some((lines, summary, slow)) = found else {
        return;
    };
    for line in lines {
        log::finding(&line);
    }
    if slow {
        for line in state::DURATIONS.lines() {
            log::finding(&line);
        }
    }
    log::finding(&format!(
        "{summary} (libjvmpi {})",
        env!("CARGO_PKG_VERSION")
    ));
}

/// The process exits with this code; another one to exit with.
pub(crate) fn other_code(code: i32) -> Option<i32> {
    let errors = state::with_state(|state| state.findings.broken(Severity::Error)).unwrap_or(0);
    (config::options().check == Check::Fail && errors > 0 && code == 0).then_some(FAILED)
}
