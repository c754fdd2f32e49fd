//! The walk from the roots along all references (FollowReferences), as one
//! operation of the VM while its threads stand still.
//!
//! # Safety
//! As for `heap`: the callbacks run inside a VM operation, on the VM's own thread.
//! What they are given is valid during the call; `user_data` is the visitor, which
//! nobody else touches while its owner waits for the walk.
#![allow(unsafe_code, reason = "JVMTI heap callbacks are C functions")]

use std::ffi::c_void;
use std::ptr;
use std::slice;

use dump_format::{Primitive, Value};
use jvmpi_headers::jni::{jint, jlong, jvalue};
use jvmpi_headers::jvmti as sys;

use crate::base::boundary::bare;
use crate::vm::env::{Frame, Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::member_ids::MethodId;

/// How an object was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// From no object.
    Root(Root),
    /// From an object's field with this index.
    Field(i32),
    /// From an array's element.
    Element(i32),
    /// From a class's static field with this index.
    Static(i32),
    /// From a class to its loader.
    Loader,
    /// From a class to its signers.
    Signers,
    /// From a class to its protection domain.
    Domain,
    /// From a class's constant pool, at this index.
    Constant(i32),
    /// From an object to its class, from a class to its relatives: known otherwise.
    Other,
}

/// A root as the VM names it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
    JniGlobal,
    SystemClass,
    Monitor,
    Thread,
    /// A local variable of the frame at this depth of the stack of the thread with
    /// this tag.
    Local(u64, usize, Frame),
    /// A JNI local reference; the frame is none outside of all methods.
    JniLocal(u64, usize, Option<Frame>),
    Unknown,
}

/// An object at the end of a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Referent {
    pub(crate) class: u64,
    pub(crate) tag: u64,
    pub(crate) size: i64,
    /// Of an array.
    pub(crate) length: i32,
}

/// What the walk does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    GoOn,
    /// Not to what this object refers to.
    Past,
    Stop,
}

/// Who looks at what the walk finds. Nothing here may call the VM.
pub(crate) trait Visitor {
    /// A reference from the object with the tag `from` (0 from a root). A tag that is
    /// given back is put on the object at its end.
    fn reference(&mut self, way: Way, from: (u64, u64), to: Referent) -> (Option<u64>, Next);
    /// A primitive field of an object, or of a class; class tag and tag.
    fn primitive(&mut self, way: Way, of: (u64, u64), value: Value) -> Next;
    /// The elements of an array of primitives, as they lie in memory.
    fn elements(&mut self, array: u64, ty: Primitive, elements: &[u8]) -> Next;
}

/// Walks; `values` says whether the visitor wants primitives.
pub(crate) fn from_roots<V: Visitor>(jvmti: Jvmti, visitor: &mut V, values: bool) -> Result<()> {
    let callbacks = sys::jvmtiHeapCallbacks {
        heap_reference_callback: Some(reference::<V>),
        primitive_field_callback: if values { Some(primitive::<V>) } else { None },
        array_primitive_value_callback: if values { Some(elements::<V>) } else { None },
        ..sys::jvmtiHeapCallbacks::default()
    };
    let data: *const c_void = ptr::from_mut(visitor).cast_const().cast();
    let (all, everything) = (ptr::null_mut(), ptr::null_mut());
    invoke!(jvmti.FollowReferences(0, all, everything, &raw const callbacks, data))
}

const GO_ON: jint = sys::JVMTI_VISIT_OBJECTS;
const STOP: jint = sys::JVMTI_VISIT_ABORT;

fn answer(next: Next) -> jint {
    match next {
        Next::GoOn => GO_ON,
        Next::Past => 0,
        Next::Stop => STOP,
    }
}

#[allow(clippy::too_many_arguments, reason = "the type is JVMTI's")]
unsafe extern "C" fn reference<V: Visitor>(
    kind: sys::jvmtiHeapReferenceKind,
    info: *const sys::jvmtiHeapReferenceInfo,
    class_tag: jlong,
    referrer_class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    referrer_tag: *mut jlong,
    length: jint,
    visitor: *mut c_void,
) -> jint {
    bare("the heap walk", STOP, || {
        let way = way_of(kind, info);
        let from = if referrer_tag.is_null() {
            0
        } else {
            // SAFETY: the VM's place for the referrer's tag.
            unsafe { *referrer_tag }.cast_unsigned()
        };
        let to = Referent {
            class: class_tag.cast_unsigned(),
            // SAFETY: the VM's place for this object's tag.
            tag: unsafe { *tag }.cast_unsigned(),
            size,
            length,
        };
        // SAFETY: what `from_roots` was given; the walk is on one thread.
        let visitor = unsafe { &mut *visitor.cast::<V>() };
        let (put, next) = visitor.reference(way, (referrer_class_tag.cast_unsigned(), from), to);
        if let Some(put) = put {
            // SAFETY: the VM's place for this object's tag.
            unsafe { tag.write(put.cast_signed()) };
        }
        answer(next)
    })
}

#[inline]
fn way_of(kind: sys::jvmtiHeapReferenceKind, info: *const sys::jvmtiHeapReferenceInfo) -> Way {
    match kind {
        sys::JVMTI_HEAP_REFERENCE_FIELD => Way::Field(index(info)),
        sys::JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT => Way::Element(index(info)),
        sys::JVMTI_HEAP_REFERENCE_STATIC_FIELD => Way::Static(index(info)),
        sys::JVMTI_HEAP_REFERENCE_CONSTANT_POOL => Way::Constant(index(info)),
        sys::JVMTI_HEAP_REFERENCE_CLASS_LOADER => Way::Loader,
        sys::JVMTI_HEAP_REFERENCE_SIGNERS => Way::Signers,
        sys::JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN => Way::Domain,
        sys::JVMTI_HEAP_REFERENCE_CLASS
        | sys::JVMTI_HEAP_REFERENCE_INTERFACE
        | sys::JVMTI_HEAP_REFERENCE_SUPERCLASS => Way::Other,
        sys::JVMTI_HEAP_REFERENCE_JNI_GLOBAL => Way::Root(Root::JniGlobal),
        sys::JVMTI_HEAP_REFERENCE_SYSTEM_CLASS => Way::Root(Root::SystemClass),
        sys::JVMTI_HEAP_REFERENCE_MONITOR => Way::Root(Root::Monitor),
        sys::JVMTI_HEAP_REFERENCE_THREAD => Way::Root(Root::Thread),
        sys::JVMTI_HEAP_REFERENCE_STACK_LOCAL => {
            // SAFETY: the member for this kind, readable during the call.
            let at = unsafe { &*info.cast::<sys::jvmtiHeapReferenceInfoStackLocal>() };
            let frame = Frame {
                method: MethodId::from_jni(at.method),
                location: at.location,
            };
            Way::Root(Root::Local(
                at.thread_tag.cast_unsigned(),
                depth(at.depth),
                frame,
            ))
        }
        sys::JVMTI_HEAP_REFERENCE_JNI_LOCAL => {
            // SAFETY: the member for this kind, readable during the call.
            let at = unsafe { &*info.cast::<sys::jvmtiHeapReferenceInfoJniLocal>() };
            let frame = (!at.method.is_null()).then(|| Frame {
                method: MethodId::from_jni(at.method),
                location: -1,
            });
            Way::Root(Root::JniLocal(
                at.thread_tag.cast_unsigned(),
                depth(at.depth),
                frame,
            ))
        }
        _ => Way::Root(Root::Unknown),
    }
}

/// Of a field, an element or a constant: the first member of each.
#[inline]
fn index(info: *const sys::jvmtiHeapReferenceInfo) -> i32 {
    // SAFETY: the member for these kinds, readable during the call.
    unsafe { *info.cast::<i32>() }
}

fn depth(depth: jint) -> usize {
    usize::try_from(depth).unwrap_or(0)
}

unsafe extern "C" fn primitive<V: Visitor>(
    kind: sys::jvmtiHeapReferenceKind,
    info: *const sys::jvmtiHeapReferenceInfo,
    class_tag: jlong,
    tag: *mut jlong,
    value: jvalue,
    ty: sys::jvmtiPrimitiveType,
    visitor: *mut c_void,
) -> jint {
    bare("the heap walk", STOP, || {
        let Some(ty) = primitive_type(ty) else {
            return GO_ON;
        };
        // SAFETY: the VM's place for this object's tag.
        let tag = unsafe { *tag }.cast_unsigned();
        // SAFETY: what `from_roots` was given; the walk is on one thread.
        let visitor = unsafe { &mut *visitor.cast::<V>() };
        let value = Value::Primitive(ty, bits(ty, value));
        let of = (class_tag.cast_unsigned(), tag);
        answer(visitor.primitive(way_of(kind, info), of, value))
    })
}

/// A character of signatures.
#[inline]
fn primitive_type(ty: sys::jvmtiPrimitiveType) -> Option<Primitive> {
    Primitive::from_signature(u8::try_from(ty).ok()?)
}

/// The lowest bytes are the value.
#[inline]
pub(crate) fn bits(ty: Primitive, value: jvalue) -> u64 {
    match ty.width() {
        // SAFETY: the VM has filled in the member of this width.
        1 => u64::from(unsafe { value.b }.cast_unsigned()),
        // SAFETY: as above.
        2 => u64::from(unsafe { value.s }.cast_unsigned()),
        // SAFETY: as above.
        4 => u64::from(unsafe { value.i }.cast_unsigned()),
        // SAFETY: as above.
        _ => unsafe { value.j }.cast_unsigned(),
    }
}

unsafe extern "C" fn elements<V: Visitor>(
    _class_tag: jlong,
    _size: jlong,
    tag: *mut jlong,
    count: jint,
    ty: sys::jvmtiPrimitiveType,
    elements: *const c_void,
    visitor: *mut c_void,
) -> jint {
    bare("the heap walk", STOP, || {
        let Some(ty) = primitive_type(ty) else {
            return GO_ON;
        };
        let bytes = usize::try_from(count).unwrap_or(0) * ty.width();
        if bytes == 0 || elements.is_null() {
            return GO_ON;
        }
        // SAFETY: the VM's place for this object's tag.
        let tag = unsafe { *tag }.cast_unsigned();
        // SAFETY: what `from_roots` was given; the walk is on one thread.
        let visitor = unsafe { &mut *visitor.cast::<V>() };
        // SAFETY: so many elements lie there, and the world stands still.
        let elements = unsafe { slice::from_raw_parts(elements.cast::<u8>(), bytes) };
        answer(visitor.elements(tag, ty, elements))
    })
}
