//! A dump that an agent reads, or the beginning of a bracket: of the two one is first, because
//! both stand in one word.

use std::sync::atomic::{AtomicU32, Ordering};

/// Dumps that an agent is reading, counted, and whether a bracket has begun.
pub(super) struct Holds(AtomicU32);

impl Holds {
    pub(super) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// The other bits count.
    const BEGINS: u32 = 1 << 31;

    /// Whether a dump is being read, or made.
    pub(super) fn is_held(&self) -> bool {
        self.0.load(Ordering::SeqCst) & !Self::BEGINS > 0
    }

    /// No bracket begins from now on.
    pub(super) fn hold(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends one [`Holds::hold`].
    pub(super) fn release(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    /// A bracket begins; `None` if it must not now.
    pub(super) fn begin(&self) -> Option<Begun<'_>> {
        self.0
            .compare_exchange(0, Self::BEGINS, Ordering::SeqCst, Ordering::SeqCst)
            .ok()
            .map(|_| Begun(self))
    }
}

/// A bracket that has begun, until it is dropped.
pub(crate) struct Begun<'a>(&'a Holds);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_and(!Holds::BEGINS, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use super::Holds;

    #[test]
    fn a_bracket_or_a_dump_is_first() {
        let holds = Holds::new();
        holds.hold();
        assert!(holds.begin().is_none());
        holds.release();
        let begun = holds.begin();
        assert!(begun.is_some() && !holds.is_held());
        holds.hold();
        drop(begun);
        assert!(holds.is_held() && holds.begin().is_none());
    }

    #[test]
    fn no_bracket_begins_while_it_is_held() {
        let holds = Holds::new();
        let over = AtomicBool::new(false);
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    // What has begun before the dump may still be under way.
                    let Some(begun) = holds.begin() else { continue };
                    inside.fetch_add(1, Ordering::SeqCst);
                    drop(begun);
                }
            });
            for _ in 0..50_000 {
                holds.hold();
                while holds.0.load(Ordering::SeqCst) & Holds::BEGINS != 0 {
                    std::hint::spin_loop();
                }
                let before = inside.load(Ordering::SeqCst);
                std::hint::spin_loop();
                assert_eq!(inside.load(Ordering::SeqCst), before);
                holds.release();
            }
            over.store(true, Ordering::SeqCst);
        });
    }
}
