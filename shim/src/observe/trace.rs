//! `trace=FILE`: records every event and every call of the agent.
//!
//! The format is `recording_format`'s. Each thread writes into a block of its
//! own, which lies in the file ([`crate::observe::recorder`]); no lock is taken but for a place in
//! the file, at a block's end.
//!
//! # Threads
//! Any, known to the VM or not.

use event_translate::{EventKind, Function};
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_REQUESTED_EVENT};
use recording_format::jvmti::Definition;
use recording_format::{GET_ENV, Line, Subject, Value};

use crate::agent::event_values;
use crate::observe::call::Call;
use crate::observe::recorder::Recorder;
use crate::observe::recording;
use crate::observe::{call_values, event_line, own_trace};

/// The run is over, as far as the VM goes.
pub(crate) fn finish() {
    if let Some(trace) = recording::own() {
        with_own(|own| own.end(trace));
        trace.file.trim();
    }
}

/// Calls `body` with the calling thread's recorder; not if the thread is at its very end.
#[inline]
fn with_own(body: impl FnOnce(&mut Recorder)) {
    own_trace::with(Recorder::new, body);
}

/// An event is about to be given to the agent.
#[inline]
pub(crate) fn event_begins(event: &JVMPI_Event) {
    let mut done = false;
    with_own(|own| done = event_line::begin_line(own, event));
    if !done {
        any_event_begins(event);
    }
}

/// Apart from those that come by the million, which this would slow down.
#[inline(never)]
fn any_event_begins(event: &JVMPI_Event) {
    event_values::read(event, |values| {
        let env = event.env_id.addr() as u64;
        with_own(|own| {
            own.begins(values, |encoder, block, tick| {
                encoder.event(block, tick, env, event.event_type, values)
            });
        });
    });
}

/// The agent's handler has returned.
#[inline]
pub(crate) fn event_ends(event: &JVMPI_Event) {
    let subject = Subject::Event(event.event_type & !JVMPI_REQUESTED_EVENT);
    let mut done = false;
    if !event_values::has_results(event) {
        with_own(|own| done = own.end_plain(subject));
    }
    if !done {
        any_event_ends(event, subject);
    }
}

#[inline(never)]
fn any_event_ends(event: &JVMPI_Event, subject: Subject) {
    event_values::results(event, |results| {
        with_own(|own| own.ends(subject, false, results));
    });
}

/// The moment of an event that the agent has not enabled.
pub(crate) fn unsent(kind: EventKind) {
    with_own(|own| {
        own.write(&[], |encoder, block, tick| {
            encoder.unsent(block, tick, kind.raw())
        });
    });
}

/// GetEnv was asked for this version.
pub(crate) fn asked(version: jint) {
    let values = [Value::Int(version.into())];
    let results = [Value::Int(0), Value::Text(None)];
    with_own(|own| {
        own.begins(&values, |encoder, block, tick| {
            encoder.call(block, tick, GET_ENV, &values)
        });
        own.ends(Subject::Call(GET_ENV), false, &results);
    });
}

/// The agent calls a function.
pub(crate) fn call_begins(call: &Call) {
    recording::name_agent(call.caller);
    call_values::arguments(call.function, call.arguments, |values| {
        with_own(|own| {
            own.begins(values, |encoder, block, tick| {
                encoder.call(block, tick, call.function as u8, values)
            });
        });
    });
}

/// It returns.
pub(crate) fn call_ends(call: &Call, result: u64) {
    // Others may have gone on meanwhile: what came first is seen by the time.
    let waits = matches!(
        call.function,
        Function::RawMonitorEnter
            | Function::RawMonitorWait
            | Function::CreateSystemThread
            | Function::RunGC
    );
    let subject = Subject::Call(call.function as u8);
    call_values::results(call.function, call.arguments, result, |values| {
        with_own(|own| own.ends(subject, waits, values));
    });
}

/// A function of the agent's is about to run on this thread.
pub(crate) fn run_begins(function: usize) {
    let values = [Value::Id(function as u64), Value::Text(None)];
    with_own(|own| {
        own.begins(&values, |encoder, block, tick| {
            encoder.run(block, tick, &values)
        })
    });
}

/// It has returned.
pub(crate) fn run_ends() {
    with_own(|own| own.ends(Subject::Run, true, &[Value::Int(0)]));
}

// ---- agents that speak JVMTI ---------------------------------------------

/// What an id names.
pub(crate) fn defined(what: Definition, values: &[Value<'_>]) {
    with_own(|own| {
        own.write(values, |encoder, block, tick| {
            encoder.defined(block, tick, what, values)
        });
    });
}

/// Whether the calling thread knows a method to be named.
#[inline]
pub(crate) fn knows_method(method: u64) -> bool {
    let mut known = false;
    with_own(|own| known = own.knows_method(method));
    known
}

/// From now on it does.
pub(crate) fn note_method(method: u64) {
    with_own(|own| own.note_method(method));
}

/// Whether the calling thread has had no event of JVMTI with this env lately.
pub(crate) fn is_first_of(env: u64) -> bool {
    let mut first = false;
    with_own(|own| first = own.has_other_env(env));
    first
}

/// An event of JVMTI is about to be given to the environment of this number, if it can be written in
/// a straight line, and the method in it is named; false: it is not recorded yet.
#[inline]
pub(crate) fn jvmti_begins_plainly(
    env: u64,
    which: (u32, u8),
    method: Option<u64>,
    fill: impl FnOnce(&mut Line<'_>) -> Option<()>,
) -> bool {
    let mut done = false;
    with_own(|own| {
        let is_named = method.is_none_or(|method| own.knows_method(method));
        done = is_named && own.begin_jvmti_line(env, which, fill);
    });
    done
}

/// The same for any event.
pub(crate) fn jvmti_begins(env: u64, which: (u32, u8), values: &[Value<'_>]) {
    with_own(|own| {
        own.begins(values, |encoder, block, tick| {
            encoder.jvmti_event(block, tick, env, which, values)
        });
    });
}

/// An agent that speaks JVMTI says something, by a function of ours.
pub(crate) fn said(which: (u32, u8), values: &[Value<'_>]) {
    with_own(|own| {
        own.begins(values, |encoder, block, tick| {
            encoder.jvmti_call(block, tick, which, values)
        });
        own.ends(Subject::JvmtiCall(which.1), false, &[Value::Int(0)]);
    });
}

/// A function of JVMTI is called.
pub(crate) fn jvmti_call_begins(which: (u32, u8), arguments: &[Value<'_>]) {
    with_own(|own| {
        own.begins(arguments, |encoder, block, tick| {
            encoder.jvmti_call(block, tick, which, arguments)
        });
    });
}

/// A callback without results has returned; false: that is not recorded yet.
#[inline]
pub(crate) fn ends_plainly(subject: Subject) -> bool {
    let mut done = false;
    with_own(|own| done = own.end_plain(subject));
    done
}

/// A callback has returned, or a call; `waits` if others may have gone on meanwhile.
pub(crate) fn jvmti_ends(subject: Subject, waits: bool, results: &[Value<'_>]) {
    with_own(|own| own.ends(subject, waits, results));
}
