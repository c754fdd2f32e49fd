//! The contents of an event as values of a recording.
//!
//! # Safety
//! The event is one that we have made and are about to give to the agent, or have given:
//! the member that its type names is filled, counts fit their arrays, texts end.
#![allow(unsafe_code, reason = "a union with pointers")]

use std::ffi::{CStr, c_char};
use std::slice;

use jvmpi_headers::jvmpi::{
    JVMPI_CallFrame, JVMPI_CallTrace, JVMPI_Event, JVMPI_Event_class_load, JVMPI_Field,
};
use recording_format::Value;
use recording_format::Value::{Bytes, Id, Int, List, Text};

use crate::os::memory;

/// The bit of requested events.
const REQUESTED: i32 = jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;

fn id<T>(pointer: *mut T) -> Value<'static> {
    Id(pointer.addr() as u64)
}

fn text<'a>(from: *const c_char) -> Value<'a> {
    if from.is_null() {
        return Text(None);
    }
    // SAFETY: a text of ours.
    Text(Some(unsafe { CStr::from_ptr(from) }.to_bytes()))
}

/// An array of ours; empty if it is NULL.
fn array<'a, T>(from: *const T, count: i32) -> &'a [T] {
    let count = usize::try_from(count).unwrap_or(0);
    if from.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: an array of ours with that many entries.
    unsafe { slice::from_raw_parts(from, count) }
}

fn between<'a>(begin: *const c_char, end: *const c_char) -> Value<'a> {
    let len = end.addr().saturating_sub(begin.addr());
    if begin.is_null() || len == 0 {
        return Bytes(&[]);
    }
    // SAFETY: a dump of ours.
    Bytes(unsafe { slice::from_raw_parts(begin.cast(), len) })
}

/// The frames of a trace.
pub(crate) fn frames(from: *const JVMPI_CallFrame, count: i32) -> Value<'static> {
    let row = |frame: &JVMPI_CallFrame| vec![Int(frame.lineno.into()), id(frame.method_id)];
    List(array(from, count).iter().map(row).collect())
}

fn traces(from: *const JVMPI_CallTrace, count: i32) -> Value<'static> {
    let row = |trace: &JVMPI_CallTrace| {
        let frames = frames(trace.frames, trace.num_frames);
        vec![id(trace.env_id), frames]
    };
    List(array(from, count).iter().map(row).collect())
}

fn fields<'a>(from: *const JVMPI_Field, count: i32) -> Value<'a> {
    let row = |field: &JVMPI_Field| vec![text(field.field_name), text(field.field_signature)];
    List(array(from, count).iter().map(row).collect())
}

fn class_load(class: JVMPI_Event_class_load) -> [Value<'static>; 7] {
    let methods = array(class.methods, class.num_methods)
        .iter()
        .map(|method| {
            vec![
                text(method.method_name),
                text(method.method_signature),
                Int(method.start_lineno.into()),
                Int(method.end_lineno.into()),
                id(method.method_id),
            ]
        });
    [
        text(class.class_name),
        text(class.source_name),
        Int(class.num_interfaces.into()),
        List(methods.collect()),
        fields(class.statics, class.num_static_fields),
        fields(class.instances, class.num_instance_fields),
        id(class.class_id),
    ]
}

/// The method that an event is of.
pub(crate) fn method(event: &JVMPI_Event) -> Option<usize> {
    let u = &event.u;
    let method = match event.event_type {
        1 | 3 => {
            // SAFETY: the event's member.
            unsafe { u.method }.method_id
        }
        2 => {
            // SAFETY: the event's member.
            unsafe { u.method_entry2 }.method_id
        }
        7 => {
            // SAFETY: the event's member.
            unsafe { u.compiled_method_load }.method_id
        }
        9 => {
            // SAFETY: the event's member.
            unsafe { u.instruction }.method_id
        }
        _ => return None,
    };
    Some(method.expose_provenance())
}

/// Whether the agent's handler may leave something in the event.
pub(crate) const fn has_results(event: &JVMPI_Event) -> bool {
    event.event_type == 35
}

/// Calls `with` with the event's contents.
pub(crate) fn read<O>(event: &JVMPI_Event, with: impl FnOnce(&[Value<'_>]) -> O) -> O {
    let u = &event.u;
    match event.event_type & !REQUESTED {
        1 | 3 => {
            // SAFETY: the event's member.
            let method = unsafe { u.method };
            with(&[id(method.method_id)])
        }
        2 => {
            // SAFETY: the event's member.
            let method = unsafe { u.method_entry2 };
            with(&[id(method.method_id), id(method.obj_id)])
        }
        4 => {
            // SAFETY: the event's member.
            let object = unsafe { u.obj_alloc };
            with(&[
                Int(object.arena_id.into()),
                id(object.class_id),
                Int(object.is_array.into()),
                Int(object.size.into()),
                id(object.obj_id),
            ])
        }
        5 => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.obj_free }.obj_id)])
        }
        6 => {
            // SAFETY: the event's member.
            let object = unsafe { u.obj_move };
            with(&[
                Int(object.arena_id.into()),
                id(object.obj_id),
                Int(object.new_arena_id.into()),
                id(object.new_obj_id),
            ])
        }
        38 | 40 => {
            // SAFETY: the event's member.
            let reference = unsafe { u.jni_globalref_alloc };
            with(&[id(reference.obj_id), id(reference.ref_id)])
        }
        39 | 41 => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.jni_globalref_free }.ref_id)])
        }
        _ => read_rare(event, with),
    }
}

#[cold]
fn read_rare<O>(event: &JVMPI_Event, with: impl FnOnce(&[Value<'_>]) -> O) -> O {
    let u = &event.u;
    match event.event_type & !REQUESTED {
        7 => {
            // SAFETY: the event's member.
            let code = unsafe { u.compiled_method_load };
            let lines = array(code.lineno_table, code.lineno_table_size);
            let rows = lines
                .iter()
                .map(|line| vec![Int(line.offset.into()), Int(line.lineno.into())]);
            // The VM patches it meanwhile, or has given it back by now.
            let size = usize::try_from(code.code_size).unwrap_or(0);
            let bytes = memory::bytes(code.code_addr.cast(), size);
            with(&[
                id(code.method_id),
                id(code.code_addr),
                Int(code.code_size.into()),
                List(rows.collect()),
                Bytes(&bytes.unwrap_or_default()),
            ])
        }
        8 => {
            // SAFETY: plain words, of which the second is set, too (see the table's row).
            let code = unsafe { u.compiled_method_load };
            with(&[id(code.method_id), id(code.code_addr)])
        }
        9 => {
            // SAFETY: the event's member.
            let instruction = unsafe { u.instruction };
            // SAFETY: three plain words, the largest member.
            let more = unsafe { instruction.u.tableswitch_info };
            with(&[
                id(instruction.method_id),
                Int(instruction.offset.into()),
                Int(more.key.into()),
                Int(more.low.into()),
                Int(more.hi.into()),
            ])
        }
        33 => {
            // SAFETY: the event's member.
            let thread = unsafe { u.thread_start };
            with(&[
                text(thread.thread_name),
                text(thread.group_name),
                text(thread.parent_name),
                id(thread.thread_id),
                id(thread.thread_env_id),
            ])
        }
        35 => {
            // SAFETY: the event's member.
            let hook = unsafe { u.class_load_hook };
            with(&[Bytes(array(hook.class_data, hook.class_data_len))])
        }
        37 => {
            // SAFETY: the event's member.
            let dump = unsafe { u.heap_dump };
            with(&[
                Int(dump.dump_level.into()),
                between(dump.begin, dump.end),
                traces(dump.traces, dump.num_traces),
            ])
        }
        42 => {
            // SAFETY: the event's member.
            with(&class_load(unsafe { u.class_load }))
        }
        43 => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.class_unload }.class_id)])
        }
        48 => {
            // SAFETY: the event's member.
            let arena = unsafe { u.new_arena };
            with(&[Int(arena.arena_id.into()), text(arena.arena_name)])
        }
        49 => {
            // SAFETY: the event's member.
            with(&[Int(unsafe { u.delete_arena }.arena_id.into())])
        }
        50 => {
            // SAFETY: the event's member.
            let dump = unsafe { u.object_dump };
            with(&[Bytes(array(dump.data.cast(), dump.data_len))])
        }
        51..=53 => {
            // SAFETY: the event's member.
            let monitor = unsafe { u.raw_monitor };
            with(&[text(monitor.name), id(monitor.id)])
        }
        54..=56 => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.monitor }.object)])
        }
        57 | 58 => {
            // SAFETY: the event's member.
            let wait = unsafe { u.monitor_wait };
            with(&[id(wait.object), Int(wait.timeout)])
        }
        59 => {
            // SAFETY: the event's member.
            let dump = unsafe { u.monitor_dump };
            let statuses = array(dump.threads_status, dump.num_traces).iter();
            with(&[
                between(dump.begin, dump.end),
                traces(dump.traces, dump.num_traces),
                List(statuses.map(|&status| vec![Int(status.into())]).collect()),
            ])
        }
        61 => {
            // SAFETY: the event's member.
            let heap = unsafe { u.gc_info };
            with(&[
                Int(heap.used_objects),
                Int(heap.used_object_space),
                Int(heap.total_object_space),
            ])
        }
        _ => with(&[]),
    }
}

/// Calls `with` with what the agent's handler has left in the event.
#[inline]
pub(crate) fn results<O>(event: &JVMPI_Event, with: impl FnOnce(&[Value<'_>]) -> O) -> O {
    if event.event_type & !REQUESTED != 35 {
        return with(&[]);
    }
    // SAFETY: the event's member.
    let hook = unsafe { event.u.class_load_hook };
    let new = hook.new_class_data;
    // NULL, or what it was shown: as it was, unless it was changed in place, which nobody
    // can tell here.
    if new == hook.class_data || !memory::readable(new, 1) {
        return with(&[Bytes(&[])]);
    }
    let last = usize::try_from(hook.new_class_data_len).unwrap_or(0);
    if last == 0 || !memory::readable(new, last) {
        return with(&[Bytes(&[])]);
    }
    with(&[Bytes(array(new, hook.new_class_data_len))])
}
