//! ClassFileLoadHook: what the VM takes in place of a class file that it shows.

use std::ptr;

use jvmpi_headers::jni::{jclass, jobject};

use crate::hooks::{class_file, class_hook};
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// What the agent makes of the file, with hooks in it; `None` if it stays as it is.
pub(crate) fn replacement(
    jvmti: Jvmti,
    jni: Jni,
    being_redefined: jclass,
    loader: jobject,
    name: &[u8],
    file: &[u8],
) -> Option<Vec<u8>> {
    let own = threads::enter(jni, ptr::null_mut())?;
    let being_redefined = if is_called(jvmti, being_redefined, name) {
        being_redefined
    } else {
        ptr::null_mut()
    };
    let agents = class_hook::ask(jvmti, jni, &own, being_redefined, loader, file);
    let shown = agents.as_deref().unwrap_or(file);
    class_file::transform(jvmti, being_redefined, loader, name, file, shown).or(agents)
}

/// Whether a class that is said to be redefined has this name. For the first one of a module
/// the VM runs Java code before it shows its file, and what that code loads is said to be
/// this class, too (HotSpot 11 to 25, measured).
fn is_called(jvmti: Jvmti, class: jclass, name: &[u8]) -> bool {
    !class.is_null()
        && jvmti.class_signature(class).is_ok_and(|signature| {
            let inner = signature.bytes().strip_prefix(b"L");
            inner.and_then(|inner| inner.strip_suffix(b";")) == Some(name)
        })
}
