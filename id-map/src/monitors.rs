//! Raw monitors: the locks an agent asks the VM for.
//!
//! Re-entrant, owned by a thread, with wait and notify-all (JVMPI facts B.5).
//! They are our own and not JVMTI's because JVMPI tells the agent about
//! contention on them, because threads the VM does not know may use them, and
//! because they must work in every phase.
//!
//! # Threads
//! Any, attached to the VM or not; `me` is a number of the calling thread alone.
//! The state's own lock is held for a few instructions and never while a caller
//! waits for the monitor.

use std::collections::VecDeque;
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;
use parking_lot::{Condvar, Mutex};

use crate::monitor_id::{Enter, Exit, Monitor, MonitorId, Outcome};

mod heirs;
mod lent;
#[cfg(test)]
mod tests;

#[derive(Default)]
struct State {
    /// Number of this life of the slot; `name` is `None` between lives. One more than the last
    /// that a handle has room for: the slot is used up.
    generation: u32,
    name: Option<Arc<CStr>>,
    /// The owner's number, 0 for none.
    owner: u64,
    depth: u32,
    /// Threads that wait to enter.
    entering: Vec<u64>,
    /// Threads that wait to come back from a wait. They want to be woken but are
    /// no contention to the agent: it was told of no ENTER.
    returning: Vec<u64>,
    /// Threads that wait to be notified.
    waiting: Vec<u64>,
    /// Counts calls of notify-all.
    notified: u64,
    /// Calls that are under way here, each of which nobody elsewhere may get ahead of.
    uses: u32,
}

#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    released: Condvar,
    notified: Condvar,
}

const CHUNK: usize = 256;
const CHUNKS: usize = (1 << MonitorId::INDEX_BITS) / CHUNK;

/// So many other slots are given back before one is used again: a handle's slot is not handed
/// out again at once.
const LEFT_ALONE: usize = 16;

struct Free {
    next: u32,
    /// First in, first out, so that a handle stays recognisably stale for long.
    reusable: VecDeque<u32>,
    /// Slots of which each handle has had its monitor: the last ones to be used again.
    used_up: VecDeque<u32>,
}

/// All raw monitors.
pub struct Monitors {
    chunks: [OnceCell<Box<[Slot]>>; CHUNKS],
    free: Mutex<Free>,
    /// Threads that never leave again what they own.
    gone: Mutex<Vec<u64>>,
}

impl Default for Monitors {
    fn default() -> Self {
        Self::new()
    }
}

impl Monitors {
    /// No monitors yet; memory is taken chunk by chunk and kept.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            chunks: [const { OnceCell::new() }; CHUNKS],
            free: Mutex::new(Free {
                next: 0,
                reusable: VecDeque::new(),
                used_up: VecDeque::new(),
            }),
            gone: Mutex::new(Vec::new()),
        }
    }

    /// Makes a monitor; the name is copied. `None` when a million of them live.
    pub fn create(&self, name: &CStr) -> Option<MonitorId> {
        let index = {
            let mut free = self.free.lock();
            let recycled = if free.reusable.len() > LEFT_ALONE {
                free.reusable.pop_front()
            } else {
                None
            };
            match recycled {
                Some(index) => index,
                None if usize::try_from(free.next).ok()? < CHUNK * CHUNKS - 1 => {
                    free.next += 1;
                    free.next - 1
                }
                None => free
                    .reusable
                    .pop_front()
                    .or_else(|| free.used_up.pop_front())?,
            }
        };
        let slot = self.slot(usize::try_from(index).ok()?, true)?;
        let mut state = slot.state.lock();
        state.generation %= MonitorId::GENERATIONS;
        state.name = Some(Arc::from(CString::from(name)));
        Some(MonitorId::new(index, state.generation))
    }

    /// The monitor's name, or `None` if there is no such monitor.
    pub fn name(&self, id: MonitorId) -> Option<Arc<CStr>> {
        let state = self.live(id)?.state.lock();
        state.name.clone().filter(|_| is(&state, id))
    }

    /// Whether a monitor has, or had, this id. No two monitors have one, until 134 million have
    /// been made (a million slots, 128 lives each): then handles are used again.
    pub fn was_made(&self, id: MonitorId) -> bool {
        let slot = id.index().and_then(|index| self.slot(index, false));
        slot.is_some_and(|slot| {
            let state = slot.state.lock();
            id.generation() < state.generation || is(&state, id)
        })
    }

    /// Enters if that is possible at once.
    pub fn try_enter(&self, id: MonitorId, me: u64) -> Enter {
        let Some(slot) = self.live(id) else {
            return Enter::Unknown;
        };
        let mut state = slot.state.lock();
        if !is(&state, id) {
            return Enter::Unknown;
        }
        if state.owner == 0 {
            state.owner = me;
            state.depth = 1;
        } else if state.owner == me {
            state.depth += 1;
        } else {
            state.entering.push(me);
            return state.name.clone().map_or(Enter::Unknown, Enter::Contended);
        }
        Enter::Entered
    }

    /// Waits until the monitor is free and enters it; only after
    /// [`Enter::Contended`]. False if it was destroyed meanwhile.
    pub fn enter_contended(&self, id: MonitorId, me: u64) -> bool {
        self.enter_when_free(id, me, |_| false)
    }

    /// The same; an owner for whom `is_gone` says so is none.
    fn enter_when_free(&self, id: MonitorId, me: u64, is_gone: impl Fn(u64) -> bool) -> bool {
        let Some(slot) = self.live(id) else {
            return false;
        };
        let mut state = slot.state.lock();
        // A handler of RAW_MONITOR_CONTENDED_ENTER may have entered it, and not left.
        while is(&state, id) && state.owner != 0 && state.owner != me && !is_gone(state.owner) {
            slot.released.wait(&mut state);
        }
        if !is(&state, id) {
            return false;
        }
        forget(&mut state.entering, me);
        state.depth = if state.owner == me {
            state.depth + 1
        } else {
            1
        };
        state.owner = me;
        true
    }

    /// Leaves one level; the last one releases the monitor.
    pub fn exit(&self, id: MonitorId, me: u64) -> Exit {
        let Some(slot) = self.live(id) else {
            return Exit::Unknown;
        };
        let mut state = slot.state.lock();
        if !is(&state, id) {
            return Exit::Unknown;
        }
        if state.owner != me {
            return Exit::NotOwner;
        }
        state.depth -= 1;
        if state.depth > 0 {
            return Exit::Done;
        }
        state.owner = 0;
        if state.is_wanted() {
            slot.released.notify_one();
        }
        if state.entering.is_empty() {
            return Exit::Done;
        }
        state.name.clone().map_or(Exit::Done, Exit::Contended)
    }

    /// The name of a monitor that this thread owns and others wait to enter.
    pub fn contended(&self, id: MonitorId, me: u64) -> Option<Arc<CStr>> {
        let state = self.live(id)?.state.lock();
        let contended = is(&state, id) && state.owner == me && !state.entering.is_empty();
        state.name.clone().filter(|_| contended)
    }

    /// Releases the monitor whatever its depth, waits for a notify-all (`timeout`
    /// `None`: for ever) and enters it again to the same depth.
    pub fn wait(&self, id: MonitorId, me: u64, timeout: Option<Duration>) -> Outcome {
        let Some(slot) = self.live(id) else {
            return Outcome::Unknown;
        };
        // A deadline that cannot be represented is as good as none.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = slot.state.lock();
        if !is(&state, id) {
            return Outcome::Unknown;
        }
        if state.owner != me {
            return Outcome::NotOwner;
        }
        let depth = std::mem::take(&mut state.depth);
        state.owner = 0;
        if state.is_wanted() {
            slot.released.notify_one();
        }
        let before = state.notified;
        state.waiting.push(me);
        let mut outcome = Outcome::Done;
        while is(&state, id) && state.notified == before {
            match deadline {
                None => slot.notified.wait(&mut state),
                Some(deadline) => {
                    if slot.notified.wait_until(&mut state, deadline).timed_out() {
                        outcome = Outcome::TimedOut;
                        break;
                    }
                }
            }
        }
        if is(&state, id) {
            // A notify-all has moved all of them already.
            if state.notified == before {
                forget(&mut state.waiting, me);
                state.returning.push(me);
            }
        }
        while is(&state, id) && state.owner != 0 {
            slot.released.wait(&mut state);
        }
        if !is(&state, id) {
            return Outcome::Unknown;
        }
        forget(&mut state.returning, me);
        state.owner = me;
        state.depth = depth;
        outcome
    }

    /// Wakes everybody who waits.
    pub fn notify_all(&self, id: MonitorId, me: u64) -> Outcome {
        let Some(slot) = self.live(id) else {
            return Outcome::Unknown;
        };
        let mut state = slot.state.lock();
        if !is(&state, id) {
            return Outcome::Unknown;
        }
        if state.owner != me {
            return Outcome::NotOwner;
        }
        state.notified += 1;
        let state = &mut *state;
        state.returning.append(&mut state.waiting);
        slot.notified.notify_all();
        Outcome::Done
    }

    /// Ends the monitor's life; whoever waits returns. How often this thread had entered it;
    /// `None` if it had no life.
    pub fn destroy(&self, id: MonitorId, me: u64) -> Option<u32> {
        let slot = self.live(id)?;
        let mut state = slot.state.lock();
        if !is(&state, id) {
            return None;
        }
        let old = std::mem::take(&mut *state);
        state.generation = old.generation + 1;
        let used_up = state.generation == MonitorId::GENERATIONS;
        slot.released.notify_all();
        slot.notified.notify_all();
        drop(state);
        if let Some(index) = id.index().and_then(|index| u32::try_from(index).ok()) {
            let free = &mut *self.free.lock();
            let queue = if used_up {
                &mut free.used_up
            } else {
                &mut free.reusable
            };
            queue.push_back(index);
        }
        Some(if old.owner == me { old.depth } else { 0 })
    }

    /// Whether this thread waits to enter a monitor, or to come back from a wait.
    pub fn is_entering(&self, thread: u64) -> bool {
        let chunks = self.chunks.iter().filter_map(OnceCell::get);
        chunks.flat_map(|slots| slots.iter()).any(|slot| {
            let state = slot.state.lock();
            state.entering.contains(&thread) || state.returning.contains(&thread)
        })
    }

    /// All monitors as they are at one moment, in the order of their slots.
    pub fn snapshot(&self) -> Vec<Monitor> {
        let chunks = self.chunks.iter().enumerate();
        let slots = chunks.flat_map(|(number, chunk)| {
            let slots = chunk.get().map_or(&[][..], |slots| &**slots);
            let numbers = (number * CHUNK..).filter_map(|index| u32::try_from(index).ok());
            numbers.zip(slots)
        });
        // Whoever else takes one of these locks takes no other.
        let held: Vec<_> = slots
            .map(|(index, slot)| (index, slot.state.lock()))
            .collect();
        let living = held.iter().filter_map(|(index, state)| {
            Some(Monitor {
                id: MonitorId::new(*index, state.generation),
                name: state.name.clone()?,
                owner: state.owner,
                depth: state.depth,
                entering: state
                    .entering
                    .iter()
                    .chain(&state.returning)
                    .copied()
                    .collect(),
                waiting: state.waiting.clone(),
            })
        });
        living.collect()
    }

    fn live(&self, id: MonitorId) -> Option<&Slot> {
        self.slot(id.index()?, false)
    }

    fn slot(&self, index: usize, grow: bool) -> Option<&Slot> {
        let chunk = self.chunks.get(index / CHUNK)?;
        let chunk = if grow {
            chunk.get_or_init(|| (0..CHUNK).map(|_| Slot::default()).collect())
        } else {
            chunk.get()?
        };
        chunk.get(index % CHUNK)
    }
}

impl State {
    /// Whether somebody is to be woken when nobody owns it.
    fn is_wanted(&self) -> bool {
        !self.entering.is_empty() || !self.returning.is_empty()
    }
}

fn forget(threads: &mut Vec<u64>, me: u64) {
    if let Some(at) = threads.iter().position(|&thread| thread == me) {
        threads.remove(at);
    }
}

/// Whether the slot's present life is the one `id` names.
fn is(state: &State, id: MonitorId) -> bool {
    state.name.is_some() && state.generation == id.generation()
}
