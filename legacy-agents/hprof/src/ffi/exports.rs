//! What C calls: the entry point, the handler, the threads.
//!
//! # Safety
//!
//! JVM_OnLoad is called by the VM with its own JavaVM and options that are null or
//! a C string; the handler by the JVMPI host with an event of the specification.
#![allow(unsafe_code, reason = "entry points of C")]

use std::ffi::{CStr, c_char, c_void};

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JNIEnv, JavaVM, jint, jlong};
use jvmpi_headers::jvmpi::{JVMPI_Event, jobjectID};

use super::boundary::{guarded, quiet_panics};
use super::{event, extension, host};
use crate::{agent, say};

/// Started by the VM for `-Xrunhprof:options`.
///
/// # Safety
/// See the module documentation.
#[unsafe(no_mangle)]
pub(super) unsafe extern "system" fn JVM_OnLoad(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    quiet_panics();
    guarded("JVM_OnLoad", JNI_ERR, || {
        if agent::get().is_some() {
            say::error(format_args!("it is profiling this program already"));
            return JNI_ERR;
        }
        // SAFETY: the VM's own.
        if !unsafe { host::connect(vm, notify) } {
            say::error(format_args!(
                "this VM has no JVMPI; start it with xrun, or with -agentpath:libjvmpi.so"
            ));
            return JNI_ERR;
        }
        // SAFETY: the VM's own.
        unsafe { extension::connect(vm) };
        let text = if options.is_null() {
            String::new()
        } else {
            // SAFETY: the VM's promise.
            let options = unsafe { CStr::from_ptr(options) };
            String::from_utf8_lossy(options.to_bytes()).into_owned()
        };
        if agent::load(&text) { JNI_OK } else { JNI_ERR }
    })
}

/// # Safety
/// See the module documentation.
unsafe extern "C-unwind" fn notify(event: *mut JVMPI_Event) {
    guarded("NotifyEvent", (), || {
        // SAFETY: the host's promise.
        if let Some(call) = unsafe { event::call(event) } {
            agent::notify_call(call);
            return;
        }
        // SAFETY: likewise.
        if let Some((env, alloc)) = unsafe { event::alloc(event) } {
            agent::notify_alloc(env, alloc);
            return;
        }
        // SAFETY: likewise; what is borrowed is given back before we return.
        let (env, event) = unsafe { event::decode(event) };
        agent::notify(env, event);
    });
}

/// Has the host tell of parked threads; false if it does not.
pub(crate) fn watch_parks() -> bool {
    extension::watch_parks(parked)
}

unsafe extern "C" fn parked(env: *mut JNIEnv, blocker_class: jobjectID, nanos: jlong) {
    guarded("watch_parks", (), || {
        let nanos = u64::try_from(nanos).unwrap_or(0);
        agent::notify_parked(env.expose_provenance(), blocker_class.addr(), nanos);
    });
}

/// A thread of ours.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Service {
    Sampler,
    Listener,
}

/// Starts it; false if the VM refuses.
pub(crate) fn start_service(service: Service) -> bool {
    match service {
        Service::Sampler => host::start_thread("HPROF CPU profiler", sampler),
        Service::Listener => host::start_thread("Hprof listener", listener),
    }
}

unsafe extern "C" fn sampler(_: *mut c_void) {
    guarded("the sampler", (), || agent::run(Service::Sampler));
}

unsafe extern "C" fn listener(_: *mut c_void) {
    guarded("the listener", (), || agent::run(Service::Listener));
}
