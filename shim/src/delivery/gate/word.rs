//! Where the gate stands and whose it is, in one word: nobody sees the one without the other,
//! and of two who would change it one wins and the other has done nothing.

use std::sync::atomic::{AtomicU64, Ordering};

/// Where the gate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Gate {
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

/// The gate at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stand {
    pub(super) gate: Gate,
    /// The thread that replays, closes, sends a bracket or the last events; 0 if it is nobody's.
    pub(super) owner: u64,
}

impl Stand {
    /// Events flow.
    pub(super) const OPEN: Self = Self::of(Gate::Open, 0);

    pub(super) const fn of(gate: Gate, owner: u64) -> Self {
        Self { gate, owner }
    }

    const fn bits(self) -> u64 {
        self.owner << GATE_BITS | self.gate as u64
    }

    fn from_bits(bits: u64) -> Self {
        let gate = match bits & ((1 << GATE_BITS) - 1) {
            0 => Gate::Open,
            1 => Gate::Loading,
            2 => Gate::Replay,
            3 => Gate::Closing,
            4 => Gate::Bracket,
            5 => Gate::LastEvents,
            _ => Gate::Shut,
        };
        Self::of(gate, bits >> GATE_BITS)
    }
}

const GATE_BITS: u32 = 3;

/// The word. A thread's key counts threads, so that it has room.
pub(super) struct Word(AtomicU64);

impl Word {
    pub(super) const fn new(stand: Stand) -> Self {
        Self(AtomicU64::new(stand.bits()))
    }

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

#[cfg(test)]
mod tests {
    use super::{Gate, Stand, Word};

    #[test]
    fn a_stand_is_read_as_it_was_written() {
        for gate in [
            Gate::Open,
            Gate::Loading,
            Gate::Replay,
            Gate::Closing,
            Gate::Bracket,
            Gate::LastEvents,
            Gate::Shut,
        ] {
            let stand = Stand::of(gate, 12_345);
            assert_eq!(Stand::from_bits(stand.bits()), stand);
        }
        assert!(Word::new(Stand::OPEN).is_open());
    }

    #[test]
    fn who_loses_leaves_the_winners_name() {
        let word = Word::new(Stand::OPEN);
        assert!(word.change(Stand::OPEN, Stand::of(Gate::Closing, 1)));
        assert!(!word.change(Stand::OPEN, Stand::of(Gate::Closing, 2)));
        assert_eq!(word.load(), Stand::of(Gate::Closing, 1));
        // Nor does anybody open what is another's.
        assert!(!word.change(Stand::of(Gate::Closing, 2), Stand::OPEN));
    }
}
