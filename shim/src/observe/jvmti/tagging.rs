//! What an agent tags that hears of no births: hooks in code that it has rewritten may have shown it.
//!
//! # Threads
//! Any that calls SetTag.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "words of C functions")]

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use recording_format::Value;

use crate::observe::jvmti::environments::{Environment, WORDS};
use crate::observe::jvmti::identities;
use crate::observe::jvmti::promise::Promise;
use crate::observe::trace;
use crate::vm::this_vm;

/// The function's number in a recording.
const TAGS: u8 = 206;

/// JVMTI's own.
const GET_TAG: u8 = 106;
const EVENTS_OF_BIRTHS: [usize; 2] = [84, 86];

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
