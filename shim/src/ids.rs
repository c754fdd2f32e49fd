//! Gives objects their ids: the JVMTI tag is the id.

use std::sync::Arc;

use id_map::{Begin, Kind, ObjectId};
use jvmpi_headers::jni::jobject;

use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::jvmti::refs::Global;
use crate::log;
use crate::state::{CLAIMS, IDS};

/// The object's id; a new one if it had none. `None` when the VM refuses (too
/// early, or a dead object) or all ids are used up.
///
/// # Threads
/// Any; several threads that meet an object for the first time agree on one id
/// ([`id_map::Claims`]).
pub(crate) fn id_of(jvmti: Jvmti, jni: Jni, object: jobject, kind: Kind) -> Option<ObjectId> {
    if let Some(id) = tagged(jvmti, object)? {
        return Some(id);
    }
    let hash = jvmti.hash_code(object).ok()?;
    let reference = Arc::new(Global::new(jni, object)?);
    let Some(own) = IDS.allocate(kind) else {
        log::warn_once!("all object ids are used up; new objects get none");
        return None;
    };
    let mut seen = Vec::new();
    while let Begin::Compare(others) = CLAIMS.begin(hash, own, &reference, &seen) {
        for (other, its) in others {
            if jni.same(its.get(), object) {
                IDS.release(own);
                return Some(tagged(jvmti, object)?.unwrap_or(other));
            }
            seen.push(other);
        }
    }
    let first = tagged(jvmti, object).flatten();
    let tagged = first.is_some() || jvmti.set_tag(object, own.raw()).is_ok();
    CLAIMS.end(own);
    if let Some(first) = first {
        IDS.release(own);
        return Some(first);
    }
    tagged.then_some(own)
}

/// The id the object has already; the outer `None` means the VM refused.
pub(crate) fn tagged(jvmti: Jvmti, object: jobject) -> Option<Option<ObjectId>> {
    jvmti.tag(object).ok().map(ObjectId::from_raw)
}
