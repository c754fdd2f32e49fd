//! What is recorded of all agents for those that rewrite code, of whose calls no event tells: native methods that
//! are the agent's own, and what is tagged by who hears of no births, in callbacks and outside.
//!
//! # Threads
//! Any that binds a method (those of RegisterNatives, and of the first call of one that is exported), or
//! tags something.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "words of C functions")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};

use recording_format::Value;

use crate::observe::call::int;
use crate::observe::jvmti::environments::{Environment, WORDS};
use crate::observe::jvmti::promise::Promise;
use crate::observe::jvmti::{agents, environments, identities};
use crate::observe::{recording, trace};
use crate::vm::this_vm;

/// The functions' numbers in a recording.
const NATIVE_BOUND: u8 = 205;
const TAGS: u8 = 206;

/// JVMTI's own.
const GET_TAG: u8 = 106;
/// VMObjectAlloc and SampledObjectAlloc, with their bits in [`Environment::births`].
const EVENTS_OF_BIRTHS: [(usize, u8); 2] = [(84, 1), (86, 2)];

/// The VM has bound a native method to this address; whose it is, the library there says.
pub(crate) fn bound(method: usize, address: usize) {
    if !recording::is_on() || !agents::are_there() {
        return;
    }
    let Some(agent) = agents::name_at(address) else {
        return;
    };
    let own = environments::all().filter(|(_, environment)| environment.agent == agent);
    if let Some(first) = own.map(|(_, environment)| environment.number).min() {
        let method = Value::Id(identities::method(method));
        trace::said((first, NATIVE_BOUND), &[method, Value::Id(address as u64)]);
    }
}

/// SetEventNotificationMode has succeeded. What is enabled for some threads counts until it is disabled for all.
pub(super) fn note_mode(environment: &Environment, words: [usize; WORDS]) {
    note(&environment.births, words);
}

fn note(births: &AtomicU8, words: [usize; WORDS]) {
    let [mode, event, thread, ..] = words;
    let is_it = |known: &&(usize, u8)| usize::try_from(int(event)) == Ok(known.0);
    let Some((_, bit)) = EVENTS_OF_BIRTHS.iter().find(is_it) else {
        return;
    };
    if int(mode) != 0 {
        births.fetch_or(*bit, Ordering::AcqRel);
    } else if thread == 0 {
        births.fetch_and(!*bit, Ordering::AcqRel);
    }
}

/// SetTag is about to be called. Who hears of no births may tag what a hook has shown him: then that is
/// said of each object that has no tag of his yet.
///
/// # Safety
/// `words` are what he passes.
pub(super) unsafe fn tags(environment: &Environment, env: *mut c_void, words: &[usize; WORDS]) {
    let enabled = environment.births.load(Ordering::Acquire);
    let hears = |(event, bit): &(usize, u8)| {
        let callback = environment.callback(*event).filter(|_| enabled & bit != 0);
        callback.is_some_and(|it| !it.load(Ordering::Acquire).is_null())
    };
    // SAFETY: the caller's promise.
    let promise = unsafe { Promise::given() };
    let Some(object) = promise.reference(&words[0]).filter(|_| words[1] != 0) else {
        return;
    };
    let mut tag = 0_i64;
    let asked = [words[0], (&raw mut tag).expose_provenance(), 0, 0, 0];
    // SAFETY: his object, and a place for its tag.
    if EVENTS_OF_BIRTHS.iter().any(hears) || unsafe { environment.call(env, GET_TAG, asked) } != 0 {
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
    fn events_of_births_are_on_until_they_are_off_for_all() {
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
