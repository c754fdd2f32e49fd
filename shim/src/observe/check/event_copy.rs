//! An event in memory of its own, which is overwritten when the handler has returned.
//!
//! # Safety
//! The event is the shim's own: its pointers are null or lead to what the event's
//! type says, for as long as the event is delivered.
#![allow(unsafe_code, reason = "unions and pointers of events")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::{CStr, c_char};
use std::ptr;

use agent_check::POISON;
use event_translate::EventKind;
use jvmpi_headers::jvmpi::{JVMPI_CallTrace, JVMPI_Event};
use parking_lot::Mutex;

/// Memory of an event, aligned for everything that is in one.
struct Block(Box<[u64]>);

impl Block {
    fn of(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(8)].into_boxed_slice())
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// The copy that the agent is shown.
pub(super) struct EventCopy {
    event: Block,
    blocks: Vec<Block>,
}

const _: () = assert!(align_of::<JVMPI_Event>() <= align_of::<u64>());

impl EventCopy {
    /// A copy of the event and of all it points to.
    #[inline]
    pub(super) fn of(kind: Option<EventKind>, event: &JVMPI_Event) -> Self {
        let mut copy = Self {
            event: used_before().unwrap_or_else(|| Block::of(size_of::<JVMPI_Event>())),
            blocks: Vec::new(),
        };
        let mut inside = *event;
        if let Some(kind) = kind {
            copy.deepen(kind, &mut inside);
        }
        // SAFETY: a block of that size and alignment.
        unsafe { copy.event.start().cast::<JVMPI_Event>().write(inside) };
        copy
    }

    /// What the agent is to be shown.
    pub(super) fn event(&mut self) -> &mut JVMPI_Event {
        // SAFETY: written by `of`; the block lives as long as we do.
        unsafe { &mut *self.event.start().cast::<JVMPI_Event>() }
    }

    fn deepen(&mut self, kind: EventKind, event: &mut JVMPI_Event) {
        let u = &mut event.u;
        match kind {
            EventKind::ClassLoad => {
                // SAFETY: the member of this event.
                let class = unsafe { &mut u.class_load };
                class.class_name = self.string(class.class_name);
                class.source_name = self.string(class.source_name);
                class.methods = self.array(class.methods, class.num_methods);
                for index in 0..count(class.num_methods, class.methods) {
                    // SAFETY: within the copied array.
                    let method = unsafe { &mut *class.methods.wrapping_add(index) };
                    method.method_name = self.string(method.method_name);
                    method.method_signature = self.string(method.method_signature);
                }
                class.statics = self.array(class.statics, class.num_static_fields);
                class.instances = self.array(class.instances, class.num_instance_fields);
                for (fields, number) in [
                    (class.statics, class.num_static_fields),
                    (class.instances, class.num_instance_fields),
                ] {
                    for index in 0..count(number, fields) {
                        // SAFETY: within the copied array.
                        let field = unsafe { &mut *fields.wrapping_add(index) };
                        field.field_name = self.string(field.field_name);
                        field.field_signature = self.string(field.field_signature);
                    }
                }
            }
            EventKind::ClassLoadHook => {
                // SAFETY: the member of this event.
                let hook = unsafe { &mut u.class_load_hook };
                hook.class_data = self.array(hook.class_data, hook.class_data_len);
            }
            EventKind::ArenaNew => {
                // SAFETY: the member of this event.
                let arena = unsafe { &mut u.new_arena };
                arena.arena_name = self.string(arena.arena_name);
            }
            EventKind::ThreadStart => {
                // SAFETY: the member of this event.
                let thread = unsafe { &mut u.thread_start };
                thread.thread_name = self.string(thread.thread_name);
                thread.group_name = self.string(thread.group_name);
                thread.parent_name = self.string(thread.parent_name);
            }
            EventKind::CompiledMethodLoad => {
                // SAFETY: the member of this event.
                let code = unsafe { &mut u.compiled_method_load };
                code.lineno_table = self.array(code.lineno_table, code.lineno_table_size);
            }
            EventKind::HeapDump => {
                // SAFETY: the member of this event.
                let dump = unsafe { &mut u.heap_dump };
                (dump.begin, dump.end) = self.span(dump.begin, dump.end);
                dump.traces = self.traces(dump.traces, dump.num_traces);
            }
            EventKind::MonitorDump => {
                // SAFETY: the member of this event.
                let dump = unsafe { &mut u.monitor_dump };
                (dump.begin, dump.end) = self.span(dump.begin, dump.end);
                dump.threads_status = self.array(dump.threads_status, dump.num_traces);
                dump.traces = self.traces(dump.traces, dump.num_traces);
            }
            EventKind::RawMonitorContendedEnter
            | EventKind::RawMonitorContendedEntered
            | EventKind::RawMonitorContendedExit => {
                // SAFETY: the member of these events.
                let monitor = unsafe { &mut u.raw_monitor };
                monitor.name = self.string(monitor.name);
            }
            EventKind::ObjectDump => {
                // SAFETY: the member of this event.
                let dump = unsafe { &mut u.object_dump };
                dump.data = self.array(dump.data, dump.data_len);
            }
            // These point to nothing.
            EventKind::MethodEntry
            | EventKind::MethodEntry2
            | EventKind::MethodExit
            | EventKind::ObjectAlloc
            | EventKind::ObjectFree
            | EventKind::ObjectMove
            | EventKind::CompiledMethodUnload
            | EventKind::InstructionStart
            | EventKind::ThreadEnd
            | EventKind::JniGlobalrefAlloc
            | EventKind::JniGlobalrefFree
            | EventKind::JniWeakGlobalrefAlloc
            | EventKind::JniWeakGlobalrefFree
            | EventKind::ClassUnload
            | EventKind::DataDumpRequest
            | EventKind::DataResetRequest
            | EventKind::JvmInitDone
            | EventKind::JvmShutDown
            | EventKind::ArenaDelete
            | EventKind::MonitorContendedEnter
            | EventKind::MonitorContendedEntered
            | EventKind::MonitorContendedExit
            | EventKind::MonitorWait
            | EventKind::MonitorWaited
            | EventKind::GcStart
            | EventKind::GcFinish => {}
        }
    }

    fn bytes(&mut self, from: *const u8, len: usize) -> *mut u8 {
        let mut block = Block::of(len.max(1));
        let start = block.start();
        // SAFETY: the event's own memory of that length, into a block of as much.
        unsafe { ptr::copy_nonoverlapping(from, start, len) };
        self.blocks.push(block);
        start
    }

    fn array<T>(&mut self, from: *mut T, number: i32) -> *mut T {
        let number = count(number, from);
        if number == 0 {
            return from;
        }
        self.bytes(from.cast_const().cast(), number * size_of::<T>())
            .cast()
    }

    fn string(&mut self, from: *mut c_char) -> *mut c_char {
        if from.is_null() {
            return from;
        }
        // SAFETY: strings of events end.
        let text = unsafe { CStr::from_ptr(from) }.to_bytes_with_nul();
        self.bytes(text.as_ptr(), text.len()).cast()
    }

    fn span(&mut self, begin: *mut c_char, end: *mut c_char) -> (*mut c_char, *mut c_char) {
        if begin.is_null() {
            return (begin, end);
        }
        let len = end.addr().saturating_sub(begin.addr());
        let copy = self.bytes(begin.cast_const().cast(), len).cast::<c_char>();
        (copy, copy.wrapping_add(len))
    }

    fn traces(&mut self, from: *mut JVMPI_CallTrace, number: i32) -> *mut JVMPI_CallTrace {
        let copy = self.array(from, number);
        for index in 0..count(number, copy) {
            // SAFETY: within the copied array.
            let trace = unsafe { &mut *copy.wrapping_add(index) };
            trace.frames = self.array(trace.frames, trace.num_frames);
        }
        copy
    }

    /// The handler has returned: nobody may look here any more.
    #[inline]
    pub(super) fn poison(mut self) {
        self.event.poison();
        for block in &mut self.blocks {
            block.poison();
        }
        if !self.blocks.is_empty() {
            quarantine(std::mem::take(&mut self.blocks));
        }
        let event = Block(std::mem::take(&mut self.event.0));
        let _ = OWN.try_with(|own| own.borrow_mut().0.push_back(event));
    }
}

impl Block {
    #[inline]
    fn poison(&mut self) {
        self.0.fill(u64::from_ne_bytes([POISON; 8]));
        // Strings keep an end.
        if let Some(last) = self.0.last_mut() {
            *last &= u64::from_ne_bytes([255, 255, 255, 255, 255, 255, 255, 0]);
        }
    }
}

/// Overwritten events of one thread, which uses the oldest again: memory for each anew, from a
/// store that all share, would be most of what an event costs.
struct Own(VecDeque<Block>);

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own(VecDeque::new())) };
}

impl Drop for Own {
    fn drop(&mut self) {
        // Who has kept an event of this thread's may outlive it.
        quarantine(std::mem::take(&mut self.0));
    }
}

/// The oldest of the calling thread's, if it has many.
#[inline]
fn used_before() -> Option<Block> {
    const MANY: usize = 2048;
    let oldest = |own: &RefCell<Own>| {
        let queue = &mut own.borrow_mut().0;
        if queue.len() < MANY {
            None
        } else {
            queue.pop_front()
        }
    };
    OWN.try_with(oldest).ok().flatten()
}

fn count<T>(number: i32, array: *mut T) -> usize {
    if array.is_null() {
        return 0;
    }
    usize::try_from(number).unwrap_or(0)
}

/// Keeps overwritten memory for a while, so that whoever reads it reads that.
fn quarantine(blocks: impl IntoIterator<Item = Block>) {
    const WORDS: usize = 1 << 19;
    static KEPT: Mutex<(VecDeque<Block>, usize)> = Mutex::new((VecDeque::new(), 0));
    let mut kept = KEPT.lock();
    let (queue, words) = &mut *kept;
    for block in blocks {
        *words += block.0.len();
        queue.push_back(block);
    }
    while *words > WORDS {
        let Some(oldest) = queue.pop_front() else {
            break;
        };
        *words -= oldest.0.len();
    }
}
