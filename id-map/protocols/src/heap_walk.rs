//! Who gives an object its id while a walk over the heap gives ids, too.
//!
//! No object may get two: a walk gives one to each object that has none, and a thread gives one
//! to an object that it has found without one. Between its look and its gift no walk may meet
//! the object.
//!
//! # With a look
//! Threads between look and gift are counted ([`HeapWalks::try_give`]), and so are walks. Each side
//! counts itself, passes a fence and reads the other's count, so one of the two sees the other:
//! the thread takes itself back, or the walk waits for it.
//!
//! # At once
//! Whoever allocates gives the new object an id without a look: no other thread has it. But the
//! VM may stand still between the object's birth and its callback, and a walk of that time has met
//! the object. The thread notes that it gives ([`OwnGifts::note`]), passes the light half of the
//! gate's fence and reads whether anybody walks; the walk counts itself, asks the thread to look
//! ([`OwnGifts::ask_to_look`]), passes the heavy half and reads the notes. If the thread reads 0,
//! either the walk has still to read the notes, and finds this one; or it is over, and then its
//! count has been lowered behind its wish, with release, and the thread reads it with acquire:
//! the wish is there.
//!
//! # How long a thread looks
//! More than one allocation of a thread may have stood between object and callback while a walk
//! gave ids, so it looks at [`LOOKS`] of them. It then strikes the wish and counts from the number
//! that the latest walk has set to 0: walks set the number before they wish, with release, and
//! the wish is struck with acquire, so whoever has struck the wish of a walk reads its 0 as well.
//! All of it belongs to the thread of the operating system: a virtual thread that stands between
//! an object and its callback cannot leave its carrier.
//!
//! What loom cannot show of the two halves is argued in [`crate::gate`]; it holds for any word
//! that a thread writes in front of the light half and any that it reads behind.

use crate::sync::{AtomicBool, AtomicU32, Ordering, const_fn, fence};

/// For so many allocations a thread looks whether the object has an id.
pub const LOOKS: u32 = 64;

/// Walks, and who gives ids with a look.
pub struct HeapWalks {
    /// Walks that give ids, or are about to.
    walking: AtomicU32,
    /// Threads between the question for an object's tag and the answer to it.
    giving: AtomicU32,
}

impl HeapWalks {
    const_fn! {
        /// Nobody walks.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self {
                walking: AtomicU32::new(0),
                giving: AtomicU32::new(0),
            }
        }
    }

    /// Notes that the calling thread gives an id; `may_beside` a walk, or it is taken back, and
    /// false, if there is one. If true, [`HeapWalks::has_given`] is to follow.
    pub fn try_give(&self, may_beside: impl FnOnce() -> bool) -> bool {
        self.giving.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let may = self.walking.load(Ordering::SeqCst) == 0 || may_beside();
        if !may {
            self.has_given();
        }
        may
    }

    /// It has given it.
    pub fn has_given(&self) {
        self.giving.fetch_sub(1, Ordering::SeqCst);
    }

    /// Nobody but walks gives ids from now on. Each thread is then to be
    /// [asked to look](OwnGifts::ask_to_look), the heavy half to be passed, and who gives is to be
    /// waited for.
    pub fn begin(&self) {
        self.walking.fetch_add(1, Ordering::SeqCst);
    }

    /// The walk is over.
    pub fn end(&self) {
        self.walking.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether a thread gives an id with a look.
    pub fn anybody_gives(&self) -> bool {
        self.giving.load(Ordering::SeqCst) != 0
    }

    /// Whether nobody walks; for a thread that has [noted](OwnGifts::note) that it gives and has
    /// passed the light half.
    #[inline]
    pub fn are_over(&self) -> bool {
        self.walking.load(Ordering::Acquire) == 0
    }
}

/// What a thread of the operating system has of it.
#[derive(Debug)]
pub struct OwnGifts {
    /// It gives an id without a look.
    gives: AtomicBool,
    /// It has to look first.
    asked: AtomicBool,
    /// Allocations it has looked at since it was asked to.
    looks: AtomicU32,
}

impl OwnGifts {
    const_fn! {
        /// Of a thread that no walk has known: it has to look.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self {
                gives: AtomicBool::new(false),
                asked: AtomicBool::new(true),
                looks: AtomicU32::new(0),
            }
        }
    }

    /// The calling thread is about to give an id without a look; the light half follows.
    #[inline]
    pub fn note(&self) {
        // Relaxed: the light half orders it before what is read next.
        self.gives.store(true, Ordering::Relaxed);
    }

    /// It has given it, or does not.
    #[inline]
    pub fn strike(&self) {
        self.gives.store(false, Ordering::Release);
    }

    /// Whether the thread gives an id without a look; if not, it has given.
    pub fn gives(&self) -> bool {
        self.gives.load(Ordering::Acquire)
    }

    /// For a walk that has [begun](HeapWalks::begin).
    pub fn ask_to_look(&self) {
        self.looks.store(0, Ordering::Relaxed);
        // Loom does not know which of two plain stores is the later one.
        self.asked.swap(true, Ordering::Release);
    }

    /// Whether the calling thread has to look; asked where [`HeapWalks::are_over`].
    #[inline]
    pub fn must_look(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The calling thread looks at one of its objects. After some it need not any more, unless a
    /// walk has begun just now.
    pub fn looks(&self) {
        if self.has_looked() {
            self.is_done(Ordering::Acquire);
        }
    }

    /// Half of it, for those who try the other.
    #[doc(hidden)]
    pub fn has_looked(&self) -> bool {
        self.must_look() && self.looks.fetch_add(1, Ordering::Relaxed) >= LOOKS
    }

    /// The other half; what `acquire` is good for can be tried.
    #[doc(hidden)]
    pub fn is_done(&self, acquire: Ordering) {
        self.asked.swap(false, acquire);
        if self.looks.load(Ordering::Relaxed) < LOOKS {
            self.asked.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{HeapWalks, LOOKS, Ordering, OwnGifts};

    #[test]
    fn a_walk_and_a_gift_exclude_each_other() {
        let walks = HeapWalks::new();
        assert!(walks.try_give(|| false));
        assert!(walks.anybody_gives());
        walks.begin();
        assert!(!walks.try_give(|| false) && !walks.are_over());
        // The first is under way still, and the second has left nothing.
        walks.has_given();
        assert!(!walks.anybody_gives());
        // The walk's own thread.
        assert!(walks.try_give(|| true));
        walks.has_given();
        walks.end();
        assert!(walks.are_over() && walks.try_give(|| false));
    }

    #[test]
    fn of_two_walks_the_last_lets_threads_give() {
        let walks = HeapWalks::new();
        walks.begin();
        walks.begin();
        walks.end();
        assert!(!walks.try_give(|| false) && !walks.are_over());
        walks.end();
        assert!(walks.try_give(|| false));
    }

    /// How many of so many allocations the thread looks at.
    fn looks_at(gifts: &OwnGifts, allocations: u32) -> u32 {
        let looks = (0..allocations).map(|_| {
            let looks = gifts.must_look();
            gifts.looks();
            u32::from(looks)
        });
        looks.sum()
    }

    #[test]
    fn a_thread_looks_for_a_while_after_the_latest_walk() {
        let gifts = OwnGifts::new();
        assert_eq!(looks_at(&gifts, 3 * LOOKS), LOOKS + 1);
        gifts.ask_to_look();
        assert_eq!(looks_at(&gifts, LOOKS), LOOKS);
        gifts.ask_to_look();
        assert_eq!(looks_at(&gifts, 3 * LOOKS), LOOKS + 1);
    }

    #[test]
    fn a_walk_that_begins_while_a_thread_ends_its_looks_is_heard() {
        let gifts = OwnGifts::new();
        while !gifts.has_looked() {}
        gifts.ask_to_look();
        gifts.is_done(Ordering::Acquire);
        assert_eq!(looks_at(&gifts, 3 * LOOKS), LOOKS + 1);
    }
}
