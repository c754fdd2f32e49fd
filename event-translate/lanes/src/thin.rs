//! Raw monitors that nobody waits for, which the agent's process enters and leaves alone.
//!
//! Each of the first thousand has a word: while it holds the monitor's handle, the monitor is *thin*,
//! and the word says whose it is. Whoever finds it another's asks the VM's process, which
//! closes the word first: from then on the monitor is one of the VM's process as any other, with
//! those who wait for it, its events and its place in dumps, until nobody has it and nobody waits.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many monitors can be thin.
const WORDS: usize = 1024;

/// A handle is its number, from 1 on, in bits 4 to 23; see `id_map::MonitorId`.
const NUMBER_AT: u32 = 4;
const NUMBERS: u32 = 1 << 20;

const LANE_AT: u32 = 32;
const DEPTH_AT: u32 = 48;
const DEEPER: u64 = 1 << DEPTH_AT;

/// Memory of both processes; zeros are monitors of which none is thin.
#[repr(C)]
#[derive(Debug)]
pub struct ThinMonitors {
    /// None from this place on.
    end: AtomicU32,
    /// To a whole line of the processor's.
    _rest: [AtomicU32; 15],
    words: [AtomicU64; WORDS],
}

/// Who owns a thin monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The thread with this lane.
    pub lane: usize,
    /// How often it has entered it.
    pub depth: u32,
}

fn handle(word: u64) -> u64 {
    word & u64::from(u32::MAX)
}

/// Whether it is this monitor's word, and that is thin.
fn is_of(word: u64, monitor: u64) -> bool {
    word != 0 && handle(word) == monitor
}

fn owner(word: u64) -> Option<Owner> {
    let lane = usize::try_from(word >> LANE_AT & 0xffff).ok()?;
    let depth = u32::try_from(word >> DEPTH_AT).ok()?;
    (depth > 0).then_some(Owner { lane, depth })
}

impl ThinMonitors {
    fn word(&self, monitor: u64) -> Option<&AtomicU64> {
        let monitor = u32::try_from(monitor).ok()?;
        let number = (monitor >> NUMBER_AT) & (NUMBERS - 1);
        self.words
            .get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// In the VM's process: nobody owns the monitor, and nobody waits for it; it is thin from now on, if it has a word.
    pub fn open(&self, monitor: u64) {
        if let Some(word) = self.word(monitor) {
            // Before the word: whoever has entered it is found.
            let number = (monitor >> NUMBER_AT) & u64::from(NUMBERS - 1);
            let end = u32::try_from(number).unwrap_or(0);
            self.end.fetch_max(end, Ordering::AcqRel);
            // One that is thin stays as it is: it may be somebody's.
            let _ = word.compare_exchange(0, monitor, Ordering::AcqRel, Ordering::Acquire);
        }
    }

    /// In the VM's process: whether the monitor is thin.
    #[must_use]
    pub fn is_thin(&self, monitor: u64) -> bool {
        self.word(monitor)
            .is_some_and(|word| is_of(word.load(Ordering::Acquire), monitor))
    }

    /// In the VM's process: the monitor is not thin any more; who owned it. Another monitor's word stays as it is.
    pub fn close(&self, monitor: u64) -> Option<Owner> {
        let close = |word| is_of(word, monitor).then_some(0);
        let was = self
            .word(monitor)?
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, close);
        owner(was.ok()?)
    }

    /// The thin monitors that there are, and whose each of them is.
    pub fn all(&self) -> impl Iterator<Item = (u64, Option<Owner>)> {
        let end = usize::try_from(self.end.load(Ordering::Acquire)).unwrap_or(WORDS);
        let words = self.words.iter().take(end);
        let words = words.map(|word| word.load(Ordering::Acquire));
        words
            .filter(|word| *word != 0)
            .map(|word| (handle(word), owner(word)))
    }

    /// In the agent's process, on the thread with this lane: enters the monitor. False if it is not
    /// thin, or another's.
    pub fn enter(&self, monitor: u64, lane: usize) -> bool {
        self.change(monitor, |word| match owner(word) {
            None => Some(word | (lane as u64) << LANE_AT | DEEPER),
            Some(owner) if owner.lane == lane => word.checked_add(DEEPER),
            Some(_) => None,
        })
    }

    /// Leaves it once. False if it is not thin, or not this thread's.
    pub fn exit(&self, monitor: u64, lane: usize) -> bool {
        self.change(monitor, |word| {
            let owner = owner(word).filter(|owner| owner.lane == lane)?;
            Some(if owner.depth > 1 {
                word - DEEPER
            } else {
                handle(word)
            })
        })
    }

    /// Whether it is thin, and this thread's: then nobody waits to be notified.
    #[must_use]
    pub fn owns(&self, monitor: u64, lane: usize) -> bool {
        let word = self
            .word(monitor)
            .map_or(0, |word| word.load(Ordering::Acquire));
        is_of(word, monitor) && owner(word).is_some_and(|owner| owner.lane == lane)
    }

    fn change(&self, monitor: u64, new: impl Fn(u64) -> Option<u64>) -> bool {
        let Some(word) = self.word(monitor) else {
            return false;
        };
        let change = |word| new(word).filter(|_| is_of(word, monitor));
        word.fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64};

    use super::{Owner, ThinMonitors, WORDS};

    const FIRST: u64 = 1 << 4;

    fn monitors() -> ThinMonitors {
        ThinMonitors {
            end: AtomicU32::new(0),
            _rest: [const { AtomicU32::new(0) }; 15],
            words: [const { AtomicU64::new(0) }; WORDS],
        }
    }

    fn held_by(monitors: &ThinMonitors, lane: usize) -> u32 {
        let owners = monitors.all().filter_map(|(_, owner)| owner);
        let own = owners.filter(|owner| owner.lane == lane);
        own.map(|owner| owner.depth).sum()
    }

    #[test]
    fn its_owner_enters_again_and_others_do_not() {
        let monitors = monitors();
        assert!(!monitors.enter(FIRST, 7), "it is not thin");
        monitors.open(FIRST);
        assert!(!monitors.exit(FIRST, 7) && !monitors.owns(FIRST, 7));
        assert!(monitors.enter(FIRST, 7) && monitors.enter(FIRST, 7));
        assert!(!monitors.enter(FIRST, 8) && !monitors.exit(FIRST, 8));
        assert!(monitors.owns(FIRST, 7) && !monitors.owns(FIRST, 8));
        assert_eq!((held_by(&monitors, 7), held_by(&monitors, 8)), (2, 0));
        assert!(monitors.exit(FIRST, 7) && monitors.exit(FIRST, 7));
        assert!(!monitors.exit(FIRST, 7) && monitors.enter(FIRST, 8));
    }

    #[test]
    fn a_closed_one_is_nobodys() {
        let monitors = monitors();
        let second = FIRST + 16;
        monitors.open(FIRST);
        monitors.open(second);
        assert!(monitors.enter(second, 2047) && monitors.enter(second, 2047));
        let all: Vec<_> = monitors.all().map(|(monitor, _)| monitor).collect();
        assert_eq!(all, [FIRST, second]);
        assert_eq!(monitors.close(FIRST), None);
        let owner = Owner {
            lane: 2047,
            depth: 2,
        };
        assert_eq!(monitors.close(second), Some(owner));
        assert!(!monitors.exit(second, 2047) && !monitors.enter(FIRST, 1));
        assert_eq!(monitors.all().count(), 0);
    }

    /// Handles of the slot's other lives, of slots without a word, and what is none.
    #[test]
    fn other_handles_are_refused() {
        let monitors = monitors();
        monitors.open(FIRST);
        for other in [0, FIRST + 1, FIRST | 1 << 24, 1025 << 4, u64::MAX] {
            assert!(!monitors.enter(other, 1), "{other:#x}");
            assert_eq!(monitors.close(other), None);
            assert!(!monitors.is_thin(other));
        }
        assert!(monitors.is_thin(FIRST), "it is not theirs to close");
        monitors.open(1025 << 4);
        assert!(!monitors.enter(1025 << 4, 1) && monitors.enter(1 << 4, 1));
    }

    /// The slot has another life, and its monitor an owner.
    #[test]
    fn a_stale_handle_takes_no_monitor_from_its_owner() {
        let monitors = monitors();
        let later = FIRST | 1 << 24;
        monitors.open(FIRST);
        assert_eq!(monitors.close(FIRST), None);
        monitors.open(later);
        assert!(monitors.enter(later, 5));
        assert_eq!(monitors.close(FIRST), None);
        monitors.open(FIRST);
        monitors.open(later);
        assert!(monitors.owns(later, 5) && !monitors.enter(later, 6));
        let owner = Owner { lane: 5, depth: 1 };
        assert_eq!(monitors.close(later), Some(owner));
    }

    #[test]
    fn no_deeper_than_there_is_room() {
        let monitors = monitors();
        monitors.open(FIRST);
        let entered = (0..70_000).filter(|_| monitors.enter(FIRST, 3)).count();
        assert_eq!(entered, 65_535);
        assert_eq!(held_by(&monitors, 3), 65_535);
    }
}
