//! Links a class without initialising it.
//!
//! JVMTI and JNI have nothing for that; asking HotSpot for the class's public
//! constructors does it as a side effect (the function behind
//! `Class.getConstructors`, exported by libjvm on every JDK from 8 to 26).
#![allow(unsafe_code, reason = "a function of libjvm found by name")]

use crate::vm::hotspot::found::{GetConstructors, HOTSPOT, SOMETHING_ELSE, Why, function};
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};

/// `root` is `java.lang.Object`.
pub(in crate::vm::hotspot) fn find(jni: Jni, root: ObjectRef<'_>) -> Result<GetConstructors, Why> {
    let function = function!(c"JVM_GetClassDeclaredConstructors" as GetConstructors)?;
    let found = constructors(jni, function, root);
    let one = found.is_some_and(|found| jni.array_length(found.get()) == 1);
    if one {
        Ok(function)
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// Links the class; false if the VM cannot or the class does not verify. A
/// pending exception of the caller survives, one of the linking is dropped.
pub(crate) fn link(jni: Jni, class: ObjectRef<'_>) -> bool {
    let Some(&function) = HOTSPOT.link.get() else {
        return false;
    };
    let _aside = ExceptionAside::put(jni);
    constructors(jni, function, class).is_some()
}

fn constructors(jni: Jni, function: GetConstructors, class: ObjectRef<'_>) -> Option<Local> {
    // SAFETY: a live class, on its env's own thread, in native state.
    Local::adopt(jni, unsafe { function(jni.env(), class.to_jni(), 1) })
}
