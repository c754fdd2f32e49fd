//! Where threads wait for the end of the process.
//!
//! When the VM ends it waits 300 ms for threads that are in native code, as ours are while they
//! wait for something. In a raw monitor of JVMTI's they do not count, and whoever leaves one
//! then does not come back: that is how a thread in RawMonitorWait ended in VMs of the period.
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::ffi::c_char;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmpi_headers::jvmti::_jrawMonitorID;

use crate::jvmti::env::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::jvmti::jni::Jni;
use crate::log;
use crate::state;

static MONITOR: AtomicPtr<_jrawMonitorID> = AtomicPtr::new(ptr::null_mut());

/// Makes the monitor. In VMDeath; later the VM makes none.
pub(crate) fn prepare(jvmti: Jvmti) {
    const NAME: *const c_char = c"libjvmpi, the end".as_ptr();
    let mut monitor = ptr::null_mut();
    let made: Result<()> = invoke!(jvmti.CreateRawMonitor(NAME, &raw mut monitor));
    match made {
        Ok(()) => MONITOR.store(monitor, Ordering::Release),
        Err(error) => log::info!("{error}; the VM's end may take 300 ms longer"),
    }
}

/// Waits in the VM, for ever; returns at once on a thread that the VM does not know.
pub(crate) fn for_ever() {
    let monitor = MONITOR.load(Ordering::Acquire);
    if monitor.is_null() || Jni::of_this_thread().is_none() {
        return;
    }
    let Some(jvmti) = state::jvmti() else { return };
    let wait = || -> Result<()> {
        invoke!(jvmti.RawMonitorEnter(monitor))?;
        let waited = invoke!(jvmti.RawMonitorWait(monitor, 0));
        invoke!(jvmti.RawMonitorExit(monitor))?;
        waited
    };
    if let Err(error) = wait() {
        log::info!("{error}; the VM's end may take 300 ms longer");
    }
}
