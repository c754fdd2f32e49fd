//! One lane: whose turn it is, and the bytes of what is said.
//!
//! A single word says who is at work. Whoever waits marks it before sleeping, so that the other
//! makes the system call that wakes only where somebody sleeps. What is longer than a lane goes in
//! pieces, for each of which the turn goes there and back.
//!
//! Before it sleeps a side looks for a while, if that was worth it the last times ([`Habit`]): with a processor
//! for each side an answer is there sooner than a sleeper would wake up.

use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::futex;

/// A lane is four pages.
const WORDS: usize = 4096 - 8;
const BYTES: usize = 4 * WORDS;

/// So long a waiting thread looks before it sleeps.
const LOOKS_FOR: Duration = Duration::from_micros(20);

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

/// What a side waits for: how soon that comes is another question for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// What comes of something that it has said.
    Answer,
    /// What comes by itself.
    News,
}

/// Stands beside the side whose turn it is while the other one sleeps.
const SLEEPS: u32 = 1 << 8;
/// The same when the other process is gone.
const ENDED: u32 = 1 << 9;

/// Whose turn it is.
const fn side(turn: u32) -> u32 {
    turn & !(SLEEPS | ENDED)
}

/// Whether looking is worth it: how often in a row it was not, and in the upper bits the waits since the last try.
/// Zeros are the beginning.
#[derive(Debug)]
#[repr(transparent)]
struct Habit(AtomicU32);

impl Habit {
    /// One wait of 2^7 still looks: 0.16 µs of processor time a wait.
    const MOST_MISSES: u32 = 7;

    // Relaxed: one thread's own notes, all of them.
    fn is_to_look(&self) -> bool {
        let habit = self.0.load(Ordering::Relaxed);
        let (misses, waits) = (habit & 0xff, (habit >> 8) + 1);
        if misses == 0 {
            return true;
        }
        let is_time = waits >> misses != 0;
        let waits = if is_time { 0 } else { waits };
        self.0.store(waits << 8 | misses, Ordering::Relaxed);
        is_time
    }

    fn note(&self, was_worth_it: bool) {
        let misses = self.0.load(Ordering::Relaxed) & 0xff;
        let new = if was_worth_it {
            0
        } else {
            (misses + 1).min(Self::MOST_MISSES)
        };
        if new != misses {
            self.0.store(new, Ordering::Relaxed);
        }
    }
}

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
    /// Of the VM's side and the agent's, for answers and for news.
    habits: [[Habit; 2]; 2],
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
            self.wait_turn(me, Awaits::Answer, is_gone)?;
        }
    }

    /// Waits for what the other side says.
    ///
    /// # Errors
    /// If the other process has ended.
    pub fn receive(
        &self,
        me: Side,
        awaits: Awaits,
        into: &mut Vec<u8>,
        is_gone: &dyn Fn() -> bool,
    ) -> Result<(), Gone> {
        into.clear();
        let mut awaits = awaits;
        loop {
            self.wait_turn(me, awaits, is_gone)?;
            awaits = Awaits::Answer;
            self.take(into)?;
            if self.more.load(Ordering::Relaxed) == 0 {
                return Ok(());
            }
            self.pass(me);
        }
    }

    fn put(&self, piece: &[u8]) {
        let (whole, rest) = piece.as_chunks();
        let mut last = [0; 4];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        // One more than there may be, which means nothing then.
        for (word, bytes) in self.words.iter().zip(whole.iter().chain([&last])) {
            word.store(u32::from_le_bytes(*bytes), Ordering::Relaxed);
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

    /// The other process is gone, as `is_gone` says by now: who waits looks.
    pub(crate) fn interrupt(&self) {
        self.turn.fetch_or(ENDED, Ordering::AcqRel);
        futex::wake(&self.turn);
    }

    fn wait_turn(&self, me: Side, awaits: Awaits, is_gone: &dyn Fn() -> bool) -> Result<(), Gone> {
        let mine = me as u32;
        // The other side may sleep already while it is our turn.
        let is_mine = || side(self.turn.load(Ordering::Acquire)) == mine;
        if is_mine() {
            return Ok(());
        }
        let [of_vm, of_host] = &self.habits;
        let [for_answers, for_news] = match me {
            Side::Vm => of_vm,
            Side::Host => of_host,
        };
        let habit = match awaits {
            Awaits::Answer => for_answers,
            Awaits::News => for_news,
        };
        if habit.is_to_look() {
            let found = look(is_mine);
            habit.note(found);
            if found {
                return Ok(());
            }
        }
        let theirs = me.other() as u32;
        loop {
            let marked = self.turn.compare_exchange(
                theirs,
                theirs | SLEEPS,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if marked.is_err_and(|now| side(now) == mine) {
                return Ok(());
            }
            if is_gone() {
                return Err(Gone);
            }
            futex::wait(&self.turn, theirs | SLEEPS);
        }
    }
}

/// Looks for [`LOOKS_FOR`], and often before it asks for the time.
fn look(found: impl Fn() -> bool) -> bool {
    const BETWEEN_CLOCKS: u32 = 16;
    let mut start = None;
    loop {
        for _ in 0..BETWEEN_CLOCKS {
            if found() {
                return true;
            }
            hint::spin_loop();
        }
        if start.get_or_insert_with(Instant::now).elapsed() >= LOOKS_FOR {
            return found();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;

    use super::{Awaits, BYTES, Gone, Habit, Lane, SLEEPS, Side, WORDS};

    fn lane() -> Box<Lane> {
        let lane = Box::new(Lane {
            life: AtomicU32::new(0),
            turn: AtomicU32::new(0),
            len: AtomicU32::new(0),
            more: AtomicU32::new(0),
            habits: [const { [const { Habit(AtomicU32::new(0)) }; 2] }; 2],
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
                    lane.receive(Side::Host, Awaits::News, &mut heard, &lives)
                        .unwrap();
                    heard.reverse();
                    lane.send(Side::Host, &heard, &lives).unwrap();
                }
            });
            let mut heard = Vec::new();
            for len in lengths {
                lane.send(Side::Vm, &pattern(len), &lives).unwrap();
                lane.receive(Side::Vm, Awaits::Answer, &mut heard, &lives)
                    .unwrap();
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
                    lane.receive(Side::Host, Awaits::News, &mut heard, &lives)
                        .unwrap();
                    lane.send(Side::Host, &heard, &lives).unwrap();
                }
            });
            let mut heard = Vec::new();
            for turn in 0..20_000_u32 {
                lane.send(Side::Vm, &turn.to_le_bytes(), &lives).unwrap();
                lane.receive(Side::Vm, Awaits::Answer, &mut heard, &lives)
                    .unwrap();
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
                lane.receive(Side::Vm, Awaits::Answer, &mut Vec::new(), &is_gone)
            });
            let is_asleep = || lane.turn.load(Ordering::Relaxed) & SLEEPS != 0;
            while !is_asleep() {
                thread::yield_now();
            }
            dead.store(true, Ordering::Relaxed);
            lane.interrupt();
            assert_eq!(waits.join().unwrap(), Err(Gone));
        });
    }

    #[test]
    fn who_comes_behind_the_end_does_not_wait() {
        let lane = lane();
        lane.interrupt();
        lane.begin(Side::Vm);
        lane.send(Side::Vm, b"event", &|| true).unwrap();
        let heard = lane.receive(Side::Vm, Awaits::Answer, &mut Vec::new(), &|| true);
        assert_eq!(heard, Err(Gone));
    }

    /// Of 10,000 waits that end asleep 200 look at most; one that does not brings it all back.
    #[test]
    fn looking_in_vain_becomes_rare() {
        let habit = Habit(AtomicU32::new(0));
        let waits = 0..10_000;
        let looks = waits.filter(|_| {
            let looks = habit.is_to_look();
            if looks {
                habit.note(false);
            }
            looks
        });
        let looks = looks.count();
        assert!((70..200).contains(&looks), "{looks}");
        habit.note(true);
        assert!(habit.is_to_look() && habit.is_to_look());
    }

    #[test]
    fn nonsense_is_the_end() {
        let lane = lane();
        lane.len.store(u32::MAX, Ordering::Relaxed);
        let heard = lane.receive(Side::Vm, Awaits::Answer, &mut Vec::new(), &|| false);
        assert_eq!(heard, Err(Gone));
    }
}
