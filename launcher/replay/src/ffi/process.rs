//! Threads, and the end of the process.
#![allow(unsafe_code, reason = "gettid and exit")]

use std::io::Write as _;
use std::time::Duration;

/// The kernel's number of the calling thread.
pub(crate) fn tid() -> u32 {
    // SAFETY: no arguments, no memory.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(tid).unwrap_or(0)
}

/// Whether a thread of ours waits for something (or is gone).
fn sleeps(tid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{tid}/stat"));
    let state = stat.ok().and_then(|stat| {
        let (_, rest) = stat.rsplit_once(')')?;
        rest.trim_start().chars().next()
    });
    state != Some('R')
}

/// What a thread of ours does, as far as the kernel tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Runs,
    /// It sleeps for a time.
    Naps,
    /// It waits for another thread (or is gone).
    Waits,
    /// It waits for something else: a file, a peer, a signal.
    Outside,
}

pub(crate) fn doing(tid: u32) -> Doing {
    /// The place of a futex's time-out behind the number of the call: none, no end.
    const TIMEOUT: usize = 4;
    let task = format!("/proc/self/task/{tid}");
    let Ok(text) = std::fs::read_to_string(format!("{task}/syscall")) else {
        return match std::path::Path::new(&task).exists() {
            true if sleeps(tid) => Doing::Outside,
            true => Doing::Runs,
            false => Doing::Waits,
        };
    };
    let words: Vec<_> = text.split_whitespace().collect();
    match words.first().and_then(|word| word.parse().ok()) {
        Some(libc::SYS_futex) if words.get(TIMEOUT) == Some(&"0x0") => Doing::Waits,
        Some(libc::SYS_futex | libc::SYS_nanosleep | libc::SYS_clock_nanosleep) => Doing::Naps,
        Some(0..) => Doing::Outside,
        _ => Doing::Runs,
    }
}

/// How long a thread of ours has run so far, in ns; 0 where the kernel does not say.
pub(crate) fn has_run(tid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/self/task/{tid}/schedstat"));
    let first = |text: String| text.split_whitespace().next()?.parse().ok();
    text.ok().and_then(first).unwrap_or(0)
}

/// How long each of the other threads has run so far: it changes while anybody does anything.
fn progress() -> Vec<String> {
    let own = tid().to_string();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let others = tasks.flatten().filter(|task| *task.file_name() != *own);
    others
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .collect()
}

/// The thread has nothing more to do; it must not return to the agent.
pub(crate) fn stop_here() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Has `body` called when the process exits, before what has been asked for by now.
pub(crate) fn at_exit(body: extern "C" fn()) {
    // SAFETY: a function that stays. Without room for it nothing is lost but a line on a terminal.
    unsafe { libc::atexit(body) };
}

/// The agent's exit handlers run, and its files are flushed. A thread that the recording
/// leaves in the middle of something may have a lock that they want: they are not waited for
/// without end.
pub(crate) fn exit(code: i32) -> ! {
    const LOOK: Duration = Duration::from_millis(100);
    const STUCK: u32 = 50;
    let exiting = tid();
    let watch = move || {
        let (mut before, mut still) = (Vec::new(), 0);
        while still < STUCK {
            std::thread::sleep(LOOK);
            let now = progress();
            still = if sleeps(exiting) && now == before {
                still + 1
            } else {
                0
            };
            before = now;
        }
        const LEFT: &[u8] =
            b"xrun: replay: the agent's exit handlers wait for what does not come; not waited for\n";
        let _ = std::io::stderr().write_all(LEFT);
        // SAFETY: any code.
        unsafe { libc::_exit(code) }
    };
    // Without it the process only ends later.
    let _watch = std::thread::Builder::new().spawn(watch);
    // SAFETY: any code.
    unsafe { libc::exit(code) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::{Doing, doing, tid};

    /// What a thread is seen doing in the end.
    fn seen(wanted: Doing, body: impl FnOnce() + Send + 'static) {
        let (tell, told) = channel();
        std::thread::spawn(move || {
            tell.send(tid()).unwrap();
            body();
        });
        let tid = told.recv().unwrap();
        let start = Instant::now();
        while doing(tid) != wanted {
            assert!(start.elapsed() < Duration::from_secs(20), "{wanted:?}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn threads_are_told_apart() {
        let lock: &'static parking_lot::Mutex<()> = Box::leak(Box::default());
        let _held = lock.lock();
        seen(Doing::Waits, || drop(lock.lock()));
        seen(Doing::Naps, || std::thread::sleep(Duration::from_secs(30)));
        seen(Doing::Naps, || {
            std::thread::park_timeout(Duration::from_secs(30));
        });
        let (_open, mut silent) = std::os::unix::net::UnixStream::pair().unwrap();
        seen(Doing::Outside, move || {
            let _ = std::io::Read::read(&mut silent, &mut [0]);
            let _ = _open;
        });
        seen(Doing::Runs, || {
            while Instant::now().elapsed() < Duration::from_secs(1) {}
        });
        assert_eq!(doing(0), Doing::Waits);
    }
}
