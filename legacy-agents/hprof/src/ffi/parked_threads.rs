//! Who is parked when it is asked for.
#![allow(unsafe_code, reason = "a function that C calls")]

use std::cell::Cell;

use jvmpi_headers::jni::{JNIEnv, jlong};
use jvmpi_headers::jvmpi::jobjectID;

use super::boundary::guarded;
use super::extension;

/// A thread that is parked: its env, its blocker's class or 0, since how many ns.
type IsParked = fn(usize, usize, u64);

thread_local! {
    /// For [`list`].
    static EACH: Cell<Option<IsParked>> = const { Cell::new(None) };
}

/// Has the host list who is parked now.
pub(crate) fn list(each: IsParked) {
    EACH.set(Some(each));
    extension::list_parked(still_parked);
    EACH.set(None);
}

unsafe extern "C" fn still_parked(env: *mut JNIEnv, blocker_class: jobjectID, nanos: jlong) {
    guarded("list_parked", (), || {
        if let Some(each) = EACH.get() {
            let nanos = u64::try_from(nanos).unwrap_or(0);
            each(env.expose_provenance(), blocker_class.addr(), nanos);
        }
    });
}
