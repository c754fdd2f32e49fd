//! Whom the agent has told of parked threads: a function of its own, or nobody (`watch_parks` of
//! `xrun_ext.h`).
#![allow(unsafe_code, reason = "a function pointer that the agent gave")]

use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmpi_headers::xrun_ext::XRun_ParkHandler;

static HANDLER: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The agent's function; `None`: it does not want to hear of parked threads (any more).
pub(crate) fn set(handler: Option<XRun_ParkHandler>) {
    let address = handler.map_or(ptr::null_mut(), |handler| handler as *mut c_void);
    HANDLER.store(address, Ordering::Release);
}

/// What was [`set`] last.
pub(crate) fn get() -> Option<XRun_ParkHandler> {
    let address = HANDLER.load(Ordering::Acquire);
    // SAFETY: null or the function that was stored.
    unsafe { mem::transmute::<*mut c_void, Option<XRun_ParkHandler>>(address) }
}

/// Whether parked threads are to be told of.
pub(crate) fn is_watched() -> bool {
    !HANDLER.load(Ordering::Acquire).is_null()
}
