//! JNI_GLOBALREF_ALLOC, JNI_GLOBALREF_FREE, JNI_WEAK_GLOBALREF_ALLOC and
//! JNI_WEAK_GLOBALREF_FREE: references that go through JNI. The VM's own handles, and the shim's,
//! are nobody's business.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_Event_jni_globalref_alloc, JVMPI_Event_jni_globalref_free};

use parking_lot::Mutex;

use crate::delivery::announce;
use crate::delivery::dispatch::{self, Sent};
use crate::model::classes::CLASSES;
use crate::model::classes::Class;
use crate::model::deferred::Deferred;
use crate::model::ids;
use crate::model::thread::Thread;
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// References whose ALLOC was due, with their objects: only their FREE is.
static TOLD: Mutex<Option<HashMap<usize, (EventKind, ObjectId)>>> = Mutex::new(None);

/// The strong references that the agent has been told of, by the id of their object.
pub(crate) fn strong() -> HashMap<ObjectId, Vec<usize>> {
    let mut strong: HashMap<_, Vec<usize>> = HashMap::new();
    for (&reference, &(kind, object)) in TOLD.lock().iter().flatten() {
        if kind == EventKind::JniGlobalrefAlloc {
            strong.entry(object).or_default().push(reference);
        }
    }
    strong
}

/// A reference to a class that has no CLASS_LOAD yet, because it is loaded but not
/// linked. (Linking it would run the program's loaders in the middle of native code.)
struct Early {
    class: Arc<Class>,
    kind: EventKind,
    reference: usize,
}

static EARLY: Mutex<Vec<Early>> = Mutex::new(Vec::new());
/// Whether there are any: read without the lock.
static ANY_EARLY: AtomicBool = AtomicBool::new(false);

/// Takes out those that `which` names.
fn take_early(which: impl Fn(&Early) -> bool) -> Vec<Early> {
    if !ANY_EARLY.load(Ordering::SeqCst) {
        return Vec::new();
    }
    let mut early = EARLY.lock();
    let (taken, left) = early.drain(..).partition(which);
    *early = left;
    ANY_EARLY.store(!early.is_empty(), Ordering::SeqCst);
    taken
}

/// The class has had its CLASS_LOAD: the references that waited for it follow, on
/// the thread that sent it.
pub(crate) fn class_announced(own: &Thread, class: ObjectId) {
    // The class is told of before it is asked who waits for that. Partner: [`created`].
    fence(Ordering::SeqCst);
    for early in take_early(|early| early.class.id == class) {
        tell_created(own, early.kind, class, early.reference);
    }
}

fn tell_created(own: &Thread, kind: EventKind, object: ObjectId, reference: usize) {
    let told = (kind, object);
    TOLD.lock().get_or_insert_default().insert(reference, told);
    if send(own, kind, Some(object), reference) == Sent::No {
        let mut all = TOLD.lock();
        let all = all.get_or_insert_default();
        if all.get(&reference) == Some(&told) {
            all.remove(&reference);
        }
    }
}

/// A reference was made.
pub(crate) fn created(jni: Jni, kind: EventKind, reference: ObjectRef<'_>) {
    if !dispatch::reaches_agent(kind) {
        return;
    }
    let (Some(jvmti), Some(own)) = (this_vm::jvmti(), threads::own()) else {
        return;
    };
    let _aside = ExceptionAside::put(jni);
    announce::introduce(jvmti, jni, &own);
    // A weak reference may have lost its object already.
    if let Some(object) = jni.local(reference)
        && let Some(id) = announce::object(jvmti, jni, &own, object.get())
    {
        let reference = reference.number();
        match CLASSES.get(id.raw()).filter(|class| class.owes_its_load()) {
            Some(class) => {
                EARLY.lock().push(Early {
                    class: Arc::clone(&class),
                    kind,
                    reference,
                });
                ANY_EARLY.store(true, Ordering::SeqCst);
                fence(Ordering::SeqCst);
                if !class.owes_its_load() {
                    // Another thread has sent it meanwhile, and may have seen nothing here.
                    class_announced(&own, id);
                }
            }
            None => tell_created(&own, kind, id, reference),
        }
    }
}

/// A reference is about to be deleted.
pub(crate) fn deleted(jni: Jni, kind: EventKind, reference: ObjectRef<'_>) {
    take_early(|early| early.reference == reference.number());
    let told = {
        let mut told = TOLD.lock();
        told.as_mut()
            .and_then(|told| told.remove(&reference.number()))
    };
    if told.is_none() || !dispatch::reaches_agent(kind) {
        return;
    }
    let (Some(jvmti), Some(own)) = (this_vm::jvmti(), threads::own()) else {
        return;
    };
    let _aside = ExceptionAside::put(jni);
    announce::introduce(jvmti, jni, &own);
    send(&own, kind, None, reference.number());
}

/// Sends one of the four, or keeps it.
pub(crate) fn send(
    own: &Thread,
    kind: EventKind,
    object: Option<ObjectId>,
    reference: usize,
) -> Sent {
    let ref_id = std::ptr::with_exposed_provenance_mut(reference);
    let sent = dispatch::deliver_in_turn(own, kind.raw(), |event| {
        if object.is_some() {
            event.u.jni_globalref_alloc = JVMPI_Event_jni_globalref_alloc {
                obj_id: ids::object_id(object),
                ref_id,
            };
        } else {
            event.u.jni_globalref_free = JVMPI_Event_jni_globalref_free { ref_id };
        }
    });
    if sent == Sent::Later {
        own.keep(Reference(kind, object, reference));
    }
    sent
}

/// One of the four that waits.
#[derive(Debug)]
struct Reference(EventKind, Option<ObjectId>, usize);

impl Deferred<Thread> for Reference {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        send(own, self.0, self.1, self.2);
    }
}
