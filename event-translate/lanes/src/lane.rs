//! One lane: whose turn it is, and the bytes of what is said.
//!
//! A single word says who is at work. Whoever waits marks it before sleeping, so that the other
//! makes the system call that wakes only where somebody sleeps. What is longer than a lane goes in
//! pieces, for each of which the turn goes there and back.

use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::futex;

/// A lane is four pages.
const WORDS: usize = 4096 - 4;
const BYTES: usize = 4 * WORDS;

/// So often a waiting thread looks before it sleeps: some microseconds.
const LOOKS: u32 = 300;

/// The other process has ended, or what it says cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// The two ends of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Side {
    /// The VM's process.
    Vm = 1,
    /// The agent's.
    Host = 2,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Vm => Self::Host,
            Self::Host => Self::Vm,
        }
    }
}

/// Stands beside the side whose turn it is while the other one sleeps.
const SLEEPS: u32 = 1 << 8;

/// A lane, in memory of both processes; zeros are a lane that nobody has.
#[repr(C)]
#[derive(Debug)]
pub struct Lane {
    /// See [`crate::Life`].
    pub(crate) life: AtomicU32,
    turn: AtomicU32,
    len: AtomicU32,
    /// Another piece follows.
    more: AtomicU32,
    words: [AtomicU32; WORDS],
}

impl Lane {
    /// This side begins.
    pub(crate) fn begin(&self, side: Side) {
        self.turn.store(side as u32, Ordering::Release);
    }

    /// Says this, and gives the turn to the other side.
    ///
    /// # Errors
    /// If the other process has ended.
    pub fn send(&self, me: Side, bytes: &[u8], is_gone: &dyn Fn() -> bool) -> Result<(), Gone> {
        let mut pieces = bytes.chunks(BYTES).peekable();
        loop {
            let piece = pieces.next().unwrap_or_default();
            self.put(piece);
            // Relaxed: what is said, and how long it is, belongs to whose turn it is; the turn is given
            // with release and taken with acquire.
            let more = pieces.peek().is_some();
            self.more.store(more.into(), Ordering::Relaxed);
            self.pass(me);
            if !more {
                return Ok(());
            }
            self.wait_turn(me, is_gone)?;
        }
    }

    /// Waits for what the other side says.
    ///
    /// # Errors
    /// If the other process has ended.
    pub fn receive(
        &self,
        me: Side,
        into: &mut Vec<u8>,
        is_gone: &dyn Fn() -> bool,
    ) -> Result<(), Gone> {
        into.clear();
        loop {
            self.wait_turn(me, is_gone)?;
            self.take(into)?;
            if self.more.load(Ordering::Relaxed) == 0 {
                return Ok(());
            }
            self.pass(me);
        }
    }

    fn put(&self, piece: &[u8]) {
        for (word, bytes) in self.words.iter().zip(piece.chunks(4)) {
            let mut whole = [0; 4];
            for (to, from) in whole.iter_mut().zip(bytes) {
                *to = *from;
            }
            word.store(u32::from_le_bytes(whole), Ordering::Relaxed);
        }
        let len = u32::try_from(piece.len()).unwrap_or(0);
        self.len.store(len, Ordering::Relaxed);
    }

    fn take(&self, into: &mut Vec<u8>) -> Result<(), Gone> {
        let len = usize::try_from(self.len.load(Ordering::Relaxed)).unwrap_or(0);
        if len > BYTES {
            return Err(Gone);
        }
        let end = into.len().saturating_add(len);
        for word in self.words.iter().take(len.div_ceil(4)) {
            into.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        into.truncate(end);
        Ok(())
    }

    fn pass(&self, me: Side) {
        let before = self.turn.swap(me.other() as u32, Ordering::AcqRel);
        if before & SLEEPS != 0 {
            futex::wake(&self.turn);
        }
    }

    fn wait_turn(&self, me: Side, is_gone: &dyn Fn() -> bool) -> Result<(), Gone> {
        let mine = me as u32;
        // The other side may sleep already while it is our turn.
        let is_mine = || self.turn.load(Ordering::Acquire) & !SLEEPS == mine;
        for _ in 0..LOOKS {
            if is_mine() {
                return Ok(());
            }
            hint::spin_loop();
        }
        let theirs = me.other() as u32;
        loop {
            let marked = self.turn.compare_exchange(
                theirs,
                theirs | SLEEPS,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match marked {
                Err(now) if now & !SLEEPS == mine => return Ok(()),
                _ => futex::wait(&self.turn, theirs | SLEEPS),
            }
            if !is_mine() && is_gone() {
                return Err(Gone);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;

    use super::{BYTES, Gone, Lane, Side, WORDS};

    fn lane() -> Box<Lane> {
        let lane = Box::new(Lane {
            life: AtomicU32::new(0),
            turn: AtomicU32::new(0),
            len: AtomicU32::new(0),
            more: AtomicU32::new(0),
            words: [const { AtomicU32::new(0) }; WORDS],
        });
        lane.begin(Side::Vm);
        lane
    }

    fn pattern(len: usize) -> Vec<u8> {
        (0..len).map(|at| u8::try_from(at % 251).unwrap()).collect()
    }

    #[test]
    fn what_is_said_arrives_whole_in_any_length() {
        let lane = lane();
        let lives = || false;
        let lengths = [0, 1, 3, 4, 5, BYTES - 1, BYTES, BYTES + 1, 5 * BYTES + 7];
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut heard = Vec::new();
                for _ in lengths {
                    lane.receive(Side::Host, &mut heard, &lives).unwrap();
                    heard.reverse();
                    lane.send(Side::Host, &heard, &lives).unwrap();
                }
            });
            let mut heard = Vec::new();
            for len in lengths {
                lane.send(Side::Vm, &pattern(len), &lives).unwrap();
                lane.receive(Side::Vm, &mut heard, &lives).unwrap();
                heard.reverse();
                assert_eq!(heard, pattern(len));
            }
        });
    }

    /// Sleepers are woken: 20,000 turns take far less than as many looks.
    #[test]
    fn no_wake_up_is_lost() {
        let lane = lane();
        let lives = || false;
        let start = std::time::Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut heard = Vec::new();
                for _ in 0..20_000 {
                    lane.receive(Side::Host, &mut heard, &lives).unwrap();
                    lane.send(Side::Host, &heard, &lives).unwrap();
                }
            });
            let mut heard = Vec::new();
            for turn in 0..20_000_u32 {
                lane.send(Side::Vm, &turn.to_le_bytes(), &lives).unwrap();
                lane.receive(Side::Vm, &mut heard, &lives).unwrap();
                assert_eq!(heard, turn.to_le_bytes());
            }
        });
        assert!(start.elapsed() < std::time::Duration::from_secs(60));
    }

    #[test]
    fn nobody_waits_for_the_dead() {
        let lane = lane();
        let dead = AtomicBool::new(false);
        let is_gone = || dead.load(Ordering::Relaxed);
        thread::scope(|scope| {
            let waits = scope.spawn(|| {
                lane.send(Side::Vm, b"event", &is_gone)?;
                lane.receive(Side::Vm, &mut Vec::new(), &is_gone)
            });
            dead.store(true, Ordering::Relaxed);
            assert_eq!(waits.join().unwrap(), Err(Gone));
        });
    }

    #[test]
    fn nonsense_is_the_end() {
        let lane = lane();
        lane.len.store(u32::MAX, Ordering::Relaxed);
        let heard = lane.receive(Side::Vm, &mut Vec::new(), &|| false);
        assert_eq!(heard, Err(Gone));
    }
}
