//! Which owner of a monitor has to say MONITOR_CONTENDED_EXIT when it leaves.
//!
//! # Order
//! EXIT comes after the waiter's ENTER and before its ENTERED: an owner that leaves while
//! the waiter is still telling of itself waits for that, if it may; and it has said EXIT before
//! it lets go. One that leaves, comes back before anybody else got in, and leaves again, has
//! handed over once and says so once.
//!
//! # Entries within entries
//! The VM's count of an owner's entries leaves out those made before the monitor got its
//! structure. That is so once at most: who has waited and got in has entered by the
//! structure, and so does everybody after. Before that the owner asks the VM; so does each owner where
//! the structure cannot be read.
//!
//! # Threads
//! The [`Book`] is behind a lock of the caller's; [`Waiters`] is read by all, and shown by
//! whoever has changed it.

#[cfg(all(test, not(loom)))]
mod tests;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::sync::{AtomicUsize, Ordering, const_fn, fence};

/// A monitor that somebody waits to enter.
#[derive(Default)]
struct Contended {
    /// Whose ENTER the agent has had.
    waiting: u32,
    /// Whose ENTER it is getting.
    coming: u32,
    /// The owner that has said EXIT last; 0 when somebody has come or got in since.
    told_by: u64,
    /// The VM's own structure, which stays while anybody waits; 0 if that is not known.
    structure: usize,
    /// It is known, and counts all entries of the owner.
    counted: bool,
}

/// A thread that waits is in the book, since the event was enabled for this time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(u32);

impl Ticket {
    /// As a number; 0 for `None`.
    pub fn raw(this: Option<Self>) -> u32 {
        this.map_or(0, |ticket| ticket.0)
    }

    /// From such a number.
    pub fn from_raw(raw: u32) -> Option<Self> {
        (raw != 0).then_some(Self(raw))
    }
}

/// An owner that is about to leave.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Its key.
    pub me: u64,
    /// Whatever the number of its entries.
    pub wholly: bool,
    /// It may wait for a waiter that is telling of itself.
    pub patient: bool,
    /// The VM has said what it knows of its entries: not that there are more than one.
    pub asked: bool,
}

/// What a leaving owner has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duty {
    /// To leave.
    Nothing,
    /// To ask the VM whether it leaves at all.
    Ask,
    /// To wait, and then to look again.
    Wait,
    /// To say EXIT.
    Tell,
}

/// All monitors that somebody waits for, by their objects.
pub struct Book {
    /// Of how many times that the event was disabled this is what came after; from 1.
    generation: u32,
    entries: HashMap<u64, Contended>,
    /// Monitors that somebody has entered by their structure, that, and when.
    counted: HashMap<u64, (usize, Instant)>,
}

impl Default for Book {
    fn default() -> Self {
        Self {
            generation: 1,
            entries: HashMap::new(),
            counted: HashMap::new(),
        }
    }
}

impl Book {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The monitors that somebody waits for.
    pub fn objects(&self) -> impl Iterator<Item = u64> {
        self.entries.keys().copied()
    }

    /// Whether anybody waits for this.
    pub fn is_contended(&self, object: u64) -> bool {
        self.entries.contains_key(&object)
    }

    /// A thread is about to wait, and to tell the agent. `structure` is the VM's, or 0.
    pub fn waits(&mut self, object: u64, structure: usize, now: Instant) -> Ticket {
        let counted = structure != 0 && self.is_counted(object, structure, now);
        let entry = self.entries.entry(object).or_default();
        entry.coming += 1;
        entry.told_by = 0;
        entry.counted |= counted;
        if structure != 0 {
            entry.structure = structure;
        }
        Ticket(self.generation)
    }

    /// It has told the agent.
    pub fn has_said_so(&mut self, object: u64, ticket: Ticket) {
        if self.generation == ticket.0 {
            self.change(object, |entry| {
                entry.coming = entry.coming.saturating_sub(1);
                entry.waiting += 1;
            });
        }
    }

    /// It does not tell the agent, and will not.
    pub fn gives_up(&mut self, object: u64, ticket: Ticket) {
        if self.generation != ticket.0 {
            return;
        }
        self.change(object, |entry| {
            entry.coming = entry.coming.saturating_sub(1);
        });
    }

    /// It owns the monitor now.
    pub fn has_entered(&mut self, object: u64, ticket: Ticket, now: Instant) {
        if self.generation != ticket.0 {
            return;
        }
        let structure = self.change(object, |entry| {
            entry.waiting = entry.waiting.saturating_sub(1);
            entry.told_by = 0;
            entry.counted = entry.structure != 0;
            entry.structure
        });
        if let Some(structure) = structure.filter(|&structure| structure != 0) {
            self.note_counted(object, structure, now);
        }
    }

    /// What an owner that is about to leave has to do; `enters_again` says whether by the count
    /// of that structure it has entered more than once.
    pub fn leaves(
        &mut self,
        object: u64,
        leaving: Leaving,
        enters_again: impl FnOnce(usize) -> bool,
    ) -> Duty {
        let Leaving {
            me,
            wholly,
            patient,
            asked,
        } = leaving;
        let Some(entry) = self.entries.get_mut(&object) else {
            return Duty::Nothing;
        };
        // The owner's own count: nobody else changes it.
        if entry.told_by == me || !wholly && enters_again(entry.structure) {
            Duty::Nothing
        } else if !(wholly || asked || entry.counted) {
            Duty::Ask
        } else if entry.waiting == 0 && patient {
            Duty::Wait
        } else {
            entry.told_by = me;
            Duty::Tell
        }
    }

    /// Nobody wants to hear of it any more.
    pub fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1).max(1);
        self.entries.clear();
        self.counted.clear();
    }

    /// Changes the entry of an object, if it has one, which goes with its last waiter.
    fn change<T>(&mut self, object: u64, act: impl FnOnce(&mut Contended) -> T) -> Option<T> {
        let entry = self.entries.get_mut(&object)?;
        let result = act(entry);
        if entry.waiting == 0 && entry.coming == 0 {
            self.entries.remove(&object);
        }
        Some(result)
    }

    /// From now on the VM's count of the owner's entries is true.
    fn note_counted(&mut self, object: u64, structure: usize, now: Instant) {
        const ROOM: usize = 4096;
        if self.counted.len() >= ROOM {
            self.counted.clear();
        }
        self.counted.insert(object, (structure, now));
    }

    /// Whether it is so. The VM takes structures back that nobody has used for a while.
    fn is_counted(&self, object: u64, structure: usize, now: Instant) -> bool {
        const A_WHILE: Duration = Duration::from_millis(100);
        let noted = self.counted.get(&object);
        noted.is_some_and(|&(of, when)| {
            of == structure && now.saturating_duration_since(when) < A_WHILE
        })
    }
}

/// How many monitors somebody waits for; and whether any, in a field that the program reads.
pub struct Waiters {
    count: AtomicUsize,
    /// Threads that are about to say in the field that nobody waits.
    lowering: AtomicUsize,
}

impl Waiters {
    const_fn! {
        /// None.
        #[allow(clippy::new_without_default, reason = "a default cannot be const")]
        pub fn new() -> Self {
            Self {
                count: AtomicUsize::new(0),
                lowering: AtomicUsize::new(0),
            }
        }
    }

    /// After each change of the book, with the lock held.
    pub fn note(&self, book: &Book) {
        self.count.store(book.count(), Ordering::SeqCst);
    }

    /// Whether anybody waits for anything.
    #[inline]
    pub fn any(&self) -> bool {
        // Relaxed: a hint for the short way; `show` has its fences.
        self.count.load(Ordering::Relaxed) != 0
    }

    /// Brings the field in line, without the lock. Another thread may change the count
    /// meanwhile: whoever looks last is right. Each passes a fence between the number and its
    /// store to the field, and between that store and its next look, so that of two, the one whose
    /// store is the last sees the other's number.
    ///
    /// Whoever waits is told of only when this returns, and no owner may miss it from then on: not
    /// even because another thread, which has seen that nobody waited, is late with saying so. That
    /// one notes that it is about to, and looks at the number once more; the one that waits has
    /// changed the number, and looks at the notes. A fence lies between on both sides: either the
    /// one sees the number, or the other the note, and then it has `until` wait for the end of that
    /// before it says that somebody waits.
    pub fn show(&self, set: impl Fn(bool), until: impl Fn(&dyn Fn() -> bool)) {
        fence(Ordering::SeqCst);
        loop {
            let any = self.any();
            if any {
                if self.lowering.load(Ordering::Acquire) != 0 {
                    until(&|| self.lowering.load(Ordering::Acquire) == 0);
                }
                set(true);
            } else {
                self.lowering.fetch_add(1, Ordering::SeqCst);
                fence(Ordering::SeqCst);
                if !self.any() {
                    set(false);
                }
                self.lowering.fetch_sub(1, Ordering::Release);
            }
            fence(Ordering::SeqCst);
            if self.any() == any {
                return;
            }
        }
    }
}
