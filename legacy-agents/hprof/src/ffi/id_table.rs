//! A number for every object id, found without a lock.
//!
//! Ids are addresses or tokens, multiples of 8 or 16: a tree of three levels is dense
//! for tokens and as good as the heap for addresses. Pages come from the kernel and
//! stay, so that an object may also move to a new page while other threads are
//! stopped with malloc's lock in hand.
#![allow(unsafe_code, reason = "pages shared by all threads, for ever")]

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const LEAF_BITS: u32 = 12;
const MIDDLE_BITS: u32 = 16;
/// Of the upper bits of an id of 48; the lowest four are put before them.
const TOP_BITS: u32 = 20;

type Leaf = [AtomicU64; 1 << LEAF_BITS];
type Middle = [AtomicPtr<Leaf>; 1 << MIDDLE_BITS];
type Top = [AtomicPtr<Middle>; 1 << TOP_BITS];

static TOP: Top = [const { AtomicPtr::new(ptr::null_mut()) }; 1 << TOP_BITS];

/// The indices of an id in the three levels.
#[inline]
const fn path(id: usize) -> Option<(usize, usize, usize)> {
    // As long as the longest, whatever an id has.
    let id = id as u64;
    if id >> 48 != 0 {
        return None;
    }
    let leaf = id >> 4 & ((1 << LEAF_BITS) - 1);
    let middle = id >> (4 + LEAF_BITS) & ((1 << MIDDLE_BITS) - 1);
    let top = id >> (4 + LEAF_BITS + MIDDLE_BITS) | (id & 0xf) << (TOP_BITS - 4);
    #[allow(clippy::cast_possible_truncation, reason = "20 bits at most")]
    Some((top as usize, middle as usize, leaf as usize))
}

/// What a slot points to.
#[inline]
fn follow<T>(slot: &AtomicPtr<T>) -> Option<&'static T> {
    let page = slot.load(Ordering::Acquire);
    // SAFETY: null or what `make` put there: whole, zeroed, and never unmapped.
    unsafe { page.as_ref() }
}

/// What a slot points to; a page of zeros if it was null.
#[inline]
fn follow_or_make<T>(slot: &AtomicPtr<T>) -> Option<&'static T> {
    follow(slot).or_else(|| make(slot))
}

/// `T` is an array of atomics, which zeros are.
#[cold]
fn make<T>(slot: &AtomicPtr<T>) -> Option<&'static T> {
    // SAFETY: fresh memory wherever the kernel likes.
    let page = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size_of::<T>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    let put = slot.compare_exchange(
        ptr::null_mut(),
        page.cast(),
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    if put.is_err() {
        // SAFETY: another thread was first; nobody has seen this page.
        unsafe { libc::munmap(page, size_of::<T>()) };
    }
    follow(slot)
}

/// The word of an id, if there is one.
#[inline]
pub(crate) fn find(id: usize) -> Option<&'static AtomicU64> {
    let (top, middle, leaf) = path(id)?;
    let middle = follow(TOP.get(top)?)?.get(middle)?;
    follow(middle)?.get(leaf)
}

/// The word of an id, 0 at first; `None` for numbers that no id has.
#[inline]
pub(crate) fn find_or_make(id: usize) -> Option<&'static AtomicU64> {
    let (top, middle, leaf) = path(id)?;
    let middle = follow_or_make(TOP.get(top)?)?.get(middle)?;
    follow_or_make(middle)?.get(leaf)
}

/// All words that there are.
pub(crate) fn all() -> impl Iterator<Item = &'static AtomicU64> {
    TOP.iter()
        .filter_map(follow)
        .flat_map(|middle| middle.iter().filter_map(follow))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_word_of_its_own() {
        let ids = [
            0x10,
            0x18,
            0x20,
            0x7fff_0000_1230,
            0x7fff_0000_1238,
            0x10_0000,
        ];
        for (number, id) in (1..).zip(ids) {
            let word = find_or_make(id).expect("below 2^48");
            assert_eq!(word.swap(number, Ordering::Relaxed), 0, "{id:x}");
        }
        for (number, id) in (1..).zip(ids) {
            assert_eq!(
                find(id).map(|word| word.load(Ordering::Relaxed)),
                Some(number)
            );
        }
        // Other tests use the table, too.
        let used = all().filter(|word| word.load(Ordering::Relaxed) != 0);
        assert!(used.count() >= ids.len());
        assert!(find(0x7ffe_0000_0000).is_none() && find_or_make(usize::MAX).is_none());
    }
}
