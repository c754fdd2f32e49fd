//! DisableGC, EnableGC, RunGC.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use crate::base::boundary::uncancelled;
use crate::base::log;
use crate::delivery::deferred;
use crate::events::gc::disabling;
use crate::events::gc::sending;
use crate::model::threads;
use crate::vm::this_vm::{self, Phase};

/// Any thread, known to the VM or not.
pub(crate) unsafe extern "C" fn disable_gc() {
    uncancelled("DisableGC", (), disabling::disable);
}

pub(crate) unsafe extern "C" fn enable_gc() {
    uncancelled("EnableGC", (), || {
        if !disabling::enable() {
            log::warn_once!("EnableGC: GC was not disabled; nothing to do");
        }
        deferred::flush_after_suspension(disabling::is_held());
    });
}

/// The bracket of the collection has been sent, on this thread, when this returns.
pub(crate) unsafe extern "C" fn run_gc() {
    uncancelled("RunGC", (), || {
        if disabling::is_held() {
            log::warn_once!("RunGC: GC is disabled; nothing done");
            return;
        }
        let Some((jvmti, jni)) = this_vm::for_call("RunGC") else {
            return;
        };
        // There is a JNIEnv, but no heap.
        if this_vm::phase() == Phase::Loading {
            log::warn_once!("RunGC: not before JVM_INIT_DONE; nothing done");
            return;
        }
        if let Some(own) = threads::own() {
            sending::run_gc(jvmti, jni, &own);
        }
    });
}
