//! What calls the constructor of virtual threads: whose stack has it may be making one.

use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::class_loaders;
use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, Why};
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;

/// The methods; `None` if it is not known which they are, or if nobody has used their class yet.
pub(crate) fn methods(jvmti: Jvmti, jni: Jni) -> Option<&'static [MethodId]> {
    let thing = &HOTSPOT.virtual_thread_makers;
    thing.find_when_there(|| find(jvmti, jni).transpose());
    thing.get().map(Vec::as_slice)
}

/// `None` as long as the class is not linked, or where the stack's end, say, keeps us from it.
fn find(jvmti: Jvmti, jni: Jni) -> Result<Option<Vec<MethodId>>, Why> {
    let class = class_loaders::of_boot_loader(jni, c"java/lang/ThreadBuilders");
    let failed = jni.take_exception().is_some();
    let class = match class {
        None if failed => return Ok(None),
        class => class.ok_or(NOT_THERE)?,
    };
    let Ok(methods) = jvmti.methods(class.get()) else {
        return Ok(None);
    };
    let is_maker = |&method: &MethodId| {
        let name = jvmti.method_name(method);
        name.is_ok_and(|(name, _)| name.bytes() == b"newVirtualThread")
    };
    let makers: Vec<_> = methods
        .as_slice()
        .iter()
        .copied()
        .filter(is_maker)
        .collect();
    if makers.is_empty() {
        return Err(NOT_THERE);
    }
    Ok(Some(makers))
}
