//! The functions of JVMTI of which the VM is asked for something else than what was passed.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "structures behind pointers")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering;

use recording_format::jvmti::{EventKind, FunctionKind};

use crate::observe::call::int;
use crate::observe::jvmti::environments::{
    CALLBACKS, Environment, FIRST_EVENT, INVALID_ENVIRONMENT, LENT_SAMPLING, LENT_SUSPENSION, WORDS,
};
use crate::observe::jvmti::{
    births, callbacks, extension_events, extension_functions, heap_walks, lending,
};
use crate::vm::this_vm;

const SAMPLED_OBJECT_ALLOC: u8 = EventKind::SampledObjectAlloc.number();

/// Does what the caller wants.
///
/// # Safety
/// `words` are what the caller has passed to the function of this number.
pub(super) unsafe fn call(
    environment: &Environment,
    env: *mut c_void,
    number: u8,
    words: [usize; WORDS],
) -> i32 {
    // SAFETY: the caller's promise, here and below.
    let as_it_is = |words| unsafe { environment.call(env, number, words) };
    let function = FunctionKind::from_number(number);
    match function {
        Some(FunctionKind::AddCapabilities) => {
            // SAFETY: the caller's promise.
            unsafe { lending::add(environment, env, words, as_it_is) }
        }
        Some(FunctionKind::RelinquishCapabilities) => {
            // SAFETY: as above.
            unsafe { lending::relinquish(environment, words, as_it_is) }
        }
        Some(FunctionKind::GetCapabilities) => {
            // SAFETY: as above.
            unsafe { lending::shown(environment, false, words, as_it_is) }
        }
        Some(FunctionKind::GetPotentialCapabilities) => {
            // SAFETY: as above.
            unsafe { lending::shown(environment, true, words, as_it_is) }
        }
        Some(FunctionKind::SetHeapSamplingInterval) if environment.has(LENT_SAMPLING) => {
            lending::set_interval(words)
        }
        Some(FunctionKind::SetEventNotificationMode) => {
            let is_sampling = int(words[1]) == SAMPLED_OBJECT_ALLOC.into();
            let result = if is_sampling && environment.has(LENT_SAMPLING) {
                // SAFETY: as above.
                unsafe { lending::set_sampling(environment, env, words) }
            } else {
                as_it_is(words)
            };
            if result == 0 {
                births::note_mode(environment, words);
            }
            result
        }
        Some(
            function @ (FunctionKind::SuspendThread
            | FunctionKind::ResumeThread
            | FunctionKind::SuspendThreadList
            | FunctionKind::ResumeThreadList
            | FunctionKind::SuspendAllVirtualThreads
            | FunctionKind::ResumeAllVirtualThreads),
        ) if environment.has(LENT_SUSPENSION) => {
            let Some(jvmti) = this_vm::jvmti_to_the_end() else {
                return as_it_is(words);
            };
            // SAFETY: as above.
            unsafe { lending::suspend(environment, env, jvmti, (function, words)) }
        }
        Some(FunctionKind::GetExtensionFunctions) => {
            let result = as_it_is(words);
            if result == 0 {
                // SAFETY: as above.
                unsafe { extension_functions::put(words) };
            }
            result
        }
        Some(FunctionKind::SetEventCallbacks) => set_callbacks(environment, words, as_it_is),
        Some(FunctionKind::SetExtensionEventCallback) => {
            extension_events::set(environment, words, as_it_is)
        }
        Some(FunctionKind::DisposeEnvironment) => {
            if !environment.give_back() {
                // Another thread is about to do it.
                return INVALID_ENVIRONMENT;
            }
            let result = as_it_is(words);
            if result == 0 {
                environment.samples.none();
                environment.forget();
                lending::note_sampling();
            } else {
                environment.take_again();
            }
            result
        }
        _ => match heap_walks::given(function) {
            // SAFETY: as above.
            Some(given) => unsafe { heap_walks::around(environment, given, words, as_it_is) },
            None => as_it_is(words),
        },
    }
}

/// Each callback goes through one of ours. The VM may know fewer events than the caller, or more.
fn set_callbacks(
    environment: &Environment,
    words: [usize; WORDS],
    set: impl Fn([usize; WORDS]) -> i32,
) -> i32 {
    let [given, size, ..] = words;
    let Ok(bytes) = usize::try_from(int(size)) else {
        return set(words);
    };
    if given == 0 {
        let result = set(words);
        if result == 0 {
            environment.hears_samples.store(false, Ordering::Release);
        }
        return result;
    }
    let count = (bytes / size_of::<usize>()).min(CALLBACKS);
    let given: *const usize = ptr::with_exposed_provenance(given);
    let mut ours = [0; CALLBACKS];
    let mut before = [ptr::null_mut(); CALLBACKS];
    for (place, (own, old)) in ours.iter_mut().zip(&mut before).take(count).enumerate() {
        // SAFETY: the caller says that so many bytes are there.
        let slot = unsafe { given.add(place) };
        // SAFETY: as above.
        let callback = unsafe { slot.read_unaligned() };
        let number = FIRST_EVENT + place;
        *own = callback;
        let kept = environment.callback(number);
        if callback != 0
            && let Some(kept) = kept
            && let Some(thunk) = callbacks::callback(number)
        {
            *old = kept.swap(ptr::with_exposed_provenance_mut(callback), Ordering::AcqRel);
            *own = thunk.expose_provenance();
        }
    }
    let [_, size, third, fourth, fifth] = words;
    let result = set([
        ours.as_ptr().expose_provenance(),
        size,
        third,
        fourth,
        fifth,
    ]);
    if result == 0 {
        let sampled = ours.get(usize::from(SAMPLED_OBJECT_ALLOC) - FIRST_EVENT);
        let hears = sampled.is_some_and(|callback| *callback != 0);
        environment.hears_samples.store(hears, Ordering::Release);
    } else {
        // What was there stays in force.
        for (place, old) in before.iter().enumerate().filter(|(_, old)| !old.is_null()) {
            if let Some(kept) = environment.callback(FIRST_EVENT + place) {
                kept.store(*old, Ordering::Release);
            }
        }
    }
    result
}
