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
pub(crate) fn sleeps(tid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{tid}/stat"));
    let state = stat.ok().and_then(|stat| {
        let (_, rest) = stat.rsplit_once(')')?;
        rest.trim_start().chars().next()
    });
    state != Some('R')
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
