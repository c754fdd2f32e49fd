//! Memory that is given out once: what was given back reads as a pattern, and its addresses are not
//! used again before gigabytes have gone by.
//!
//! A range of addresses is taken piece by piece. A piece of which all has been given back becomes a
//! view of one file in memory, the same for all of them, so it costs no memory.
//!
//! # Threads
//! Any; a lock is held while the system maps a piece.
//!
//! # Safety
//! The range is a mapping of ours that is never given back; a piece is remapped only while nobody
//! has any of it. Who reads what he has given back reads the pattern, which is what it is for.
#![allow(unsafe_code, reason = "mmap")]

use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::{self, NonNull};

use parking_lot::Mutex;

/// What is mapped at a time.
const PIECE: usize = 2 << 20;
/// 16 GiB of addresses, or 64 MiB where they are few.
const PIECES: usize = if usize::BITS < u64::BITS { 32 } else { 8192 };
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
    /// How many have something of each piece.
    given: Box<[u32]>,
}

// SAFETY: an address and a file.
unsafe impl Send for Range {}

static RANGE: Mutex<Option<Range>> = Mutex::new(None);

/// So many bytes, zero at first, aligned for words. `None` if they are more than half of a piece, or
/// if the system gives nothing. `pattern` is the same in all calls.
pub(crate) fn take(len: usize, pattern: u8) -> Option<Once> {
    let len = len.max(1).next_multiple_of(WORD);
    if len > PIECE / 2 {
        return None;
    }
    let mut range = RANGE.lock();
    if range.is_none() {
        *range = Range::new(pattern);
    }
    range.as_mut()?.take(len)
}

impl Once {
    /// Where it begins.
    pub(crate) const fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Overwrites it with the pattern, the last byte with zero; nobody may look there any more.
    pub(crate) fn give_back(self, pattern: u8) {
        // SAFETY: the owner's own bytes.
        unsafe { ptr::write_bytes(self.start(), pattern, self.len) };
        // SAFETY: the last of them.
        unsafe { self.start().wrapping_add(self.len - 1).write(0) };
        if let Some(range) = RANGE.lock().as_mut() {
            range.given_back(self.piece);
        }
    }
}

impl Range {
    fn new(pattern: u8) -> Option<Self> {
        // SAFETY: a C string.
        let file = unsafe { libc::memfd_create(c"overwritten".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return None;
        }
        // SAFETY: the kernel has just made it for us.
        let mut file = unsafe { std::fs::File::from_raw_fd(file) };
        let mut line = [pattern; LINE];
        if let Some(last) = line.last_mut() {
            *last = 0;
        }
        file.write_all(&line.repeat(PIECE / LINE)).ok()?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let len = PIECES * PIECE;
        // SAFETY: a new mapping, of which nothing can be read yet.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let mut range = Self {
            start: NonNull::new(start.cast())?,
            pattern: file.into(),
            piece: 0,
            used: 0,
            given: vec![0; PIECES].into_boxed_slice(),
        };
        range.map(0, None).then_some(range)
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
        let full = self.piece;
        let behind = (1..PIECES).map(|step| (full + step) % PIECES);
        let mut free = behind.filter(|&piece| self.given.get(piece) == Some(&0));
        let next = free.next()?;
        if !self.map(next, None) {
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
        // If the system refuses, what stands there stays.
        self.map(piece, Some(self.pattern.as_raw_fd()));
    }

    /// Puts new memory there, or a view of the file; false if the system refuses.
    fn map(&mut self, piece: usize, file: Option<i32>) -> bool {
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
        mapped != libc::MAP_FAILED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERN: u8 = 0xab;

    fn word_at(place: *mut u8) -> u64 {
        // SAFETY: in the range, which stays mapped.
        unsafe { place.cast::<u64>().read() }
    }

    #[test]
    fn what_was_given_back_is_not_given_again() {
        let kept = take(64, PATTERN).unwrap();
        let old = take(100, PATTERN).unwrap();
        let place = old.start();
        assert_eq!(word_at(place), 0);
        old.give_back(PATTERN);
        assert_eq!(word_at(place), u64::from_ne_bytes([PATTERN; 8]));
        let mut others = Vec::new();
        for _ in 0..4 * PIECE / 4096 {
            let other = take(4096, PATTERN).unwrap();
            assert!(!(other.start()..other.start().wrapping_add(4096)).contains(&place));
            others.push(other);
        }
        // SAFETY: `kept` is still ours.
        unsafe { kept.start().write(7) };
        kept.give_back(PATTERN);
        others
            .into_iter()
            .for_each(|other| other.give_back(PATTERN));
        // Now the piece is a view of the file.
        let word = word_at(place) & 0x00ff_ffff_ffff_ffff;
        assert_eq!(
            word,
            u64::from_ne_bytes([PATTERN; 8]) & 0x00ff_ffff_ffff_ffff
        );
        assert!(take(PIECE, PATTERN).is_none());
    }
}
