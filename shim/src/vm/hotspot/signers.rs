//! Who has signed a class, and its protection domain.
#![allow(unsafe_code, reason = "functions of libjvm found by name")]

use std::ffi::CStr;

use jvmpi_headers::jni::{JNIEnv, jclass, jobject};

use crate::os::library;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

type OfClass = unsafe extern "C" fn(*mut JNIEnv, jclass) -> jobject;

/// The protection domain of a class.
pub(crate) fn protection_domain(jni: Jni, class: ObjectRef<'_>) -> Option<Local> {
    ask(jni, class, c"JVM_GetProtectionDomain")
}

/// The signers of a class: asked of the VM, or a field (JDK 25).
pub(crate) fn signers(jni: Jni, class: ObjectRef<'_>) -> Option<Local> {
    ask(jni, class, c"JVM_GetClassSigners").or_else(|| {
        let of_classes = jni.class_of(class)?;
        let field = jni.field(of_classes.get(), c"signers", c"[Ljava/lang/Object;");
        if field.is_none() {
            drop(jni.take_exception());
        }
        jni.object_field(class, field?)
    })
}

fn ask(jni: Jni, class: ObjectRef<'_>, function: &CStr) -> Option<Local> {
    let address = library::symbol_of_process(function)?;
    // SAFETY: the symbol's type in the jvm.h of every JDK that has it.
    let function: OfClass = unsafe { std::mem::transmute(address) };
    // SAFETY: a live class, on its env's own thread, in native state.
    Local::adopt(jni, unsafe { function(jni.env(), class.to_jni()) })
}
