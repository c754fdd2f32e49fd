//! What takes its time, shown on a terminal and nowhere else: one line that is written over.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use terminal_text::printable::printable;

/// So long nothing is said.
const FIRST: Duration = Duration::from_secs(2);

/// A line on stderr, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    is_shown: bool,
    from: Instant,
    next: Instant,
    is_dirty: bool,
}

impl Progress {
    const STEP: Duration = Duration::from_millis(500);

    /// Says nothing during the first two seconds.
    pub(crate) fn after_a_while() -> Self {
        Self::from_in(FIRST)
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

/// Says on stderr that something goes on, until it is dropped; for work that does not come by here
/// meanwhile.
pub(crate) struct Busy {
    /// Dropped, it ends the thread.
    going_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Busy {
    /// `what` is done from now on.
    pub(crate) fn with(what: impl Into<String>) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self {
                going_on: None,
                thread: None,
            };
        }
        let (going_on, ended) = channel();
        let what = what.into();
        let thread = std::thread::spawn(move || {
            let begin = Instant::now();
            let mut wait = FIRST;
            let mut said = false;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let line = format!("\rxrun: {what}: {} s", begin.elapsed().as_secs());
                let _ = std::io::stderr().write_all(line.as_bytes());
                said = true;
                wait = Duration::from_secs(1);
            }
            if said {
                // Gone as if it had not been there.
                let _ = std::io::stderr().write_all(b"\r\x1b[K");
            }
        });
        Self {
            going_on: Some(going_on),
            thread: Some(thread),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.going_on = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
