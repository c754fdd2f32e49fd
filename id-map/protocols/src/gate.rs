//! Who may send an event now: the gate in front of every delivery.
//!
//! # The protocol
//! A thread notes "inside" in its own record ([`Depth`]), passes the light half of a fence and
//! reads where the gate stands. Whoever closes changes the stand, passes the heavy half and reads
//! the records of all threads. One of the two sees what the other has written: a thread that has
//! found the gate open is seen inside, and waited for. While the gate is closing, those that are
//! inside, and those that may not wait, still pass ([`verdict()`]); so after it is closed the
//! records are read once more ([`Gate::look`]).
//!
//! Threads that leave do so with release, and the closer reads with acquire: all that handlers
//! have done is done for the bracket. It opens with release, and those that enter read with
//! acquire: all of the bracket is done for them.
//!
//! # The last events
//! They come beside handlers that do not return, and a thread that was let in may be stopped before it
//! calls its handler: at a safepoint, or by the agent. So it asks once more there ([`is_too_late`]), behind
//! all that may wait for the VM. Who closes waits, when that is answered yes, for those that only want a
//! processor: one that was seen waiting for something else has either called its handler or asks behind
//! that. The fast path need not ask: it calls nobody between the gate and the handler.
//!
//! # The fast path
//! It knows one word only: what is wanted while the gate is open and the light half is free,
//! else 0. The word is made anew, under the caller's lock, after each change of what it is made
//! of, and by a closer before its heavy half; so what was said of the stand holds for it too.
//! Since it is 0 unless the light half is free, the fast path has nothing but a compiler's fence
//! there.
//!
//! # What loom cannot show: the heavy half for both
//! Loom's tests have a full fence on both sides, which is what the two halves are until the
//! kernel's `membarrier` takes over. From then on the light half orders the compiler only, and
//! the heavy half makes each running thread of the process pass a full fence, at some place of
//! its code; one that does not run passes one when it is switched. Take the place where a thread
//! passes it. If it has not read the stand by then, it reads it behind the fence, and so behind the
//! closer's change. If it has, then its note, which is in front of the read in its program, is in
//! front of the fence, and the closer reads it. Either is what a fence at that very place would
//! give, and loom has tried a fence between the note and the read; one before both, or behind
//! both, leaves the thread to one of those two cases whole. The compiler's fence keeps note and
//! read in the program's order, so that there is no third.

pub mod handlers;
mod verdict;
mod word;

use crate::sync::{AtomicU32, Ordering, const_fn};

pub use verdict::{Asking, Verdict, is_too_late, verdict};
pub use word::{Stand, State};

use word::Word;

/// How deep a thread is in deliveries: written by itself only.
#[derive(Debug)]
pub struct Depth(AtomicU32);

impl Depth {
    const_fn! {
        /// Of a thread that is outside.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self(AtomicU32::new(0))
        }
    }

    /// Notes the thread inside; true if events flow. [`Depth::leave`] in any case.
    #[inline]
    pub fn enter(&self, gate: &Gate, light: impl FnOnce()) -> bool {
        // Relaxed: the thread's own word; the light half orders it before what is read next.
        self.0.store(self.own() + 1, Ordering::Relaxed);
        light();
        gate.is_open()
    }

    /// The thread is outside again, or less deep.
    #[inline]
    pub fn leave(&self) {
        self.0
            .store(self.own().saturating_sub(1), Ordering::Release);
    }

    /// [`Depth::enter`] for a thread that is outside, in a straight line: which events are
    /// wanted; 0 if the gate is not open. [`Depth::leave_first`] in any case.
    #[inline(always)]
    pub fn enter_first(&self, gate: &Gate, light: impl FnOnce()) -> u32 {
        self.0.store(1, Ordering::Relaxed);
        light();
        gate.fast_path.load(Ordering::Acquire)
    }

    /// The thread is outside again.
    #[inline(always)]
    pub fn leave_first(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// For the thread itself.
    #[inline(always)]
    pub fn own(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// For others. If not, then all that it has done inside is done.
    pub fn is_inside(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }
}

/// What has become of a closer's try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// The gate is closed and nobody is inside.
    Closed,
    /// Somebody is inside.
    Inside,
    /// Somebody has passed while it was closing: it is closing still.
    Passed,
    /// Somebody else has opened it, or the VM ends.
    Lost,
}

/// What all threads read.
pub struct Gate {
    word: Word,
    fast_path: AtomicU32,
}

impl Gate {
    const_fn! {
        /// A gate that stands so; nothing takes the fast path yet.
        pub fn new(stand: Stand) -> Self {
            Self {
                word: Word::new(stand),
                fast_path: AtomicU32::new(0),
            }
        }
    }

    /// Where it stands.
    #[inline]
    pub fn load(&self) -> Stand {
        self.word.load()
    }

    /// Whether events flow.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.word.is_open()
    }

    /// From one stand to another; false if it was not at the first, and then nothing is done.
    /// [`Gate::renew`] is to follow, and then whoever waits for a change is to be woken.
    pub fn change(&self, from: Stand, to: Stand) -> bool {
        self.word.change(from, to)
    }

    /// Makes the word of the fast path, with the lock held: the last one to come here has seen
    /// all that it is made of. `wanted` is asked if events flow and the light half is free.
    pub fn renew(&self, light_is_free: impl FnOnce() -> bool, wanted: impl FnOnce() -> u32) {
        let free = self.load().state == State::Open && light_is_free();
        let word = if free { wanted() } else { 0 };
        self.fast_path.store(word, Ordering::SeqCst);
    }

    /// Nobody but the owner sends from now on, or nobody at all; with the lock held. The fast path
    /// ends first: else a thread's METHOD_EXIT could still take it when its METHOD_ENTRY is dropped.
    pub fn end(&self, to: Stand) {
        self.fast_path.store(0, Ordering::SeqCst);
        self.word.set(to);
    }

    /// A look of the thread `me`, which has the gate closing, at who is inside. `alone` reads the
    /// records of the others, `change` is [`Gate::change`] with what is to follow it.
    pub fn look(
        me: u64,
        heavy: impl Fn(),
        alone: impl Fn() -> bool,
        change: impl Fn(Stand, Stand) -> bool,
    ) -> Look {
        let closing = Stand::of(State::Closing, me);
        let bracket = Stand::of(State::Bracket, me);
        heavy();
        if !alone() {
            return Look::Inside;
        }
        if !change(closing, bracket) {
            return Look::Lost;
        }
        heavy();
        if alone() {
            Look::Closed
        } else if change(bracket, closing) {
            Look::Passed
        } else {
            Look::Lost
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Depth, Gate, Stand, State};

    const WANTED: u32 = 0b1010;

    /// What a thread that takes the fast path is told is wanted.
    fn seen(gate: &Gate) -> u32 {
        let depth = Depth::new();
        let inside = std::cell::Cell::new(false);
        let wanted = depth.enter_first(gate, || inside.set(depth.is_inside()));
        assert!(inside.get(), "its note lies in front of the light half");
        depth.leave_first();
        assert!(!depth.is_inside());
        wanted
    }

    #[test]
    fn the_fast_path_is_there_while_events_flow_and_its_fence_is_free() {
        let gate = Gate::new(Stand::OPEN);
        assert_eq!(seen(&gate), 0, "nothing has been said yet");
        gate.renew(|| true, || WANTED);
        assert_eq!(seen(&gate), WANTED);
        gate.renew(|| false, || WANTED);
        assert_eq!(seen(&gate), 0);
        for state in State::ALL {
            let stand = Stand::of(state, 7);
            let gate = Gate::new(stand);
            gate.renew(|| true, || WANTED);
            let wanted = if state == State::Open { WANTED } else { 0 };
            assert_eq!(seen(&gate), wanted, "{state:?}");
        }
    }

    #[test]
    fn what_ends_the_events_ends_the_fast_path() {
        let gate = Gate::new(Stand::OPEN);
        gate.renew(|| true, || WANTED);
        gate.end(Stand::of(State::LastEvents, 7));
        assert_eq!(seen(&gate), 0);
        assert_eq!(gate.load(), Stand::of(State::LastEvents, 7));
    }

    #[test]
    fn a_thread_is_inside_until_it_has_left_all_deliveries() {
        let (gate, depth) = (Gate::new(Stand::OPEN), Depth::new());
        assert!(depth.enter(&gate, || {}) && depth.enter(&gate, || {}));
        depth.leave();
        assert!(depth.is_inside() && depth.own() == 1);
        depth.leave();
        assert!(!depth.is_inside());
        gate.end(Stand::of(State::Shut, 0));
        assert!(!depth.enter(&gate, || {}) && depth.is_inside());
    }
}
