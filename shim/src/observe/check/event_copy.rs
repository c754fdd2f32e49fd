//! An event in memory of its own, which is overwritten when the handler has returned.
//!
//! # Safety
//! The event is the shim's own: its pointers are null or lead to what the event's
//! type says, for as long as the event is delivered.
#![allow(unsafe_code, reason = "unions and pointers of events")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::rc::Rc;

use agent_check::POISON;
use event_translate::EventKind;
use jvmpi_headers::jvmpi::{JVMPI_CallTrace, JVMPI_Event};

use crate::os::once_memory::{self, Once};

/// Memory of an event, aligned for everything that is in one.
enum Block {
    /// Of an event itself, of those of one thread.
    Carved(Rc<Chunk>, *mut u8),
    /// Whoever looks here later finds it overwritten ([`once_memory`]).
    Once(Once),
    /// Of a dump, which would take too much of that: overwritten, and then given back.
    Large(Box<[u64]>),
}

impl Block {
    fn of(bytes: usize) -> Self {
        once_memory::take(bytes, POISON).map_or_else(
            || Self::Large(vec![0; bytes.div_ceil(8)].into_boxed_slice()),
            Self::Once,
        )
    }

    /// For an event itself.
    #[inline]
    fn of_event() -> Self {
        let carved = OWN.try_with(|own| own.try_borrow_mut().ok().and_then(|mut own| own.carve()));
        carved
            .ok()
            .flatten()
            .unwrap_or_else(|| Self::of(EVENT_SIZE))
    }

    fn start(&mut self) -> *mut u8 {
        match self {
            Self::Carved(_, at) => *at,
            Self::Once(once) => once.start(),
            Self::Large(words) => words.as_mut_ptr().cast(),
        }
    }

    fn poison(self) {
        match self {
            Self::Carved(chunk, at) => {
                // SAFETY: this block's part of its chunk.
                unsafe { ptr::write_bytes(at, POISON, EVENT_SIZE) };
                // SAFETY: the last of those bytes.
                unsafe { at.wrapping_add(EVENT_SIZE - 1).write(0) };
                drop(chunk);
            }
            Self::Once(once) => once.give_back(POISON),
            Self::Large(mut words) => words.fill(u64::from_ne_bytes([POISON; 8])),
        }
    }
}

const EVENT_SIZE: usize = size_of::<JVMPI_Event>().next_multiple_of(size_of::<u64>());

/// What one thread's events are carved from, given back when the last of them is over: a lock for each
/// event would be most of what it costs.
struct Chunk(Option<Once>);

impl Drop for Chunk {
    fn drop(&mut self) {
        // exit(3) ends in here too: in a child that was forked it would wait for ever for a lock that a
        // thread of the parent's had.
        if let Some(once) = self.0.take()
            && once_memory::is_of_this_process()
        {
            once.give_back(POISON);
        }
    }
}

/// What a thread carves its events from.
struct Own {
    /// The chunk that it is at.
    chunk: Option<Rc<Chunk>>,
    /// How much of it is used.
    used: usize,
    /// How many events the thread has sent, up to [`Own::FEW`].
    sent: u32,
}

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own { chunk: None, used: 0, sent: 0 }) };
}

impl Own {
    const CHUNK: usize = 8192;
    /// A thread that sends no more than this gets no chunk: what it has left of one it keeps as long
    /// as it lives, and all the memory around it is kept with that.
    const FEW: u32 = 64;

    #[inline]
    fn carve(&mut self) -> Option<Block> {
        if self.sent < Self::FEW {
            self.sent += 1;
            return None;
        }
        let chunk = match self.chunk.take() {
            Some(chunk) => chunk,
            None => {
                self.used = 0;
                Rc::new(Chunk(Some(once_memory::take(Self::CHUNK, POISON)?)))
            }
        };
        let at = chunk.0.as_ref()?.start().wrapping_add(self.used);
        self.used += EVENT_SIZE;
        // One that is used up is its events' alone.
        if self.used + EVENT_SIZE <= Self::CHUNK {
            self.chunk = Some(Rc::clone(&chunk));
        }
        Some(Block::Carved(chunk, at))
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
            event: Block::of_event(),
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
    pub(super) fn poison(self) {
        self.event.poison();
        self.blocks.into_iter().for_each(Block::poison);
    }
}

fn count<T>(number: i32, array: *mut T) -> usize {
    if array.is_null() {
        return 0;
    }
    usize::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_for_threads_that_send_much_and_are_let_go_when_used_up() {
        let mut own = Own {
            chunk: None,
            used: 0,
            sent: 0,
        };
        assert!((0..Own::FEW).all(|_| own.carve().is_none()));
        let mut blocks = Vec::new();
        for n in 1..=Own::CHUNK / EVENT_SIZE {
            let mut block = own.carve().expect("memory");
            let at = block.start();
            blocks.push(block);
            let first = blocks.first_mut().expect("one").start();
            assert_eq!(at, first.wrapping_add((n - 1) * EVENT_SIZE));
            assert_eq!(own.chunk.is_some(), n < Own::CHUNK / EVENT_SIZE);
        }
        blocks.into_iter().for_each(Block::poison);
    }
}
