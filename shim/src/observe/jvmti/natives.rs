//! What is known of agents that rewrite code, for no event tells what that calls: their native methods,
//! and what they tag.
//!
//! # Threads
//! Any that binds a method (those of RegisterNatives, and of the first call of one that is exported), or
//! tags something.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "words of C functions")]

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use recording_format::Value;

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
const EVENTS_OF_BIRTHS: [usize; 2] = [84, 86];

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

/// SetTag is about to be called. Who hears of no births may tag what a hook has shown him: then that is
/// said of each object that has no tag of his yet.
///
/// # Safety
/// `words` are what he passes.
pub(super) unsafe fn tags(environment: &Environment, env: *mut c_void, words: &[usize; WORDS]) {
    let hears = |event: &usize| {
        let callback = environment.callback(*event);
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
