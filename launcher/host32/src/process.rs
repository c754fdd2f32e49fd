//! The process: its descriptors, signals, children and end.
#![allow(
    unsafe_code,
    reason = "close, signals, and exit in C's way and without it"
)]

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lanes::State;

use crate::{region, say};

/// As `main` would: the agent's exit handlers run.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: any code.
    unsafe { libc::exit(code) }
}

/// At once: there is nobody left to talk to.
pub(crate) fn stop() -> ! {
    // SAFETY: any code.
    unsafe { libc::_exit(0) }
}

/// At once, by a fault that is not the agent's: to the JVM this is no exit() of the agent's, and the program goes on.
pub(crate) fn give_up(why: &str) -> ! {
    say(why);
    if let Some(region) = region() {
        region.fail();
    }
    // SAFETY: any code.
    unsafe { libc::_exit(2) }
}

/// What the JVM has open is the program's: a connection that it closes would stay open here. Before anything else is
/// opened.
pub(crate) fn close_what_is_the_programs() {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let numbers = open
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let beyond_stderr: Vec<libc::c_int> = numbers.filter(|number| *number > 2).collect();
    for number in beyond_stderr {
        // SAFETY: nothing here is ours; the folder itself is closed by now.
        unsafe { libc::close(number) };
    }
}

extern "C" fn take_no_notice(_: libc::c_int) {}

/// Signals from a terminal reach both processes: what they mean is the JVM's to decide, and the agent
/// has to hear of the end.
///
/// They are handled, as in a JVM, and not ignored: programs that the agent starts would go on to ignore them. What the
/// user has had ignored (nohup) stays so, there as well.
pub(crate) fn leave_signals_to_the_jvm() {
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: as C has it; system calls of the agent's that it meets begin anew.
        let before = unsafe { libc::signal(signal, handler()) };
        if before == libc::SIG_IGN {
            // SAFETY: no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
    // Rust ignores this one.
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGPIPE, handler()) };
}

fn handler() -> libc::sighandler_t {
    take_no_notice as extern "C" fn(libc::c_int) as libc::sighandler_t
}

/// There is no JVM any more that would decide: whoever wants this process to end can end it.
fn take_signals_back() {
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: no handler.
        let before = unsafe { libc::signal(signal, libc::SIG_DFL) };
        if before != handler() {
            // SAFETY: what was there, the agent's or the user's.
            unsafe { libc::signal(signal, before) };
        }
    }
}

static CHILD: AtomicBool = AtomicBool::new(false);

extern "C" fn note_child() {
    // Relaxed: nobody else runs in the child yet.
    CHILD.store(true, Ordering::Relaxed);
}

/// From now on [`is_child`] knows.
pub(crate) fn note_forks() {
    // SAFETY: a function that may run in a child.
    unsafe { libc::pthread_atfork(None, None, Some(note_child)) };
}

/// Whether this process was forked by the agent's.
pub(crate) fn is_child() -> bool {
    // Relaxed: as above.
    CHILD.load(Ordering::Relaxed)
}

/// A descriptor that says when the process has ended; `None` where the kernel or an emulator has none.
fn end_of(process: libc::pid_t) -> Option<OwnedFd> {
    // SAFETY: numbers only.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    #[allow(clippy::useless_conversion, reason = "a long is wider elsewhere")]
    let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0)?;
    // SAFETY: the kernel has just made it for us.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Exit handlers that have not come to an end by then wait for what does not come: it would hold the program's terminal
/// and pipes for ever.
const LONGEST_ALONE: Duration = Duration::from_secs(300);

/// The JVM has ended, and the agent's exit handlers have not.
static ALONE: AtomicBool = AtomicBool::new(false);

/// Whether nobody answers any more, while what runs here comes to its end.
pub(crate) fn is_alone() -> bool {
    ALONE.load(Ordering::Acquire)
}

/// For a thread that has nothing to do until the process ends.
pub(crate) fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

/// The JVM never writes into this pipe. Its end says that the JVM is gone, or has become another program; a child that
/// the JVM has forked may hold it open, so the process itself is watched as well.
///
/// Exit handlers that were longer than the JVM waits for them go on alone, for [`LONGEST_ALONE`]; one that is killed leaves nothing behind.
pub(crate) fn end_with(process: libc::pid_t, pipe: File) {
    let watch = move || {
        let process = end_of(process);
        let fds = [
            pipe.as_raw_fd(),
            process.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        ];
        let mut watched = fds.map(|fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        });
        // SAFETY: two structures of ours; one below 0 is left out.
        while unsafe { libc::poll(watched.as_mut_ptr(), 2, -1) } <= 0 {}
        match region() {
            Some(region) if region.state() == State::Left => {
                ALONE.store(true, Ordering::Release);
                take_signals_back();
                region.wake_all();
                std::thread::sleep(LONGEST_ALONE);
                stop();
            }
            _ => stop(),
        }
    };
    if std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(watch)
        .is_err()
    {
        give_up("no thread can be made that watches the JVM");
    }
}
