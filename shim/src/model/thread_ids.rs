//! The ids of threads' objects.

use std::sync::Arc;

use id_map::{Kind, ObjectId};

use crate::model::tables::{IDS, THREADS_BY_ID};
use crate::model::thread::Thread;
use crate::model::{current, ids};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::mounts;
use crate::vm::jni::Jni;

impl Thread {
    /// The id of the `java.lang.Thread`; given on first need.
    pub(crate) fn id(self: &Arc<Self>, jvmti: Jvmti, jni: Jni) -> Option<ObjectId> {
        let known = self.known_id();
        if known.is_some() {
            return known;
        }
        let held = self.object()?;
        let object = held.get();
        let id = match self.identifier() {
            Some(identifier) if current::is(self) && mounts::knows_virtual() => {
                ids::id_of_virtual_thread(jvmti, jni, object, identifier)
            }
            Some(_) | None => ids::id_of(jvmti, jni, object, Kind::Thread),
        }?;
        IDS.set_kind(id, Kind::Thread);
        if self.set_id(id) {
            THREADS_BY_ID.replace(id.raw(), Arc::clone(self));
        }
        self.known_id()
    }

    /// It is not found by its id any more.
    pub(super) fn forget_id(&self) {
        if let Some(id) = self.known_id() {
            THREADS_BY_ID.remove(id.raw());
        }
    }
}
