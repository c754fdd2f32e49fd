//! A line on the terminal for what takes longer than two seconds; nothing anywhere else.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(2);

/// Says on stderr that something goes on, until it is dropped.
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
            let mut wait = PATIENCE;
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
