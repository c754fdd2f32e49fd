//! `check=on`: what the agent does, held against the specification.
//!
//! The rules are pure and stand in [`agent_check`]; here is what happened and
//! what a number names.
//!
//! # Threads
//! Any. What one thread is in the middle of is its own ([`OWN`]); the rest is behind a
//! lock that is not held while agent, JNI or JVMTI code runs.

mod facts;
mod findings;
mod wires;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use agent_check::{Durations, Mode, Own, Rule, State};
use event_translate::{EventKind, Function};
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_REQUESTED_EVENT, NotifyEvent};
use shim_options::{Check, Options};

use crate::ffi::event_copy::EventCopy;
use crate::ffi::{agent_call, class_bytes, current, table};
use crate::observe::Call;
use crate::state;

pub(crate) use findings::{at_exit, finish};
pub(crate) use wires::{Wire, tripped};

static ON: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<State>> = Mutex::new(None);
static DURATIONS: Durations = Durations::new();
/// The agent's NotifyEvent as it was last.
static NOTIFY: AtomicUsize = AtomicUsize::new(0);
/// JNIEnvs of threads that have ended.
static ENDED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
/// Methods of classes that were unloaded.
static ENDED_METHODS: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
/// How many of what has ended are remembered, of each kind.
const MANY: usize = 1 << 16;

thread_local! {
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

/// Whether the agent is checked.
#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Begins if that is wanted.
pub(crate) fn start(options: &Options) -> bool {
    if options.check == Check::Off {
        return false;
    }
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(State::new(options.check_suppress));
    ON.store(true, Ordering::Relaxed);
    true
}

/// What was found is of no interest: the agent's start has failed.
pub(crate) fn abandon() {
    ON.store(false, Ordering::Relaxed);
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Calls `body` with what is known of the process and of this thread. The body calls
/// neither the agent nor the VM.
fn with<T>(body: impl FnOnce(&mut State, &mut Own) -> T) -> Option<T> {
    with_own(|own| with_state(|state| body(state, own)))?
}

fn with_state<T>(body: impl FnOnce(&mut State) -> T) -> Option<T> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.as_mut().map(body)
}

fn with_own<T>(body: impl FnOnce(&mut Own) -> T) -> Option<T> {
    OWN.try_with(|own| {
        let mut own = own.try_borrow_mut().ok()?;
        Some(body(own.get_or_insert_with(|| Own::new(current::key()))))
    })
    .ok()
    .flatten()
}

/// Nanoseconds since the first question.
fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let passed = BEGAN.get_or_init(Instant::now).elapsed().as_nanos();
    u64::try_from(passed).unwrap_or(u64::MAX)
}

fn note(rule: Rule, caller: usize, text: impl FnOnce() -> String) {
    with_state(|state| state.findings.note(rule, caller, text));
}

/// GetEnv is asked.
pub(crate) fn asked(version: jint) {
    with_state(|state| state.asked(version));
}

/// The agent calls a function.
pub(crate) fn call_begins(call: &Call) {
    let mut facts = facts::of(call);
    let listening = table::notify_event().is_some();
    if facts.take_itself(call.function) {
        with_state(|state| state.suspends_itself(call.caller));
    }
    with(|state, own| {
        state.forget_resumed(own);
        state.call(own, &facts.call(call), listening);
    });
}

/// It returns.
pub(crate) fn call_ends(call: &Call, result: usize) {
    let matters = matches!(
        call.function,
        Function::RawMonitorCreate
            | Function::RawMonitorEnter
            | Function::RawMonitorWait
            | Function::SuspendThread
            | Function::SuspendThreadList
    );
    if !matters {
        return;
    }
    let facts = facts::of(call);
    let refused: Vec<u64> = facts.subjects.iter().map(|(id, _)| *id).collect();
    let refused = refused.into_iter().filter(|&env| !facts::is_suspended(env));
    let refused: Vec<u64> = refused.collect();
    with(|state, own| {
        state.returned(own, &facts.call(call), result as u64);
        if matches!(
            call.function,
            Function::SuspendThread | Function::SuspendThreadList
        ) {
            state.not_suspended(own, &refused);
        }
    });
}

/// The VM is up; JVM_INIT_DONE comes next.
pub(crate) fn vm_ready() {
    let unset = !state::wanted().is_empty() && table::notify_event().is_none();
    with_state(|state| {
        state.init_done();
        if unset {
            state.unset(0, "JVM_INIT_DONE, and events are enabled");
        }
    });
    wires::lay_in_jni();
}

/// A thread has ended.
pub(crate) fn thread_ended(env: usize) {
    let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    if ended.len() < MANY {
        ended.insert(env);
    }
    drop(ended);
    let at = NOTIFY.load(Ordering::Relaxed);
    with(|state, own| state.ended(own, at));
}

/// A class was unloaded; these were its methods.
pub(crate) fn methods_ended(methods: impl Iterator<Item = u64>) {
    let mut ended = ENDED_METHODS.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MANY.saturating_sub(ended.len());
    ended.extend(methods.take(room));
}

/// A C++ exception has come out of this function of the agent's.
pub(crate) fn exception(what: &str, function: usize) {
    note(Rule::Exception, function, || format!("through {what}"));
}

/// Whether the calling thread is in a mode in which something is forbidden.
pub(crate) fn is_restricted() -> bool {
    mode() != Mode::Free
}

fn mode() -> Mode {
    with_own(|own| own.mode()).unwrap_or(Mode::Free)
}

/// Delivers an event: in memory of its own, overwritten afterwards.
#[inline(never)]
pub(crate) fn deliver(agent: NotifyEvent, event: &mut JVMPI_Event) {
    let address = (agent as *const ()).expose_provenance();
    let before = NOTIFY.swap(address, Ordering::Relaxed);
    if before == 0 {
        wires::lay_in_agent(address);
    } else if before != address {
        note(Rule::NotifyChanged, address, || {
            "another function than at the event before".to_owned()
        });
    }
    let kind = EventKind::from_raw(event.event_type & !JVMPI_REQUESTED_EVENT);
    let mut copy = EventCopy::of(kind, event);
    if let Some(kind) = kind {
        with_own(|own| own.begin(kind));
    }
    let began = Instant::now();
    agent_call::notify(agent, copy.event());
    let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    if let Some(kind) = kind {
        handler_ends(kind, address, took);
        if kind == EventKind::ClassLoadHook {
            match class_bytes::settle(event, copy.event()) {
                Ok(()) => {}
                Err(how) => note(Rule::HookProtocol, address, || how.to_owned()),
            }
        }
    }
    copy.poison();
}

fn handler_ends(kind: EventKind, address: usize, took: u64) {
    let kept = with_own(|own| own.end().to_vec()).unwrap_or_default();
    if !kept.is_empty() {
        with_state(|state| state.kept(address, &kept, &format!("the handler of {kind} returns")));
    }
    if DURATIONS.note(kind, took) {
        note(Rule::SlowHandler, address, || {
            format!("{kind} took {} ms", took / 1_000_000)
        });
    }
}
