//! DisableGC, EnableGC, RunGC.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use crate::ffi::boundary::guarded;
use crate::state::{self, Phase};
use crate::{bracket, events, kept, log, threads};

/// Any thread, known to the VM or not.
pub(in crate::ffi) unsafe extern "C" fn disable_gc() {
    guarded("DisableGC", (), bracket::disable);
}

pub(in crate::ffi) unsafe extern "C" fn enable_gc() {
    guarded("EnableGC", (), || {
        if !bracket::enable() {
            log::warn_once!("EnableGC: GC was not disabled; nothing to do");
        }
        kept::flush_after_suspension();
    });
}

/// The bracket of the collection has been sent, on this thread, when this returns.
pub(in crate::ffi) unsafe extern "C" fn run_gc() {
    guarded("RunGC", (), || {
        if bracket::is_disabled() {
            log::warn_once!("RunGC: GC is disabled; nothing done");
            return;
        }
        let Some((jvmti, jni)) = events::vm("RunGC") else {
            return;
        };
        // There is a JNIEnv, but no heap.
        if state::phase() == Phase::Loading {
            log::warn_once!("RunGC: not before JVM_INIT_DONE; nothing done");
            return;
        }
        if let Some(own) = threads::own() {
            bracket::run_gc(jvmti, jni, &own);
        }
    });
}
