//! The host's events of which there are millions a second: calls and allocations. Each is read
//! field by field, in a straight line.
//!
//! # Safety
//!
//! As of `event.rs`: a function is given the event of a NotifyEvent call, whose `event_type` says
//! which member of the union is set.
#![allow(unsafe_code, reason = "an event is a C union")]

use jvmpi_headers::jvmpi::*;

use crate::objects;

/// What OBJECT_ALLOC says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alloc {
    pub(crate) object: usize,
    /// Of an array of references, the elements'.
    pub(crate) class: usize,
    pub(crate) kind: u8,
    pub(crate) size: u32,
    pub(crate) arena: u32,
    pub(crate) requested: bool,
}

/// A method begins or ends, a hundred million times a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) env: usize,
    pub(crate) method: usize,
    pub(crate) begins: bool,
}

/// METHOD_ENTRY and METHOD_EXIT; `None` for all else.
///
/// # Safety
/// See the module documentation.
#[inline]
pub(super) unsafe fn call(event: *const JVMPI_Event) -> Option<Call> {
    // SAFETY: the caller's promise.
    let number = unsafe { (*event).event_type };
    if number != JVMPI_EVENT_METHOD_ENTRY && number != JVMPI_EVENT_METHOD_EXIT {
        return None;
    }
    // SAFETY: the caller's promise.
    let env = unsafe { (*event).env_id };
    // SAFETY: the caller's promise.
    let contents = unsafe { (*event).u };
    // SAFETY: the member of these events.
    let method = unsafe { contents.method }.method_id;
    Some(Call {
        env: env.expose_provenance(),
        method: method.expose_provenance(),
        begins: number == JVMPI_EVENT_METHOD_ENTRY,
    })
}

/// OBJECT_ALLOC, and its sender's thread; `None` for all else. Field by field: a copy of the
/// whole would have to wait until the host's writes have arrived.
///
/// # Safety
/// See the module documentation.
#[inline]
pub(super) unsafe fn alloc(event: *const JVMPI_Event) -> Option<(usize, Alloc)> {
    // SAFETY: the caller's promise.
    let number = unsafe { (*event).event_type };
    if number & !JVMPI_REQUESTED_EVENT != JVMPI_EVENT_OBJECT_ALLOC {
        return None;
    }
    // SAFETY: the caller's promise.
    let env = unsafe { (*event).env_id };
    // SAFETY: the caller's promise.
    let contents = unsafe { &raw const (*event).u };
    let alloc: *const JVMPI_Event_obj_alloc = contents.cast();
    // SAFETY: of the member of this event, as the four that follow.
    let object = unsafe { (*alloc).obj_id };
    // SAFETY: as above.
    let class = unsafe { (*alloc).class_id };
    // SAFETY: as above.
    let kind = unsafe { (*alloc).is_array };
    // SAFETY: as above.
    let size = unsafe { (*alloc).size };
    // SAFETY: as above.
    let arena = unsafe { (*alloc).arena_id };
    let alloc = Alloc {
        object: object.expose_provenance(),
        class: class.expose_provenance(),
        kind: u8::try_from(kind).unwrap_or(0),
        size: objects::whole_units(u32::try_from(size).unwrap_or(0)),
        arena: u32::try_from(arena).unwrap_or(0),
        requested: number & JVMPI_REQUESTED_EVENT != 0,
    };
    Some((env.expose_provenance(), alloc))
}
