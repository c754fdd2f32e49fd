//! `check=on`: what the agent does, held against the specification.
//!
//! The rules are pure and stand in [`agent_check`]; here is what happened and
//! what a number names.
//!
//! # Threads
//! Any. What one thread is in the middle of is its own; the rest is behind a lock that is not
//! held while agent, JNI or JVMTI code runs ([`state`]).

mod event_copy;
mod facts;
mod findings;
mod given;
mod jni_watch;
mod laying;
mod state;
mod timing;
mod tripwires;
mod wires;

use std::sync::atomic::{AtomicUsize, Ordering};

use agent_check::Rule;
use event_translate::{EventKind, Function};
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_REQUESTED_EVENT, NotifyEvent};

use crate::agent::{agent_call, class_bytes, table};
use crate::model::wanted;
use crate::observe::call::{Call, word};

use event_copy::EventCopy;
use state::{DURATIONS, ENDED, ENDED_METHODS, MANY};
use state::{method_exits, note, note_enabled, with, with_own, with_state};
use timing::{Handler, Took};

pub(crate) use findings::{finish, other_code};
pub(crate) use state::{abandon, is_on, start};

/// The agent's NotifyEvent as it was last.
static NOTIFY: AtomicUsize = AtomicUsize::new(0);

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
        note_enabled(state);
    });
}

/// It returns.
pub(crate) fn call_ends(call: &Call, result: u64) {
    given::result(call, result);
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
        state.returned(own, &facts.call(call), word(result) as u64);
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
    let unset = !wanted::wanted().is_empty() && table::notify_event().is_none();
    with_state(|state| {
        state.init_done();
        if unset {
            state.unset(0, "JVM_INIT_DONE, and events are enabled");
        }
    });
    laying::lay_in_jni();
}

/// A thread has ended.
pub(crate) fn thread_ended(env: usize) {
    let mut ended = ENDED.lock();
    if ended.len() < MANY {
        ended.insert(env);
    }
    drop(ended);
    // Relaxed: an address, of nothing of ours.
    let at = NOTIFY.load(Ordering::Relaxed);
    with(|state, own| state.ended(own, at));
}

/// A class was unloaded; these were its methods.
pub(crate) fn methods_ended(methods: &[u64]) {
    let mut ended = ENDED_METHODS.lock();
    let room = MANY.saturating_sub(ended.len());
    ended.extend(methods.iter().take(room));
}

/// JNI, the function of this slot, with the JNIEnv of a virtual thread that the calling one is not.
pub(crate) fn foreign_env(slot: usize, caller: usize) {
    wires::foreign(wires::Wire::Jni(slot), caller);
}

/// A C++ exception has come out of this function of the agent's.
pub(crate) fn exception(what: &str, function: usize) {
    note(Rule::Exception, function, || format!("through {what}"));
}

/// Delivers an event: in memory of its own, overwritten afterwards. Whether the agent has been told.
#[inline(never)]
pub(crate) fn deliver(agent: NotifyEvent, event: &mut JVMPI_Event) -> bool {
    let address = (agent as *const ()).expose_provenance();
    if NOTIFY.load(Ordering::Relaxed) != address {
        is_other(address);
    }
    let kind = EventKind::from_raw(event.event_type & !JVMPI_REQUESTED_EVENT);
    let mut copy = EventCopy::of(kind, event);
    if let Some(kind) = kind {
        given::event(kind, event);
        with_own(|own| own.begin(kind));
        if kind == EventKind::MethodExit {
            method_exits();
        }
    }
    let handler = Handler::begin();
    let told = agent_call::notify(agent, copy.event());
    let took = handler.end();
    if let Some(kind) = kind {
        handler_ends(kind, address, &took);
        if kind == EventKind::ClassLoadHook {
            match class_bytes::settle(event, copy.event()) {
                Ok(()) => {}
                Err(how) => note(Rule::HookProtocol, address, || how.to_owned()),
            }
        }
    }
    copy.poison();
    told
}

/// NotifyEvent is set, or is another function than at the event before.
#[cold]
fn is_other(address: usize) {
    let before = NOTIFY.swap(address, Ordering::Relaxed);
    if before == 0 {
        laying::lay_in_agent(address);
    } else if before != address {
        note(Rule::NotifyChanged, address, || {
            "another function than at the event before".to_owned()
        });
    }
}

fn handler_ends(kind: EventKind, address: usize, took: &Took) {
    let kept = with_own(|own| own.end().to_vec()).unwrap_or_default();
    if !kept.is_empty() {
        with_state(|state| state.kept(address, &kept, &format!("the handler of {kind} returns")));
    }
    if DURATIONS.note(kind, took.own) {
        note(Rule::SlowHandler, address, || {
            let [own, ran, waited] = [took.own, took.ran, took.waited].map(|it| it / 1_000_000);
            format!(
                "{kind} took {own} ms, {ran} of which its thread ran (not counted: {waited} ms in which it waited for a processor)"
            )
        });
    }
}
