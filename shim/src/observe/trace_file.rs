//! The file of a recording: pieces of it are mapped, and threads write into them.
//!
//! What is in a mapping is in the file, whatever becomes of the process, and so is what was
//! appended. The room is reserved before, so a full disk is an answer and no signal.
//!
//! # Safety
//! Pieces do not overlap: each byte behind the header is given out once at a time, under
//! a lock. The file is ours alone: it was made anew, and is locked against a second
//! recorder.
#![allow(unsafe_code, reason = "mmap")]

use std::ffi::c_void;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::ptr::NonNull;
use std::time::SystemTime;

use own_files::{Fresh, Put, Target, is_refusal, look_up, may_be_written_over};
use parking_lot::Mutex;
use recording_format::{HEADER_LEN, PAGE};

use crate::base::log;

/// A file being recorded into.
pub(crate) struct TraceFile {
    file: File,
    room: Mutex<Room>,
    header: Mutex<Piece>,
}

/// What of the file is in use.
struct Room {
    /// All behind this has never been given out.
    end: u64,
    /// All before this is reserved on the disk.
    reserved: u64,
    /// Pieces that were given back: place and length, whole pages of zeros.
    free: Vec<(u64, usize)>,
}

/// A piece of the file in memory.
pub(crate) struct Piece {
    address: NonNull<u8>,
    len: usize,
    place: u64,
    /// Bytes that are mapped before the first one: the kernel's pages may be longer than ours.
    before: usize,
}

// SAFETY: memory that belongs to whoever has the piece.
unsafe impl Send for Piece {}

impl Piece {
    /// Its bytes.
    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: mapped for as long as the piece lives, and nobody else's.
        unsafe { std::slice::from_raw_parts_mut(self.address.as_ptr(), self.len) }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let address = self.address.as_ptr().wrapping_sub(self.before);
        // SAFETY: as it was mapped; the bytes stay in the file.
        unsafe { libc::munmap(address.cast::<c_void>(), self.before + self.len) };
    }
}

impl TraceFile {
    /// Makes the file anew, for its owner's eyes: what the agent is told of the program is in
    /// it. A recording that was there is gone then; it does not stay until this one is whole,
    /// for this one is of use however early it ends.
    ///
    /// # Errors
    /// If it cannot be made, another process records into it (`WouldBlock`), it was changed
    /// after `since` (`AlreadyExists`), or it is no recording (`InvalidData`) and not to be
    /// replaced by `force`.
    pub(crate) fn create(path: &Path, since: Option<SystemTime>, force: bool) -> io::Result<Self> {
        let place = match look_up(path)? {
            Target::New(place) | Target::File(place) => place,
            Target::Special(_) => {
                let text = "a recording needs a file, of which parts can be mapped";
                return Err(io::Error::new(io::ErrorKind::Unsupported, text));
            }
        };
        let Some((mut file, new)) = own_files::claim(&place, take)? else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        if !new {
            let data = file.metadata()?;
            if let Some(since) = since
                && data.len() > 0
                && data.modified()? > since
            {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            if !force && !is_recording(&file)? {
                let text = "it is there and no recording; trace-force=on replaces it";
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            // Who has the old one open sees nothing of what is recorded now.
            match Fresh::beside(&place) {
                Ok(fresh) => {
                    take(fresh.file());
                    // Where that name stays with the old one, that is emptied: a mount, or somebody else's in `/tmp`.
                    let may_copy = |reason: &io::Error| may_be_written_over(&file, reason);
                    match fresh.put_in_place_or_copy(&file, may_copy)? {
                        Put::InPlace(fresh) => file = fresh,
                        Put::Copied => {
                            log::warning!(
                                "trace={}: no file can take its place; it is written over",
                                path.display()
                            );
                        }
                        Put::Refused(_) => {
                            let text = "it is another user's, and no file can take its place";
                            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
                        }
                    }
                }
                // The file is ours to write, its folder is not.
                Err(error) if is_refusal(&error) && may_be_written_over(&file, &error) => {
                    file.set_len(0)?;
                }
                Err(error) => return Err(error),
            }
        }
        let reserved = reserve(&file, 0, HEADER_LEN as u64)?;
        let header = map(&file, 0, HEADER_LEN, own_page())?;
        Ok(Self {
            file,
            room: Mutex::new(Room {
                end: HEADER_LEN as u64,
                reserved,
                free: Vec::new(),
            }),
            header: Mutex::new(header),
        })
    }

    /// Lets `write` change the header's bytes.
    pub(crate) fn with_header(&self, write: impl FnOnce(&mut [u8])) {
        write(self.header.lock().bytes());
    }

    /// A piece of zeros, of this length in whole pages.
    ///
    /// # Errors
    /// If there is no room on the disk, or no memory.
    pub(crate) fn piece(&self, len: usize) -> io::Result<Piece> {
        let len = len.next_multiple_of(PAGE);
        let place = self.room.lock().take(&self.file, len)?;
        map(&self.file, place, len, own_page())
    }

    /// Takes back a piece, which is zeros again.
    pub(crate) fn give_back(&self, piece: Piece) {
        let (place, len) = (piece.place, piece.len);
        drop(piece);
        self.room.lock().free.push((place, len));
    }

    /// Puts these whole pages somewhere into the file.
    ///
    /// # Errors
    /// If there is no room on the disk.
    pub(crate) fn append(&self, pages: &[u8]) -> io::Result<()> {
        let place = self.room.lock().take(&self.file, pages.len())?;
        self.file.write_all_at(pages, place)
    }

    /// Gives the disk back what nobody has asked for.
    pub(crate) fn trim(&self) {
        let mut room = self.room.lock();
        if self.file.set_len(room.end).is_ok() {
            room.reserved = room.end;
        }
    }
}

/// Locks a file; false if somebody else has.
fn take(file: &File) -> bool {
    // SAFETY: a descriptor of ours.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// Whether nothing would be lost but a recording.
fn is_recording(file: &File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(HEADER_LEN as u64).read_to_end(&mut head)?;
    Ok(head.is_empty() || recording_format::is_one(&head))
}

impl Room {
    /// A place of just this length.
    fn take(&mut self, file: &File, len: usize) -> io::Result<u64> {
        let fits = self.free.iter_mut().find(|(_, free)| *free >= len);
        let Some((place, free)) = fits else {
            return self.extend(file, len);
        };
        let taken = *place;
        *place += len as u64;
        *free -= len;
        self.free.retain(|&(_, free)| free > 0);
        Ok(taken)
    }

    fn extend(&mut self, file: &File, len: usize) -> io::Result<u64> {
        /// So that it is asked for seldom.
        const STEP: u64 = 4 << 20;
        let place = self.end;
        let end = place + len as u64;
        if end > self.reserved {
            let more = reserve(file, self.reserved, STEP.max(end - self.reserved));
            let exactly = || reserve(file, self.reserved, end - self.reserved);
            self.reserved = more.or_else(|_| exactly())?;
        }
        self.end = end;
        Ok(place)
    }
}

/// Reserves room on the disk; where the file ends then.
fn reserve(file: &File, from: u64, len: u64) -> io::Result<u64> {
    let place = libc::off_t::try_from(from).unwrap_or(libc::off_t::MAX);
    let count = libc::off_t::try_from(len).unwrap_or(libc::off_t::MAX);
    // SAFETY: a descriptor of ours.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), place, count) } {
        0 => Ok(from + len),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// How long the kernel's pages are: 16 or 64 KiB on some AArch64.
fn own_page() -> u64 {
    // SAFETY: no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(page).unwrap_or(0).max(PAGE as u64)
}

/// Maps a piece of the file, from the begin of the kernel's page on in which it begins. What else is
/// there belongs to others, who have mappings of their own of the same memory.
fn map(file: &File, place: u64, len: usize, page: u64) -> io::Result<Piece> {
    let begin = place - place % page;
    let before = usize::try_from(place - begin).map_err(io::Error::other)?;
    let offset = libc::off_t::try_from(begin).unwrap_or(libc::off_t::MAX);
    // SAFETY: a new mapping, of a part of the file that is there.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            before + len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            offset,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // All pages at once cost less than one by one; Linux before 5.14 does not know it.
    // SAFETY: our mapping.
    unsafe { libc::madvise(address, before + len, libc::MADV_POPULATE_WRITE) };
    let address = address.cast::<u8>().wrapping_add(before);
    let address = NonNull::new(address).ok_or(io::ErrorKind::OutOfMemory)?;
    Ok(Piece {
        address,
        len,
        place,
        before,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As where the kernel's pages are longer than a recording's.
    #[test]
    fn pieces_begin_within_pages_of_the_kernels() {
        const LONG: u64 = 16 * PAGE as u64;
        let path = std::env::temp_dir().join(format!("pieces-{}", std::process::id()));
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        reserve(&file, 0, 3 * LONG).unwrap();
        let places = [3_u8, 17, 18, 32];
        let map_at = |at: u8| map(&file, u64::from(at) * PAGE as u64, 2 * PAGE, LONG);
        let mut pieces = places.map(|at| map_at(at).unwrap());
        for (piece, at) in pieces.iter_mut().zip(places) {
            let half = piece.bytes().iter_mut().take(PAGE);
            half.for_each(|byte| *byte = at);
        }
        drop(pieces);
        for at in 0..40 {
            let mut page = [1; PAGE];
            file.read_exact_at(&mut page, u64::from(at) * PAGE as u64)
                .unwrap();
            let wanted = if places.contains(&at) { at } else { 0 };
            assert_eq!(page, [wanted; PAGE]);
        }
    }
}
