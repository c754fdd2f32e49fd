//! A call of an agent's and what it gives, recorded.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "words of C functions")]

use std::ffi::c_void;
use std::sync::atomic::{Ordering, fence};

use recording_format::Subject;
use recording_format::jvmti::{self, Function, FunctionKind};

use crate::base::boundary::unlogged;
use crate::observe::jvmti::environments::{self, Environment, INVALID_ENVIRONMENT, WORDS};
use crate::observe::jvmti::promise::Promise;
use crate::observe::jvmti::values::Values;
use crate::observe::jvmti::{births, passed};
use crate::observe::{recording, trace};

/// Records a call and what it gives, if somebody records.
pub(super) fn recorded(
    env: *mut c_void,
    number: u8,
    words: &[usize; WORDS],
    call: impl FnOnce(&Environment) -> i32,
) -> i32 {
    // Who is here has read the environment's table without order.
    fence(Ordering::Acquire);
    let Some(environment) = environments::of(env) else {
        // Somebody has kept the table of one that he has disposed of.
        return INVALID_ENVIRONMENT;
    };
    let row = jvmti::function(number).filter(|_| recording::is_on());
    let Some(row) = row else {
        return call(environment);
    };
    unlogged("JVMTI, recorded", || {
        if row.number == FunctionKind::SetTag.number() {
            // SAFETY: what the caller passes to this function.
            unsafe { births::tags(environment, env, words) };
        }
        begins(environment, row, words);
    });
    let result = call(environment);
    unlogged("JVMTI, recorded", || ends(row, words, result));
    result
}

fn begins(environment: &Environment, row: &'static Function, words: &[usize]) {
    let mut values = Values::new();
    // SAFETY: what the caller passes to this function.
    let promise = unsafe { Promise::given() };
    passed::arguments(promise, &mut values, row.arguments, words);
    trace::jvmti_call_begins((environment.number, row.number), values.all());
}

fn ends(row: &'static Function, words: &[usize], result: i32) {
    let mut values = Values::new();
    values.push(recording_format::Value::Int(result.into()));
    if result == 0 {
        // SAFETY: as above, and the function has succeeded.
        let promise = unsafe { Promise::given() };
        passed::results(promise, &mut values, (row.arguments, row.results), words);
    } else {
        passed::nothing(&mut values, row.results);
    }
    trace::jvmti_ends(
        Subject::JvmtiCall(row.number),
        waits(row.number),
        values.all(),
    );
}

/// Whether others may go on while the call lasts: what came first is seen by the time then.
const fn waits(number: u8) -> bool {
    use FunctionKind::*;
    matches!(
        FunctionKind::from_number(number),
        Some(
            SuspendThread
                | SuspendThreadList
                | RawMonitorEnter
                | RawMonitorWait
                | ForceGarbageCollection
                | IterateOverObjectsReachableFromObject
                | IterateOverReachableObjects
                | IterateOverHeap
                | IterateOverInstancesOfClass
                | GetObjectsWithTags
                | FollowReferences
                | IterateThroughHeap
                | RedefineClasses
                | RetransformClasses
        )
    )
}
