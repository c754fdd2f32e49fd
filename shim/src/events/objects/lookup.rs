//! From an id back to its object.

use id_map::{Kind, ObjectId};

use crate::model::classes::CLASSES;
use crate::model::tables::IDS;
use crate::model::{ids, threads};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::Local;

/// The object of a live id.
pub(crate) fn find(jvmti: Jvmti, jni: Jni, id: ObjectId) -> Option<Local> {
    match IDS.kind_of(id)? {
        Kind::Alias => None,
        Kind::Class => match CLASSES.get(id.raw()) {
            Some(class) => class.mirror(jni),
            // A primitive one, or one of the VM's archive that was never loaded.
            None => jvmti.object_with_tag(jni, id.raw()),
        },
        Kind::Thread | Kind::Object => {
            // A record may be there longer than the object of a thread that was collected.
            let of_thread = threads::by_id(id).and_then(|thread| jni.local(thread.object()?.get()));
            of_thread.or_else(|| {
                ids::tag_all(jvmti, jni);
                jvmti.object_with_tag(jni, id.raw())
            })
        }
    }
}
