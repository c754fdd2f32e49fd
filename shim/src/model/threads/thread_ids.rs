//! The ids of threads' objects.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use id_map::{Kind, ObjectId};

use crate::model::ids;
use crate::model::tables::{IDS, THREADS_BY_ID, VIRTUAL_BY_ID};
use crate::model::thread::{Thread, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;

impl Thread {
    /// The id of the `java.lang.Thread`; given on first need.
    pub(crate) fn id(self: &Arc<Self>, jvmti: Jvmti, jni: Jni) -> Option<ObjectId> {
        let known = self.known_id();
        if known.is_some() {
            return known;
        }
        let object = self.object()?;
        let object = object.get();
        let id = match self.identifier() {
            Some(identifier) if current::is(self) && mounts::knows_virtual() => {
                let owes_tag = |id| self.has_id(id, true);
                ids::id_of_calling(jvmti, jni, object, identifier, owes_tag)
            }
            Some(_) | None => ids::id_of(jvmti, jni, object, Kind::Thread),
        }?;
        self.has_id(id, false);
        self.known_id()
    }

    /// It has this id, unless it has it already.
    fn has_id(self: &Arc<Self>, id: ObjectId, owes_tag: bool) {
        IDS.set_kind(id, Kind::Thread);
        if self.set_id(id, owes_tag) && self.is_found_by_id() {
            self.add_by_id();
        }
    }

    fn is_found_by_id(&self) -> bool {
        // Whoever begins to have virtual ones found sees this one's id, or is seen here.
        fence(Ordering::SeqCst);
        // Relaxed: behind a fence, on both sides.
        !self.is_virtual() || VIRTUAL_BY_ID.load(Ordering::Relaxed)
    }

    /// It is found by its id, if it has one.
    pub(super) fn add_by_id(self: &Arc<Self>) {
        if let Some(id) = self.known_id() {
            THREADS_BY_ID.replace(id.raw(), Arc::clone(self));
        }
    }

    /// It is not found by its id any more.
    pub(super) fn forget_id(&self) {
        if let Some(id) = self.known_id()
            && self.is_found_by_id()
        {
            THREADS_BY_ID.remove_own(id.raw(), self);
        }
    }
}
