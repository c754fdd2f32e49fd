//! The host's events as Rust sees them.
//!
//! # Safety
//!
//! `decode` is given the event of a NotifyEvent call. Its `event_type` says which
//! member of the union is set and that its pointers are what JVMPI specifies: C
//! strings or null, arrays as long as the count beside them, all until the call
//! returns, which the lifetime stands for.
#![allow(unsafe_code, reason = "an event is a C union full of pointers")]

use std::ffi::{CStr, c_char};
use std::slice;

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::*;

/// An event, as long as its handler runs.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    ObjectFree(usize),
    ObjectMove {
        from: usize,
        to: usize,
        arena: u32,
    },
    ArenaDelete(u32),
    ClassLoad(ClassLoad<'a>),
    ClassUnload(usize),
    ThreadStart(ThreadStart),
    ThreadEnd,
    HeapDump {
        bytes: &'a [u8],
        traces: Vec<ThreadTrace>,
    },
    ObjectDump(&'a [u8]),
    MonitorDump {
        dump: MonitorDump<'a>,
        traces: Vec<ThreadTrace>,
    },
    /// A global reference of JNI's.
    GlobalRef(usize),
    GlobalRefFreed(usize),
    /// Somebody waits for an object's monitor, or has got it.
    MonitorEnter(usize),
    MonitorEntered(usize),
    RawMonitorEnter(usize),
    RawMonitorEntered {
        id: usize,
        name: String,
    },
    DataDumpRequest,
    InitDone,
    ShutDown,
    Other,
}

/// What MONITOR_DUMP says. Names in it are addresses, which the host keeps as long as the event's handler runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MonitorDump<'a>(&'a [u8]);

/// What CLASS_LOAD says.
#[derive(Debug)]
pub(crate) struct ClassLoad<'a> {
    pub(crate) id: usize,
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) interfaces: usize,
    methods: &'a [JVMPI_Method],
    statics: &'a [JVMPI_Field],
    instances: &'a [JVMPI_Field],
}

/// A method of a class.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) id: usize,
    pub(crate) name: String,
    pub(crate) signature: String,
}

/// A field of a class.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) signature: String,
}

impl ClassLoad<'_> {
    pub(crate) fn methods(&self) -> impl Iterator<Item = Method> {
        self.methods.iter().map(|method| Method {
            id: method.method_id.expose_provenance(),
            name: string(method.method_name),
            signature: string(method.method_signature),
        })
    }

    pub(crate) fn statics(&self) -> impl Iterator<Item = Field> {
        self.statics.iter().map(field)
    }

    pub(crate) fn instances(&self) -> impl Iterator<Item = Field> {
        self.instances.iter().map(field)
    }
}

fn field(field: &JVMPI_Field) -> Field {
    Field {
        name: string(field.field_name),
        signature: string(field.field_signature),
    }
}

/// What THREAD_START says.
#[derive(Debug)]
pub(crate) struct ThreadStart {
    pub(crate) env: usize,
    pub(crate) object: usize,
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) parent: String,
    /// It sends this itself.
    pub(crate) own: bool,
}

/// A thread's stack in a dump: method and line, callee first.
#[derive(Debug)]
pub(crate) struct ThreadTrace {
    pub(crate) env: usize,
    pub(crate) frames: Vec<(usize, i32)>,
    /// In a monitor dump.
    pub(crate) status: i32,
}

/// The sender's thread, and what it says.
///
/// # Safety
/// See the module documentation; the event outlives `'a`.
#[inline]
pub(super) unsafe fn decode<'a>(event: *const JVMPI_Event) -> (usize, Event<'a>) {
    // SAFETY: the caller's promise; a copy of numbers and pointers.
    let event = unsafe { *event };
    let env = event.env_id.expose_provenance();
    let number = event.event_type & !JVMPI_REQUESTED_EVENT;
    let u = event.u;
    let decoded = match number {
        JVMPI_EVENT_OBJECT_FREE => {
            // SAFETY: the member of this event.
            Event::ObjectFree(unsafe { u.obj_free }.obj_id.expose_provenance())
        }
        // SAFETY: as is all that follows: `number` says which member it is.
        _ => unsafe { decode_rare(number, &event) },
    };
    (env, decoded)
}

/// # Safety
/// As for `decode`.
#[cold]
unsafe fn decode_rare<'a>(number: jint, event: &JVMPI_Event) -> Event<'a> {
    let u = event.u;
    match number {
        JVMPI_EVENT_OBJECT_MOVE => {
            // SAFETY: the member of this event.
            let moved = unsafe { u.obj_move };
            Event::ObjectMove {
                from: moved.obj_id.expose_provenance(),
                to: moved.new_obj_id.expose_provenance(),
                arena: u32::try_from(moved.new_arena_id).unwrap_or(0),
            }
        }
        JVMPI_EVENT_ARENA_DELETE => {
            // SAFETY: the member of this event.
            let arena = unsafe { u.delete_arena }.arena_id;
            Event::ArenaDelete(u32::try_from(arena).unwrap_or(0))
        }
        JVMPI_EVENT_CLASS_LOAD => {
            // SAFETY: the member of this event.
            let load = unsafe { u.class_load };
            Event::ClassLoad(ClassLoad {
                id: load.class_id.expose_provenance(),
                name: string(load.class_name),
                source: string(load.source_name),
                interfaces: usize::try_from(load.num_interfaces).unwrap_or(0),
                // SAFETY: an array and its length.
                methods: unsafe { array(load.methods, load.num_methods) },
                // SAFETY: likewise.
                statics: unsafe { array(load.statics, load.num_static_fields) },
                // SAFETY: likewise.
                instances: unsafe { array(load.instances, load.num_instance_fields) },
            })
        }
        JVMPI_EVENT_CLASS_UNLOAD => {
            // SAFETY: the member of this event.
            Event::ClassUnload(unsafe { u.class_unload }.class_id.expose_provenance())
        }
        JVMPI_EVENT_THREAD_START => {
            // SAFETY: the member of this event.
            let start = unsafe { u.thread_start };
            Event::ThreadStart(ThreadStart {
                env: start.thread_env_id.expose_provenance(),
                object: start.thread_id.expose_provenance(),
                name: string(start.thread_name),
                group: string(start.group_name),
                parent: string(start.parent_name),
                own: start.thread_env_id == event.env_id,
            })
        }
        JVMPI_EVENT_THREAD_END => Event::ThreadEnd,
        JVMPI_EVENT_HEAP_DUMP => {
            // SAFETY: the member of this event.
            let dump = unsafe { u.heap_dump };
            Event::HeapDump {
                // SAFETY: the dump's first byte and the one behind its last.
                bytes: unsafe { between(dump.begin, dump.end) },
                // SAFETY: an array and its length; a heap dump has no status.
                traces: unsafe { traces(dump.traces, dump.num_traces, std::ptr::null()) },
            }
        }
        JVMPI_EVENT_OBJECT_DUMP => {
            // SAFETY: the member of this event.
            let dump = unsafe { u.object_dump };
            // SAFETY: an array and its length.
            Event::ObjectDump(unsafe { array(dump.data.cast::<u8>(), dump.data_len) })
        }
        JVMPI_EVENT_MONITOR_DUMP => {
            // SAFETY: the member of this event.
            let dump = unsafe { u.monitor_dump };
            // SAFETY: the dump's first byte and the one behind its last.
            let bytes = unsafe { between(dump.begin, dump.end) };
            Event::MonitorDump {
                dump: MonitorDump(bytes),
                // SAFETY: two arrays of the same length.
                traces: unsafe { traces(dump.traces, dump.num_traces, dump.threads_status) },
            }
        }
        JVMPI_EVENT_JNI_GLOBALREF_ALLOC => {
            // SAFETY: the member of this event.
            let made = unsafe { u.jni_globalref_alloc };
            Event::GlobalRef(made.ref_id.expose_provenance())
        }
        JVMPI_EVENT_JNI_GLOBALREF_FREE => {
            // SAFETY: the member of this event.
            let freed = unsafe { u.jni_globalref_free };
            Event::GlobalRefFreed(freed.ref_id.expose_provenance())
        }
        JVMPI_EVENT_MONITOR_CONTENDED_ENTER => {
            // SAFETY: the member of this event.
            Event::MonitorEnter(unsafe { u.monitor }.object.expose_provenance())
        }
        JVMPI_EVENT_MONITOR_CONTENDED_ENTERED => {
            // SAFETY: the member of this event.
            Event::MonitorEntered(unsafe { u.monitor }.object.expose_provenance())
        }
        JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER => {
            // SAFETY: the member of this event.
            Event::RawMonitorEnter(unsafe { u.raw_monitor }.id.expose_provenance())
        }
        JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED => {
            // SAFETY: the member of this event.
            let monitor = unsafe { u.raw_monitor };
            Event::RawMonitorEntered {
                id: monitor.id.expose_provenance(),
                name: string(monitor.name),
            }
        }
        JVMPI_EVENT_DATA_DUMP_REQUEST => Event::DataDumpRequest,
        JVMPI_EVENT_JVM_INIT_DONE => Event::InitDone,
        JVMPI_EVENT_JVM_SHUT_DOWN => Event::ShutDown,
        _ => Event::Other,
    }
}

/// A C string of an event or a dump, empty if null.
fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and C strings by the module's promise.
    crate::text::decode(unsafe { CStr::from_ptr(text) }.to_bytes())
}

impl<'a> MonitorDump<'a> {
    /// To be read as one.
    pub(crate) const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The name of a raw monitor, whose address stands in the dump.
    pub(crate) fn name(self, address: usize) -> String {
        string(std::ptr::with_exposed_provenance(address))
    }
}

/// # Safety
/// `first` points to `count` elements that live for `'a`, or is null.
unsafe fn array<'a, T>(first: *const T, count: jint) -> &'a [T] {
    match usize::try_from(count) {
        // SAFETY: the caller's promise.
        Ok(count) if !first.is_null() && count > 0 => unsafe {
            slice::from_raw_parts(first, count)
        },
        _ => &[],
    }
}

/// # Safety
/// Both in one array of bytes that lives for `'a`, or null.
unsafe fn between<'a>(begin: *const c_char, end: *const c_char) -> &'a [u8] {
    let length = end.addr().saturating_sub(begin.addr());
    if begin.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(begin.cast(), length) }
}

/// # Safety
/// `first` points to `count` traces, `status` to as many numbers or is null.
unsafe fn traces(
    first: *const JVMPI_CallTrace,
    count: jint,
    status: *const jint,
) -> Vec<ThreadTrace> {
    // SAFETY: the caller's promise.
    let traces = unsafe { array(first, count) };
    // SAFETY: likewise.
    let mut status = unsafe { array(status, count) }.iter();
    let mut all = Vec::with_capacity(traces.len());
    for trace in traces {
        // SAFETY: a trace's frames, as many as it says.
        let frames = unsafe { array(trace.frames, trace.num_frames) };
        all.push(ThreadTrace {
            env: trace.env_id.expose_provenance(),
            frames: frames
                .iter()
                .map(|frame| (frame.method_id.expose_provenance(), frame.lineno))
                .collect(),
            status: status.next().copied().unwrap_or(0),
        });
    }
    all
}
