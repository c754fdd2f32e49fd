//! Where the gate stands and whose it is, in one word: nobody sees the one without the other,
//! and of two who would change it one wins and the other has done nothing.

use crate::sync::{AtomicU64, Ordering, const_fn};

/// Where the gate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum State {
    /// Events flow.
    Open,
    /// Before VMInit: only requested events pass.
    Loading,
    /// One thread replays what the agent has missed.
    Replay,
    /// Somebody waits for the handlers in flight.
    Closing,
    /// A bracket is open.
    Bracket,
    /// One thread delivers the last events.
    LastEvents,
    /// Nothing is delivered any more.
    Shut,
}

impl State {
    /// All there are.
    #[cfg(test)]
    pub(super) const ALL: [Self; 7] = [
        Self::Open,
        Self::Loading,
        Self::Replay,
        Self::Closing,
        Self::Bracket,
        Self::LastEvents,
        Self::Shut,
    ];
}

/// The gate at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stand {
    /// Where it stands.
    pub state: State,
    /// The thread that replays, closes, sends a bracket or the last events; 0 if it is nobody's.
    pub owner: u64,
}

impl Stand {
    /// Events flow.
    pub const OPEN: Self = Self::of(State::Open, 0);

    /// So, and this thread's.
    pub const fn of(state: State, owner: u64) -> Self {
        Self { state, owner }
    }

    const fn bits(self) -> u64 {
        self.owner << GATE_BITS | self.state as u64
    }

    fn from_bits(bits: u64) -> Self {
        let state = match bits & ((1 << GATE_BITS) - 1) {
            0 => State::Open,
            1 => State::Loading,
            2 => State::Replay,
            3 => State::Closing,
            4 => State::Bracket,
            5 => State::LastEvents,
            _ => State::Shut,
        };
        Self::of(state, bits >> GATE_BITS)
    }
}

const GATE_BITS: u32 = 3;

/// The word. A thread's key counts threads, so that it has room.
pub(super) struct Word(AtomicU64);

impl Word {
    const_fn! {
        pub(super) fn new(stand: Stand) -> Self {
            Self(AtomicU64::new(stand.bits()))
        }
    }

    #[inline]
    pub(super) fn load(&self) -> Stand {
        Stand::from_bits(self.0.load(Ordering::Acquire))
    }

    /// Whether events flow.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire) == Stand::OPEN.bits()
    }

    /// From one to another; false if it was not at the first, and then nothing is done.
    pub(super) fn change(&self, from: Stand, to: Stand) -> bool {
        self.0
            .compare_exchange(from.bits(), to.bits(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    pub(super) fn set(&self, to: Stand) {
        self.0.store(to.bits(), Ordering::SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Stand, State, Word};

    #[test]
    fn a_stand_is_read_as_it_was_written() {
        for state in State::ALL {
            let stand = Stand::of(state, 12_345);
            assert_eq!(Stand::from_bits(stand.bits()), stand);
        }
        assert!(Word::new(Stand::OPEN).is_open());
    }

    #[test]
    fn who_loses_leaves_the_winners_name() {
        let word = Word::new(Stand::OPEN);
        assert!(word.change(Stand::OPEN, Stand::of(State::Closing, 1)));
        assert!(!word.change(Stand::OPEN, Stand::of(State::Closing, 2)));
        assert_eq!(word.load(), Stand::of(State::Closing, 1));
        // Nor does anybody open what is another's.
        assert!(!word.change(Stand::of(State::Closing, 2), Stand::OPEN));
    }
}
