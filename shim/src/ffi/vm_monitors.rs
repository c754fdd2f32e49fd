//! What the VM itself knows of Java monitors, without a stop of the program.
#![allow(unsafe_code, reason = "functions and memory of the VM")]

use jvmpi_headers::jni::{JNIEnv, jclass, jobject};
use once_cell::sync::OnceCell;

use crate::ffi::library;
use crate::jvmti::jni::Jni;

type HoldsLock = unsafe extern "C" fn(*mut JNIEnv, jclass, jobject) -> u8;

/// Whether the calling thread owns the object's monitor, as `Thread.holdsLock` says; true
/// if that cannot be told.
pub(crate) fn holds(jni: Jni, object: jobject) -> bool {
    static FUNCTION: OnceCell<Option<HoldsLock>> = OnceCell::new();
    let function = FUNCTION.get_or_init(|| {
        let address = library::symbol_of_process(c"JVM_HoldsLock")?;
        // SAFETY: the symbol's type in every JDK's jvm.h.
        Some(unsafe { std::mem::transmute::<*mut std::ffi::c_void, HoldsLock>(address) })
    });
    // SAFETY: a live object, on its env's own thread, in native state; the class is not
    // looked at.
    function.is_none_or(|holds| unsafe { holds(jni.env(), std::ptr::null_mut(), object) } != 0)
}
