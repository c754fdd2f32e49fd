//! Which agents hear of all births, and what the others tag: an agent that rewrites code is told of births by what that
//! calls, and tags them, also beside VMObjectAlloc, which tells of what the VM itself makes. It is recorded of all
//! agents, in callbacks and outside.
//!
//! # Threads
//! Any.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "words of C functions")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use recording_format::Value;
use recording_format::jvmti::{EventKind, FunctionKind};

use crate::observe::call::int;
use crate::observe::jvmti::environments::{Environment, WORDS};
use crate::observe::jvmti::identities;
use crate::observe::jvmti::promise::Promise;
use crate::observe::trace;
use crate::vm::this_vm;

/// The event that tells of every birth.
const SAMPLED_OBJECT_ALLOC: usize = EventKind::SampledObjectAlloc.number() as usize;

/// SetEventNotificationMode has succeeded. What is enabled for some threads counts until it is disabled for all.
pub(super) fn note_mode(environment: &Environment, words: [usize; WORDS]) {
    note(&environment.hears_births, words);
}

fn note(hears: &AtomicBool, words: [usize; WORDS]) {
    let [mode, event, thread, ..] = words;
    let enables = int(mode) != 0;
    let is_it = usize::try_from(int(event)) == Ok(SAMPLED_OBJECT_ALLOC);
    if is_it && (enables || thread == 0) {
        hears.store(enables, Ordering::Release);
    }
}

/// Whether it is enabled and has a callback.
fn are_heard(environment: &Environment) -> bool {
    let callback = environment.callback(SAMPLED_OBJECT_ALLOC);
    environment.hears_births.load(Ordering::Acquire)
        && callback.is_some_and(|it| !it.load(Ordering::Acquire).is_null())
}

/// SetTag is about to be called. Who does not hear of all births may tag what a hook has shown him: then that is
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
    let get_tag = FunctionKind::GetTag.number();
    let asked = [words[0], (&raw mut tag).expose_provenance(), 0, 0, 0];
    // SAFETY: his object, and a place for its tag.
    if are_heard(environment) || unsafe { environment.call(env, get_tag, asked) } != 0 {
        return;
    }
    let size = this_vm::jvmti_to_the_end().and_then(|jvmti| jvmti.object_size(object).ok());
    if tag == 0
        && let Some(size) = size
    {
        let class = Value::Id(identities::class_of(Some(object)));
        trace::said(
            (environment.number, FunctionKind::tags.number()),
            &[class, Value::Int(size.into())],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_is_on_until_it_is_off_for_all() {
        let hears = AtomicBool::new(false);
        let after = |mode, event, thread| {
            note(&hears, [mode, event, thread, 0, 0]);
            hears.load(Ordering::Acquire)
        };
        assert!(!after(1, 52, 0));
        assert!(!after(1, 84, 0));
        assert!(after(1, 86, 0x10));
        assert!(after(0, 86, 0x10));
        assert!(after(0, 84, 0));
        assert!(!after(0, 86, 0));
    }
}
