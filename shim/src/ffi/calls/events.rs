//! EnableEvent, DisableEvent, RequestEvent, ProfilerExit.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ffi::c_void;

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::JVMPI_FAIL;

use crate::ffi::boundary::guarded;
use crate::ffi::process;
use crate::jvmti::jni::Jni;
use crate::{dispatch, events, log, observe, sources, state};

pub(in crate::ffi) unsafe extern "C" fn enable_event(
    event_type: jint,
    _argument: *mut c_void,
) -> jint {
    guarded("EnableEvent", JVMPI_FAIL, || {
        events::enable(event_type, true)
    })
}

pub(in crate::ffi) unsafe extern "C" fn disable_event(
    event_type: jint,
    _argument: *mut c_void,
) -> jint {
    guarded("DisableEvent", JVMPI_FAIL, || {
        events::enable(event_type, false)
    })
}

pub(in crate::ffi) unsafe extern "C" fn request_event(
    event_type: jint,
    argument: *mut c_void,
) -> jint {
    guarded("RequestEvent", JVMPI_FAIL, || {
        events::request(event_type, argument.addr())
    })
}

/// Mutes all events first: no JVM_SHUT_DOWN follows (JVMPI facts B.4).
pub(in crate::ffi) unsafe extern "C" fn profiler_exit(code: jint) {
    let phase = state::phase();
    guarded("ProfilerExit", (), || {
        log::info!("ProfilerExit({code})");
        if let (Some(jvmti), Some(jni)) = (state::jvmti(), Jni::of_this_thread()) {
            sources::end_deaths(jvmti, jni);
        }
        dispatch::close();
        observe::finish();
    });
    process::profiler_exit(code, phase)
}
