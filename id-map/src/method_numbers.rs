//! Numbers that rewritten code carries for its methods.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

const CHUNK: usize = 4096;
const CHUNKS: usize = 8192;

type Chunk = Box<[AtomicUsize; CHUNK]>;

/// A word for each number; 0 until somebody fills it in. Eight bytes a number.
///
/// # Threads
/// Any. A look-up takes no lock.
pub struct MethodNumbers {
    chunks: [OnceLock<Chunk>; CHUNKS],
    next: AtomicUsize,
    /// First numbers of what was given back, by count.
    free: Mutex<Option<HashMap<usize, Vec<i32>>>>,
}

impl Default for MethodNumbers {
    fn default() -> Self {
        Self::new()
    }
}

impl MethodNumbers {
    /// No numbers yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            chunks: [const { OnceLock::new() }; CHUNKS],
            next: AtomicUsize::new(0),
            free: Mutex::new(None),
        }
    }

    /// Gives out `count` numbers that follow each other; the first, or `None` when all
    /// are used up (33 million).
    pub fn reserve(&self, count: usize) -> Option<i32> {
        let used_before = || self.free.lock().as_mut()?.get_mut(&count)?.pop();
        if let Some(base) = used_before() {
            return Some(base);
        }
        let grown = |next: usize| {
            let end = next.checked_add(count)?;
            (end <= CHUNK * CHUNKS).then_some(end)
        };
        // Relaxed: numbers need only differ; what is behind them is a OnceLock.
        let base = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown)
            .ok()?;
        let end = base + count;
        for chunk in self.chunks.get(base / CHUNK..end.div_ceil(CHUNK))? {
            chunk.get_or_init(|| Box::new([const { AtomicUsize::new(0) }; CHUNK]));
        }
        i32::try_from(base).ok()
    }

    /// Takes back what [`reserve`](Self::reserve) gave out: no code carries these numbers
    /// any more. They have no words again.
    pub fn release(&self, base: i32, count: usize) {
        for number in (base..).take(count) {
            self.update(number, |_| 0);
        }
        let mut free = self.free.lock();
        let bases = free.get_or_insert_default().entry(count).or_default();
        bases.push(base);
    }

    /// The word of a number; 0 for one that was not given out.
    #[must_use]
    #[inline]
    pub fn get(&self, number: i32) -> usize {
        self.place(number)
            .map_or(0, |place| place.load(Ordering::Acquire))
    }

    /// Makes another word of that of a number, in one step.
    pub fn update(&self, number: i32, word: impl Fn(usize) -> usize) {
        if let Some(place) = self.place(number) {
            let _ = place.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(word(old)));
        }
    }

    #[inline]
    fn place(&self, number: i32) -> Option<&AtomicUsize> {
        // A negative number becomes one that was never given out.
        let number = usize::try_from(number.cast_unsigned()).ok()?;
        let chunk = self.chunks.get(number / CHUNK)?.get()?;
        chunk.get(number % CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_overlap_and_words_stay() {
        let numbers = Box::new(MethodNumbers::new());
        assert_eq!(numbers.reserve(3), Some(0));
        assert_eq!(numbers.reserve(0), Some(3));
        assert_eq!(numbers.reserve(2 * CHUNK), Some(3));
        assert_eq!(numbers.reserve(1), Some(8195));
        for number in 0..8196 {
            assert_eq!(numbers.get(number), 0);
            numbers.update(number, |_| usize::try_from(number).unwrap() + 7);
        }
        assert_eq!(numbers.get(8195), 8202);
        assert_eq!(numbers.get(4096), 4103);
        // There are far more of them than chunks.
        assert_eq!(numbers.reserve(CHUNKS), Some(8196));
    }

    #[test]
    fn numbers_that_were_given_back_are_used_again_and_have_no_words() {
        let numbers = Box::new(MethodNumbers::new());
        assert_eq!(numbers.reserve(3), Some(0));
        numbers.update(1, |_| 7);
        assert_eq!(numbers.get(1), 7);
        assert_eq!(numbers.reserve(2), Some(3));
        numbers.release(0, 3);
        assert_eq!(numbers.get(1), 0);
        assert_eq!(numbers.reserve(2), Some(5));
        assert_eq!(numbers.reserve(3), Some(0));
        assert_eq!(numbers.reserve(3), Some(7));
    }

    #[test]
    fn a_number_that_was_never_given_out_has_no_word() {
        let numbers = Box::new(MethodNumbers::new());
        assert_eq!(numbers.get(-1), 0);
        assert_eq!(numbers.get(0), 0);
        numbers.update(i32::MAX, |_| 1);
        assert_eq!(numbers.get(i32::MAX), 0);
        assert_eq!(numbers.reserve(CHUNK * CHUNKS + 1), None);
        assert_eq!(numbers.reserve(usize::MAX), None);
        assert_eq!(numbers.reserve(1), Some(0));
    }
}
