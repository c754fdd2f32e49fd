//! GetCallTrace.
#![allow(
    unsafe_code,
    reason = "a function of the JVMPI table that fills the agent's buffer"
)]

use std::mem::MaybeUninit;
use std::slice;

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_CallFrame, JVMPI_CallTrace};

use crate::base::boundary::uncancelled;
use crate::base::log;
use crate::events::call_traces::call_trace;
use crate::model::thread::current;
use crate::model::threads;
use crate::os::memory::writable;
use crate::vm::this_vm;

/// Fills `trace->frames` with the stack of `trace->env_id`, callee first. A trace
/// that cannot be had has `num_frames` 0.
///
/// # Threads
/// Any thread of any thread, suspended or not, also inside handlers and with raw
/// monitors held.
pub(crate) unsafe extern "C" fn get_call_trace(trace: *mut JVMPI_CallTrace, depth: jint) {
    uncancelled("GetCallTrace", (), || {
        if !writable(trace, size_of::<JVMPI_CallTrace>()) {
            log::warn_once!("GetCallTrace({trace:p}): not a call trace; nothing done");
            return;
        }
        // SAFETY: readable and writable, and the agent's word that it is a JVMPI_CallTrace.
        let env = unsafe { (*trace).env_id };
        // SAFETY: as above.
        let frames = unsafe { (*trace).frames };
        // SAFETY: as above. Set first, so that every way out leaves a valid trace.
        unsafe { (*trace).num_frames = 0 };
        let Ok(depth) = usize::try_from(depth) else {
            log::warn_once!("GetCallTrace: a negative depth; the trace is empty");
            return;
        };
        if depth == 0 {
            return;
        }
        if !writable(frames, depth.saturating_mul(size_of::<JVMPI_CallFrame>())) {
            log::warn_once!("GetCallTrace: frames is {frames:p}; the trace is empty");
            return;
        }
        // The current thread is named by null: on a virtual thread that is the one running.
        let mut other = None;
        if !current::is_own(env.addr()) {
            other = threads::by_env(env);
            if other.is_none() {
                log::warn_once!(
                    "GetCallTrace: {env:p} is not the JNIEnv of a live thread; the trace is empty"
                );
                return;
            }
        }
        // Known by now, be it that the current thread meets us for the first time.
        let other = other.filter(|_| !current::is_own(env.addr()));
        if other
            .as_ref()
            .is_some_and(|thread| thread.object().is_none())
        {
            return;
        }
        let Some(jvmti) = this_vm::jvmti() else {
            return;
        };
        // SAFETY: writable, and room for `depth` frames by the specification.
        let out = unsafe {
            slice::from_raw_parts_mut(frames.cast::<MaybeUninit<JVMPI_CallFrame>>(), depth)
        };
        let count = call_trace::call_trace(jvmti, other.as_deref(), out).unwrap_or(0);
        // SAFETY: as above.
        unsafe { (*trace).num_frames = jint::try_from(count).unwrap_or(0) };
    });
}
