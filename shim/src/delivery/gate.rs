//! Who may send an event now: the gate in front of every delivery. The protocol, and why it is
//! sound, stands in [`protocols::gate`]; here are those who wait, and for how long.
//!
//! Open, it costs one store to a word of the thread's own and one load. Closed,
//! one thread sends the events that belong together (the replay before
//! JVM_INIT_DONE, a GC bracket, the last events of all) and the others wait,
//! keep what they have to say, or at the end have it dropped, unless the agent has requested it.
//!
//! # Who waits
//! Only a thread that has no agent code on its stack and owns no raw monitor: any
//! other may hold the very lock that the bracket's handlers need. Such a thread
//! never waits; it keeps its event and sends it when the gate is open again.

mod closing;
mod last_events;
mod stragglers;

use std::sync::atomic::{Ordering, compiler_fence};

use jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;
use parking_lot::{Condvar, Mutex};
use protocols::gate::{Asking, Gate, Stand, State, Verdict, verdict};

use crate::base::patience;
use crate::base::{log, progress};
use crate::model::method_flow;
use crate::model::thread::native_thread::NativeThread;
use crate::model::thread::{Thread, current};
use crate::os::asymmetric_fence;

pub(crate) use closing::{Closed, begin_late_replay, begin_replay, close, let_handlers_end};
pub(crate) use last_events::{
    LastHandler, answering, answers, close_to_others, has_last_handler_begun, is_too_late, shut,
};
pub(crate) use stragglers::WantsBracket;

#[cfg(test)]
pub(crate) use closing::opened;
#[cfg(test)]
pub(crate) use last_events::Ended;

static GATE: Gate = Gate::new(Stand::of(State::Loading, 0));

static CHANGE: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

fn state() -> State {
    GATE.load().state
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

/// Nobody but the calling thread sends from now on, but for what is requested, or nobody at all.
fn end(to: State) {
    let guard = CHANGE.lock();
    GATE.end(Stand::of(to, current::key()));
    drop(guard);
    wake();
}

/// The fast path has [`method_flow::ACTIVE`] while the gate is open and passing it takes no fence:
/// to be called after each change of that.
pub(crate) fn renew_fast_path() {
    let _guard = CHANGE.lock();
    let wanted = || method_flow::ACTIVE.load(Ordering::SeqCst);
    GATE.renew(asymmetric_fence::is_taken_over, wanted);
}

/// Notes the thread inside, as long as what this gives lives; whether the gate is open.
#[inline]
pub(crate) fn enter(own: &Thread) -> (bool, Entered<'_>) {
    let open = own.native().depth.enter(&GATE, asymmetric_fence::light);
    (open, Entered(own))
}

/// Whether the thread is in a delivery.
#[inline(always)]
pub(crate) fn is_within(own: &Thread) -> bool {
    own.native().depth.own() != 0
}

/// A thread that is inside: dropped, it is outside again.
pub(crate) struct Entered<'a>(&'a Thread);

impl<'a> Entered<'a> {
    #[inline]
    pub(crate) fn thread(&self) -> &'a Thread {
        self.0
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.native().depth.leave();
    }
}

/// What becomes of an event that is not sent now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// It is kept.
    Keep,
    /// Nobody hears of it.
    Drop,
}

/// [`enter`] for a thread that is in no delivery, in a straight line: which method events are
/// wanted; 0 if the gate is not open.
#[inline(always)]
pub(crate) fn enter_first(own: &NativeThread) -> (u32, First<'_>) {
    // Of two halves the light one: else nothing is wanted here.
    let light = || compiler_fence(Ordering::SeqCst);
    (own.depth.enter_first(&GATE, light), First(own))
}

/// Ends what [`enter_first`] began when it is dropped.
pub(crate) struct First<'a>(&'a NativeThread);

impl Drop for First<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.depth.leave_first();
    }
}

/// Where the gate was not open to [`enter`], for an event of this type: waits if the thread may, and says what to do.
pub(crate) fn ask(mut inside: Entered<'_>, event_type: i32) -> Result<Entered<'_>, Refused> {
    let requested = event_type & JVMPI_REQUESTED_EVENT != 0;
    let own = inside.thread();
    loop {
        let stand = GATE.load();
        let asking = Asking {
            mine: stand.owner == current::key(),
            nested: own.native().depth.own() > 1,
            requested,
            answers: answers() && (requested || last_events::defines(event_type)),
            may_hold_a_lock: own.native().may_hold_a_lock(),
        };
        match verdict(stand.state, &asking) {
            Some(Verdict::Send) => return Ok(inside),
            Some(Verdict::Keep) => return Err(Refused::Keep),
            Some(Verdict::Drop) => return Err(Refused::Drop),
            None => {
                drop(inside);
                wait_for_change(stand);
                let (open, again) = enter(own);
                if open {
                    return Ok(again);
                }
                inside = again;
            }
        }
    }
}

/// Whether the thread may wait for another one: no agent code is on its stack that may hold
/// what that one needs.
pub(crate) fn may_wait(own: &Thread) -> bool {
    !is_within(own) && !own.native().may_hold_a_lock()
}

/// While the heap is replayed, nobody else gives ids to objects.
pub(crate) fn wait_for_replay(own: &Thread) {
    let stand = GATE.load();
    if stand.state == State::Replay && stand.owner != current::key() && may_wait(own) {
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
    while matches!(state(), State::Bracket | State::Closing)
        && !CHANGED.wait_until(&mut guard, deadline).timed_out()
    {}
}

/// Waits until the gate has another state. A bracket that takes very long is
/// opened: its handler may wait for something that this thread holds.
fn wait_for_change(stand: Stand) {
    let patience = if stand.state == State::Replay {
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
                && matches!(stand.state, State::Bracket | State::Replay)
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
    state() == State::Bracket
}

/// Whether another thread is closing it, and does not wait for a handler on this one.
pub(crate) fn is_closing() -> bool {
    let stand = GATE.load();
    let is_theirs = stand.state == State::Closing && stand.owner != current::key();
    is_theirs && !current::with_own(is_within).unwrap_or(false)
}

/// Whether the replay is under way.
pub(crate) fn is_replay() -> bool {
    state() == State::Replay
}

/// Whether a thread in a handler waits for something other than a processor.
pub(crate) fn anybody_waits_inside() -> bool {
    stragglers::anybody_waits()
}

/// Lets the closing side pay for the barriers. Costs milliseconds: not at start-up.
pub(crate) fn take_over_barriers() {
    if asymmetric_fence::take_over(renew_fast_path) {
        renew_fast_path();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{enter_first, opened, take_over_barriers};
    use crate::base::not_run::not_run;
    use crate::model::method_flow;
    use crate::model::thread::native_thread::NativeThread;
    use crate::os::asymmetric_fence::{self, heavy, is_taken_over};

    /// METHOD_ENTRY flows, until this is dropped.
    struct Flows;

    impl Flows {
        fn begin() -> Self {
            method_flow::ACTIVE.store(method_flow::ENTRY, Ordering::SeqCst);
            Self
        }
    }

    impl Drop for Flows {
        fn drop(&mut self) {
            method_flow::ACTIVE.store(0, Ordering::SeqCst);
        }
    }

    /// No closing comes in between: what the fast path goes by is renewed where the kernel refuses.
    #[test]
    fn without_barriers_of_the_kernel_there_is_no_fast_path() {
        let _one = opened();
        let _flows = Flows::begin();
        take_over_barriers();
        let own = NativeThread::new(0);
        let wanted = || enter_first(&own).0;
        if !is_taken_over() {
            return not_run("this kernel has no membarrier");
        }
        heavy();
        assert!(is_taken_over());
        assert_eq!(wanted(), method_flow::ENTRY);
        let refused = || {
            let refused = asymmetric_fence::tests::refuse();
            heavy();
            refused
        };
        if std::thread::spawn(refused).join().unwrap() {
            assert!(!is_taken_over());
            assert_eq!(wanted(), 0);
        } else {
            not_run("this kernel knows no filters");
        }
    }
}
