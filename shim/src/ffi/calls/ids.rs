//! GetThreadObject, GetMethodClass, and the two conversions of object ids.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ptr;

use jvmpi_headers::jni::{JNIEnv, jmethodID, jobject};
use jvmpi_headers::jvmpi::jobjectID;

use crate::dispatch::{self, Patience};
use crate::ffi::boundary::guarded;
use crate::{classes, events, log, methods, threads};

pub(in crate::ffi) unsafe extern "C" fn get_thread_object(env: *mut JNIEnv) -> jobjectID {
    guarded("GetThreadObject", ptr::null_mut(), || {
        let Some(thread) = threads::by_env(env) else {
            log::warn_once!("GetThreadObject({env:p}): not the JNIEnv of a live thread; NULL");
            return ptr::null_mut();
        };
        let Some((jvmti, jni)) = events::vm("GetThreadObject") else {
            return ptr::null_mut();
        };
        let id = thread.id(jvmti, jni);
        if id.is_none() {
            log::warn_once!("GetThreadObject: the VM does not tell the thread's object yet; NULL");
        }
        dispatch::object_id(id)
    })
}

pub(in crate::ffi) unsafe extern "C" fn get_method_class(method: jmethodID) -> jobjectID {
    guarded("GetMethodClass", ptr::null_mut(), || {
        let found = find_method(method).map(|(class, jvmti, jni)| {
            if let Some(own) = threads::own() {
                classes::announce(jvmti, jni, &own, &class, Patience::Short);
            }
            dispatch::object_id(Some(class.id))
        });
        found.unwrap_or_else(|| {
            log::warn_once!(
                "GetMethodClass({method:p}): not a method id, or one of an unloaded class; NULL"
            );
            ptr::null_mut()
        })
    })
}

type Found = (
    std::sync::Arc<classes::Class>,
    crate::jvmti::env::Jvmti,
    crate::jvmti::jni::Jni,
);

fn find_method(method: jmethodID) -> Option<Found> {
    if method.is_null() {
        return None;
    }
    let (jvmti, jni) = events::vm("GetMethodClass")?;
    // From JDK 26 on ids are small numbers that the VM looks up itself.
    let numbers = jvmti.feature_version() >= 26 && method.addr() < 1 << 30;
    if !numbers && !methods::is_listed(jvmti, jni, method) {
        return None;
    }
    Some((methods::of(jvmti, jni, method)?.class.clone(), jvmti, jni))
}

pub(in crate::ffi) unsafe extern "C" fn jobject_id_to_jobject(_id: jobjectID) -> jobject {
    guarded("jobjectID2jobject", ptr::null_mut(), || {
        not_yet("jobjectID2jobject");
        ptr::null_mut()
    })
}

pub(in crate::ffi) unsafe extern "C" fn jobject_to_jobject_id(_object: jobject) -> jobjectID {
    guarded("jobject2jobjectID", ptr::null_mut(), || {
        not_yet("jobject2jobjectID");
        ptr::null_mut()
    })
}

fn not_yet(call: &'static str) {
    log::warn_once_for!(call, ": not yet (MATRIX.md); NULL");
}
