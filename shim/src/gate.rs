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

use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering, compiler_fence, fence,
};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::collections;
use crate::ffi::{current, membarrier};
use crate::log;
use crate::method_events;
use crate::state;
use crate::threads::Thread;

/// Where the gate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Gate {
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

static GATE: AtomicU8 = AtomicU8::new(Gate::Loading as u8);
/// The thread that replays, or sends a bracket.
static OWNER: AtomicU64 = AtomicU64::new(0);
/// Handlers in flight are being waited for before the last events.
static GRACE: AtomicBool = AtomicBool::new(false);
/// The thread that delivers the last events.
static LAST: AtomicU64 = AtomicU64::new(0);
/// False once the closing side pays for the barrier of both (`membarrier`).
static FENCES: AtomicBool = AtomicBool::new(true);

/// [`method_events::ACTIVE`] while the gate is open and passing it takes no fence, else 0: all
/// that the short way has to know of the world, in one word.
static SHORT_WAY: AtomicU32 = AtomicU32::new(0);

static CHANGE: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

fn gate() -> Gate {
    match GATE.load(Ordering::Acquire) {
        0 => Gate::Open,
        1 => Gate::Loading,
        2 => Gate::Replay,
        3 => Gate::Closing,
        4 => Gate::Bracket,
        5 => Gate::LastEvents,
        _ => Gate::Shut,
    }
}

/// Moves from one state to another, unless the VM's end came between.
fn change(from: Gate, to: Gate) -> bool {
    let changed = GATE
        .compare_exchange(from as u8, to as u8, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok();
    wake();
    changed
}

fn wake() {
    // Whoever has seen the old state is asleep by now, or will see the new one.
    renew_short_way();
    CHANGED.notify_all();
}

/// Nobody but the calling thread sends from now on, or nobody at all. The short way ends first:
/// else a thread's METHOD_EXIT could still take it when its METHOD_ENTRY is dropped here.
fn end(to: Gate) {
    let guard = CHANGE.lock();
    SHORT_WAY.store(0, Ordering::SeqCst);
    GATE.store(to as u8, Ordering::SeqCst);
    drop(guard);
    wake();
}

/// After each change of what it is made of: the last one to come here has seen them all.
pub(crate) fn renew_short_way() {
    let _guard = CHANGE.lock();
    let free = gate() == Gate::Open && !FENCES.load(Ordering::SeqCst);
    let word = if free {
        method_events::ACTIVE.load(Ordering::SeqCst)
    } else {
        0
    };
    SHORT_WAY.store(word, Ordering::SeqCst);
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
    if FENCES.load(Ordering::Relaxed) {
        fence(Ordering::SeqCst);
    } else {
        compiler_fence(Ordering::SeqCst);
    }
    GATE.load(Ordering::Acquire) == Gate::Open as u8
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

/// [`enter`] for a thread that is in no delivery, in a straight line: which method events are
/// wanted; 0 if the gate is not open. [`leave_first`] in any case.
#[inline(always)]
pub(crate) fn enter_first(own: &Thread) -> u32 {
    own.depth.store(1, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    SHORT_WAY.load(Ordering::Acquire)
}

/// Ends what [`enter_first`] began.
#[inline(always)]
pub(crate) fn leave_first(own: &Thread) {
    own.depth.store(0, Ordering::Release);
}

/// After [`enter`] was false: waits if the thread may, and says what to do. Unless
/// the verdict is [`Verdict::Send`] the thread is outside again.
pub(crate) fn ask(own: &Thread, requested: bool) -> Verdict {
    loop {
        let mine = OWNER.load(Ordering::Acquire) == current::key();
        let nested = own.depth.load(Ordering::Relaxed) > 1;
        let state = gate();
        let verdict = match state {
            Gate::Open => Some(Verdict::Send),
            Gate::Loading if requested => Some(Verdict::Send),
            Gate::Loading | Gate::Shut => Some(Verdict::Drop),
            Gate::Replay if mine => Some(Verdict::Send),
            Gate::LastEvents if LAST.load(Ordering::Acquire) == current::key() => {
                Some(Verdict::Send)
            }
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
                wait_for_change(state);
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
    if may_wait(own) && gate() == Gate::Replay && OWNER.load(Ordering::Acquire) != current::key() {
        wait_for_change(Gate::Replay);
    }
}

/// Lets a bracket of another thread end first, as long as it is short: the caller's agent
/// may hold what the bracket's handlers wait for.
pub(crate) fn let_a_bracket_end(own: &Thread) {
    const PATIENCE: Duration = Duration::from_millis(20);
    if !may_wait(own) || OWNER.load(Ordering::Acquire) == current::key() {
        return;
    }
    let deadline = Instant::now() + PATIENCE;
    let mut guard = CHANGE.lock();
    while matches!(gate(), Gate::Bracket | Gate::Closing)
        && !CHANGED.wait_until(&mut guard, deadline).timed_out()
    {}
}

/// Waits until the gate has another state. A bracket that takes very long is
/// opened: its handler may wait for something that this thread holds.
fn wait_for_change(state: Gate) {
    let patience = if state == Gate::Replay {
        Duration::from_secs(10)
    } else {
        Duration::from_secs(1)
    };
    let owner = OWNER.load(Ordering::Acquire);
    let progress = PROGRESS.load(Ordering::Acquire);
    let deadline = Instant::now() + patience;
    let mut guard = CHANGE.lock();
    while gate() == state {
        if CHANGED.wait_until(&mut guard, deadline).timed_out() {
            drop(guard);
            let stuck = OWNER.load(Ordering::Acquire) == owner
                && PROGRESS.load(Ordering::Acquire) == progress;
            if stuck && matches!(state, Gate::Bracket | Gate::Replay) && change(state, Gate::Open) {
                log::warn_once!(
                    "a handler of GC_START, GC_FINISH or the replay has not returned for {} s while \
                     other threads wait; they go on (events may come inside the bracket)",
                    patience.as_secs()
                );
            }
            return;
        }
    }
}

/// Grows while a bracket gets on: handlers are slow, but not stuck.
static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// Whether nobody has closed it.
pub(crate) fn is_open() -> bool {
    gate() == Gate::Open
}

/// Whether a bracket is open; one that has gone on without the calling thread, if that
/// has passed the gate before.
#[inline]
pub(crate) fn is_in_bracket() -> bool {
    GATE.load(Ordering::Acquire) == Gate::Bracket as u8
}

/// Whether the replay is under way.
pub(crate) fn is_replay() -> bool {
    gate() == Gate::Replay
}

/// A number that changes while a bracket gets on.
pub(crate) fn progress() -> u64 {
    PROGRESS.load(Ordering::Acquire)
}

/// The bracket's handlers return, or a walk of the heap gets on.
pub(crate) fn note_progress() {
    PROGRESS.fetch_add(1, Ordering::Relaxed);
}

/// VMInit: the calling thread replays, the others wait.
pub(crate) fn begin_replay() {
    OWNER.store(current::key(), Ordering::Release);
    change(Gate::Loading, Gate::Replay);
}

/// The replay is over.
pub(crate) fn end_replay() {
    change(Gate::Replay, Gate::Open);
}

/// Closes the gate for a bracket of this thread, once the handlers in flight have
/// finished. With `insist` it is closed in any case but that of the VM's end, when one of
/// them has waited for something all through `patience` (the handlers of threads that wait
/// for a processor are not stuck, for a minute); without it stays open if they have not
/// finished by then.
pub(crate) fn close(patience: Duration, insist: bool) -> bool {
    const LOADED_MACHINE: Duration = Duration::from_secs(60);
    const ASK_EVERY: Duration = Duration::from_millis(10);
    let begin = Instant::now();
    let mut start = begin;
    let mut asked = begin;
    match gate() {
        Gate::Open => {}
        // In the handler of JVM_INIT_DONE or JVM_SHUT_DOWN: closed, and ours.
        Gate::Replay => return OWNER.load(Ordering::Acquire) == current::key(),
        Gate::LastEvents => return LAST.load(Ordering::Acquire) == current::key(),
        Gate::Loading | Gate::Closing | Gate::Bracket | Gate::Shut => return false,
    }
    OWNER.store(current::key(), Ordering::Release);
    if !change(Gate::Open, Gate::Closing) {
        return false;
    }
    loop {
        barrier();
        if insist && asked.elapsed() >= ASK_EVERY && begin.elapsed() < LOADED_MACHINE {
            asked = Instant::now();
            if !anybody_waits_inside() {
                start = asked;
            }
        }
        let late = start.elapsed() >= patience;
        if !anybody_inside() {
            if !change(Gate::Closing, Gate::Bracket) {
                return false;
            }
            barrier();
            if !anybody_inside() {
                return true;
            }
            // Somebody has passed while it was closing.
            if !change(Gate::Bracket, Gate::Closing) {
                return false;
            }
        } else if late && insist && !collections::in_pause() {
            log::warn_once!(
                "a handler has not returned for {} ms; a GC bracket is sent beside it",
                patience.as_millis()
            );
            return change(Gate::Closing, Gate::Bracket);
        } else if late && !insist {
            change(Gate::Closing, Gate::Open);
            return false;
        } else {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

/// The bracket is over.
pub(crate) fn open() {
    // Somebody may have opened it already, or the VM may have ended.
    change(Gate::Bracket, Gate::Open);
}

/// The VM is about to end: only the calling thread delivers, and handlers in
/// flight get 100 ms.
pub(crate) fn close_to_others() {
    LAST.store(current::key(), Ordering::Release);
    GRACE.store(true, Ordering::Release);
    end(Gate::LastEvents);
    barrier();
    let start = Instant::now();
    while anybody_inside() && start.elapsed() < Duration::from_millis(100) {
        std::thread::sleep(Duration::from_millis(1));
    }
    GRACE.store(false, Ordering::Release);
}

/// Nothing is delivered from now on.
pub(crate) fn shut() {
    end(Gate::Shut);
}

fn anybody_inside() -> bool {
    let me = current::own().map_or(0, |own| own.env);
    state::THREADS.any(|thread| is_inside(thread, me))
}

fn is_inside(thread: &Thread, me: usize) -> bool {
    thread.env != me && thread.depth.load(Ordering::Acquire) > 0
}

fn anybody_waits_inside() -> bool {
    let me = current::own().map_or(0, |own| own.env);
    // The kernel is asked outside of the lock.
    let threads = state::THREADS.snapshot();
    threads.iter().any(|thread| {
        is_inside(thread, me) && thread.waits() != Some(false) && is_inside(thread, me)
    })
}

fn barrier() {
    fence(Ordering::SeqCst);
    if !FENCES.load(Ordering::Relaxed) {
        membarrier::issue();
    }
}

/// Lets the closing side pay for the barriers. Costs milliseconds: not at start-up.
pub(crate) fn take_over_barriers() {
    if membarrier::register() {
        FENCES.store(false, Ordering::SeqCst);
        // From here on nobody has an enter without either barrier under way.
        membarrier::issue();
        renew_short_way();
    }
}
