//! Lists and structures that are passed, as rows of values.
//!
//! # Safety
//! As in [`super::passed`].
#![allow(unsafe_code, reason = "structures behind pointers")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use jvmpi_headers::jvmti as sys;
use recording_format::Value;
use recording_format::Value::{Bytes, Id, Int, List, Text};
use recording_format::jvmti::{CAPABILITIES, Kind};

use crate::observe::jvmti::environments::{CALLBACKS, FIRST_EVENT};
use crate::observe::jvmti::identities;
use crate::os::memory;
use crate::vm::refs::ObjectRef;

/// A row of a list.
type Row<'a> = Vec<Value<'a>>;

/// All of a list; none if it cannot be read.
///
/// # Safety
/// What can be read there are values of this type, which stay as long as the call.
pub(super) unsafe fn list<'a, T>(from: usize, count: usize) -> &'a [T] {
    let from: *const T = ptr::with_exposed_provenance(from);
    let len = count.saturating_mul(size_of::<T>());
    if count == 0 || !memory::readable(from, len) {
        return &[];
    }
    // SAFETY: readable, aligned, and the caller's promise.
    unsafe { std::slice::from_raw_parts(from, count) }
}

/// # Safety
/// A C string that stays as long as the call, or nothing that can be read.
pub(super) unsafe fn text<'a>(from: usize) -> Value<'a> {
    let from: *const c_char = ptr::with_exposed_provenance(from);
    let text = memory::readable(from, 1).then(|| {
        // SAFETY: the caller's promise.
        unsafe { CStr::from_ptr(from) }.to_bytes()
    });
    Text(text)
}

/// # Safety
/// As [`text`].
unsafe fn text_at<'a>(from: *const c_char) -> Value<'a> {
    // SAFETY: the caller's promise.
    unsafe { text(from.expose_provenance()) }
}

fn word<T>(pointer: *const T) -> usize {
    pointer.expose_provenance()
}

/// How many, as C says it.
pub(super) fn length(count: i32) -> usize {
    usize::try_from(count)
        .unwrap_or(0)
        .min(memory::LONGEST_LIST)
}

/// # Safety
/// A live reference, or null.
unsafe fn object(reference: usize) -> Value<'static> {
    // SAFETY: the caller's promise.
    Id(identities::object(unsafe {
        ObjectRef::of_word(&reference)
    }))
}

/// # Safety
/// A live reference to a thread, or null.
unsafe fn thread(reference: usize) -> Value<'static> {
    // SAFETY: the caller's promise.
    Id(identities::thread(unsafe {
        ObjectRef::of_word(&reference)
    }))
}

/// # Safety
/// A live reference to a class, or null.
unsafe fn class(reference: usize) -> Value<'static> {
    // SAFETY: the caller's promise.
    Id(identities::class(unsafe { ObjectRef::of_word(&reference) }))
}

fn frames<'a>(frames: &[sys::jvmtiFrameInfo]) -> Value<'a> {
    let row = |frame: &sys::jvmtiFrameInfo| {
        let method = identities::method(word(frame.method));
        vec![Id(method), Int(frame.location)]
    };
    List(frames.iter().map(row).collect())
}

/// The rows of what lies at this address: `count` elements, or one structure.
///
/// # Safety
/// It is of this kind, or cannot be read.
pub(super) unsafe fn rows<'a>(kind: Kind, from: usize, count: usize) -> Vec<Row<'a>> {
    macro_rules! rows {
        ($type:ty, $one:ident => $row:expr) => {{
            // SAFETY: the caller's promise.
            let elements: &[$type] = unsafe { list(from, count) };
            elements.iter().map(|$one| $row).collect()
        }};
    }
    macro_rules! only {
        ($type:ty, $one:ident => $row:expr) => {{
            // SAFETY: the caller's promise.
            let elements: &[$type] = unsafe { list(from, 1) };
            elements.iter().map(|$one| $row).collect()
        }};
    }
    // SAFETY, of all below: what lies in these structures is the VM's, or what the agent passes to it.
    match kind {
        Kind::Objects => rows!(usize, one => vec![unsafe { object(*one) }]),
        Kind::Threads => rows!(usize, one => vec![unsafe { thread(*one) }]),
        Kind::Classes => rows!(usize, one => vec![unsafe { class(*one) }]),
        Kind::Methods => rows!(usize, one => vec![Id(identities::method(*one))]),
        Kind::Fields => rows!(usize, one => vec![Id(*one as u64)]),
        Kind::Tags => rows!(i64, one => vec![Int(*one)]),
        Kind::Errors => rows!(i32, one => vec![Int((*one).into())]),
        Kind::Texts => rows!(*const c_char, one => vec![unsafe { text_at(*one) }]),
        Kind::Frames => rows!(sys::jvmtiFrameInfo, one => vec![
            Id(identities::method(word(one.method))), Int(one.location),
        ]),
        Kind::Stacks => rows!(sys::jvmtiStackInfo, one => {
            let found = unsafe { list(word(one.frame_buffer), length(one.frame_count)) };
            vec![unsafe { thread(word(one.thread)) }, Int(one.state.into()), frames(found)]
        }),
        Kind::Lines => rows!(sys::jvmtiLineNumberEntry, one => vec![
            Int(one.start_location), Int(one.line_number.into()),
        ]),
        Kind::Variables => rows!(sys::jvmtiLocalVariableEntry, one => vec![
            Int(one.start_location), Int(one.length.into()), unsafe { text_at(one.name) },
            unsafe { text_at(one.signature) }, Int(one.slot.into()),
        ]),
        Kind::MonitorDepths => rows!(sys::jvmtiMonitorStackDepthInfo, one => vec![
            unsafe { object(word(one.monitor)) }, Int(one.stack_depth.into()),
        ]),
        Kind::Definitions => rows!(sys::jvmtiClassDefinition, one => vec![
            unsafe { class(word(one.klass)) },
            Bytes(unsafe { list(word(one.class_bytes), length(one.class_byte_count)) }),
        ]),
        Kind::ExtensionFunctions => {
            rows!(sys::jvmtiExtensionFunctionInfo, one => vec![unsafe { text_at(one.id) }])
        }
        Kind::ExtensionEvents => rows!(sys::jvmtiExtensionEventInfo, one => vec![
            Int(one.extension_event_index.into()), unsafe { text_at(one.id) },
        ]),
        Kind::ThreadInfo => only!(sys::jvmtiThreadInfo, one => vec![
            unsafe { text_at(one.name) }, Int(one.priority.into()), Int(one.is_daemon.into()),
            unsafe { object(word(one.thread_group)) },
            unsafe { object(word(one.context_class_loader)) },
        ]),
        Kind::GroupInfo => only!(sys::jvmtiThreadGroupInfo, one => vec![
            unsafe { object(word(one.parent)) }, unsafe { text_at(one.name) },
            Int(one.max_priority.into()), Int(one.is_daemon.into()),
        ]),
        Kind::MonitorUsage => only!(sys::jvmtiMonitorUsage, one => {
            let waiters = |from: *const _, count| unsafe {
                List(rows(Kind::Threads, word::<c_void>(from), length(count)))
            };
            vec![
                unsafe { thread(word(one.owner)) }, Int(one.entry_count.into()),
                waiters(one.waiters.cast(), one.waiter_count),
                waiters(one.notify_waiters.cast(), one.notify_waiter_count),
            ]
        }),
        Kind::TimerInfo => only!(sys::jvmtiTimerInfo, one => vec![
            Int(one.max_value), Int(one.may_skip_forward.into()),
            Int(one.may_skip_backward.into()), Int(one.kind.into()),
        ]),
        Kind::Capabilities => {
            // SAFETY: the caller's promise.
            let bytes: &[u8] = unsafe { list(from, size_of::<sys::jvmtiCapabilities>()) };
            let has = |bit: usize| {
                bytes
                    .get(bit / 8)
                    .is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
            };
            let names = CAPABILITIES.iter().enumerate().filter(|(bit, _)| has(*bit));
            names
                .map(|(_, name)| vec![Text(Some(name.as_bytes()))])
                .collect()
        }
        Kind::Callbacks => {
            // SAFETY: the caller's promise.
            let callbacks: &[usize] = unsafe { list(from, count.min(CALLBACKS)) };
            let given = callbacks.iter().enumerate().filter(|(_, one)| **one != 0);
            given
                .map(|(place, _)| vec![Int((FIRST_EVENT + place) as i64)])
                .collect()
        }
        Kind::Int
        | Kind::Long
        | Kind::Bool
        | Kind::Float
        | Kind::Double
        | Kind::Value
        | Kind::Event
        | Kind::Count
        | Kind::Thread
        | Kind::Object
        | Kind::Class
        | Kind::ItsClass
        | Kind::Method
        | Kind::Field
        | Kind::Monitor
        | Kind::Address
        | Kind::Text
        | Kind::Bytes => Vec::new(),
    }
}
