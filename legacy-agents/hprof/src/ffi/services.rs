//! What else the host calls: our threads, and the handler of parks.
#![allow(unsafe_code, reason = "functions that C calls")]

use std::ffi::c_void;

use jvmpi_headers::jni::{JNIEnv, jlong};
use jvmpi_headers::jvmpi::jobjectID;

use super::boundary::guarded;
use super::{extension, host};
use crate::{agent, contention, net, rewriter, sampler};

/// Has the host tell of parked threads; false if it does not.
pub(crate) fn watch_parks() -> bool {
    extension::watch_parks(parked)
}

unsafe extern "C" fn parked(env: *mut JNIEnv, blocker_class: jobjectID, nanos: jlong) {
    guarded("watch_parks", (), || {
        let nanos = u64::try_from(nanos).unwrap_or(0);
        contention::parked(env.expose_provenance(), blocker_class.addr(), nanos);
    });
}

/// False if the VM refuses a thread.
pub(crate) fn start_sampler() -> bool {
    host::start_thread("HPROF CPU profiler", sampler)
}

unsafe extern "C-unwind" fn sampler(_: *mut c_void) {
    guarded("the sampler", (), || agent::get().map_or((), sampler::run));
}

/// Likewise: who writes what there is so far.
pub(crate) fn start_rewriter() -> bool {
    host::start_thread("HPROF rewriter", rewriter)
}

unsafe extern "C-unwind" fn rewriter(_: *mut c_void) {
    guarded("the rewriter", (), || {
        agent::get().map_or((), rewriter::run)
    });
}

/// Likewise: who obeys the commands of the program at the other end.
pub(crate) fn start_listener() -> bool {
    host::start_thread("Hprof listener", listener)
}

unsafe extern "C-unwind" fn listener(_: *mut c_void) {
    guarded("the listener", (), || agent::get().map_or((), net::run));
}
