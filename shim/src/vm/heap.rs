//! Walks over the heap.
//!
//! # Safety
//! The callbacks run inside a VM operation: no JNI, no JVMTI, no lock that a
//! stopped thread may hold. They touch our tables and what `user_data` points to.
#![allow(unsafe_code, reason = "JVMTI heap callbacks are C functions")]

use std::ffi::c_void;
use std::ptr;

use id_map::{Kind, ObjectId};
use jvmpi_headers::jvmti as sys;

use crate::base::boundary::guarded;
use crate::delivery::gate;
use crate::model::classes;
use crate::model::tables::IDS;
use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

struct Walk {
    arena: u8,
    found: Vec<ObjectId>,
    count: u64,
}

/// Describes every object, with a new id if it has none, that was not described
/// before; classes, whose tags must all be set, and mirrors excepted.
pub(crate) fn describe_all(jvmti: Jvmti, arena: u8) -> Result<Vec<ObjectId>> {
    let mut walk = Walk {
        arena,
        found: Vec::new(),
        count: 0,
    };
    iterate(jvmti, describe_one, &mut walk)?;
    Ok(walk.found)
}

/// How many objects there are, unreachable ones included.
pub(crate) fn count(jvmti: Jvmti) -> Result<u64> {
    let mut walk = Walk {
        arena: 0,
        found: Vec::new(),
        count: 0,
    };
    iterate(jvmti, count_one, &mut walk)?;
    Ok(walk.count)
}

const GO_ON: i32 = 0;

type Callback = unsafe extern "C" fn(i64, i64, *mut i64, i32, *mut c_void) -> i32;

fn iterate(jvmti: Jvmti, callback: Callback, walk: &mut Walk) -> Result<()> {
    let callbacks = sys::jvmtiHeapCallbacks {
        heap_iteration_callback: Some(callback),
        ..sys::jvmtiHeapCallbacks::default()
    };
    let data: *const c_void = ptr::from_mut(walk).cast();
    invoke!(jvmti.IterateThroughHeap(0, ptr::null_mut(), &raw const callbacks, data))
}

unsafe extern "C" fn describe_one(
    class_tag: i64,
    size: i64,
    tag: *mut i64,
    _length: i32,
    walk: *mut c_void,
) -> i32 {
    guarded("the heap walk", GO_ON, || {
        let class = ObjectId::from_raw(class_tag.cast_unsigned());
        let Some(class) = class.filter(|&class| !classes::is_class_of_classes(class)) else {
            return GO_ON;
        };
        let Some(shape) = IDS.get(class).and_then(|entry| entry.shape) else {
            return GO_ON;
        };
        // SAFETY: the VM's place for this object's tag.
        let known = ObjectId::from_raw(unsafe { *tag }.cast_unsigned());
        let kind = match known.map(|id| IDS.get(id)) {
            None => Kind::Object,
            Some(Some(entry)) if entry.shape.is_none() => entry.kind,
            Some(_) => return GO_ON,
        };
        let Some(id) = known.or_else(|| IDS.allocate(kind)) else {
            return GO_ON;
        };
        let size = u32::try_from(size).unwrap_or(u32::MAX >> 1);
        // SAFETY: what `iterate` was given; the walk is on one thread.
        let walk = unsafe { &mut *walk.cast::<Walk>() };
        IDS.describe(id, kind, shape, size, walk.arena);
        walk.found.push(id);
        if walk.found.len().is_multiple_of(1 << 16) {
            // Whoever waits for the walk has patience as long as it goes on.
            gate::note_progress();
        }
        // SAFETY: the VM's place for this object's tag.
        unsafe { tag.write(id.raw().cast_signed()) };
        GO_ON
    })
}

unsafe extern "C" fn count_one(_: i64, _: i64, _: *mut i64, _: i32, walk: *mut c_void) -> i32 {
    // SAFETY: what `iterate` was given; the walk is on one thread.
    unsafe { (*walk.cast::<Walk>()).count += 1 };
    GO_ON
}
