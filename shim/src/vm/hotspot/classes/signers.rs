//! Who has signed a class, and its protection domain.
#![allow(unsafe_code, reason = "functions of libjvm found by name")]

use std::ffi::CStr;

use crate::vm::hotspot::found::{
    Attribute, HOTSPOT, NOT_THERE, OfClass, SOMETHING_ELSE, Signers, Why, function,
};
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

/// `root` is `java.lang.Object`.
pub(in crate::vm::hotspot) fn find(jni: Jni, root: ObjectRef<'_>) -> Result<Signers, Why> {
    let field = |name: &CStr, ty: &CStr| {
        let classes = jni.class_of(root)?;
        let field = jni.field(classes.get(), name, ty);
        if field.is_none() {
            drop(jni.take_exception());
        }
        Some(Attribute::Field(field?))
    };
    let signers = function!(c"JVM_GetClassSigners" as OfClass).map(Attribute::Function);
    let signers = signers.or_else(|why| field(c"signers", c"[Ljava/lang/Object;").ok_or(why))?;
    let domain = function!(c"JVM_GetProtectionDomain" as OfClass).map(Attribute::Function);
    let protection_domain = domain.or_else(|_| {
        field(c"protectionDomain", c"Ljava/security/ProtectionDomain;").ok_or(NOT_THERE)
    })?;
    let none = [&signers, &protection_domain].map(|attribute| attribute.of(jni, root).is_none());
    drop(jni.take_exception());
    if none == [true; 2] {
        Ok(Signers {
            signers,
            protection_domain,
        })
    } else {
        Err(SOMETHING_ELSE)
    }
}

impl Attribute {
    fn of(&self, jni: Jni, class: ObjectRef<'_>) -> Option<Local> {
        match *self {
            Self::Function(function) => {
                // SAFETY: a live class, on its env's own thread, in native state.
                Local::adopt(jni, unsafe { function(jni.env(), class.to_jni()) })
            }
            Self::Field(id) => jni.object_field(class, id),
        }
    }
}

/// The protection domain of a class.
pub(crate) fn protection_domain(jni: Jni, class: ObjectRef<'_>) -> Option<Local> {
    HOTSPOT.signers.get()?.protection_domain.of(jni, class)
}

/// The signers of a class.
pub(crate) fn signers(jni: Jni, class: ObjectRef<'_>) -> Option<Local> {
    HOTSPOT.signers.get()?.signers.of(jni, class)
}
