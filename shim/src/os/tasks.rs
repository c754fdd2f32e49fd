//! What the kernel says of this process's threads.
#![allow(unsafe_code, reason = "a system call")]

use std::path::Path;

/// The kernel's number of this thread.
pub(crate) fn own() -> u32 {
    // SAFETY: no arguments, no memory.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(tid).unwrap_or(0)
}

/// The kernel's number of the thread with this name (its first 15 bytes).
pub(crate) fn named(name: &str) -> Option<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let mut tasks = tasks.flatten();
    let task = tasks.find(|task| {
        let comm = std::fs::read_to_string(task.path().join("comm"));
        comm.is_ok_and(|comm| comm.trim_end() == name)
    })?;
    task.file_name().to_str()?.parse().ok()
}

/// Whether this thread waits for something other than a processor or a disk; `None` if the kernel
/// does not say.
pub(crate) fn waits(tid: u32) -> Option<bool> {
    // proc(5): number, name in parentheses, state.
    let state = std::fs::read(format!("/proc/self/task/{tid}/stat")).ok()?;
    let end = state.iter().rposition(|&byte| byte == b')')?;
    state
        .get(end + 2)
        .map(|letter| !matches!(letter, b'R' | b'D'))
}

/// Whether there is a thread with this number.
pub(crate) fn exists(tid: u32) -> bool {
    Path::new(&format!("/proc/self/task/{tid}")).exists()
}
