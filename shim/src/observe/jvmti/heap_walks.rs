//! Walks over the heap that an agent asks for: how often each of its callbacks was called.
//!
//! The callbacks come by the million and, all but one of them, about objects without a name: they are
//! counted, and the agent's are called. The record is an event of our own behind them.
//!
//! # Safety
//! As in [`super::calls`]. A walk's callbacks are called until its function returns, while what we
//! pass in place of the agent's data is on that function's stack.
#![allow(unsafe_code, reason = "callbacks from C")]

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering};

use recording_format::jvmti::{EventKind, FunctionKind};
use recording_format::{Subject, Value};

use crate::base::boundary::unlogged;
use crate::observe::jvmti::environments::{Environment, WORDS};
use crate::observe::{recording, trace};

/// The words of a call.
type Words = [usize; WORDS];

/// A callback of the agent's, and how often it was called.
#[derive(Default)]
struct Callback {
    agents: usize,
    times: AtomicI64,
}

/// What our callbacks are given in place of the agent's data.
#[derive(Default)]
struct Walk {
    callbacks: [Callback; KINDS],
    user_data: usize,
}

const KINDS: usize = 9;

/// In the order of the specification's lists; those of `jvmtiHeapCallbacks` first.
const NAMES: [&str; KINDS] = [
    "heap_iteration_callback",
    "heap_reference_callback",
    "primitive_field_callback",
    "array_primitive_value_callback",
    "string_primitive_value_callback",
    "heap_root_callback",
    "stack_ref_callback",
    "object_ref_callback",
    "heap_object_callback",
];

/// Of `jvmtiHeapCallbacks`: five, and room for eleven more.
const HEAP_CALLBACKS: usize = 16;

macro_rules! thunk {
    ($name:ident, $kind:literal, $($word:ident)*) => {
        unsafe extern "C" fn $name($($word: usize,)* data: usize) -> i32 {
            type Own = unsafe extern "C" fn($(thunk!(@word $word),)* usize) -> i32;
            let walk: *const Walk = ptr::with_exposed_provenance(data);
            // SAFETY: passed by `around`, which is under way.
            let walk = unsafe { &*walk };
            let Some(callback) = walk.callbacks.get($kind) else { return 0 };
            // Relaxed: a count, read when the walk is over.
            callback.times.fetch_add(1, Ordering::Relaxed);
            // SAFETY: the agent's callback of this kind.
            let own: Own = unsafe { mem::transmute(callback.agents) };
            // SAFETY: what the VM has passed.
            unsafe { own($($word,)* walk.user_data) }
        }
    };
    (@word $word:ident) => { usize };
}

thunk!(heap_iteration, 0, class_tag size tag length);
thunk!(heap_reference, 1, kind info class_tag referrer_class_tag size tag referrer_tag length);
thunk!(primitive_field, 2, kind info class_tag tag value value_type);
thunk!(array_values, 3, class_tag size tag count element_type elements);
thunk!(string_value, 4, class_tag size tag value length);
thunk!(heap_root, 5, kind class_tag size tag);
thunk!(stack_reference, 6, kind class_tag size tag thread_tag depth method slot);
thunk!(object_reference, 7, kind class_tag size tag referrer_tag referrer_index);
thunk!(heap_object, 8, class_tag size tag);

/// Ours, by their kinds.
fn thunks() -> [usize; KINDS] {
    [
        heap_iteration as *const (),
        heap_reference as *const (),
        primitive_field as *const (),
        array_values as *const (),
        string_value as *const (),
        heap_root as *const (),
        stack_reference as *const (),
        object_reference as *const (),
        heap_object as *const (),
    ]
    .map(|thunk| thunk.expose_provenance())
}

/// Where a function that walks over the heap has its callbacks.
#[derive(Clone, Copy)]
pub(super) enum Given {
    /// The place of each among its words, and its kind. Behind them are the agent's data.
    Each(&'static [(usize, usize)]),
    /// The place of a pointer to `jvmtiHeapCallbacks`.
    Structure(usize),
}

/// The same of this function, if it walks over the heap.
pub(super) const fn given(function: Option<FunctionKind>) -> Option<Given> {
    Some(match function {
        Some(FunctionKind::IterateOverObjectsReachableFromObject) => Given::Each(&[(1, 7)]),
        Some(FunctionKind::IterateOverReachableObjects) => Given::Each(&[(0, 5), (1, 6), (2, 7)]),
        Some(FunctionKind::IterateOverHeap) => Given::Each(&[(1, 8)]),
        Some(FunctionKind::IterateOverInstancesOfClass) => Given::Each(&[(2, 8)]),
        Some(FunctionKind::FollowReferences) => Given::Structure(3),
        Some(FunctionKind::IterateThroughHeap) => Given::Structure(2),
        _ => return None,
    })
}

/// Has the VM walk, by `call`, with our callbacks in the places of those that there are.
///
/// # Safety
/// The words are what the agent has passed to a function that has its callbacks so.
pub(super) unsafe fn around(
    environment: &Environment,
    given: Given,
    mut words: Words,
    call: impl FnOnce(Words) -> i32,
) -> i32 {
    if !recording::is_on() {
        return call(words);
    }
    let mut walk = Walk::default();
    let thunks = thunks();
    let mut replace = |kind: usize, slot: &mut usize| {
        if let (Some(callback), Some(thunk)) = (walk.callbacks.get_mut(kind), thunks.get(kind))
            && *slot != 0
        {
            callback.agents = mem::replace(slot, *thunk);
        }
    };
    let mut structure: [usize; HEAP_CALLBACKS];
    let last = match given {
        Given::Structure(place) => {
            let given: *const [usize; HEAP_CALLBACKS] =
                ptr::with_exposed_provenance(words.get(place).copied().unwrap_or(0));
            if given.is_null() {
                // That is the VM's to refuse.
                return call(words);
            }
            // SAFETY: the agent's structure.
            structure = unsafe { given.read_unaligned() };
            for (kind, slot) in structure.iter_mut().enumerate().take(5) {
                replace(kind, slot);
            }
            if let Some(slot) = words.get_mut(place) {
                *slot = structure.as_ptr().expose_provenance();
            }
            place
        }
        Given::Each(places) => {
            for &(place, kind) in places {
                if let Some(slot) = words.get_mut(place) {
                    replace(kind, slot);
                }
            }
            places.last().map_or(0, |&(place, _)| place)
        }
    };
    if let Some(data) = words.get_mut(last + 1) {
        walk.user_data = mem::replace(data, (&raw const walk).expose_provenance());
    }
    let result = call(words);
    unlogged("a walk, recorded", || record(environment.number, &walk));
    result
}

fn record(environment: u32, walk: &Walk) {
    let counted = walk.callbacks.iter().zip(NAMES);
    let counted = counted.filter(|(callback, _)| callback.agents != 0);
    let rows = counted.map(|(callback, name)| {
        let times = callback.times.load(Ordering::Relaxed);
        vec![Value::Text(Some(name.as_bytes())), Value::Int(times)]
    });
    let values = [Value::List(rows.collect())];
    let walk = EventKind::HeapWalk.number();
    trace::jvmti_begins(0, (environment, walk), &values);
    trace::jvmti_ends(Subject::JvmtiEvent(walk), false, &[]);
}
