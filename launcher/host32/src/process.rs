//! The process: its descriptors, signals, children and end.
#![allow(
    unsafe_code,
    reason = "close, signals, and exit in C's way and without it"
)]

use std::fs::File;
use std::io;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{FromRawFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lanes::State;

use crate::{region, say};

/// As `main` would: the agent's exit handlers run.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: any code.
    unsafe { libc::exit(code) }
}

/// At once: there is nobody left to talk to. Should there be, the agent has not called exit(), and the program goes on.
fn stop() -> ! {
    if let Some(region) = region() {
        region.fail();
    }
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
/// opened; `ours` is what we were started with.
pub(crate) fn close_what_is_the_programs(ours: &[RawFd]) {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let numbers = open
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let beyond_stderr = numbers.filter(|number| *number > 2 && !ours.contains(number));
    for number in beyond_stderr.collect::<Vec<RawFd>>() {
        // SAFETY: nothing here is ours; the folder itself is closed by now.
        unsafe { libc::close(number) };
    }
}

/// Agents close numbers one by one, as daemons do, and mostly those that there once were.
const BEYOND_LOOPS: RawFd = 1024;

/// The same file at a number that is out of the agent's way, if there may be such; programs that it starts do not have
/// it. It stays open: what an agent has closed is not closed again, for the number may be the agent's by then.
fn out_of_the_way(number: RawFd) -> RawFd {
    // SAFETY: a number only.
    let far = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, BEYOND_LOOPS) };
    if far < 0 {
        return number;
    }
    // SAFETY: ours, and nothing of the agent's has run.
    unsafe { libc::close(number) };
    far
}

/// A descriptor that we were started with. Before anything of the agent's has run.
///
/// # Errors
/// If it is none.
pub(crate) fn inherited(number: RawFd) -> io::Result<RawFd> {
    // SAFETY: a number only.
    if unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(out_of_the_way(number))
}

/// The file, for a moment: it stays open.
pub(crate) fn file(number: RawFd) -> ManuallyDrop<File> {
    // SAFETY: one of ours, which is not closed.
    ManuallyDrop::new(unsafe { File::from_raw_fd(number) })
}

/// What this process becomes has it, too.
pub(crate) fn hand_down(number: RawFd) {
    // SAFETY: a number only.
    unsafe { libc::fcntl(number, libc::F_SETFD, 0) };
}

/// Device and inode of what a descriptor is.
fn identity(number: RawFd) -> Option<(u64, u64)> {
    let mut said = MaybeUninit::<libc::stat64>::uninit();
    // SAFETY: room for it.
    if unsafe { libc::fstat64(number, said.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: it has been written.
    let said = unsafe { said.assume_init() };
    Some((said.st_dev, said.st_ino))
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

/// A descriptor that says when the process has ended; -1 where the kernel or an emulator has none.
fn end_of(process: libc::pid_t) -> RawFd {
    // SAFETY: numbers only.
    let number = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    #[allow(clippy::useless_conversion, reason = "a long is wider elsewhere")]
    let number = i32::try_from(number).unwrap_or(-1);
    if number < 0 {
        return -1;
    }
    out_of_the_way(number)
}

/// No signal comes to this thread any more, nor to those that it makes; what was before.
fn block_signals() -> libc::sigset_t {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: room for it.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: written by now, and room for the other.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
    // SAFETY: these arguments are not refused.
    unsafe { before.assume_init() }
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
        // Not park(): a thread that ends does not know itself any more.
        std::thread::sleep(LONGEST_ALONE);
    }
}

/// How often is asked for the JVM's process itself.
const INTERVAL_MS: libc::c_int = 1000;

/// Comes back when the JVM is gone, or has become another program.
///
/// The agent may have closed what is watched, or have a file of its own at that number: of descriptors only the pipe's own
/// end counts, and the process's is just a reason to ask whether it still is our parent. Without both, that alone is
/// asked; a JVM that becomes another program is not noticed then.
fn await_end(process: libc::pid_t, end: RawFd, pipe: RawFd, is: Option<(u64, u64)>) {
    let mut watched = [pipe, end].map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    loop {
        // Never for long: a process that was stopped goes on with whatever has those numbers by then.
        // SAFETY: two structures of ours; one below 0 is left out.
        let ready = unsafe { libc::poll(watched.as_mut_ptr(), 2, INTERVAL_MS) };
        // SAFETY: a number only.
        if unsafe { libc::getppid() } != process {
            return;
        }
        if ready < 0 {
            // It may be refused for good.
            std::thread::sleep(Duration::from_millis(u64::from(INTERVAL_MS.unsigned_abs())));
        }
        if ready <= 0 {
            continue;
        }
        if watched[0].revents & libc::POLLHUP != 0 && is.is_some() && identity(pipe) == is {
            return;
        }
        for entry in &mut watched {
            if entry.revents != 0 {
                entry.fd = -1;
            }
        }
    }
}

/// The JVM never writes into this pipe. Its end says that the JVM is gone, or has become another program; a child that
/// the JVM has forked may hold it open, so the process itself is watched as well.
///
/// Signals that the agent has handlers for are other threads'.
///
/// Exit handlers that were longer than the JVM waits for them go on alone, for [`LONGEST_ALONE`]; one that is killed leaves nothing behind.
pub(crate) fn end_with(process: libc::pid_t, pipe: RawFd) {
    // Before anything of the agent's runs.
    let (end, is) = (end_of(process), identity(pipe));
    let watch = move || {
        await_end(process, end, pipe, is);
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
    // The new thread begins with what is blocked here.
    let before = block_signals();
    let made = std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(watch);
    // SAFETY: what was.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    if made.is_err() {
        give_up("no thread can be made that watches the JVM");
    }
}
