//! Memory that is given out once: what was given back reads as a pattern, and its addresses are not
//! used again before gigabytes have gone by.
//!
//! A range of addresses is taken piece by piece. A piece of which all has been given back becomes a
//! view of one file in memory, the same for all of them, so it costs no memory. Where addresses are
//! limited the range is smaller, and where the system gives none there is nothing.
//!
//! # Threads
//! Any; a lock is held while the system maps a piece.
//!
//! # Safety
//! The range is a mapping of ours that is never given back; a piece is remapped only while nobody
//! has any of it. Who reads what he has given back reads the pattern, which is what it is for.
#![allow(unsafe_code, reason = "mmap")]

use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::base::log;

/// What is mapped at a time.
const PIECE: usize = 2 << 20;
/// 16 GiB of addresses.
const PIECES: usize = 8192;
/// 64 MiB, where they are few.
const FEW_PIECES: usize = 32;
/// Of a piece that the system did not map: a hole may be there, or what somebody else has put into it.
const LOST: u32 = u32::MAX;
/// A zero stands at the end of each line of the pattern, so that strings have an end.
const LINE: usize = 256;
const WORD: usize = size_of::<u64>();

/// What has been given out.
#[derive(Debug)]
pub(crate) struct Once {
    start: NonNull<u8>,
    len: usize,
    piece: usize,
}

// SAFETY: its memory is its owner's alone.
unsafe impl Send for Once {}

struct Range {
    start: NonNull<u8>,
    /// The pattern, a piece long.
    pattern: OwnedFd,
    /// What is taken from now, and how far.
    piece: usize,
    used: usize,
    /// How many have something of each piece, or [`LOST`].
    given: Box<[u32]>,
    /// The system has refused a piece, and is not asked for another.
    over: bool,
}

// SAFETY: an address and a file.
unsafe impl Send for Range {}

/// Where memory is taken from.
enum Source {
    Untried,
    /// The system is asked once: it is not quick to refuse.
    Refused,
    Had(Range),
}

static SOURCE: Mutex<Source> = Mutex::new(Source::Untried);
/// Whose it is: in a child that was forked, the lock may be held by a thread that is not there.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// So many bytes, zero at first, aligned for words. `None` if they are more than half of a piece, or
/// if the system gives nothing. `pattern` is the same in all calls.
pub(crate) fn take(len: usize, pattern: u8) -> Option<Once> {
    let len = len.max(1).next_multiple_of(WORD);
    if len > PIECE / 2 {
        return None;
    }
    let mut source = SOURCE.lock();
    if matches!(*source, Source::Untried) {
        // Relaxed: who asks has memory of ours, and so knows it.
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        *source = Range::new(pattern).map_or_else(refused, Source::Had);
    }
    match &mut *source {
        Source::Had(range) => range.take(len),
        Source::Untried | Source::Refused => None,
    }
}

/// Whether this process is the one that has taken it, and not a child which was forked.
pub(crate) fn is_of_this_process() -> bool {
    PROCESS.load(Ordering::Relaxed) == std::process::id()
}

fn refused(error: io::Error) -> Source {
    warn(&error);
    Source::Refused
}

fn warn(error: &io::Error) {
    log::warn_once!(
        "{error}: memory of events is used again at once; not all uses of it after its handler are found"
    );
}

impl Once {
    /// Where it begins.
    pub(crate) const fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Overwrites it with the pattern, the last byte with zero; nobody may look there any more.
    pub(crate) fn give_back(self, pattern: u8) {
        self.overwrite(pattern);
        if let Source::Had(range) = &mut *SOURCE.lock() {
            range.given_back(self.piece);
        }
    }

    fn overwrite(&self, pattern: u8) {
        // SAFETY: the owner's own bytes.
        unsafe { ptr::write_bytes(self.start(), pattern, self.len) };
        // SAFETY: the last of them.
        unsafe { self.start().wrapping_add(self.len - 1).write(0) };
    }
}

impl Range {
    fn new(pattern: u8) -> io::Result<Self> {
        // The addresses come first: where they are refused, nothing has been written in vain.
        let pieces = if usize::BITS < u64::BITS || is_limited() {
            FEW_PIECES
        } else {
            PIECES
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // One more, to begin where a large page may.
        let len = (pieces + 1) * PIECE;
        // SAFETY: a new mapping, of which nothing can be read yet.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let pattern = file_of(pattern).inspect_err(|_| {
            // SAFETY: nobody has anything of it.
            unsafe { libc::munmap(start, len) };
        })?;
        let mut range = Self {
            start: NonNull::new(start.cast::<u8>().wrapping_add(start.align_offset(PIECE)))
                .ok_or(io::ErrorKind::OutOfMemory)?,
            pattern,
            piece: 0,
            used: 0,
            given: vec![0; pieces].into_boxed_slice(),
            over: false,
        };
        // If that fails, the addresses stay taken: some may be somebody else's by now.
        range.map(0, None)?;
        Ok(range)
    }

    fn take(&mut self, len: usize) -> Option<Once> {
        if self.used + len > PIECE {
            self.next_piece()?;
        }
        let at = self.piece * PIECE + self.used;
        self.used += len;
        *self.given.get_mut(self.piece)? += 1;
        // SAFETY: within the range.
        let start = unsafe { self.start.add(at) };
        let piece = self.piece;
        Some(Once { start, len, piece })
    }

    /// Goes on in the next piece that nobody has anything of.
    fn next_piece(&mut self) -> Option<()> {
        if self.over {
            return None;
        }
        let full = self.piece;
        let pieces = self.given.len();
        let behind = (1..pieces).map(|step| (full + step) % pieces);
        let mut free = behind.filter(|&piece| self.given.get(piece) == Some(&0));
        let next = free.next()?;
        if let Err(error) = self.map(next, None) {
            self.over = true;
            warn(&error);
            return None;
        }
        self.piece = next;
        self.used = 0;
        if self.given.get(full) == Some(&0) {
            self.retire(full);
        }
        Some(())
    }

    fn given_back(&mut self, piece: usize) {
        if let Some(given) = self.given.get_mut(piece) {
            *given -= 1;
            if *given == 0 && piece != self.piece {
                self.retire(piece);
            }
        }
    }

    /// Nobody has anything of it, and nobody gets anything of it for a while.
    fn retire(&mut self, piece: usize) {
        // If the system refuses, that is noted of the piece.
        let _ = self.map(piece, Some(self.pattern.as_raw_fd()));
    }

    /// Puts new memory there, or a view of the file. If the system refuses, the piece is lost.
    fn map(&mut self, piece: usize, file: Option<i32>) -> io::Result<()> {
        let kind = if file.is_some() {
            0
        } else {
            libc::MAP_ANONYMOUS
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | kind;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: within the range.
        let at = unsafe { self.start.add(piece * PIECE) };
        // SAFETY: nobody has anything of this piece.
        let mapped = unsafe {
            libc::mmap(
                at.as_ptr().cast(),
                PIECE,
                access,
                flags,
                file.unwrap_or(-1),
                0,
            )
        };
        if mapped != libc::MAP_FAILED {
            if file.is_none() && piece > 0 {
                // Of who has used up one, and soon uses all of the next: a fault where hundreds would be. A wish.
                // SAFETY: what was just mapped.
                unsafe { libc::madvise(mapped, PIECE, libc::MADV_HUGEPAGE) };
            }
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if let Some(given) = self.given.get_mut(piece) {
            *given = LOST;
        }
        Err(error)
    }
}

/// A file in memory of a piece of the pattern.
fn file_of(pattern: u8) -> io::Result<OwnedFd> {
    // SAFETY: a C string.
    let file = unsafe { libc::memfd_create(c"overwritten".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it for us.
    let mut file = unsafe { std::fs::File::from_raw_fd(file) };
    let mut line = [pattern; LINE];
    if let Some(last) = line.last_mut() {
        *last = 0;
    }
    file.write_all(&line.repeat(PIECE / LINE))?;
    Ok(file.into())
}

/// Whether addresses or promises of memory are counted: what the range has of them, the VM has not.
fn is_limited() -> bool {
    let is_finite = |which| {
        let mut limit = libc::rlimit {
            rlim_cur: libc::RLIM_INFINITY,
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: a local out-parameter.
        unsafe { libc::getrlimit(which, &raw mut limit) };
        limit.rlim_cur != libc::RLIM_INFINITY
    };
    let is_strict = || {
        let mode = std::fs::read_to_string("/proc/sys/vm/overcommit_memory");
        mode.is_ok_and(|mode| mode.trim() == "2")
    };
    is_finite(libc::RLIMIT_AS) || is_finite(libc::RLIMIT_DATA) || is_strict()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERN: u8 = 0xab;

    fn word_at(place: *mut u8) -> u64 {
        // SAFETY: in the range, which stays mapped.
        unsafe { place.cast::<u64>().read() }
    }

    fn byte_at(place: *mut u8) -> u8 {
        // SAFETY: in the range, which stays mapped.
        unsafe { place.read() }
    }

    fn give_back(range: &mut Range, once: &Once) {
        once.overwrite(PATTERN);
        range.given_back(once.piece);
    }

    #[test]
    fn what_was_given_back_is_not_given_again() {
        // One of its own: nothing of another test's keeps a piece.
        let mut range = Range::new(PATTERN).unwrap();
        let kept = range.take(64).unwrap();
        let old = range.take(104).unwrap();
        let place = old.start();
        assert_eq!(word_at(place), 0);
        give_back(&mut range, &old);
        assert_eq!(word_at(place), u64::from_ne_bytes([PATTERN; 8]));
        let mut others = Vec::new();
        for _ in 0..4 * PIECE / 4096 {
            let other = range.take(4096).unwrap();
            assert!(!(other.start()..other.start().wrapping_add(4096)).contains(&place));
            others.push(other);
        }
        // What the file has of zeros within a block: at the end of the first line that ends in it.
        let first = others.first().unwrap().start();
        let end_of_line = first.wrapping_add(LINE - 1 - first.addr() % LINE);
        // SAFETY: `kept` is still ours.
        unsafe { kept.start().write(7) };
        // All of the first piece but `kept`, so that the block still says what was written there.
        others.iter().for_each(|other| give_back(&mut range, other));
        assert_eq!(byte_at(end_of_line), PATTERN);
        give_back(&mut range, &kept);
        // Now the piece is a view of the file.
        assert_eq!(byte_at(end_of_line), 0);
        assert_eq!(byte_at(end_of_line.wrapping_add(1)), PATTERN);
        assert!(take(PIECE, PATTERN).is_none());
    }

    #[test]
    fn a_forked_child_is_another_process() {
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        assert!(is_of_this_process());
        // SAFETY: the child only asks for its number.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(is_of_this_process())) };
        }
        let mut status = -1;
        // SAFETY: a local out-parameter.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
    }

    #[test]
    fn a_lost_piece_is_not_given_out() {
        let mut range = Range::new(PATTERN).unwrap();
        *range.given.get_mut(1).unwrap() = LOST;
        let pieces: Vec<_> = (0..4)
            .map(|_| range.take(PIECE / 2).unwrap().piece)
            .collect();
        assert_eq!(pieces, [0, 0, 2, 2]);
        range.over = true;
        assert!(range.take(PIECE / 2).is_none());
    }
}
