//! Which agents hear of births, and what the others tag: an agent that rewrites code is told of births by what that
//! calls, and tags them. It is recorded of all agents, in callbacks and outside.
//!
//! # Threads
//! Any.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "words of C functions")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};

use recording_format::Value;

use crate::observe::call::int;
use crate::observe::jvmti::environments::{Environment, WORDS};
use crate::observe::jvmti::identities;
use crate::observe::jvmti::promise::Promise;
use crate::observe::trace;
use crate::vm::this_vm;

/// The function's number in a recording.
const TAGS: u8 = 206;

/// JVMTI's own.
const GET_TAG: u8 = 106;

/// VMObjectAlloc and SampledObjectAlloc, with their bits in [`Environment::births`].
const EVENTS: [(usize, u8); 2] = [(84, 1), (86, 2)];

/// SetEventNotificationMode has succeeded. What is enabled for some threads counts until it is disabled for all.
pub(super) fn note_mode(environment: &Environment, words: [usize; WORDS]) {
    note(&environment.births, words);
}

fn note(births: &AtomicU8, words: [usize; WORDS]) {
    let [mode, event, thread, ..] = words;
    let is_it = |known: &&(usize, u8)| usize::try_from(int(event)) == Ok(known.0);
    let Some((_, bit)) = EVENTS.iter().find(is_it) else {
        return;
    };
    if int(mode) != 0 {
        births.fetch_or(*bit, Ordering::AcqRel);
    } else if thread == 0 {
        births.fetch_and(!*bit, Ordering::AcqRel);
    }
}

/// Whether one of their events is enabled and has a callback.
fn are_heard(environment: &Environment) -> bool {
    let enabled = environment.births.load(Ordering::Acquire);
    EVENTS.iter().any(|(event, bit)| {
        let callback = environment.callback(*event).filter(|_| enabled & bit != 0);
        callback.is_some_and(|it| !it.load(Ordering::Acquire).is_null())
    })
}

/// SetTag is about to be called. Who hears of no births may tag what a hook has shown him: then that is
/// said of each object that has no tag of his yet.
///
/// # Safety
/// `words` are what he passes.
pub(super) unsafe fn tags(environment: &Environment, env: *mut c_void, words: &[usize; WORDS]) {
    // SAFETY: the caller's promise.
    let promise = unsafe { Promise::given() };
    let Some(object) = promise.reference(&words[0]).filter(|_| words[1] != 0) else {
        return;
    };
    let mut tag = 0_i64;
    let asked = [words[0], (&raw mut tag).expose_provenance(), 0, 0, 0];
    // SAFETY: his object, and a place for its tag.
    if are_heard(environment) || unsafe { environment.call(env, GET_TAG, asked) } != 0 {
        return;
    }
    let size = this_vm::jvmti_to_the_end().and_then(|jvmti| jvmti.object_size(object).ok());
    if tag == 0
        && let Some(size) = size
    {
        let class = Value::Id(identities::class_of(Some(object)));
        trace::said(
            (environment.number, TAGS),
            &[class, Value::Int(size.into())],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_on_until_they_are_off_for_all() {
        let births = AtomicU8::new(0);
        let after = |mode, event, thread| {
            note(&births, [mode, event, thread, 0, 0]);
            births.load(Ordering::Acquire)
        };
        assert_eq!(after(1, 52, 0), 0);
        assert_eq!(after(1, 86, 0), 2);
        assert_eq!(after(1, 84, 0x10), 3);
        assert_eq!(after(0, 84, 0x10), 3);
        assert_eq!(after(0, 83, 0), 3);
        assert_eq!(after(0, 84, 0), 2);
        assert_eq!(after(0, 86, 0), 0);
    }
}
