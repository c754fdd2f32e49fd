//! What the checks know: of the process, and of what each thread is in the middle of.
//!
//! # Threads
//! Any. What one thread is in the middle of is its own ([`OWN`]); the rest is behind a
//! lock that is not held while agent, JNI or JVMTI code runs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_check::{Durations, Mode, Own, Rule, State};
use parking_lot::Mutex;
use shim_options::{Check, Options};

use crate::model::thread::current;
use crate::os::ticks;

static ON: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<State>> = Mutex::new(None);
/// [`State::counts_exits`], for who would take the lock at each METHOD_EXIT.
static COUNTS_EXITS: AtomicBool = AtomicBool::new(false);
pub(super) static DURATIONS: Durations = Durations::new();
/// JNIEnvs of threads that have ended.
pub(super) static ENDED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
/// Methods of classes that were unloaded.
pub(super) static ENDED_METHODS: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
/// How many of what has ended are remembered, of each kind.
pub(super) const MANY: usize = 1 << 16;

thread_local! {
    // Behind a pointer: of the room that glibc keeps for libraries that come late each copy of this
    // one takes its thread-local storage, and three are to fit.
    static OWN: RefCell<Option<Box<Own>>> = const { RefCell::new(None) };
}

/// Whether the agent is checked.
#[inline]
pub(crate) fn is_on() -> bool {
    // Relaxed: switches; what is behind them has its own lock.
    ON.load(Ordering::Relaxed)
}

/// Begins if that is wanted.
pub(crate) fn start(options: &Options) -> bool {
    if options.check == Check::Off {
        return false;
    }
    ticks::choose();
    *STATE.lock() = Some(State::new(options.check_suppress));
    ON.store(true, Ordering::Relaxed);
    true
}

/// What was found is of no interest: the agent's start has failed.
pub(crate) fn abandon() {
    ON.store(false, Ordering::Relaxed);
    *STATE.lock() = None;
}

/// Calls `body` with what is known of the process and of this thread. The body calls
/// neither the agent nor the VM.
pub(super) fn with<T>(body: impl FnOnce(&mut State, &mut Own) -> T) -> Option<T> {
    with_own(|own| with_state(|state| body(state, own)))?
}

pub(super) fn with_state<T>(body: impl FnOnce(&mut State) -> T) -> Option<T> {
    let mut state = STATE.lock();
    state.as_mut().map(body)
}

pub(super) fn with_own<T>(body: impl FnOnce(&mut Own) -> T) -> Option<T> {
    OWN.try_with(|own| {
        let mut own = own.try_borrow_mut().ok()?;
        Some(body(
            own.get_or_insert_with(|| Box::new(Own::new(current::key()))),
        ))
    })
    .ok()
    .flatten()
}

/// What is enabled may have changed.
pub(super) fn note_enabled(state: &State) {
    COUNTS_EXITS.store(state.counts_exits(), Ordering::Relaxed);
}

/// A METHOD_EXIT is given to the agent.
#[inline]
pub(super) fn method_exits() {
    if COUNTS_EXITS.load(Ordering::Relaxed) {
        with_state(State::method_exits);
    }
}

/// Nanoseconds since the checks began.
pub(super) fn now() -> u64 {
    ticks::in_nanos(ticks::since_chosen())
}

pub(super) fn note(rule: Rule, caller: usize, text: impl FnOnce() -> String) {
    with_state(|state| state.findings.note(rule, caller, text));
}

/// Whether the calling thread is in a mode in which something is forbidden.
pub(super) fn is_restricted() -> bool {
    mode() != Mode::Free
}

/// What it is in the middle of.
pub(super) fn mode() -> Mode {
    with_own(|own| own.mode()).unwrap_or(Mode::Free)
}
