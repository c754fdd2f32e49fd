//! Links a class without initialising it.
//!
//! JVMTI and JNI have nothing for that; asking HotSpot for the class's public
//! constructors does it as a side effect (the function behind
//! `Class.getConstructors`, exported by libjvm on every JDK from 8 to 26).
#![allow(unsafe_code, reason = "a function of libjvm found by name")]

use jvmpi_headers::jni::{JNIEnv, jclass, jobject};

use crate::os::library;
use crate::vm::hotspot::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

type GetConstructors = unsafe extern "C" fn(*mut JNIEnv, jclass, u8) -> jobject;

/// Links the class; false if the VM cannot or the class does not verify. A
/// pending exception of the caller survives, one of the linking is dropped.
pub(crate) fn link(jni: Jni, class: ObjectRef<'_>) -> bool {
    let Some(address) = library::symbol_of_process(c"JVM_GetClassDeclaredConstructors") else {
        return false;
    };
    // SAFETY: the symbol's type in every JDK's jvm.h.
    let constructors: GetConstructors = unsafe { std::mem::transmute(address) };
    let _aside = ExceptionAside::put(jni);
    // SAFETY: a live class, on its env's own thread, in native state.
    let found = Local::adopt(jni, unsafe { constructors(jni.env(), class.to_jni(), 1) });
    found.is_some()
}
