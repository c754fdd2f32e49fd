//! A file without a name, for memory that two processes have.
#![allow(unsafe_code, reason = "memfd_create, and the limit for files")]

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::FromRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A new one, which programs that are started do not have.
pub(crate) fn file() -> io::Result<File> {
    // SAFETY: a C string.
    let fd = unsafe { libc::memfd_create(c"xrun-bridge".as_ptr(), libc::MFD_CLOEXEC) };
    if fd >= 0 {
        // SAFETY: the kernel has just made it for us.
        return Ok(unsafe { File::from_raw_fd(fd) });
    }
    let error = io::Error::last_os_error();
    // Old kernels, and what watches a container, have no such files.
    let folders = [
        Some(PathBuf::from("/dev/shm")),
        Some(env::temp_dir()),
        Some(PathBuf::from("/tmp")),
    ];
    let mut made = folders
        .into_iter()
        .flatten()
        .map(|folder| in_folder(&folder));
    made.find_map(Result::ok).ok_or(error)
}

/// One whose name is gone.
fn in_folder(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    let nameless = options.clone().custom_flags(libc::O_TMPFILE).open(folder);
    nameless.or_else(|_| {
        // Of this process, which makes one region.
        let name = folder.join(format!("xrun-bridge-{}", std::process::id()));
        let file = options.create_new(true).open(&name)?;
        fs::remove_file(&name)?;
        Ok(file)
    })
}

/// The limit for files (`ulimit -f`) is one of this memory, too, though nothing is written to a disk: it is higher for
/// this moment, where it may be.
pub(crate) fn set_len(file: &File, bytes: u64) -> io::Result<()> {
    let mut before = libc::rlimit64 {
        rlim_cur: libc::RLIM64_INFINITY,
        rlim_max: libc::RLIM64_INFINITY,
    };
    // SAFETY: room for it.
    unsafe { libc::getrlimit64(libc::RLIMIT_FSIZE, &raw mut before) };
    if before.rlim_cur >= bytes {
        return file.set_len(bytes);
    }
    if before.rlim_max < bytes {
        // Not tried: there is a signal besides.
        return Err(io::Error::other(format!(
            "the limit for files is {} KB (ulimit -f), and the memory that it has in common with the VM is a file of {} KB",
            before.rlim_max / 1024,
            bytes.div_ceil(1024)
        )));
    }
    let higher = libc::rlimit64 {
        rlim_cur: bytes,
        ..before
    };
    // SAFETY: the structure is ours.
    unsafe { libc::setrlimit64(libc::RLIMIT_FSIZE, &raw const higher) };
    let done = file.set_len(bytes);
    // SAFETY: as above.
    unsafe { libc::setrlimit64(libc::RLIMIT_FSIZE, &raw const before) };
    done
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn without_memfd_there_are_files_that_leave_no_name() {
        let folder = env::temp_dir().join(format!("nameless-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let file = in_folder(&folder).unwrap();
        set_len(&file, 1 << 20).unwrap();
        file.write_all_at(b"x", 1 << 19).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir(&folder).unwrap();
        assert!(in_folder(Path::new("/nowhere")).is_err());
    }
}
