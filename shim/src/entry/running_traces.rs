//! Which threads run, and their stacks, for agents that know `xrun_ext.h`.
#![allow(
    unsafe_code,
    reason = "a function that C calls, which fills the agent's buffers"
)]

use std::mem::MaybeUninit;
use std::slice;

use jvmpi_headers::jni::{JNIEnv, jint};
use jvmpi_headers::jvmpi::{
    JVMPI_CallFrame, JVMPI_CallTrace, JVMPI_FAIL, JVMPI_NOT_AVAILABLE, JVMPI_SUCCESS,
};

use crate::base::boundary::guarded;
use crate::base::{config, log};
use crate::events::call_traces::{call_trace, round, running};
use crate::model::threads;
use crate::os::memory::writable;
use crate::vm::env::Jvmti;
use crate::vm::this_vm::{self, Phase};

/// What `num_frames` is where a stack is not had.
const NOT_HAD: jint = -1;

/// # Threads
/// One of the VM's that has suspended nobody.
pub(super) unsafe extern "C" fn get_running_traces(
    count: jint,
    traces: *mut JVMPI_CallTrace,
    depth: jint,
) -> jint {
    guarded("get_running_traces", JVMPI_FAIL, || {
        let (Ok(count), Ok(depth)) = (usize::try_from(count), usize::try_from(depth)) else {
            log::warn_once!("get_running_traces: a negative number; JVMPI_FAIL");
            return JVMPI_FAIL;
        };
        if count == 0 {
            return JVMPI_SUCCESS;
        }
        if !writable(traces, count.saturating_mul(size_of::<JVMPI_CallTrace>())) {
            log::warn_once!("get_running_traces: no traces at {traces:p}; JVMPI_FAIL");
            return JVMPI_FAIL;
        }
        // SAFETY: writable, and the agent's word that there are so many.
        let traces = unsafe { slice::from_raw_parts_mut(traces, count) };
        for trace in &mut *traces {
            trace.num_frames = NOT_HAD;
        }
        let vm = this_vm::for_call("get_running_traces");
        let Some((jvmti, _)) = vm.filter(|&(jvmti, jni)| running::can_be_had(jvmti, jni)) else {
            return JVMPI_NOT_AVAILABLE;
        };
        fill(jvmti, traces, depth);
        JVMPI_SUCCESS
    })
}

fn fill(jvmti: Jvmti, traces: &mut [JVMPI_CallTrace], depth: usize) {
    let threads: Vec<_> = traces
        .iter()
        .map(|trace| threads::by_env(trace.env_id))
        .collect();
    let stacks = running::take(jvmti, &threads);
    for (trace, stack) in traces.iter_mut().zip(stacks) {
        let Some(stack) = stack else { continue };
        if depth == 0 {
            trace.num_frames = 0;
            continue;
        }
        let frames = trace.frames;
        if !writable(frames, depth.saturating_mul(size_of::<JVMPI_CallFrame>())) {
            log::warn_once!("get_running_traces: frames is {frames:p}; no trace");
            continue;
        }
        // SAFETY: writable, and the agent's word that there is room for `depth` frames.
        let out = unsafe {
            slice::from_raw_parts_mut(frames.cast::<MaybeUninit<JVMPI_CallFrame>>(), depth)
        };
        let filled = call_trace::fill_given(jvmti, &stack, out);
        let filled = filled.and_then(|filled| jint::try_from(filled).ok());
        trace.num_frames = filled.unwrap_or(NOT_HAD);
    }
}

/// # Threads
/// One of the VM's that has suspended nobody.
pub(super) unsafe extern "C" fn get_mounted(count: jint, envs: *mut *mut JNIEnv) -> jint {
    guarded("get_mounted", JVMPI_FAIL, || {
        let room = usize::try_from(count).unwrap_or(0);
        if room > 0 && !writable(envs, room.saturating_mul(size_of::<*mut JNIEnv>())) {
            log::warn_once!("get_mounted: no room at {envs:p}; JVMPI_FAIL");
            return JVMPI_FAIL;
        }
        // A replay could not answer what is asked of these alone.
        if this_vm::phase() != Phase::Live || config::options().trace.is_some() {
            return JVMPI_FAIL;
        }
        let Some((jvmti, _)) = this_vm::for_call("get_mounted") else {
            return JVMPI_FAIL;
        };
        let mounted = round::mounted_then(jvmti);
        for (index, thread) in mounted.iter().take(room).enumerate() {
            // SAFETY: writable, and the agent's word that there is room for so many.
            let place = unsafe { envs.add(index) };
            // SAFETY: likewise.
            unsafe { place.write(thread.env_ptr()) };
        }
        jint::try_from(mounted.len()).unwrap_or(JVMPI_FAIL)
    })
}
