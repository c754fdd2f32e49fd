//! GetThreadObject, GetMethodClass, and the two conversions of object ids.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ptr;

use id_map::Flag;
use jvmpi_headers::jni::{JNIEnv, jmethodID, jobject};
use jvmpi_headers::jvmpi::jobjectID;

use crate::dispatch::{self, Patience};
use crate::ffi::boundary::guarded;
use crate::state::IDS;
use crate::threads::{self, Thread};
use crate::{classes, events, log, methods, objects};

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
        if let Some(id) = id {
            IDS.set(id, Flag::KNOWN);
        }
        dispatch::object_id(id)
    })
}

pub(in crate::ffi) unsafe extern "C" fn get_method_class(method: jmethodID) -> jobjectID {
    guarded("GetMethodClass", ptr::null_mut(), || {
        let found = find_method(method).map(|(class, jvmti, jni)| {
            if let Some(own) = threads::own() {
                if Thread::has_suspended_others() && class.is_due() {
                    own.keep_class(std::sync::Arc::clone(&class));
                } else {
                    classes::announce(jvmti, jni, &own, &class, Patience::Short);
                }
            }
            IDS.set(class.id, Flag::KNOWN);
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
    let class = methods::of(jvmti, jni, method)?.class.clone();
    // Others may be told of their end before its record is forgotten.
    (!IDS.has(class.id, Flag::UNLOADED)).then_some((class, jvmti, jni))
}

/// A local reference on the calling thread, its caller's to delete; NULL for an id
/// whose object is gone (JVMPI facts B.14).
pub(in crate::ffi) unsafe extern "C" fn jobject_id_to_jobject(id: jobjectID) -> jobject {
    guarded("jobjectID2jobject", ptr::null_mut(), || {
        let found = dispatch::named(id.addr()).and_then(|tag| {
            let (jvmti, jni) = events::vm("jobjectID2jobject")?;
            objects::reference(jvmti, jni, tag)
        });
        found.unwrap_or_else(|| {
            log::warn_once!(
                "jobjectID2jobject({id:p}): not an id, or one whose object is gone; NULL"
            );
            ptr::null_mut()
        })
    })
}

/// The id of what a reference names. Only null can be told from a reference: a made-up
/// one is as bad here as in any JNI call.
pub(in crate::ffi) unsafe extern "C" fn jobject_to_jobject_id(object: jobject) -> jobjectID {
    guarded("jobject2jobjectID", ptr::null_mut(), || {
        if object.is_null() {
            log::warn_once!("jobject2jobjectID(NULL): NULL");
            return ptr::null_mut();
        }
        let Some((jvmti, jni)) = events::vm("jobject2jobjectID") else {
            return ptr::null_mut();
        };
        let id = threads::own().and_then(|own| objects::discover(jvmti, jni, &own, object));
        if id.is_none() {
            log::warn_once!("jobject2jobjectID({object:p}): not a reference to an object; NULL");
        }
        dispatch::object_id(id)
    })
}
