//! Whether the agent is a sampler, and which threads can give it their stacks by signal.

use std::sync::atomic::{AtomicBool, Ordering};

use jvmpi_headers::jvmti::{
    JVMTI_THREAD_STATE_IN_NATIVE, JVMTI_THREAD_STATE_RUNNABLE, JVMTI_THREAD_STATE_SUSPENDED,
};

use crate::events::call_traces::method_ids;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::stacks::async_trace;

/// Set by the first call trace of another thread.
static SAMPLING: AtomicBool = AtomicBool::new(false);

/// The agent has asked for the stack of another thread.
pub(crate) fn begin() {
    // Relaxed: a switch that says nothing of other words.
    SAMPLING.store(true, Ordering::Relaxed);
}

/// Whether the agent is a sampler, and stacks can be taken by signal.
pub(crate) fn samples(jvmti: Jvmti) -> bool {
    SAMPLING.load(Ordering::Relaxed) && method_ids::are_made() && async_trace::available(jvmti)
}

/// Whether the thread runs Java code, and is not stopped.
pub(crate) fn runs_java(jvmti: Jvmti, thread: &Thread) -> bool {
    const SUSPENDED_OR_IN_NATIVE: i32 = JVMTI_THREAD_STATE_SUSPENDED | JVMTI_THREAD_STATE_IN_NATIVE;
    thread.object().is_some_and(|object| {
        jvmti.thread_state(object.get().into()).is_ok_and(|state| {
            state & JVMTI_THREAD_STATE_RUNNABLE != 0 && state & SUSPENDED_OR_IN_NATIVE == 0
        })
    })
}
