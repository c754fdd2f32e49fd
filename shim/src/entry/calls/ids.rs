//! GetThreadObject, GetMethodClass, and the two conversions of object ids.
#![allow(unsafe_code, reason = "functions of the JVMPI table")]

use std::ptr;
use std::sync::Arc;

use id_map::Flag;
use jvmpi_headers::jni::{JNIEnv, jmethodID, jobject};
use jvmpi_headers::jvmpi::jobjectID;

use crate::base::boundary::{guarded, uncancelled};
use crate::base::log;
use crate::base::patience;
use crate::delivery::announce::plan::Definition;
use crate::delivery::announce::{self};
use crate::events::objects::lookup;
use crate::model::classes::methods;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::{classes, ids, threads};
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

pub(crate) unsafe extern "C" fn get_thread_object(env: *mut JNIEnv) -> jobjectID {
    guarded("GetThreadObject", ptr::null_mut(), || {
        let Some(thread) = threads::by_env(env) else {
            log::warn_once!("GetThreadObject({env:p}): not the JNIEnv of a live thread; NULL");
            return ptr::null_mut();
        };
        let Some((jvmti, jni)) = this_vm::for_call("GetThreadObject") else {
            return ptr::null_mut();
        };
        let id = thread.id(jvmti, jni);
        if id.is_none() {
            log::warn_once!("GetThreadObject: the VM does not tell the thread's object yet; NULL");
        }
        if let Some(id) = id {
            IDS.set(id, Flag::KNOWN);
        }
        ids::object_id(id)
    })
}

pub(crate) unsafe extern "C" fn get_method_class(method: jmethodID) -> jobjectID {
    uncancelled("GetMethodClass", ptr::null_mut(), || {
        let found = find_method(MethodId::from_jni(method)).map(|(class, jvmti, jni)| {
            if let Some(own) = threads::own() {
                if Thread::has_suspended_others() && class.is_due() {
                    own.keep_class(Definition::Class(Arc::clone(&class)));
                } else {
                    announce::class(jvmti, jni, &own, &class, patience::DEFINITION_UNDER_LOCKS);
                }
            }
            IDS.set(class.id, Flag::KNOWN);
            ids::object_id(Some(class.id))
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
    Arc<classes::Class>,
    crate::vm::env::Jvmti,
    crate::vm::jni::Jni,
);

fn find_method(method: MethodId) -> Option<Found> {
    if method.number() == 0 {
        return None;
    }
    let (jvmti, jni) = this_vm::for_call("GetMethodClass")?;
    // From JDK 26 on ids are small numbers that the VM looks up itself.
    let numbers = jvmti.feature_version() >= 26 && method.number() < 1 << 30;
    let class = match methods::known_class(method) {
        Some(class) => class,
        None if numbers => Arc::clone(&methods::of(jvmti, jni, method)?.class),
        None => methods::class_that_lists(jvmti, jni, method)?,
    };
    // Others may be told of their end before its record is forgotten.
    (!IDS.has(class.id, Flag::UNLOADED)).then_some((class, jvmti, jni))
}

/// A local reference on the calling thread, its caller's to delete; NULL for an id
/// whose object is gone (JVMPI facts B.14).
pub(crate) unsafe extern "C" fn jobject_id_to_jobject(id: jobjectID) -> jobject {
    uncancelled("jobjectID2jobject", ptr::null_mut(), || {
        let found = ids::named(id.addr()).and_then(|id| {
            let (jvmti, jni) = this_vm::for_call("jobjectID2jobject")?;
            Some(jni.hand_out(lookup::find(jvmti, jni, id)?.get()))
        });
        found.unwrap_or_else(|| {
            log::warn_once!(
                "jobjectID2jobject({id:p}): not an id, or one whose object is gone; NULL"
            );
            ptr::null_mut()
        })
    })
}

/// The id of what a reference names. Only null, and a weak reference whose object is gone, can be told from a
/// reference: a made-up one is as bad here as in any JNI call.
pub(crate) unsafe extern "C" fn jobject_to_jobject_id(object: jobject) -> jobjectID {
    uncancelled("jobject2jobjectID", ptr::null_mut(), || {
        // SAFETY: the agent's word.
        let Some(object) = (unsafe { ObjectRef::lent(&object) }) else {
            log::warn_once!("jobject2jobjectID(NULL): NULL");
            return ptr::null_mut();
        };
        let Some((jvmti, jni)) = this_vm::for_call("jobject2jobjectID") else {
            return ptr::null_mut();
        };
        // The VM follows a reference that leads nowhere; and the object of a weak one stays meanwhile.
        let held = jni.local(object);
        let id = held.and_then(|held| announce::object(jvmti, jni, &threads::own()?, held.get()));
        if id.is_none() {
            log::warn_once!(
                "jobject2jobjectID({:p}): not a reference to an object; NULL",
                object.to_jni()
            );
        }
        ids::object_id(id)
    })
}
