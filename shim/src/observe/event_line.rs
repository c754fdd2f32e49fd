//! Events that come by the million, recorded in a straight line.
//!
//! # Safety
//! As in [`crate::agent::event_values`].
#![allow(unsafe_code, reason = "a union")]

use jvmpi_headers::jvmpi::JVMPI_Event;
use recording_format::Space::{Class, Method, Object};

use crate::observe::recorder::Recorder;

/// Records the event if it is one of those; false: it is not recorded yet.
#[inline]
pub(crate) fn begin_line(recorder: &mut Recorder, event: &JVMPI_Event) -> bool {
    fn of<T>(pointer: *mut T) -> u64 {
        pointer.addr() as u64
    }
    let env = of(event.env_id);
    let u = &event.u;
    match event.event_type {
        number @ (1 | 3) => {
            // SAFETY: the event's member.
            let method = of(unsafe { u.method }.method_id);
            let number = if number == 1 { 1 } else { 3 };
            recorder.begin_line(env, number, |line| line.id(Method, method))
        }
        2 => {
            // SAFETY: the event's member.
            let method = unsafe { u.method_entry2 };
            recorder.begin_line(env, 2, |line| {
                line.id(Method, of(method.method_id))?;
                line.id(Object, of(method.obj_id))
            })
        }
        4 => {
            // SAFETY: the event's member.
            let object = unsafe { u.obj_alloc };
            recorder.begin_line(env, 4, |line| {
                line.int(object.arena_id);
                line.id(Class, of(object.class_id))?;
                line.int(object.is_array);
                line.int(object.size);
                line.id(Object, of(object.obj_id))
            })
        }
        5 => {
            // SAFETY: the event's member.
            let object = of(unsafe { u.obj_free }.obj_id);
            recorder.begin_line(env, 5, |line| line.id(Object, object))
        }
        _ => false,
    }
}
