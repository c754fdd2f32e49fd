//! What takes its time, shown on a terminal and nowhere else: one line that is written over, and gone
//! before anything else is written.

use std::io::{IsTerminal, Write};
use std::mem;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use terminal_text::printable::printable;

/// So long nothing is said.
const FIRST: Duration = Duration::from_secs(2);

/// The line, whoever shows one.
struct Line {
    is_there: bool,
    /// There is none any more.
    is_over: bool,
}

static LINE: Mutex<Line> = Mutex::new(Line {
    is_there: false,
    is_over: false,
});

impl Line {
    fn of_all() -> MutexGuard<'static, Self> {
        LINE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&mut self, text: &str) {
        if !self.is_over {
            self.is_there = true;
            // Nobody is left to hear that stderr is closed.
            let _ = std::io::stderr().write_all(format!("\r\x1b[K{text}").as_bytes());
        }
    }

    /// Gone as if it had not been there.
    fn erase(&mut self) {
        if mem::take(&mut self.is_there) {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

/// Runs `body`, which writes something that belongs into a line of its own.
pub(crate) fn beside<T>(body: impl FnOnce() -> T) -> T {
    let mut line = Line::of_all();
    line.erase();
    body()
}

/// Shows nothing from now on: what is written is somebody else's.
pub(crate) fn end() {
    let mut line = Line::of_all();
    line.erase();
    line.is_over = true;
}

/// A line on stderr, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    is_shown: bool,
    from: Instant,
    next: Instant,
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
        }
    }

    /// Shows what `text` says, if it is time to.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if !self.is_shown || now < self.next {
            return;
        }
        self.next = now + Self::STEP;
        let seconds = now.duration_since(self.from).as_secs();
        Line::of_all().show(&format!("{} … {seconds} s", printable(&text())));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        Line::of_all().erase();
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
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let seconds = begin.elapsed().as_secs();
                Line::of_all().show(&format!("xrun: {what}: {seconds} s"));
                wait = Duration::from_secs(1);
            }
            Line::of_all().erase();
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
