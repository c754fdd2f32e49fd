//! Who may send an event now: the gate in front of every delivery.
//!
//! Open, it costs one store to a word of the thread's own and one load. Closed,
//! one thread sends the events that belong together (the replay before
//! JVM_INIT_DONE, a GC bracket, the last events of all) and the others wait or
//! keep what they have to say.
//!
//! # Who waits
//! Only a thread that has no agent code on its stack and owns no raw monitor: any
//! other may hold the very lock that the bracket's handlers need. Such a thread
//! never waits; it keeps its event and sends it when the gate is open again.
//!
//! # Why it is sound
//! A thread notes "inside" in its own record and then reads the state; whoever
//! closes writes the state and then reads the records, with a barrier between on
//! both sides. While the gate is closing, those inside, and those that may not
//! wait, still pass; so after it is closed the records are read once more.

mod closing;
mod handlers;
mod stragglers;
mod word;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, compiler_fence};

use parking_lot::{Condvar, Mutex};

use crate::base::guards::Turn;
use crate::base::patience;
use crate::base::{log, progress};
use crate::delivery::method_flow;
use crate::model::current;
use crate::model::thread::Thread;
use crate::os::asymmetric_fence;

use word::{Gate, Stand, Word};

pub(crate) use closing::{Closed, begin_late_replay, begin_replay, close};
pub(crate) use stragglers::WantsBracket;

#[cfg(test)]
pub(crate) use closing::opened;

static GATE: Word = Word::new(Stand::of(Gate::Loading, 0));
/// Handlers in flight are being waited for before the last events.
static GRACE: AtomicBool = AtomicBool::new(false);

/// [`method_flow::ACTIVE`] while the gate is open and passing it takes no fence, else 0: all
/// that the fast path has to know of the world, in one word.
static FAST_PATH: AtomicU32 = AtomicU32::new(0);

static CHANGE: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

fn gate() -> Gate {
    GATE.load().gate
}

/// Moves from one state to another, unless somebody else was first.
fn change(from: Stand, to: Stand) -> bool {
    let changed = GATE.change(from, to);
    wake();
    changed
}

fn wake() {
    // Whoever has seen the old state is asleep by now, or will see the new one.
    renew_fast_path();
    CHANGED.notify_all();
}

/// Nobody but the calling thread sends from now on, or nobody at all. The fast path ends first:
/// else a thread's METHOD_EXIT could still take it when its METHOD_ENTRY is dropped here.
fn end(to: Gate) {
    let guard = CHANGE.lock();
    FAST_PATH.store(0, Ordering::SeqCst);
    GATE.set(Stand::of(to, current::key()));
    drop(guard);
    wake();
}

/// After each change of what it is made of: the last one to come here has seen them all.
pub(crate) fn renew_fast_path() {
    let _guard = CHANGE.lock();
    let free = gate() == Gate::Open && asymmetric_fence::is_taken_over();
    let word = if free {
        method_flow::ACTIVE.load(Ordering::SeqCst)
    } else {
        0
    };
    FAST_PATH.store(word, Ordering::SeqCst);
}

/// What a thread may do with an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Send it; [`leave`] afterwards.
    Send,
    /// Keep it and send it when the gate is open again.
    Keep,
    /// Forget it: nobody listens (any more).
    Drop,
}

/// Notes the thread inside; true if the gate is open. [`leave`] in any case.
#[inline]
pub(crate) fn enter(own: &Thread) -> bool {
    let depth = own.depth.load(Ordering::Relaxed);
    own.depth.store(depth + 1, Ordering::Relaxed);
    asymmetric_fence::light();
    GATE.is_open()
}

/// The thread is outside again.
#[inline]
pub(crate) fn leave(own: &Thread) {
    let depth = own.depth.load(Ordering::Relaxed);
    own.depth.store(depth.saturating_sub(1), Ordering::Release);
}

/// Whether the thread is in a delivery.
#[inline(always)]
pub(crate) fn is_within(own: &Thread) -> bool {
    own.depth.load(Ordering::Relaxed) != 0
}

/// Ends what [`enter`] began when it is dropped.
pub(crate) struct Entered<'a>(&'a Thread);

impl<'a> Entered<'a> {
    /// Of a thread that is inside.
    #[inline]
    pub(crate) fn of(own: &'a Thread) -> Self {
        Self(own)
    }

    #[inline]
    pub(crate) fn thread(&self) -> &'a Thread {
        self.0
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        leave(self.0);
    }
}

/// [`enter`] for a thread that is in no delivery, in a straight line: which method events are
/// wanted; 0 if the gate is not open.
#[inline(always)]
pub(crate) fn enter_first(own: &Thread) -> (u32, First<'_>) {
    own.depth.store(1, Ordering::Relaxed);
    let first = First(own);
    compiler_fence(Ordering::SeqCst);
    (FAST_PATH.load(Ordering::Acquire), first)
}

/// Ends what [`enter_first`] began when it is dropped.
pub(crate) struct First<'a>(&'a Thread);

impl Drop for First<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.depth.store(0, Ordering::Release);
    }
}

/// After [`enter`] was false: waits if the thread may, and says what to do. Unless
/// the verdict is [`Verdict::Send`] the thread is outside again.
pub(crate) fn ask(own: &Thread, requested: bool) -> Verdict {
    loop {
        let stand = GATE.load();
        let mine = stand.owner == current::key();
        let nested = own.depth.load(Ordering::Relaxed) > 1;
        let verdict = match stand.gate {
            Gate::Open => Some(Verdict::Send),
            Gate::Loading if requested => Some(Verdict::Send),
            Gate::Loading | Gate::Shut => Some(Verdict::Drop),
            Gate::Replay | Gate::LastEvents if mine => Some(Verdict::Send),
            // A handler that is waited for asks.
            Gate::LastEvents if requested && nested && GRACE.load(Ordering::Acquire) => {
                Some(Verdict::Send)
            }
            Gate::LastEvents => Some(Verdict::Drop),
            Gate::Closing if mine || nested || own.may_hold_a_lock() => Some(Verdict::Send),
            Gate::Replay | Gate::Bracket if requested => Some(Verdict::Send),
            Gate::Bracket if mine => Some(Verdict::Keep),
            Gate::Replay | Gate::Bracket if nested || own.may_hold_a_lock() => Some(Verdict::Keep),
            Gate::Closing | Gate::Replay | Gate::Bracket => None,
        };
        match verdict {
            Some(Verdict::Send) => return Verdict::Send,
            Some(verdict) => {
                leave(own);
                return verdict;
            }
            None => {
                leave(own);
                wait_for_change(stand);
                if enter(own) {
                    return Verdict::Send;
                }
            }
        }
    }
}

/// Whether the thread may wait for another one: no agent code is on its stack that may hold
/// what that one needs.
pub(crate) fn may_wait(own: &Thread) -> bool {
    !is_within(own) && !own.may_hold_a_lock()
}

/// While the heap is replayed, nobody else gives ids to objects.
pub(crate) fn wait_for_replay(own: &Thread) {
    let stand = GATE.load();
    if stand.gate == Gate::Replay && stand.owner != current::key() && may_wait(own) {
        wait_for_change(stand);
    }
}

/// Lets a bracket of another thread end first, as long as it is short: the caller's agent
/// may hold what the bracket's handlers wait for.
pub(crate) fn let_a_bracket_end(own: &Thread) {
    if !may_wait(own) || GATE.load().owner == current::key() {
        return;
    }
    let deadline = patience::SHORT_BRACKET.deadline();
    let mut guard = CHANGE.lock();
    while matches!(gate(), Gate::Bracket | Gate::Closing)
        && !CHANGED.wait_until(&mut guard, deadline).timed_out()
    {}
}

/// Waits until the gate has another state. A bracket that takes very long is
/// opened: its handler may wait for something that this thread holds.
fn wait_for_change(stand: Stand) {
    let patience = if stand.gate == Gate::Replay {
        patience::REPLAY
    } else {
        patience::BRACKET
    };
    let progress = progress::count();
    let deadline = patience.deadline();
    let mut guard = CHANGE.lock();
    while GATE.load() == stand {
        if CHANGED.wait_until(&mut guard, deadline).timed_out() {
            drop(guard);
            let stuck = progress::count() == progress;
            if stuck
                && matches!(stand.gate, Gate::Bracket | Gate::Replay)
                && change(stand, Stand::OPEN)
            {
                log::warn_once!(
                    "a handler of GC_START, GC_FINISH or the replay has not returned for {} s while \
                     other threads wait; they go on (events may come inside the bracket)",
                    patience.most.as_secs()
                );
            }
            return;
        }
    }
}

/// Whether nobody has closed it.
pub(crate) fn is_open() -> bool {
    GATE.is_open()
}

/// Whether a bracket is open; one that has gone on without the calling thread, if that
/// has passed the gate before.
#[inline]
pub(crate) fn is_in_bracket() -> bool {
    gate() == Gate::Bracket
}

/// Whether the replay is under way.
pub(crate) fn is_replay() -> bool {
    gate() == Gate::Replay
}

/// The VM is about to end: only the calling thread delivers, and handlers in
/// flight get 100 ms.
pub(crate) fn close_to_others() {
    let grace = Turn::take(&GRACE);
    end(Gate::LastEvents);
    asymmetric_fence::heavy();
    patience::GRACE.until(|| stragglers::are_among(&[]));
    drop(grace);
}

/// Nothing is delivered from now on.
pub(crate) fn shut() {
    end(Gate::Shut);
}

/// Whether a thread in a handler waits for something other than a processor.
pub(crate) fn anybody_waits_inside() -> bool {
    stragglers::anybody_waits()
}

/// Lets the closing side pay for the barriers. Costs milliseconds: not at start-up.
pub(crate) fn take_over_barriers() {
    if asymmetric_fence::take_over() {
        renew_fast_path();
    }
}
