//! Has the VM take new code for classes that are loaded, and knows on which threads that is ours.

use crate::hooks::skipped;
use crate::model::{attention, current};
use crate::vm::env::Jvmti;
use crate::vm::refs::ObjectRef;

/// All of them that the VM can do: one that it refuses is found by halving.
pub(crate) fn retransform(jvmti: Jvmti, mirrors: &[ObjectRef<'_>]) {
    if mirrors.is_empty() {
        return;
    }
    let Err(error) = jvmti.retransform(mirrors) else {
        return;
    };
    if error.is_too_late() {
        return;
    }
    if let [mirror] = *mirrors {
        let signature = jvmti.class_signature(mirror);
        let name = signature.as_ref().map_or(&b"?"[..], |name| name.bytes());
        skipped::class(name, &format!("not rewritten, {error}"));
    } else {
        let (some, others) = mirrors.split_at(mirrors.len() / 2);
        retransform(jvmti, some);
        retransform(jvmti, others);
    }
}

/// Whether the calling thread defines or retransforms classes for us: no agent has to
/// hear of that.
pub(crate) fn is_ours() -> bool {
    current::with_own(|own| own.attention() & attention::REWRITING != 0) == Some(true)
}
