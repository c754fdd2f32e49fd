//! The contents of an event as values of a recording.
//!
//! # Safety
//! The event is one that we have made and are about to give to the agent, or have given:
//! the member that its type names is filled, counts fit their arrays, texts end.
#![allow(unsafe_code, reason = "a union with pointers")]

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::slice;

use event_translate::EventKind;
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

/// The promise that what an event points to is there, as long as the event is borrowed.
#[derive(Clone, Copy)]
struct Held<'a>(PhantomData<&'a JVMPI_Event>);

impl<'a> Held<'a> {
    /// # Safety
    /// The event is one of ours (see the module), and what is asked for here is a member of it: a text, or an array with
    /// the count that stands beside it.
    const unsafe fn by(_: &'a JVMPI_Event) -> Self {
        Self(PhantomData)
    }

    fn text(self, from: *const c_char) -> Value<'a> {
        if from.is_null() {
            return Text(None);
        }
        // SAFETY: a text of the event's, by the promise.
        Text(Some(unsafe { CStr::from_ptr(from) }.to_bytes()))
    }

    /// An array; empty if it is NULL.
    fn array<T>(self, from: *const T, count: i32) -> &'a [T] {
        // SAFETY: an array of the event's, by the promise.
        unsafe { array(from, count) }
    }

    fn between(self, begin: *const c_char, end: *const c_char) -> Value<'a> {
        let len = end.addr().saturating_sub(begin.addr());
        if begin.is_null() || len == 0 {
            return Bytes(&[]);
        }
        // SAFETY: a dump of the event's, by the promise.
        Bytes(unsafe { slice::from_raw_parts(begin.cast(), len) })
    }

    fn traces(self, from: *const JVMPI_CallTrace, count: i32) -> Value<'static> {
        let row = |trace: &JVMPI_CallTrace| {
            // SAFETY: as much as the event has, by the promise.
            let frames = unsafe { frames(trace.frames, trace.num_frames) };
            vec![id(trace.env_id), frames]
        };
        List(self.array(from, count).iter().map(row).collect())
    }

    fn fields(self, from: *const JVMPI_Field, count: i32) -> Value<'a> {
        let row = |field: &JVMPI_Field| {
            vec![
                self.text(field.field_name),
                self.text(field.field_signature),
            ]
        };
        List(self.array(from, count).iter().map(row).collect())
    }

    fn class_load(self, class: JVMPI_Event_class_load) -> [Value<'a>; 7] {
        let methods = self
            .array(class.methods, class.num_methods)
            .iter()
            .map(|method| {
                vec![
                    self.text(method.method_name),
                    self.text(method.method_signature),
                    Int(method.start_lineno.into()),
                    Int(method.end_lineno.into()),
                    id(method.method_id),
                ]
            });
        [
            self.text(class.class_name),
            self.text(class.source_name),
            Int(class.num_interfaces.into()),
            List(methods.collect()),
            self.fields(class.statics, class.num_static_fields),
            self.fields(class.instances, class.num_instance_fields),
            id(class.class_id),
        ]
    }
}

/// Empty if it is NULL.
///
/// # Safety
/// NULL, or an array with that many entries, which is there as long as `'a`.
unsafe fn array<'a, T>(from: *const T, count: i32) -> &'a [T] {
    let count = usize::try_from(count).unwrap_or(0);
    if from.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(from, count) }
}

/// The frames of a trace.
///
/// # Safety
/// NULL, or so many of them.
pub(crate) unsafe fn frames(from: *const JVMPI_CallFrame, count: i32) -> Value<'static> {
    let row = |frame: &JVMPI_CallFrame| vec![Int(frame.lineno.into()), id(frame.method_id)];
    // SAFETY: the caller's promise.
    let frames = unsafe { array(from, count) };
    List(frames.iter().map(row).collect())
}

/// The method that an event is of.
pub(crate) fn method(event: &JVMPI_Event) -> Option<usize> {
    let u = &event.u;
    let method = match EventKind::from_raw(event.event_type)? {
        EventKind::MethodEntry | EventKind::MethodExit => {
            // SAFETY: the event's member.
            unsafe { u.method }.method_id
        }
        EventKind::MethodEntry2 => {
            // SAFETY: the event's member.
            unsafe { u.method_entry2 }.method_id
        }
        EventKind::CompiledMethodLoad => {
            // SAFETY: the event's member.
            unsafe { u.compiled_method_load }.method_id
        }
        EventKind::InstructionStart => {
            // SAFETY: the event's member.
            unsafe { u.instruction }.method_id
        }
        EventKind::ObjectAlloc
        | EventKind::ObjectFree
        | EventKind::ObjectMove
        | EventKind::CompiledMethodUnload
        | EventKind::ThreadStart
        | EventKind::ThreadEnd
        | EventKind::ClassLoadHook
        | EventKind::HeapDump
        | EventKind::JniGlobalrefAlloc
        | EventKind::JniGlobalrefFree
        | EventKind::JniWeakGlobalrefAlloc
        | EventKind::JniWeakGlobalrefFree
        | EventKind::ClassLoad
        | EventKind::ClassUnload
        | EventKind::DataDumpRequest
        | EventKind::DataResetRequest
        | EventKind::JvmInitDone
        | EventKind::JvmShutDown
        | EventKind::ArenaNew
        | EventKind::ArenaDelete
        | EventKind::ObjectDump
        | EventKind::RawMonitorContendedEnter
        | EventKind::RawMonitorContendedEntered
        | EventKind::RawMonitorContendedExit
        | EventKind::MonitorContendedEnter
        | EventKind::MonitorContendedEntered
        | EventKind::MonitorContendedExit
        | EventKind::MonitorWait
        | EventKind::MonitorWaited
        | EventKind::MonitorDump
        | EventKind::GcStart
        | EventKind::GcFinish => return None,
    };
    Some(method.expose_provenance())
}

/// Whether the agent's handler may leave something in the event.
pub(crate) const fn has_results(event: &JVMPI_Event) -> bool {
    event.event_type == EventKind::ClassLoadHook.raw()
}

/// Calls `with` with the event's contents.
pub(crate) fn read<O>(event: &JVMPI_Event, with: impl FnOnce(&[Value<'_>]) -> O) -> O {
    let u = &event.u;
    match EventKind::from_raw(event.event_type & !REQUESTED) {
        Some(EventKind::MethodEntry | EventKind::MethodExit) => {
            // SAFETY: the event's member.
            let method = unsafe { u.method };
            with(&[id(method.method_id)])
        }
        Some(EventKind::MethodEntry2) => {
            // SAFETY: the event's member.
            let method = unsafe { u.method_entry2 };
            with(&[id(method.method_id), id(method.obj_id)])
        }
        Some(EventKind::ObjectAlloc) => {
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
        Some(EventKind::ObjectFree) => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.obj_free }.obj_id)])
        }
        Some(EventKind::ObjectMove) => {
            // SAFETY: the event's member.
            let object = unsafe { u.obj_move };
            with(&[
                Int(object.arena_id.into()),
                id(object.obj_id),
                Int(object.new_arena_id.into()),
                id(object.new_obj_id),
            ])
        }
        Some(EventKind::JniGlobalrefAlloc | EventKind::JniWeakGlobalrefAlloc) => {
            // SAFETY: the event's member.
            let reference = unsafe { u.jni_globalref_alloc };
            with(&[id(reference.obj_id), id(reference.ref_id)])
        }
        Some(EventKind::JniGlobalrefFree | EventKind::JniWeakGlobalrefFree) => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.jni_globalref_free }.ref_id)])
        }
        Some(kind) => read_rare(kind, event, with),
        None => with(&[]),
    }
}

#[cold]
fn read_rare<O>(kind: EventKind, event: &JVMPI_Event, with: impl FnOnce(&[Value<'_>]) -> O) -> O {
    let u = &event.u;
    // SAFETY: one of ours.
    let held = unsafe { Held::by(event) };
    match kind {
        EventKind::CompiledMethodLoad => {
            // SAFETY: the event's member.
            let code = unsafe { u.compiled_method_load };
            let lines = held.array(code.lineno_table, code.lineno_table_size);
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
        EventKind::CompiledMethodUnload => {
            // SAFETY: plain words, of which the second is set, too (see the table's row).
            let code = unsafe { u.compiled_method_load };
            with(&[id(code.method_id), id(code.code_addr)])
        }
        EventKind::InstructionStart => {
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
        EventKind::ThreadStart => {
            // SAFETY: the event's member.
            let thread = unsafe { u.thread_start };
            with(&[
                held.text(thread.thread_name),
                held.text(thread.group_name),
                held.text(thread.parent_name),
                id(thread.thread_id),
                id(thread.thread_env_id),
            ])
        }
        EventKind::ClassLoadHook => {
            // SAFETY: the event's member.
            let hook = unsafe { u.class_load_hook };
            with(&[Bytes(held.array(hook.class_data, hook.class_data_len))])
        }
        EventKind::HeapDump => {
            // SAFETY: the event's member.
            let dump = unsafe { u.heap_dump };
            with(&[
                Int(dump.dump_level.into()),
                held.between(dump.begin, dump.end),
                held.traces(dump.traces, dump.num_traces),
            ])
        }
        EventKind::ClassLoad => {
            // SAFETY: the event's member.
            with(&held.class_load(unsafe { u.class_load }))
        }
        EventKind::ClassUnload => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.class_unload }.class_id)])
        }
        EventKind::ArenaNew => {
            // SAFETY: the event's member.
            let arena = unsafe { u.new_arena };
            with(&[Int(arena.arena_id.into()), held.text(arena.arena_name)])
        }
        EventKind::ArenaDelete => {
            // SAFETY: the event's member.
            with(&[Int(unsafe { u.delete_arena }.arena_id.into())])
        }
        EventKind::ObjectDump => {
            // SAFETY: the event's member.
            let dump = unsafe { u.object_dump };
            with(&[Bytes(held.array(dump.data.cast(), dump.data_len))])
        }
        EventKind::RawMonitorContendedEnter
        | EventKind::RawMonitorContendedEntered
        | EventKind::RawMonitorContendedExit => {
            // SAFETY: the event's member.
            let monitor = unsafe { u.raw_monitor };
            with(&[held.text(monitor.name), id(monitor.id)])
        }
        EventKind::MonitorContendedEnter
        | EventKind::MonitorContendedEntered
        | EventKind::MonitorContendedExit => {
            // SAFETY: the event's member.
            with(&[id(unsafe { u.monitor }.object)])
        }
        EventKind::MonitorWait | EventKind::MonitorWaited => {
            // SAFETY: the event's member.
            let wait = unsafe { u.monitor_wait };
            with(&[id(wait.object), Int(wait.timeout)])
        }
        EventKind::MonitorDump => {
            // SAFETY: the event's member.
            let dump = unsafe { u.monitor_dump };
            let statuses = held.array(dump.threads_status, dump.num_traces).iter();
            with(&[
                held.between(dump.begin, dump.end),
                held.traces(dump.traces, dump.num_traces),
                List(statuses.map(|&status| vec![Int(status.into())]).collect()),
            ])
        }
        EventKind::GcFinish => {
            // SAFETY: the event's member.
            let heap = unsafe { u.gc_info };
            with(&[
                Int(heap.used_objects),
                Int(heap.used_object_space),
                Int(heap.total_object_space),
            ])
        }
        // These have no contents.
        EventKind::ThreadEnd
        | EventKind::DataDumpRequest
        | EventKind::DataResetRequest
        | EventKind::JvmInitDone
        | EventKind::JvmShutDown
        | EventKind::GcStart => with(&[]),
        // These are not rare.
        EventKind::MethodEntry
        | EventKind::MethodEntry2
        | EventKind::MethodExit
        | EventKind::ObjectAlloc
        | EventKind::ObjectFree
        | EventKind::ObjectMove
        | EventKind::JniGlobalrefAlloc
        | EventKind::JniGlobalrefFree
        | EventKind::JniWeakGlobalrefAlloc
        | EventKind::JniWeakGlobalrefFree => with(&[]),
    }
}

/// Calls `with` with what the agent's handler has left in the event.
#[inline]
pub(crate) fn results<O>(event: &JVMPI_Event, with: impl FnOnce(&[Value<'_>]) -> O) -> O {
    if event.event_type & !REQUESTED != EventKind::ClassLoadHook.raw() {
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
    // SAFETY: as many bytes can be read, the first and the last of them.
    with(&[Bytes(unsafe { array(new, hook.new_class_data_len) })])
}
