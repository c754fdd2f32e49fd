//! Has the VM take new code for classes that are loaded, and knows on which threads that is ours.

use crate::hooks::blind_spots;
use crate::model::thread::{attention, current};
use crate::vm::env::Jvmti;
use crate::vm::refs::ObjectRef;

/// All of them that the VM can do: one that it refuses is found by halving. Which those are.
pub(crate) fn retransform<C: Copy>(jvmti: Jvmti, classes: &[(C, ObjectRef<'_>)]) -> Vec<C> {
    if classes.is_empty() {
        return Vec::new();
    }
    let mirrors: Vec<_> = classes.iter().map(|&(_, mirror)| mirror).collect();
    let Err(error) = jvmti.retransform(&mirrors) else {
        return classes.iter().map(|&(class, _)| class).collect();
    };
    if error.is_too_late() {
        return Vec::new();
    }
    if let [mirror] = *mirrors {
        let signature = jvmti.class_signature(mirror);
        let name = signature.as_ref().map_or(&b"?"[..], |name| name.bytes());
        let name = name.strip_prefix(b"L").unwrap_or(name);
        let name = name.strip_suffix(b";").unwrap_or(name);
        blind_spots::class(name, &format!("not rewritten, {error}"));
        Vec::new()
    } else {
        let (some, others) = classes.split_at(classes.len() / 2);
        let mut done = retransform(jvmti, some);
        done.extend(retransform(jvmti, others));
        done
    }
}

/// Whether the calling thread defines or retransforms classes for us: no agent has to
/// hear of that.
pub(crate) fn is_ours() -> bool {
    current::with_own(|own| own.attention() & attention::REWRITING != 0) == Some(true)
}
