//! How far a heap dump is, on terminals and nowhere else: one line that is written over.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::say;

/// So long nothing is said.
const FIRST: Duration = Duration::from_secs(2);
const STEP: Duration = Duration::from_millis(500);

/// Objects that have been written, and how many there are: 0 while the VM looks for them.
#[derive(Debug, Default)]
pub(crate) struct Written {
    done: AtomicU64,
    total: AtomicU64,
}

impl Written {
    pub(crate) fn of(&self, total: u64) {
        // Relaxed: numbers for people.
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn percent(&self) -> Option<u64> {
        let done = self.done.load(Ordering::Relaxed).saturating_mul(100);
        let share = done.checked_div(self.total.load(Ordering::Relaxed));
        share.map(|percent| percent.min(100))
    }
}

/// Speaks until it is dropped. A thread of its own does: whoever makes the dump is in the VM, or
/// waits for a reader, and does not come by here.
#[derive(Debug)]
pub(crate) struct Speaker {
    /// Dropped, it ends the thread.
    going_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Speaker {
    /// Of a dump that begins now, if `wanted`.
    pub(crate) fn of(written: &Arc<Written>, wanted: bool) -> Self {
        let (going_on, ended) = channel();
        let thread = (wanted && io::stderr().is_terminal()).then(|| {
            let written = Arc::clone(written);
            let builder = Builder::new().name("HPROF progress".to_owned());
            builder.spawn(move || {
                let begin = Instant::now();
                let mut wait = FIRST;
                while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    let seconds = begin.elapsed().as_secs();
                    let far = written.percent().map(|percent| format!(" {percent}%,"));
                    let far = far.unwrap_or_default();
                    say::text(&format!("\r\x1b[Khprof: heap dump:{far} {seconds} s"));
                    wait = STEP;
                }
                if wait != FIRST {
                    say::text("\r\x1b[K");
                }
            })
        });
        Self {
            going_on: Some(going_on),
            // Without a thread nothing is said.
            thread: thread.and_then(Result::ok),
        }
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.going_on = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents() {
        let written = Written::default();
        assert_eq!(written.percent(), None);
        written.of(3);
        written.step();
        assert_eq!(written.percent(), Some(33));
    }
}
