//! What takes its time, shown on a terminal and nowhere else: one line that is written over.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use terminal_text::printable::printable;

/// A line on stderr, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    is_shown: bool,
    from: Instant,
    next: Instant,
    is_dirty: bool,
}

impl Progress {
    const FIRST: Duration = Duration::from_secs(2);
    const STEP: Duration = Duration::from_millis(500);

    /// Says nothing during the first two seconds.
    pub(crate) fn after_a_while() -> Self {
        Self::from_in(Self::FIRST)
    }

    /// Speaks at once.
    pub(crate) fn at_once() -> Self {
        Self::from_in(Duration::ZERO)
    }

    fn from_in(time: Duration) -> Self {
        let now = Instant::now();
        Self {
            is_shown: std::io::stderr().is_terminal(),
            from: now,
            next: now + time,
            is_dirty: false,
        }
    }

    /// Shows what `text` says, if it is time to.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if !self.is_shown || now < self.next {
            return;
        }
        self.next = now + Self::STEP;
        self.is_dirty = true;
        let seconds = now.duration_since(self.from).as_secs();
        let line = format!("\r\x1b[K{} … {seconds} s", printable(&text()));
        // Nobody is left to hear that stderr is closed.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_dirty {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}
