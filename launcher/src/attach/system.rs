//! Calls of the kernel's that std does not have.
//!
//! # Safety
//! They take numbers and buffers of ours. xrun has one thread here.
#![allow(unsafe_code, reason = "system calls")]

use std::fs::OpenOptions;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

/// To read a file that lies where another user may put things: no link is followed, and no pipe
/// waited for.
pub(crate) fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// The user that xrun acts as.
pub(crate) fn user() -> u32 {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() }
}

/// A process that keeps its number as long as this is held.
#[derive(Debug)]
pub(crate) struct Held(OwnedFd);

impl Held {
    pub(crate) fn of(pid: i32) -> io::Result<Self> {
        // SAFETY: numbers.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let descriptor = i32::try_from(descriptor).unwrap_or(-1);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a descriptor that the kernel has just made for us.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: i32) -> io::Result<()> {
        let (fd, none) = (self.0.as_raw_fd(), std::ptr::null::<libc::siginfo_t>());
        // SAFETY: a descriptor of ours, and no siginfo.
        let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, none, 0) };
        if sent == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

/// Runs `body` as this user and group, as far as files and sockets are concerned; as root only,
/// others are nobody else. Without it if the kernel refuses that.
pub(crate) fn acting_as<T>(
    uid: u32,
    gid: u32,
    body: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    // SAFETY: it only asks.
    let group = unsafe { libc::getegid() };
    if user() != 0 || uid == 0 {
        return body();
    }
    let done = |code| match code {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    };
    // SAFETY: numbers.
    let became = done(unsafe { libc::setegid(gid) })
        // SAFETY: likewise.
        .and_then(|()| done(unsafe { libc::seteuid(uid) }));
    let result = became.and_then(|()| body());
    // SAFETY: likewise, back to what it was.
    unsafe { libc::seteuid(0) };
    // SAFETY: likewise.
    unsafe { libc::setegid(group) };
    result
}

/// Signals that ask xrun to end, held back: whoever waits sees them ([`Interrupts::within`]).
#[derive(Debug)]
pub(crate) struct Interrupts(libc::sigset_t);

impl Interrupts {
    /// From now on they do not end xrun.
    pub(crate) fn hold() -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: it fills our variable.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        // SAFETY: filled by the line above.
        let mut set = unsafe { set.assume_init() };
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: a set of ours.
            unsafe { libc::sigaddset(&raw mut set, signal) };
        }
        // SAFETY: a set of ours; the old mask is not asked for.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
        Self(set)
    }

    /// Waits so long, or until one of them comes: whether one did.
    pub(crate) fn within(&self, time: Duration) -> bool {
        let time = libc::timespec {
            tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: libc::c_long::from(time.subsec_nanos().cast_signed()),
        };
        // SAFETY: a set and a time of ours; what came is not asked for.
        let came =
            unsafe { libc::sigtimedwait(&raw const self.0, std::ptr::null_mut(), &raw const time) };
        came > 0
    }
}
