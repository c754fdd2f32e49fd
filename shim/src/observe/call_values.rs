//! Arguments and results of a call as values of a recording.
//!
//! # Safety
//! What agents point to is looked at only if it can be read.
#![allow(unsafe_code, reason = "pointers among the arguments")]

use std::ffi::CStr;
use std::ptr;

use event_translate::Function;
use jvmpi_headers::jvmpi::{JVMPI_CallFrame, JVMPI_CallTrace, JVMPI_HeapDumpArg};
use recording_format::Value;
use recording_format::Value::{Id, Int, List, Text};

use crate::agent::event_values;
use crate::observe::call::{int, long, word};
use crate::os::memory;

fn number(word: usize) -> Value<'static> {
    Int(int(word).into())
}

fn id(word: usize) -> Value<'static> {
    Id(word as u64)
}

/// Calls `with` with the arguments of a call.
#[inline]
pub(crate) fn arguments<O>(
    function: Function,
    [first, second, third]: [usize; 3],
    with: impl FnOnce(&[Value<'_>]) -> O,
) -> O {
    match function {
        Function::EnableEvent | Function::DisableEvent => with(&[number(first), id(second)]),
        Function::RequestEvent => {
            let level = heap_dump_level(first, second);
            // A pointer to the level means nothing to anybody else.
            let argument = if level < 0 { second } else { 0 };
            with(&[number(first), id(argument), Int(level)])
        }
        Function::GetCallTrace => {
            let trace: *const JVMPI_CallTrace = ptr::with_exposed_provenance(first);
            let mut env = 0;
            if memory::readable(trace, size_of::<JVMPI_CallTrace>()) {
                // SAFETY: aligned, and all of it can be read, as has just been looked; a pointer may be any word.
                env = unsafe { (*trace).env_id }.addr();
            }
            with(&[id(env), number(second)])
        }
        Function::ProfilerExit => with(&[number(first)]),
        Function::RawMonitorCreate => {
            let name = memory::c_string(ptr::with_exposed_provenance(first));
            with(&[Text(name.as_deref().map(CStr::to_bytes))])
        }
        Function::RawMonitorEnter
        | Function::RawMonitorExit
        | Function::RawMonitorNotifyAll
        | Function::RawMonitorDestroy
        | Function::SuspendThread
        | Function::ResumeThread
        | Function::GetThreadStatus
        | Function::ThreadHasRun
        | Function::GetThreadLocalStorage
        | Function::GetThreadObject
        | Function::GetMethodClass
        | Function::JobjectIdToJobject
        | Function::JobjectToJobjectId => with(&[id(first)]),
        Function::RawMonitorWait => with(&[id(first), Int(long(second, third))]),
        Function::GetCurrentThreadCpuTime
        | Function::DisableGC
        | Function::EnableGC
        | Function::RunGC => with(&[]),
        Function::CreateSystemThread => {
            let name = memory::c_string(ptr::with_exposed_provenance(first));
            let name = name.as_deref().map(CStr::to_bytes);
            with(&[Text(name), number(second), id(third)])
        }
        Function::SetThreadLocalStorage => with(&[id(first), id(second)]),
        Function::SuspendThreadList | Function::ResumeThreadList => {
            let count = usize::try_from(int(first)).unwrap_or(0);
            let envs = memory::pointers(ptr::with_exposed_provenance(second), count);
            let rows = envs
                .unwrap_or_default()
                .into_iter()
                .map(|env| vec![id(env)]);
            with(&[List(rows.collect())])
        }
    }
}

/// What RequestEvent's argument points to, if it does; -1 otherwise.
fn heap_dump_level(event: usize, argument: usize) -> i64 {
    const HEAP_DUMP: i32 = 37;
    let level: *const JVMPI_HeapDumpArg = ptr::with_exposed_provenance(argument);
    if int(event) != HEAP_DUMP || !memory::readable(level, size_of::<JVMPI_HeapDumpArg>()) {
        return -1;
    }
    // SAFETY: aligned, and all of it can be read, as has just been looked; a number may be any word.
    unsafe { (*level).heap_dump_level }.into()
}

/// Calls `with` with what a call gave back.
#[inline]
pub(crate) fn results<O>(
    function: Function,
    [first, _, third]: [usize; 3],
    result: u64,
    with: impl FnOnce(&[Value<'_>]) -> O,
) -> O {
    let whole = result;
    let result = word(result);
    match function {
        Function::EnableEvent
        | Function::DisableEvent
        | Function::RequestEvent
        | Function::GetThreadStatus
        | Function::CreateSystemThread => with(&[number(result)]),
        // A jboolean.
        Function::ThreadHasRun => with(&[number(result & 0xff)]),
        Function::GetCurrentThreadCpuTime => with(&[Int(whole.cast_signed())]),
        Function::RawMonitorCreate
        | Function::GetThreadLocalStorage
        | Function::GetThreadObject
        | Function::GetMethodClass
        | Function::JobjectIdToJobject
        | Function::JobjectToJobjectId => with(&[id(result)]),
        Function::GetCallTrace => {
            let trace: *const JVMPI_CallTrace = ptr::with_exposed_provenance(first);
            if !memory::readable(trace, size_of::<JVMPI_CallTrace>()) {
                return with(&[Int(0), List(Vec::new())]);
            }
            // SAFETY: aligned, and all of it can be read, as has just been looked; pointers and numbers may be any word.
            let trace = unsafe { *trace };
            let count = usize::try_from(trace.num_frames).unwrap_or(0);
            let len = count.saturating_mul(size_of::<JVMPI_CallFrame>());
            let frames = if count > 0 && memory::readable(trace.frames, len) {
                // SAFETY: readable.
                unsafe { event_values::frames(trace.frames, trace.num_frames) }
            } else {
                List(Vec::new())
            };
            with(&[Int(trace.num_frames.into()), frames])
        }
        Function::SuspendThreadList | Function::ResumeThreadList => {
            let count = usize::try_from(int(first)).unwrap_or(0);
            let codes = memory::numbers(ptr::with_exposed_provenance(third), count);
            let rows = codes.unwrap_or_default().into_iter();
            with(&[List(rows.map(|code| vec![Int(code.into())]).collect())])
        }
        Function::ProfilerExit
        | Function::RawMonitorEnter
        | Function::RawMonitorExit
        | Function::RawMonitorWait
        | Function::RawMonitorNotifyAll
        | Function::RawMonitorDestroy
        | Function::SuspendThread
        | Function::ResumeThread
        | Function::SetThreadLocalStorage
        | Function::DisableGC
        | Function::EnableGC
        | Function::RunGC => with(&[]),
    }
}
