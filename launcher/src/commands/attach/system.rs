//! Calls of the kernel's that std does not have.
//!
//! # Safety
//! They take numbers and buffers of ours. xrun has one thread here.
#![allow(unsafe_code, reason = "system calls")]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// What this name stands for below `root`, links too, held and not opened. `None` if the kernel
/// cannot do that (before 5.6), or may not be asked.
pub(crate) fn place_in_root(root: &File, name: &Path) -> Option<io::Result<File>> {
    let name = match CString::new(name.as_os_str().as_bytes()) {
        Ok(name) => name,
        Err(error) => return Some(Err(error.into())),
    };
    // SAFETY: numbers, of which zeros ask for nothing.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::from((libc::O_PATH | libc::O_CLOEXEC).cast_unsigned());
    how.resolve = libc::RESOLVE_IN_ROOT | libc::RESOLVE_NO_MAGICLINKS;
    // SAFETY: a descriptor, a C string and a structure of its size, all ours.
    let made = unsafe {
        libc::syscall(
            libc::SYS_openat2,
            root.as_raw_fd(),
            name.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        )
    };
    if let Ok(descriptor @ 0..) = i32::try_from(made) {
        // SAFETY: the kernel has just made it for us.
        return Some(Ok(unsafe { File::from_raw_fd(descriptor) }));
    }
    let error = io::Error::last_os_error();
    // Filters answer EPERM, which no look-up does; EAGAIN asks to look once more.
    match error.raw_os_error() {
        Some(libc::ENOSYS | libc::EPERM | libc::EAGAIN) => None,
        _ => Some(Err(error)),
    }
}

/// The user that xrun acts as.
pub(crate) fn user() -> u32 {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() }
}

/// A process to be sent a signal. It keeps its number as long as this is held, where the kernel
/// can do that and lets us (5.3, no filter of system calls before it).
#[derive(Debug)]
pub(crate) struct Held {
    pid: i32,
    descriptor: Option<OwnedFd>,
}

impl Held {
    /// `None` if there is none.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        // SAFETY: numbers.
        let made = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let made = i32::try_from(made).unwrap_or(-1);
        if made < 0 && has_ended(&io::Error::last_os_error()) {
            return None;
        }
        // SAFETY: a descriptor that the kernel has just made for us.
        let descriptor = (made >= 0).then(|| unsafe { OwnedFd::from_raw_fd(made) });
        Some(Self { pid, descriptor })
    }

    /// Sends it a signal; whoever does looks before whether it is still the same process.
    pub(crate) fn signal(&self, signal: i32) -> io::Result<()> {
        if let Some(held) = &self.descriptor {
            let (fd, none) = (held.as_raw_fd(), std::ptr::null::<libc::siginfo_t>());
            // SAFETY: a descriptor of ours, and no siginfo.
            let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, none, 0) };
            if sent == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            if has_ended(&error) {
                return Err(error);
            }
        }
        // SAFETY: numbers.
        if unsafe { libc::kill(self.pid, signal) } == 0 {
            return Ok(());
        }
        Err(io::Error::last_os_error())
    }
}

/// Whether it says that there is no such process; others say what the kernel cannot, or we may
/// not.
pub(crate) fn has_ended(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}

/// Runs `body` as this user and group, as far as files and sockets are concerned; as root only,
/// others are nobody else. An error if the kernel refuses that, or the way back.
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
    let groups = own_groups()?;
    // Root's other groups open what this user may not. Where nobody may leave his groups, they stay.
    // SAFETY: no group at all.
    unsafe { libc::setgroups(0, std::ptr::null()) };
    // SAFETY: numbers.
    let became = done(unsafe { libc::setegid(gid) })
        // SAFETY: likewise.
        .and_then(|()| done(unsafe { libc::seteuid(uid) }));
    let result = became.and_then(|()| body());
    // SAFETY: likewise, back to what it was.
    let back = done(unsafe { libc::seteuid(0) })
        // SAFETY: likewise.
        .and_then(|()| done(unsafe { libc::setegid(group) }));
    // SAFETY: as many as there are.
    unsafe { libc::setgroups(groups.len(), groups.as_ptr()) };
    back.and(result)
}

/// The groups that xrun is in beside its first.
fn own_groups() -> io::Result<Vec<libc::gid_t>> {
    // SAFETY: it only says how many there are.
    let count = unsafe { libc::getgroups(0, std::ptr::null_mut()) };
    let mut groups = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: room for as many.
    let count = unsafe { libc::getgroups(count.max(0), groups.as_mut_ptr()) };
    let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
    groups.truncate(count);
    Ok(groups)
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

    /// Waits so long, or until one of them comes: which did. Of no time, it only looks.
    pub(crate) fn within(&self, time: Duration) -> Option<i32> {
        let time = libc::timespec {
            tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: libc::c_long::from(time.subsec_nanos().cast_signed()),
        };
        // SAFETY: a set and a time of ours; what came is not asked for.
        let came =
            unsafe { libc::sigtimedwait(&raw const self.0, std::ptr::null_mut(), &raw const time) };
        (came > 0).then_some(came)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_reach_a_process_that_cannot_be_held() {
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let held = Held::of(pid).unwrap();
        held.signal(0).unwrap();
        let not_held = Held {
            pid,
            descriptor: None,
        };
        not_held.signal(libc::SIGKILL).unwrap();
        child.wait().unwrap();
        for gone in [held, not_held] {
            assert!(has_ended(&gone.signal(0).unwrap_err()));
        }
        assert!(Held::of(i32::MAX).is_none());
    }
}
