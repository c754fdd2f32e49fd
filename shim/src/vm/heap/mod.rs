//! The heap, by JVMTI's specification. Walks over it, object by object, are in this file; beside it are
//!
//! - [`follow`], the walk along references;
//! - [`contents`], what one object holds; [`value_objects`], those without identity;
//! - [`private_tags`], tags that nobody else sees.
//!
//! A line belongs here if it is about objects of any class, and about nothing that a thread does with them.
//!
//! # Safety
//! The callback of a walk runs inside a VM operation: no JNI, no JVMTI, no lock that a
//! stopped thread may hold.
#![allow(unsafe_code, reason = "JVMTI heap callbacks are C functions")]

pub(crate) mod contents;
pub(crate) mod follow;
pub(crate) mod private_tags;
pub(crate) mod value_objects;

use std::ffi::c_void;
use std::ptr;

use jvmpi_headers::jvmti as sys;

use crate::base::boundary::unlogged;
use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

/// Calls `body` for each object, unreachable ones included: with the tag of its class, its
/// size in bytes, and its own tag, which it may set.
pub(crate) fn each_object<F: FnMut(u64, i64, &mut i64)>(jvmti: Jvmti, body: F) -> Result<()> {
    each(jvmti, 0, body)
}

/// The same for each object that has a tag.
pub(crate) fn each_tagged<F: FnMut(u64, i64, &mut i64)>(jvmti: Jvmti, body: F) -> Result<()> {
    each(jvmti, WITHOUT_UNTAGGED, body)
}

const WITHOUT_UNTAGGED: i32 = 8;

fn each<F: FnMut(u64, i64, &mut i64)>(jvmti: Jvmti, filter: i32, mut body: F) -> Result<()> {
    let callbacks = sys::jvmtiHeapCallbacks {
        heap_iteration_callback: Some(visit::<F>),
        ..sys::jvmtiHeapCallbacks::default()
    };
    let data: *const c_void = ptr::from_mut(&mut body).cast();
    invoke!(jvmti.IterateThroughHeap(filter, ptr::null_mut(), &raw const callbacks, data))
}

/// Takes the tags from all objects that have one.
pub(crate) fn clear_tags(jvmti: Jvmti) -> Result<()> {
    let callbacks = sys::jvmtiHeapCallbacks {
        heap_iteration_callback: Some(clear),
        ..sys::jvmtiHeapCallbacks::default()
    };
    let none = ptr::null();
    invoke!(jvmti.IterateThroughHeap(
        WITHOUT_UNTAGGED,
        ptr::null_mut(),
        &raw const callbacks,
        none
    ))
}

unsafe extern "C" fn clear(_: i64, _: i64, tag: *mut i64, _: i32, _: *mut c_void) -> i32 {
    // SAFETY: the VM's place for this object's tag.
    unsafe { tag.write(0) };
    0
}

unsafe extern "C" fn visit<F: FnMut(u64, i64, &mut i64)>(
    class_tag: i64,
    size: i64,
    tag: *mut i64,
    _length: i32,
    body: *mut c_void,
) -> i32 {
    const GO_ON: i32 = 0;
    unlogged("the heap walk", || {
        // SAFETY: what `each_object` was given; the walk is on one thread.
        let body = unsafe { &mut *body.cast::<F>() };
        // SAFETY: the VM's place for this object's tag.
        body(class_tag.cast_unsigned(), size, unsafe { &mut *tag });
    });
    GO_ON
}
