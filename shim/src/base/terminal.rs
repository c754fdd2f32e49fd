//! How far something is that takes its time: one line on stderr that is written over, if that is a
//! terminal, and none else.
//!
//! # Threads
//! Whoever does it says it, also in callbacks where nothing of the VM may be called: a line is
//! made in a fixed buffer and written by one call, whose result is ignored.

use std::fmt::{self, Write as _};
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shim_options::LogLevel;

use crate::base::log;

/// So long nothing is said.
const FIRST: Duration = Duration::from_secs(2);
const STEP: Duration = Duration::from_millis(500);
const GONE: &[u8] = b"\r\x1b[K";

static AGENT_SPEAKS: AtomicBool = AtomicBool::new(false);

/// The agent knows what we offer beside JVMPI: it is none of the period, and says itself what takes
/// its time, as HPROF does. Two lines would write over each other.
pub(crate) fn agent_speaks() {
    // Relaxed: a mark that says nothing of other words.
    AGENT_SPEAKS.store(true, Ordering::Relaxed);
}

/// The line, gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    from: Instant,
    next: Instant,
    /// Where there is a log of it, that is enough; where nothing is to be said, nothing is.
    is_wanted: bool,
    is_dirty: bool,
}

impl Progress {
    /// Of what begins now.
    pub(crate) fn begin() -> Self {
        let is_wanted = !AGENT_SPEAKS.load(Ordering::Relaxed)
            && log::wants(LogLevel::Warn)
            && !log::wants(LogLevel::Info)
            && std::io::stderr().is_terminal();
        let now = Instant::now();
        Self {
            from: now,
            next: now + FIRST,
            is_wanted,
            is_dirty: false,
        }
    }

    /// Says how far it is, if it is time to.
    pub(crate) fn show(&mut self, far: fmt::Arguments<'_>) {
        let now = Instant::now();
        if !self.is_wanted || now < self.next {
            return;
        }
        self.next = now + STEP;
        self.is_dirty = true;
        let seconds = now.duration_since(self.from).as_secs();
        let mut line = log::Line::new();
        let _ = write!(line, "\r\x1b[Kjvmpi: {far}, {seconds} s");
        let _ = std::io::stderr().write_all(line.bytes());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_dirty {
            let _ = std::io::stderr().write_all(GONE);
        }
    }
}
