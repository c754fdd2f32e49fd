//! EnableEvent, DisableEvent, RequestEvent, ProfilerExit.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ffi::c_void;

use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::JVMPI_FAIL;

use crate::agent::process;
use crate::base::boundary::{guarded, uncancelled};
use crate::base::{log, observer};
use crate::delivery::dispatch;
use crate::events::gc::object_free;
use crate::events::vm_life::agent_requests;
use crate::vm::jni::Jni;
use crate::vm::this_vm;

pub(crate) unsafe extern "C" fn enable_event(event_type: jint, _argument: *mut c_void) -> jint {
    uncancelled("EnableEvent", JVMPI_FAIL, || {
        agent_requests::enable(event_type, true)
    })
}

pub(crate) unsafe extern "C" fn disable_event(event_type: jint, _argument: *mut c_void) -> jint {
    uncancelled("DisableEvent", JVMPI_FAIL, || {
        agent_requests::enable(event_type, false)
    })
}

pub(crate) unsafe extern "C" fn request_event(event_type: jint, argument: *mut c_void) -> jint {
    uncancelled("RequestEvent", JVMPI_FAIL, || {
        agent_requests::request(event_type, argument.addr())
    })
}

/// Mutes all events first: no JVM_SHUT_DOWN follows (JVMPI facts B.4).
pub(crate) unsafe extern "C" fn profiler_exit(code: jint) {
    let phase = this_vm::phase();
    guarded("ProfilerExit", (), || {
        log::info!("ProfilerExit({code})");
        if let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) {
            object_free::end(jvmti, jni);
        }
        dispatch::close();
        observer::tell(|observer| observer.finish());
    });
    process::profiler_exit(code, phase)
}
