//! A file without a name, for memory that two processes have.
#![allow(unsafe_code, reason = "memfd_create, and the limit for files")]

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A new one of so many bytes, which programs that are started do not have.
///
/// The limit for files (`ulimit -f`) is one of this memory, too, though nothing is written to a disk: it is higher for
/// this moment, where it may be.
pub(crate) fn file(bytes: usize) -> io::Result<File> {
    let size = bytes as u64;
    let mut before = libc::rlimit64 {
        rlim_cur: libc::RLIM64_INFINITY,
        rlim_max: libc::RLIM64_INFINITY,
    };
    // SAFETY: room for it.
    unsafe { libc::getrlimit64(libc::RLIMIT_FSIZE, &raw mut before) };
    if before.rlim_cur >= size {
        return any_file(bytes);
    }
    if before.rlim_max < size {
        // Not tried: there is a signal besides.
        return Err(io::Error::other(format!(
            "the limit for files is {} KB (ulimit -f), and the memory that it has in common with the VM is a file of {} KB",
            before.rlim_max / 1024,
            size.div_ceil(1024)
        )));
    }
    let higher = libc::rlimit64 {
        rlim_cur: size,
        ..before
    };
    // SAFETY: the structure is ours.
    unsafe { libc::setrlimit64(libc::RLIMIT_FSIZE, &raw const higher) };
    let made = any_file(bytes);
    // SAFETY: as above.
    unsafe { libc::setrlimit64(libc::RLIMIT_FSIZE, &raw const before) };
    made
}

fn any_file(bytes: usize) -> io::Result<File> {
    // SAFETY: a C string.
    let fd = unsafe { libc::memfd_create(c"xrun-bridge".as_ptr(), libc::MFD_CLOEXEC) };
    if fd >= 0 {
        // SAFETY: the kernel has just made it for us.
        let file = unsafe { File::from_raw_fd(fd) };
        file.set_len(bytes as u64)?;
        return Ok(file);
    }
    let error = io::Error::last_os_error();
    // Old kernels, and what watches a container, have no such files.
    let folders = [
        PathBuf::from("/dev/shm"),
        env::temp_dir(),
        PathBuf::from("/tmp"),
    ];
    let mut why = error;
    for folder in folders {
        match in_folder(&folder, bytes) {
            Ok(file) => return Ok(file),
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// One whose name is gone. All of it is there: where a disk is full memory that has none is a signal.
fn in_folder(folder: &Path, bytes: usize) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    let unnamed = options.clone().custom_flags(libc::O_TMPFILE).open(folder);
    let file = unnamed.or_else(|_| {
        // Of this process, which makes one region.
        let name = folder.join(format!("xrun-bridge-{}", std::process::id()));
        let file = options.create_new(true).open(&name)?;
        fs::remove_file(&name)?;
        io::Result::Ok(file)
    })?;
    let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
    loop {
        // SAFETY: numbers only.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } {
            0 => return Ok(file),
            // A signal that is none of ours.
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_memfd_there_are_files_that_leave_no_name() {
        let folder = env::temp_dir().join(format!("nameless-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let file = in_folder(&folder, 1 << 20).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 1 << 20);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir(&folder).unwrap();
        assert!(in_folder(Path::new("/nowhere"), 1).is_err());
    }
}
