//! What C calls: the entry point, the handler.
//!
//! # Safety
//!
//! JVM_OnLoad is called by the VM with its own JavaVM and options that are null or
//! a C string; the handler by the JVMPI host with an event of the specification.
#![allow(unsafe_code, reason = "entry points of C")]

use std::ffi::{CStr, c_char, c_void};

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JavaVM, jint};
use jvmpi_headers::jvmpi::JVMPI_Event;
use terminal_text::raw_text;

use super::boundary::{guarded, quiet_panics};
use super::{event, extension, frequent_events, host};
use crate::{agent, handlers, say, start};

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
            raw_text::decode(options.to_bytes())
        };
        if start::load(&text) { JNI_OK } else { JNI_ERR }
    })
}

/// # Safety
/// See the module documentation.
unsafe extern "C-unwind" fn notify(event: *mut JVMPI_Event) {
    guarded("NotifyEvent", (), || {
        // SAFETY: the host's promise.
        if let Some(call) = unsafe { frequent_events::call(event) } {
            handlers::notify_call(call);
            return;
        }
        // SAFETY: likewise.
        if let Some((env, alloc)) = unsafe { frequent_events::alloc(event) } {
            handlers::notify_alloc(env, alloc);
            return;
        }
        // SAFETY: likewise; what is borrowed is given back before we return.
        let (env, event) = unsafe { event::decode(event) };
        handlers::notify(env, event);
    });
}
