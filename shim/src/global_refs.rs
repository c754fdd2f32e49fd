//! JNI_GLOBALREF_ALLOC and FREE, and the weak ones: references that go through
//! JNI. The VM's own handles, and the shim's, are nobody's business.

use event_translate::EventSet;
use event_translate::table::EventKind;
use id_map::{IdSet, ObjectId};
use jvmpi_headers::jni::jobject;
use jvmpi_headers::jvmpi::{JVMPI_Event_jni_globalref_alloc, JVMPI_Event_jni_globalref_free};

use crate::dispatch::{self, Sent};
use crate::jvmti::jni::Jni;
use crate::kept::Kept;
use crate::threads::{self, Thread};
use crate::{objects, state};

/// The events of this file.
pub(crate) const EVENTS: EventSet = EventSet::of(&[
    EventKind::JniGlobalrefAlloc,
    EventKind::JniGlobalrefFree,
    EventKind::JniWeakGlobalrefAlloc,
    EventKind::JniWeakGlobalrefFree,
]);

/// References whose ALLOC was due: only their FREE is.
static TOLD: IdSet = IdSet::new();

/// A reference was made.
pub(crate) fn created(jni: Jni, kind: EventKind, reference: jobject) {
    if !dispatch::reaches_agent(kind) {
        return;
    }
    let (Some(jvmti), Some(own)) = (state::jvmti(), threads::own()) else {
        return;
    };
    let pending = jni.take_exception();
    dispatch::introduce(jvmti, jni, &own);
    // A weak reference may have lost its object already.
    if let Some(object) = jni.local(reference)
        && let Some(id) = objects::discover(jvmti, jni, &own, object.get())
    {
        TOLD.insert(reference.expose_provenance() as u64);
        send(&own, kind, Some(id), reference.expose_provenance());
    }
    jni.rethrow(pending);
}

/// A reference is about to be deleted.
pub(crate) fn deleted(jni: Jni, kind: EventKind, reference: jobject) {
    if !TOLD.remove(reference.expose_provenance() as u64) || !dispatch::reaches_agent(kind) {
        return;
    }
    let (Some(jvmti), Some(own)) = (state::jvmti(), threads::own()) else {
        return;
    };
    let pending = jni.take_exception();
    dispatch::introduce(jvmti, jni, &own);
    send(&own, kind, None, reference.expose_provenance());
    jni.rethrow(pending);
}

/// Sends one of the four, or keeps it.
pub(crate) fn send(own: &Thread, kind: EventKind, object: Option<ObjectId>, reference: usize) {
    let ref_id = std::ptr::with_exposed_provenance_mut(reference);
    let sent = dispatch::deliver_filled(own, kind.raw(), |event| {
        if object.is_some() {
            event.u.jni_globalref_alloc = JVMPI_Event_jni_globalref_alloc {
                obj_id: dispatch::object_id(object),
                ref_id,
            };
        } else {
            event.u.jni_globalref_free = JVMPI_Event_jni_globalref_free { ref_id };
        }
    });
    if sent == Sent::Later {
        own.keep(Kept::Reference(kind, object, reference));
    }
}
