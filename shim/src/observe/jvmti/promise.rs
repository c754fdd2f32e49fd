//! Values of what is passed: words, and what they lead to.
//!
//! # Safety
//! As in [`super::passed`]: whoever looks there has made a [`Promise`].
#![allow(unsafe_code, reason = "structures behind pointers")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use jvmpi_headers::jvmti as sys;
use recording_format::Value;
use recording_format::Value::{Bytes, Id, Int, List, Text};
use recording_format::jvmti::{CAPABILITIES, Kind};

use crate::observe::call::int;
use crate::observe::jvmti::environments::{CALLBACKS, FIRST_EVENT};
use crate::observe::jvmti::identities;
use crate::os::memory;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::ObjectRef;

/// How many, as C says it.
pub(super) fn length(count: i32) -> usize {
    usize::try_from(count).unwrap_or(0)
}

fn at<T>(pointer: *const T) -> usize {
    pointer.expose_provenance()
}

/// The promise that what words lead to is what the tables say, or cannot be read.
#[derive(Clone, Copy)]
pub(super) struct Promise(());

impl Promise {
    /// # Safety
    /// What is asked for here is of the kind that it is asked for, and stays as long as the call:
    /// the VM has just passed it, or written it, or the agent passes it to the VM.
    pub(super) const unsafe fn given() -> Self {
        Self(())
    }

    /// All of a list; none if it cannot be read.
    fn list<'a, T>(self, from: usize, count: usize) -> &'a [T] {
        let from: *const T = ptr::with_exposed_provenance(from);
        let len = count.saturating_mul(size_of::<T>());
        if count == 0 || !memory::readable(from, len) {
            return &[];
        }
        // SAFETY: aligned, and all of it can be read, as has just been looked; by the promise so many `T` are there, and
        // nobody writes them before the end of the call.
        unsafe { std::slice::from_raw_parts(from, count) }
    }

    /// A C string.
    fn text<'a>(self, from: usize) -> Value<'a> {
        let from: *const c_char = ptr::with_exposed_provenance(from);
        let text = memory::readable(from, 1).then(|| {
            // SAFETY: it can be read, and by the promise the words are where a C string begins, which ends and stays as
            // long as the call.
            unsafe { CStr::from_ptr(from) }.to_bytes()
        });
        Text(text)
    }

    /// What a pointer leads to; nothing behind NULL.
    pub(super) fn read<T: Default>(self, from: usize) -> T {
        let from: *const T = ptr::with_exposed_provenance(from);
        if from.is_null() {
            return T::default();
        }
        // SAFETY: not null, and by the promise a `T` is there, or has been written there by the VM; it is copied.
        unsafe { from.read_unaligned() }
    }

    /// A live reference, or null.
    pub(super) fn reference(self, word: &usize) -> Option<ObjectRef<'_>> {
        // SAFETY: by the promise null or a live reference of the calling thread's, for as long as the call; what is made of
        // it lives no longer than the word.
        unsafe { ObjectRef::of_word(word) }
    }

    fn object(self, word: usize) -> Value<'static> {
        Id(identities::object(self.reference(&word)))
    }

    fn thread(self, word: usize) -> Value<'static> {
        Id(identities::thread(self.reference(&word)))
    }

    fn class(self, word: usize) -> Value<'static> {
        Id(identities::class(self.reference(&word)))
    }

    /// The value of a word: of a list its rows, `count` of them, of a structure one.
    #[inline]
    pub(super) fn value<'a>(self, kind: Kind, word: usize, count: usize) -> Value<'a> {
        macro_rules! rows {
            ($type:ty, $one:ident => $row:expr) => { rows!(count, $type, $one => $row) };
            ($count:expr, $type:ty, $one:ident => $row:expr) => {{
                let elements: &[$type] = self.list(word, $count);
                List(elements.iter().map(|$one| $row).collect())
            }};
        }
        macro_rules! only {
            ($type:ty, $one:ident => $row:expr) => { rows!(1, $type, $one => $row) };
        }
        match kind {
            Kind::Int | Kind::Event | Kind::Count => Int(int(word).into()),
            // Its bits, as in results.
            Kind::Float => Int((word as u64 & 0xffff_ffff).cast_signed()),
            Kind::Long | Kind::Double | Kind::Value => Int(word.cast_signed() as i64),
            Kind::Bool => Int((word & 0xff) as i64),
            Kind::Thread => self.thread(word),
            Kind::Object => self.object(word),
            Kind::Class | Kind::ItsClass => self.class(word),
            Kind::Method => Id(identities::method(word)),
            Kind::Field => Id(identities::field(None, FieldId::from_number(word))),
            Kind::Monitor | Kind::Address => Id(word as u64),
            Kind::Text => self.text(word),
            Kind::Bytes => Bytes(self.list(word, count)),

            Kind::Objects => rows!(usize, one => vec![self.object(*one)]),
            Kind::Threads => rows!(usize, one => vec![self.thread(*one)]),
            Kind::Classes => rows!(usize, one => vec![self.class(*one)]),
            Kind::Methods => rows!(usize, one => vec![Id(identities::method(*one))]),
            Kind::Fields => rows!(usize, one => vec![Id(*one as u64)]),
            Kind::Tags => rows!(i64, one => vec![Int(*one)]),
            Kind::Errors => rows!(i32, one => vec![Int((*one).into())]),
            Kind::Texts => rows!(*const c_char, one => vec![self.text(at(*one))]),
            Kind::Frames => rows!(sys::jvmtiFrameInfo, one => vec![
                Id(identities::method(at(one.method))), Int(one.location),
            ]),
            Kind::Stacks => rows!(sys::jvmtiStackInfo, one => {
                let frames = at(one.frame_buffer);
                let frames = self.value(Kind::Frames, frames, length(one.frame_count));
                vec![self.thread(at(one.thread)), Int(one.state.into()), frames]
            }),
            Kind::Lines => rows!(sys::jvmtiLineNumberEntry, one => vec![
                Int(one.start_location), Int(one.line_number.into()),
            ]),
            Kind::Variables => rows!(sys::jvmtiLocalVariableEntry, one => vec![
                Int(one.start_location), Int(one.length.into()), self.text(at(one.name)),
                self.text(at(one.signature)), Int(one.slot.into()),
            ]),
            Kind::MonitorDepths => rows!(sys::jvmtiMonitorStackDepthInfo, one => vec![
                self.object(at(one.monitor)), Int(one.stack_depth.into()),
            ]),
            Kind::Definitions => rows!(sys::jvmtiClassDefinition, one => vec![
                self.class(at(one.klass)),
                Bytes(self.list(at(one.class_bytes), length(one.class_byte_count))),
            ]),
            Kind::ExtensionFunctions => {
                rows!(sys::jvmtiExtensionFunctionInfo, one => vec![self.text(at(one.id))])
            }
            Kind::ExtensionEvents => rows!(sys::jvmtiExtensionEventInfo, one => vec![
                Int(one.extension_event_index.into()), self.text(at(one.id)),
            ]),
            // Nobody passes it.
            Kind::HeapCallbacks => List(Vec::new()),
            Kind::ThreadInfo => only!(sys::jvmtiThreadInfo, one => vec![
                self.text(at(one.name)), Int(one.priority.into()), Int(one.is_daemon.into()),
                self.object(at(one.thread_group)),
                self.object(at(one.context_class_loader)),
            ]),
            Kind::GroupInfo => only!(sys::jvmtiThreadGroupInfo, one => vec![
                self.object(at(one.parent)), self.text(at(one.name)),
                Int(one.max_priority.into()), Int(one.is_daemon.into()),
            ]),
            Kind::MonitorUsage => only!(sys::jvmtiMonitorUsage, one => {
                let waiters = |from: *const c_void, count| {
                    self.value(Kind::Threads, at(from), length(count))
                };
                vec![
                    self.thread(at(one.owner)), Int(one.entry_count.into()),
                    waiters(one.waiters.cast(), one.waiter_count),
                    waiters(one.notify_waiters.cast(), one.notify_waiter_count),
                ]
            }),
            Kind::TimerInfo => only!(sys::jvmtiTimerInfo, one => vec![
                Int(one.max_value), Int(one.may_skip_forward.into()),
                Int(one.may_skip_backward.into()), Int(one.kind.into()),
            ]),
            Kind::Capabilities => {
                let bytes: &[u8] = self.list(word, size_of::<sys::jvmtiCapabilities>());
                let has = |bit: usize| {
                    bytes
                        .get(bit / 8)
                        .is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
                };
                let names = CAPABILITIES.iter().enumerate().filter(|(bit, _)| has(*bit));
                List(
                    names
                        .map(|(_, name)| vec![Text(Some(name.as_bytes()))])
                        .collect(),
                )
            }
            Kind::Callbacks => {
                let callbacks: &[usize] = self.list(word, count.min(CALLBACKS));
                let given = callbacks.iter().enumerate().filter(|(_, one)| **one != 0);
                List(
                    given
                        .map(|(place, _)| vec![Int((FIRST_EVENT + place) as i64)])
                        .collect(),
                )
            }
        }
    }
}
