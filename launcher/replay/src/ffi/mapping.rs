//! A recording in memory, which the kernel reads and forgets as it is needed.
#![allow(unsafe_code, reason = "mmap")]

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use recording_format::{Error, Recording};

/// What has been mapped: addresses and lengths.
static MAPPED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// The bytes of a file, for as long as the process lives: threads of an agent may outlive
/// everything.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn bytes_of(mut file: File) -> io::Result<&'static [u8]> {
    let len = file.metadata()?.len();
    // SAFETY: a descriptor of ours. The lock keeps recorders of ours from writing over what is
    // mapped; the end of the process gives it back.
    let locked = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_SH | libc::LOCK_NB) } == 0;
    if !locked || len == 0 {
        // It is being recorded: what is there by now.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(bytes.leak());
    }
    let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // SAFETY: a new mapping, only to be read.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ,
            libc::MAP_PRIVATE,
            file.as_raw_fd(),
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // Its lock lasts as long as the mapping.
    std::mem::forget(file);
    let mut mapped = MAPPED.lock();
    mapped.push((address.expose_provenance(), len));
    // SAFETY: mapped for ever, and nobody of ours writes into the file.
    Ok(unsafe { std::slice::from_raw_parts(address.cast(), len) })
}

/// The recording in these bytes.
///
/// # Errors
/// If there is none.
pub(crate) fn recording_in(bytes: &'static [u8]) -> Result<Recording<'static>, Error> {
    /// Blocks have up to 1 MiB.
    const OFTEN: usize = 8;
    let mut blocks = 0;
    Recording::read_noting(bytes, || {
        blocks += 1;
        if blocks % OFTEN == 0 {
            forget();
        }
    })
}

/// A record has been read: from time to time what has been read is forgotten. Who asks for it
/// again has it again.
pub(crate) fn note_read() {
    const OFTEN: u64 = 1 << 20;
    static READ: AtomicU64 = AtomicU64::new(0);
    if READ.fetch_add(1, Ordering::Relaxed) % OFTEN == OFTEN - 1 {
        forget();
    }
}

/// Gives the kernel the memory of what is mapped back.
pub(crate) fn forget() {
    let mapped = MAPPED.lock();
    for &(address, len) in mapped.iter() {
        let address = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: our mapping of a file, which is read again where it is needed.
        unsafe { libc::madvise(address, len, libc::MADV_DONTNEED) };
    }
}
