//! A recording in memory, which the kernel reads and forgets as it is needed.
#![allow(
    unsafe_code,
    reason = "mapping a file and locking it have no safe interface"
)]

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::{Mmap, UncheckedAdvice};
use recording_format::{Error, Recording, Source};

/// The bytes of a file.
#[derive(Debug)]
pub struct RecordingFile {
    bytes: Bytes,
    /// How many blocks have been read.
    read: AtomicUsize,
}

#[derive(Debug)]
enum Bytes {
    Mapped {
        bytes: Mmap,
        /// Its lock keeps recorders of ours from writing over what is mapped.
        _locked: File,
    },
    Read(Vec<u8>),
}

impl RecordingFile {
    /// Of a file that is open. What is still being recorded is what there is by now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn new(mut file: File) -> io::Result<Self> {
        let is_mapped = file
            .metadata()
            .is_ok_and(|data| data.is_file() && data.len() > 0);
        // SAFETY: a descriptor of ours.
        let lock = || unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_SH | libc::LOCK_NB) == 0 };
        if is_mapped && lock() {
            // SAFETY: nobody of ours writes into it while it is locked.
            let bytes = unsafe { Mmap::map(&file) }?;
            return Ok(Self::of(Bytes::Mapped {
                bytes,
                _locked: file,
            }));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::of(Bytes::Read(bytes)))
    }

    fn of(bytes: Bytes) -> Self {
        Self {
            bytes,
            read: AtomicUsize::new(0),
        }
    }

    /// The recording in it.
    ///
    /// # Errors
    /// If there is none.
    pub fn recording(&self) -> Result<Recording<'_>, Error> {
        Recording::read_noting(self, Some(self))
    }

    /// Gives the kernel the memory of what is mapped back: it reads again what is needed again.
    fn forget(&self) {
        if let Bytes::Mapped { bytes, .. } = &self.bytes {
            // SAFETY: a mapping of a file that nobody writes into has the same bytes again.
            let _ = unsafe { bytes.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
    }
}

impl Source for RecordingFile {
    fn block_read(&self) {
        const OFTEN: usize = 8;
        // Relaxed: a count; nobody reads anything because of it.
        if (self.read.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(OFTEN) {
            self.forget();
        }
    }
}

impl Deref for RecordingFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped { bytes, .. } => bytes,
            Bytes::Read(bytes) => bytes,
        }
    }
}
