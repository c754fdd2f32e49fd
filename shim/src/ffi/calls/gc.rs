//! DisableGC, EnableGC, RunGC.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::sync::atomic::{AtomicU32, Ordering};

use crate::ffi::boundary::guarded;
use crate::{events, log};

/// How often GC is disabled. The VM collects all the same: ids are tokens that
/// no collection moves, so there is nothing for it to spoil (MATRIX.md).
static DISABLED: AtomicU32 = AtomicU32::new(0);

pub(in crate::ffi) unsafe extern "C" fn disable_gc() {
    let _ = DISABLED.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
        count.checked_add(1)
    });
}

pub(in crate::ffi) unsafe extern "C" fn enable_gc() {
    guarded("EnableGC", (), || {
        let lower = |count: u32| count.checked_sub(1);
        if DISABLED
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, lower)
            .is_err()
        {
            log::warn_once!("EnableGC: GC was not disabled; nothing to do");
        }
    });
}

pub(in crate::ffi) unsafe extern "C" fn run_gc() {
    guarded("RunGC", (), || {
        if DISABLED.load(Ordering::Acquire) > 0 {
            log::warn_once!("RunGC: GC is disabled; nothing done");
            return;
        }
        let Some((jvmti, _)) = events::vm("RunGC") else {
            return;
        };
        if let Err(error) = jvmti.force_collection() {
            log::warn_once!("RunGC: {error}");
        }
    });
}
