//! OBJECT_ALLOC of what is older than the agent's wish to hear of it.

use std::sync::Arc;

use id_map::{Flag, Kind, ObjectId};

use crate::base::log;
use crate::base::progress;
use crate::delivery::announce;
use crate::model::classes;
use crate::model::ids;
use crate::model::ids::Walking;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::{Jvmti, Result};
use crate::vm::heap;
use crate::vm::jni::Jni;
use crate::vm::sizes;

/// OBJECT_ALLOC of every object that is older than the agent's wish to hear of
/// them, mirrors excepted (JVMPI facts B.0).
pub(crate) fn replay(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let walking = Walking::begin(jvmti, jni);
    let described = describe_all(jvmti);
    drop(walking);
    let found = match described {
        Ok(found) => found,
        Err(error) => {
            log::warning!("{error}; objects older than the agent get no OBJECT_ALLOC");
            return;
        }
    };
    for id in found {
        let Some(shape) = IDS.get(id).and_then(|entry| entry.shape) else {
            continue;
        };
        let known = shape.class.and_then(|class| IDS.get(class));
        let known = known.is_none_or(|class| class.has(Flag::KNOWN) && class.has(Flag::PREPARED));
        if known || jni.with_frame(16, || announce::class_of(jvmti, jni, own, shape)) {
            announce::allocation(own, id);
        }
    }
}

/// Describes every object, with a new id if it has none, that was not described
/// before; classes, whose tags must all be set, mirrors and value objects excepted.
fn describe_all(jvmti: Jvmti) -> Result<Vec<ObjectId>> {
    let arena = ids::nursery();
    let mut found = Vec::new();
    heap::each_object(jvmti, |class, size, tag| {
        let class = ObjectId::from_raw(class).filter(|&class| !classes::is_class_of_classes(class));
        let class = class.and_then(|class| IDS.get(class));
        let Some(shape) = class.and_then(|class| class.shape.filter(|_| !class.has(Flag::VALUES)))
        else {
            return;
        };
        let known = ObjectId::from_raw(tag.cast_unsigned());
        let kind = match known.map(|id| IDS.get(id)) {
            None => Kind::Object,
            Some(Some(entry)) if entry.shape.is_none() => entry.kind,
            Some(_) => return,
        };
        let Some(id) = known.or_else(|| IDS.allocate(kind)) else {
            return;
        };
        let size = sizes::bytes(size);
        IDS.describe(id, kind, shape, size, arena);
        found.push(id);
        if found.len().is_multiple_of(1 << 16) {
            // Whoever waits for the walk has patience as long as it goes on.
            progress::note();
        }
        *tag = id.raw().cast_signed();
    })?;
    Ok(found)
}
