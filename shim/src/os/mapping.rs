//! Memory from the system that grows without being copied: `mremap` moves pages,
//! not bytes. Untouched pages cost nothing.
//!
//! # Threads
//! Fit for callbacks of a heap walk: system calls, and memory of C's for what the system says
//! of itself, before a large step.
//!
//! # Safety
//! `start` is the start of a private anonymous mapping of `capacity` bytes, readable
//! and writable, that nobody else knows; or dangling while `capacity` is 0.
#![allow(unsafe_code, reason = "mmap")]

use std::ptr::{self, NonNull};
use std::slice;

/// Bytes that grow. New ones are zero.
pub(crate) struct Mapping {
    start: NonNull<u8>,
    capacity: usize,
    used: usize,
}

// SAFETY: it owns its memory, as a `Vec<u8>` does.
unsafe impl Send for Mapping {}
// SAFETY: shared, it is only read.
unsafe impl Sync for Mapping {}

const PAGE: usize = 4096;
/// The smallest step.
const STEP: usize = 1 << 20;
/// From here on the system is asked whether it has so much.
const LARGE: usize = 64 << 20;

impl Mapping {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        Self {
            start: NonNull::dangling(),
            capacity: 0,
            used: 0,
        }
    }

    /// One whose first `gap` bytes count as written. `None` if there is no memory.
    pub(crate) fn with_gap(gap: usize) -> Option<Self> {
        let mut mapping = Self::new();
        if !mapping.remap(gap.checked_add(STEP)?) {
            return None;
        }
        mapping.used = gap;
        Some(mapping)
    }

    /// What is written.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `used` is at most `capacity` (module doc); the pages read as zero at first.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.used) }
    }

    /// What is written, to be written over.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.used) }
    }

    /// So many zeros more, to be written over; `None` if there is no memory.
    #[inline]
    pub(crate) fn append(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let from = self.used;
        let to = from.checked_add(bytes)?;
        if to > self.capacity && !self.extend(to) {
            return None;
        }
        self.used = to;
        self.bytes_mut().get_mut(from..)
    }

    /// A pointer to a byte for C, null beyond the end.
    pub(crate) fn pointer(&self, at: usize) -> *mut std::ffi::c_char {
        if at > self.used {
            return ptr::null_mut();
        }
        // SAFETY: within the mapping, or one past what is written.
        unsafe { self.start.as_ptr().add(at) }.cast()
    }

    #[cold]
    fn extend(&mut self, wanted: usize) -> bool {
        let comfortable = wanted.max(self.capacity + self.capacity / 4).max(STEP);
        let grows_by = comfortable - self.capacity;
        if grows_by >= LARGE && !system_has(grows_by) {
            // What is needed now, and a little: the last pages of a full machine.
            let modest = wanted.saturating_add(STEP);
            return system_has(modest - self.capacity) && self.remap(modest);
        }
        self.remap(comfortable) || self.remap(wanted)
    }

    fn remap(&mut self, bytes: usize) -> bool {
        let Some(bytes) = bytes.checked_next_multiple_of(PAGE) else {
            return false;
        };
        let found = if self.capacity == 0 {
            // SAFETY: a new mapping where the kernel likes.
            unsafe {
                libc::mmap(
                    ptr::null_mut(),
                    bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            }
        } else {
            // SAFETY: our own mapping, of this length; nobody has a pointer into it while
            // it is borrowed mutably.
            unsafe {
                libc::mremap(
                    self.start.as_ptr().cast(),
                    self.capacity,
                    bytes,
                    libc::MREMAP_MAYMOVE,
                )
            }
        };
        if found == libc::MAP_FAILED {
            return false;
        }
        let Some(start) = NonNull::new(found.cast()) else {
            return false;
        };
        self.start = start;
        self.capacity = bytes;
        true
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: our own mapping (module doc), not used any more.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.capacity) };
        }
    }
}

/// A table of numbers by index, 0 where nothing was put: of four bytes each, until there
/// is one that needs more.
pub(crate) struct Numbers {
    table: Mapping,
    wide: bool,
}

impl Numbers {
    pub(crate) const fn new() -> Self {
        Self {
            table: Mapping::new(),
            wide: false,
        }
    }

    /// One whose numbers need more from the first.
    pub(crate) const fn wide() -> Self {
        Self {
            table: Mapping::new(),
            wide: true,
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> u64 {
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let bytes = self.table.bytes();
        if self.wide {
            let number = bytes.as_chunks().0.get(at);
            number.map_or(0, |&bytes| u64::from_ne_bytes(bytes))
        } else {
            let number = bytes.as_chunks().0.get(at);
            number.map_or(0, |&bytes| u64::from(u32::from_ne_bytes(bytes)))
        }
    }

    /// One more than the highest index with a number.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.table.used / self.width()).unwrap_or(u32::MAX)
    }

    fn width(&self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// False if there is no memory.
    #[inline]
    pub(crate) fn put(&mut self, index: u32, number: u64) -> bool {
        if !self.wide && number > u64::from(u32::MAX) && !self.widen() {
            return false;
        }
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let needed = at.saturating_add(1).saturating_mul(self.width());
        let missing = needed.saturating_sub(self.table.used);
        if missing > 0 && self.table.append(missing).is_none() {
            return false;
        }
        let bytes = self.table.bytes_mut();
        if self.wide {
            if let Some(place) = bytes.as_chunks_mut().0.get_mut(at) {
                *place = number.to_ne_bytes();
            }
        } else if let Some(place) = bytes.as_chunks_mut().0.get_mut(at) {
            // It fits, or the table would be wide.
            *place = u32::try_from(number).unwrap_or(0).to_ne_bytes();
        }
        true
    }

    #[cold]
    fn widen(&mut self) -> bool {
        let mut wide = Mapping::new();
        let Some(room) = wide.append(self.table.used * 2) else {
            return false;
        };
        let narrow = self.table.bytes().as_chunks().0.iter();
        for (place, &number) in room.as_chunks_mut().0.iter_mut().zip(narrow) {
            *place = u64::from(u32::from_ne_bytes(number)).to_ne_bytes();
        }
        (self.table, self.wide) = (wide, true);
        true
    }
}

/// Whether so many bytes are free; yes if the system does not say. (It promises more
/// than it has, and ends a process that takes it at its word.)
fn system_has(bytes: usize) -> bool {
    let free = [free_in_machine(), free_in_group()];
    free.into_iter().flatten().all(|free| bytes < free)
}

fn free_in_machine() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = |name: &str| -> Option<usize> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let kib = line("MemAvailable:")? + line("SwapFree:").unwrap_or(0);
    kib.checked_mul(1024)
}

/// What the control group of a container allows.
fn free_in_group() -> Option<usize> {
    let number = |name: &str| -> Option<usize> {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?;
        text.trim().parse().ok()
    };
    Some(number("max")?.saturating_sub(number("current")?))
}

#[cfg(test)]
mod tests {
    use super::{Mapping, Numbers};

    #[test]
    fn what_was_written_stays_while_it_grows() {
        let mut mapping = Mapping::with_gap(100).expect("memory");
        for n in 0..3_000_000u32 {
            let place = mapping.append(4).expect("memory");
            assert_eq!(place, [0; 4]);
            place.copy_from_slice(&n.to_ne_bytes());
        }
        let (gap, numbers) = mapping.bytes().split_at(100);
        assert!(gap.iter().all(|&byte| byte == 0));
        assert!(
            numbers
                .chunks_exact(4)
                .zip(0u32..)
                .all(|(bytes, n)| bytes == n.to_ne_bytes())
        );
    }

    #[test]
    fn more_than_there_is_is_refused() {
        let mut mapping = Mapping::new();
        assert!(mapping.append(usize::MAX).is_none());
        assert!(mapping.append(1 << 46).is_none());
        assert_eq!(mapping.append(3).map(|bytes| bytes.len()), Some(3));
    }

    #[test]
    fn numbers_are_zero_until_put() {
        let mut numbers = Numbers::new();
        assert_eq!(numbers.get(5), 0);
        assert!(numbers.put(5, 7) && numbers.put(1 << 20, 8));
        assert_eq!(
            (numbers.get(4), numbers.get(5), numbers.get(1 << 20)),
            (0, 7, 8)
        );
        let large = u64::from(u32::MAX) + 1;
        assert!(numbers.put(6, u64::from(u32::MAX)) && numbers.put(7, large));
        assert_eq!([5, 6, 7].map(|at| numbers.get(at)), [7, large - 1, large]);
        assert_eq!((numbers.get(1 << 20), numbers.len()), (8, (1 << 20) + 1));
    }
}
