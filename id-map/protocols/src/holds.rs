//! A dump that an agent reads or its DisableGC, or the beginning of a bracket: of the two one is first,
//! because both stand in one word.

use crate::sync::{AtomicU32, Ordering, const_fn};

/// Who holds brackets back, counted, and whether one has begun.
#[derive(Debug)]
pub struct Holds(AtomicU32);

impl Holds {
    const_fn! {
        /// Nobody reads, and no bracket has begun.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self(AtomicU32::new(0))
        }
    }

    /// The other bits count.
    const BEGINS: u32 = 1 << 31;

    /// Whether somebody holds brackets back.
    pub fn is_held(&self) -> bool {
        self.count() > 0
    }

    /// How often they are held back.
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst) & !Self::BEGINS
    }

    /// Whether a bracket has begun and not ended.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) & Self::BEGINS != 0
    }

    /// No bracket begins from now on. One that has begun goes on, but tells of no deaths any more.
    pub fn hold(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends one [`Holds::hold`].
    pub fn release(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    /// A bracket begins; `None` if it must not now.
    pub fn begin(&self) -> Option<Begun<'_>> {
        self.0
            .compare_exchange(0, Self::BEGINS, Ordering::SeqCst, Ordering::SeqCst)
            .ok()
            .map(|_| Begun(self))
    }
}

/// A bracket that has begun, until it is dropped.
#[derive(Debug)]
pub struct Begun<'a>(&'a Holds);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_and(!Holds::BEGINS, Ordering::SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Holds;

    #[test]
    fn a_bracket_or_a_dump_is_first() {
        let holds = Holds::new();
        holds.hold();
        assert!(holds.begin().is_none());
        holds.release();
        let begun = holds.begin();
        assert!(begun.is_some() && holds.has_begun() && !holds.is_held());
        assert_eq!(holds.count(), 0);
        // Of two brackets one is first as well.
        assert!(holds.begin().is_none());
        holds.hold();
        assert_eq!(holds.count(), 1);
        drop(begun);
        assert!(holds.is_held() && !holds.has_begun() && holds.begin().is_none());
    }
}
