//! Recordings in memory: mapped, so that those that are larger than memory can be read, too.

#![allow(
    unsafe_code,
    reason = "mapping a file and locking it have no safe interface"
)]

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::os::fd::AsRawFd as _;
use std::path::Path;

use memmap2::{Advice, Mmap};

/// A file's bytes.
pub(crate) enum RecordingFile {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl RecordingFile {
    /// One that is still being written is read, for it may become shorter.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() && !is_written(&file) {
            // SAFETY: nobody writes a recording once its recorder has let it go.
            let mapped = unsafe { Mmap::map(&file) };
            if let Ok(mapped) = mapped {
                let _ = mapped.advise(Advice::Sequential);
                return Ok(Self::Mapped(mapped));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }
}

impl Deref for RecordingFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(mapped) => mapped,
            Self::Read(bytes) => bytes,
        }
    }
}

/// Whether a recorder has locked it. The lock is not kept: a reader is in no recorder's way.
fn is_written(file: &File) -> bool {
    let lock = |how| {
        // SAFETY: a descriptor of ours.
        unsafe { libc::flock(file.as_raw_fd(), how) == 0 }
    };
    if !lock(libc::LOCK_SH | libc::LOCK_NB) {
        return true;
    }
    lock(libc::LOCK_UN);
    false
}
