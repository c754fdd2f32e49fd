//! Events as agents see them, made from records.
//!
//! Longer than most: one arm for each event.
//!
//! # Safety
//! All that an event points to lives in [`Memory`] until the handler has returned, but for names of classes, which
//! agents keep: those live as long as the process.
#![allow(unsafe_code, reason = "a union with pointers")]

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{c_char, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::ptr;

use dump_format::MonitorReader;
use jvmpi_headers::jvmpi::*;
use parking_lot::Mutex;
use recording_format::Value;

use crate::host::{host, lock};
use crate::memory::readable;
use crate::ours::Ours;
use crate::values::{Row, frame};
use crate::{code, env, table};

/// What an event points to.
#[derive(Default)]
struct Memory {
    texts: Vec<Vec<u8>>,
    methods: Vec<JVMPI_Method>,
    fields: Vec<Vec<JVMPI_Field>>,
    lines: Vec<JVMPI_Lineno>,
    frames: Vec<Vec<JVMPI_CallFrame>>,
    traces: Vec<JVMPI_CallTrace>,
    numbers: Vec<i32>,
}

fn count<T>(all: &[T]) -> i32 {
    i32::try_from(all.len()).unwrap_or(i32::MAX)
}

/// The text as C has it.
fn terminated(text: &[u8]) -> Vec<u8> {
    let mut copy = Vec::with_capacity(text.len() + 1);
    copy.extend_from_slice(text);
    copy.push(0);
    copy
}

/// The name of a class, one for all events of it, and never freed: agents use it when RequestEvent has returned
/// (JVMPI facts B.2). `None` where the names cannot be looked through.
fn lasting(name: &[u8]) -> Option<*mut c_char> {
    static NAMES: Mutex<Option<HashSet<&'static [u8]>>> = Mutex::new(None);
    let name = terminated(name);
    let mut names = lock(&NAMES)?;
    let names = names.get_or_insert_default();
    let known = match names.get(name.as_slice()) {
        Some(known) => known,
        None => {
            let new: &'static [u8] = name.leak();
            names.insert(new);
            new
        }
    };
    Some(known.as_ptr().cast_mut().cast())
}

impl Memory {
    fn text(&mut self, text: Option<&[u8]>) -> *mut c_char {
        match text {
            Some(text) => self.keep(terminated(text)).cast(),
            None => ptr::null_mut(),
        }
    }

    fn keep(&mut self, mut bytes: Vec<u8>) -> *mut u8 {
        let start = bytes.as_mut_ptr();
        self.texts.push(bytes);
        start
    }

    fn field_list(&mut self, rows: Row<'_>, place: usize) -> (i32, *mut JVMPI_Field) {
        let mut list = Vec::new();
        for row in rows.rows(place) {
            list.push(JVMPI_Field {
                field_name: self.text(row.bytes(0)),
                field_signature: self.text(row.bytes(1)),
            });
        }
        let found = (count(&list), list.as_mut_ptr());
        self.fields.push(list);
        found
    }

    fn trace_list(&mut self, rows: Row<'_>, place: usize) -> (i32, *mut JVMPI_CallTrace) {
        for row in rows.rows(place) {
            let mut frames: Vec<_> = row.rows(1).map(frame).collect();
            self.traces.push(JVMPI_CallTrace {
                env_id: env::of(row.raw(0)),
                num_frames: count(&frames),
                frames: frames.as_mut_ptr(),
            });
            self.frames.push(frames);
        }
        (count(&self.traces), self.traces.as_mut_ptr())
    }

    /// Begin and end of a dump.
    fn dump(&mut self, bytes: Option<&[u8]>) -> (*mut c_char, *mut c_char) {
        let bytes = bytes.unwrap_or_default().to_vec();
        let len = bytes.len();
        let begin = self.keep(bytes).cast::<c_char>();
        (begin, begin.wrapping_add(len))
    }

    /// The same of monitors. The names of raw ones are pointers, of the recorded process.
    fn monitors(&mut self, bytes: Option<&[u8]>) -> (*mut c_char, *mut c_char) {
        let mut dump = bytes.unwrap_or_default().to_vec();
        for (monitor, place) in MonitorReader::names(&dump) {
            let name = host().and_then(|host| host.monitor_name(monitor as u64));
            let name = self.text(Some(&name.unwrap_or_default()));
            let bytes = name.expose_provenance().to_ne_bytes();
            if let Some(pointer) = dump.get_mut(place..place + bytes.len()) {
                pointer.copy_from_slice(&bytes);
            }
        }
        self.dump(Some(&dump))
    }

    fn class_load(&mut self, row: Row<'_>) -> JVMPI_Event_class_load {
        for method in row.rows(3) {
            let method = JVMPI_Method {
                method_name: self.text(method.bytes(0)),
                method_signature: self.text(method.bytes(1)),
                start_lineno: method.int(2),
                end_lineno: method.int(3),
                method_id: method.id(4),
            };
            self.methods.push(method);
        }
        let (num_static_fields, statics) = self.field_list(row, 4);
        let (num_instance_fields, instances) = self.field_list(row, 5);
        JVMPI_Event_class_load {
            class_name: match row.bytes(0).and_then(lasting) {
                Some(name) => name,
                None => self.text(row.bytes(0)),
            },
            source_name: self.text(row.bytes(1)),
            num_interfaces: row.int(2),
            num_methods: count(&self.methods),
            methods: self.methods.as_mut_ptr(),
            num_static_fields,
            statics,
            num_instance_fields,
            instances,
            class_id: row.id(6),
        }
    }

    fn contents(&mut self, number: i32, row: Row<'_>, u: &mut JVMPI_Event_u) {
        match number {
            1 | 3 => {
                u.method = JVMPI_Event_method {
                    method_id: row.id(0),
                }
            }
            2 => {
                u.method_entry2 = JVMPI_Event_method_entry2 {
                    method_id: row.id(0),
                    obj_id: row.id(1),
                }
            }
            4 => {
                u.obj_alloc = JVMPI_Event_obj_alloc {
                    arena_id: row.int(0),
                    class_id: row.id(1),
                    is_array: row.int(2),
                    size: row.int(3),
                    obj_id: row.id(4),
                }
            }
            5 => u.obj_free = JVMPI_Event_obj_free { obj_id: row.id(0) },
            6 => {
                u.obj_move = JVMPI_Event_obj_move {
                    arena_id: row.int(0),
                    obj_id: row.id(1),
                    new_arena_id: row.int(2),
                    new_obj_id: row.id(3),
                }
            }
            7 => {
                let line = |line: Row<'_>| JVMPI_Lineno {
                    offset: line.int(0),
                    lineno: line.int(1),
                };
                self.lines = row.rows(3).map(line).collect();
                let (size, bytes) = (row.int(2), row.bytes(4).unwrap_or_default());
                let code = code::load(row.raw(1), size, bytes);
                u.compiled_method_load = JVMPI_Event_compiled_method_load {
                    method_id: row.id(0),
                    code_addr: ptr::with_exposed_provenance_mut(code),
                    // Without memory there is nothing to be read.
                    code_size: if code == 0 { 0 } else { size },
                    lineno_table_size: count(&self.lines),
                    lineno_table: self.lines.as_mut_ptr(),
                };
            }
            // The address stands where agents look for it: see the recording's table.
            8 => {
                u.compiled_method_load = JVMPI_Event_compiled_method_load {
                    method_id: row.id(0),
                    code_addr: ptr::with_exposed_provenance_mut(code::of(row.raw(1))),
                    code_size: 0,
                    lineno_table_size: 0,
                    lineno_table: ptr::null_mut(),
                }
            }
            9 => {
                u.instruction = JVMPI_Event_instruction {
                    method_id: row.id(0),
                    offset: row.int(1),
                    u: JVMPI_Event_instruction_u {
                        tableswitch_info: JVMPI_Event_instruction_tableswitch_info {
                            key: row.int(2),
                            low: row.int(3),
                            hi: row.int(4),
                        },
                    },
                }
            }
            33 => {
                u.thread_start = JVMPI_Event_thread_start {
                    thread_name: self.text(row.bytes(0)),
                    group_name: self.text(row.bytes(1)),
                    parent_name: self.text(row.bytes(2)),
                    thread_id: row.id(3),
                    thread_env_id: env::of(row.raw(4)),
                }
            }
            35 => {
                let bytes = row.bytes(0).unwrap_or_default().to_vec();
                u.class_load_hook = JVMPI_Event_class_load_hook {
                    class_data_len: count(&bytes),
                    class_data: self.keep(bytes),
                    new_class_data: ptr::null_mut(),
                    new_class_data_len: 0,
                    malloc_f: Some(malloc),
                };
            }
            37 => {
                let (begin, end) = self.dump(row.bytes(1));
                let (num_traces, traces) = self.trace_list(row, 2);
                u.heap_dump = JVMPI_Event_heap_dump {
                    dump_level: row.int(0),
                    begin,
                    end,
                    num_traces,
                    traces,
                };
            }
            38 | 40 => {
                u.jni_globalref_alloc = JVMPI_Event_jni_globalref_alloc {
                    obj_id: row.id(0),
                    ref_id: row.id(1),
                }
            }
            39 | 41 => u.jni_globalref_free = JVMPI_Event_jni_globalref_free { ref_id: row.id(0) },
            42 => u.class_load = self.class_load(row),
            43 => {
                u.class_unload = JVMPI_Event_class_unload {
                    class_id: row.id(0),
                }
            }
            48 => {
                u.new_arena = JVMPI_Event_new_arena {
                    arena_id: row.int(0),
                    arena_name: self.text(row.bytes(1)),
                }
            }
            49 => {
                u.delete_arena = JVMPI_Event_delete_arena {
                    arena_id: row.int(0),
                }
            }
            50 => {
                let bytes = row.bytes(0).unwrap_or_default().to_vec();
                u.object_dump = JVMPI_Event_object_dump {
                    data_len: count(&bytes),
                    data: self.keep(bytes).cast(),
                };
            }
            51..=53 => {
                u.raw_monitor = JVMPI_Event_raw_monitor {
                    name: self.text(row.bytes(0)),
                    id: row.id(1),
                }
            }
            54..=56 => u.monitor = JVMPI_Event_monitor { object: row.id(0) },
            57 | 58 => {
                u.monitor_wait = JVMPI_Event_monitor_wait {
                    object: row.id(0),
                    timeout: row.long(1),
                }
            }
            59 => {
                let (begin, end) = self.monitors(row.bytes(0));
                let (num_traces, traces) = self.trace_list(row, 1);
                self.numbers = row.rows(2).map(|status| status.int(0)).collect();
                u.monitor_dump = JVMPI_Event_monitor_dump {
                    begin,
                    end,
                    num_traces,
                    traces,
                    threads_status: self.numbers.as_mut_ptr(),
                };
            }
            61 => {
                u.gc_info = JVMPI_Event_gc_info {
                    used_objects: row.long(0),
                    used_object_space: row.long(1),
                    total_object_space: row.long(2),
                }
            }
            _ => {}
        }
    }
}

/// What an agent has made of an event.
#[derive(Debug, Default)]
pub struct Handled {
    /// The class file that it puts in the place of one, or makes of it where it lies.
    pub new_class: Option<Vec<u8>>,
}

/// Gives one event to the agent; `None` while its NotifyEvent is NULL.
pub fn notify(number: i32, requested: bool, env: u64, values: &[Value<'_>]) -> Option<Handled> {
    let agent = table::notify_event()?;
    let _event = env::Event::begin(env);
    let mut memory = Memory::default();
    let mut event = JVMPI_Event::zeroed();
    event.event_type = if requested {
        number | JVMPI_REQUESTED_EVENT
    } else {
        number
    };
    event.env_id = env::of(env);
    memory.contents(number, Row(values), &mut event.u);
    {
        let _agents = Ours::pause();
        // SAFETY: the agent's own function, and an event as the specification has it.
        unsafe { agent(&raw mut event) };
    }
    if number == JVMPI_EVENT_COMPILED_METHOD_UNLOAD {
        code::unload(Row(values).raw(1));
    }
    if number == JVMPI_EVENT_CLASS_LOAD_HOOK {
        // SAFETY: the event's member.
        let hook = unsafe { event.u.class_load_hook };
        let shown = Row(values).bytes(0).unwrap_or_default();
        let left = memory.texts.first().map(Vec::as_slice).unwrap_or_default();
        let new_class = new_class(&hook, shown, left);
        return Some(Handled { new_class });
    }
    Some(Handled::default())
}

/// The handler's answer: its own class file, or what it has left of the one that it was shown; `None` if nothing is new.
fn new_class(hook: &JVMPI_Event_class_load_hook, shown: &[u8], left: &[u8]) -> Option<Vec<u8>> {
    let new = hook.new_class_data;
    let len = usize::try_from(hook.new_class_data_len).unwrap_or(0);
    if new.is_null() || new == hook.class_data {
        // As the shim takes it of an agent in the VM's process: without a length it is all of it.
        let len = if new.is_null() || len == 0 {
            left.len()
        } else {
            len
        };
        return left
            .get(..len)
            .filter(|left| *left != shown)
            .map(<[u8]>::to_vec);
    }
    let is_there = len > 0 && readable(new, len);
    // SAFETY: it can be read, and is the handler's answer.
    let bytes = is_there.then(|| unsafe { std::slice::from_raw_parts(new, len) }.to_vec());
    take_back(new.cast());
    bytes
}

thread_local! {
    /// What `malloc_f` gave out: agents may also answer with memory of their own. Never dropped, for events may come
    /// while the thread ends; mostly it is empty.
    static GIVEN: ManuallyDrop<RefCell<Vec<usize>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

unsafe extern "C" fn malloc(size: c_uint) -> *mut c_void {
    // SAFETY: any size.
    let memory = unsafe { libc::malloc(size as usize) };
    GIVEN.with(|given| given.borrow_mut().push(memory.addr()));
    memory
}

fn take_back(memory: *mut c_void) {
    let ours = GIVEN.with(|given| {
        let mut given = given.borrow_mut();
        let place = given.iter().rposition(|&given| given == memory.addr());
        let ours = place.map(|place| given.swap_remove(place)).is_some();
        if given.is_empty() {
            // Nobody drops it.
            *given = Vec::new();
        }
        ours
    });
    if ours {
        // SAFETY: from `malloc`, and handed over.
        unsafe { libc::free(memory) };
    }
}

#[cfg(test)]
mod tests;
