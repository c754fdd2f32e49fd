//! Whether a file is another process's output.
#![allow(unsafe_code, reason = "flock, which std has only since 1.89")]

use std::fs::File;
use std::os::fd::AsRawFd as _;

/// Makes the file ours until this process ends; false if it is somebody else's.
pub(crate) fn take(file: &File) -> bool {
    // SAFETY: a descriptor that is open; no memory is involved.
    let taken = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0;
    // Devices and odd file systems have no locks: nothing to fear there.
    taken || std::io::Error::last_os_error().raw_os_error() != Some(libc::EWOULDBLOCK)
}
