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

use crate::base::patience;
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::{announce, worker};
use crate::events::references::orphans::{self, Taken};
use crate::model::classes::CLASSES;
use crate::model::classes::Class;
use crate::model::deferred::Deferred;
use crate::model::ids;
use crate::model::thread::Thread;
use crate::model::thread_object::HeldObject;
use crate::model::threads;
use crate::model::{attention, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};
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

/// A reference that cannot be told of yet.
struct Early {
    until: Until,
    kind: EventKind,
    reference: usize,
}

/// What has to come first.
enum Until {
    /// CLASS_LOAD: the reference is to a class that is loaded and not linked. (Linking it would run
    /// the program's loaders in the middle of native code.)
    Loaded(Arc<Class>),
    /// THREAD_START: it was made in AttachCurrentThread (JVMTI facts 18), by the thread with this key,
    /// and is to this object. (Not its env: if attaching fails, the next thread may get that.)
    Started { by: u64, object: Global },
}

static EARLY: Mutex<Vec<Early>> = Mutex::new(Vec::new());
/// Whether there are any: read without the lock.
static ANY_EARLY: AtomicBool = AtomicBool::new(false);

fn wait(early: Early) {
    EARLY.lock().push(early);
    ANY_EARLY.store(true, Ordering::SeqCst);
    fence(Ordering::SeqCst);
}

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
    // The class is told of before it is asked who waits for that. Partner: [`wait`].
    fence(Ordering::SeqCst);
    let waits = |early: &Early| match &early.until {
        Until::Loaded(waited) => waited.id == class,
        Until::Started { .. } => false,
    };
    for early in take_early(waits) {
        tell_created(own, early.kind, class, early.reference);
    }
}

/// The references that waited for the THREAD_START of their thread.
#[derive(Debug)]
struct OfStart;

impl Deferred<Thread> for OfStart {
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
        let me = current::key();
        let waits = |early: &Early| match &early.until {
            Until::Loaded(_) => false,
            Until::Started { by, .. } => *by == me,
        };
        for early in take_early(waits) {
            if let Until::Started { object, .. } = &early.until {
                define(jvmti, jni, own, early.kind, object.get(), early.reference);
            }
        }
    }
}

fn tell_created(own: &Thread, kind: EventKind, object: ObjectId, reference: usize) {
    settle(own, reference);
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
    let Some(jvmti) = this_vm::jvmti().filter(|_| !current::has_ended()) else {
        // Nobody hears of what is made in somebody else's callback behind the thread's end.
        return;
    };
    let Some(own) = threads::own() else { return };
    let _aside = ExceptionAside::put(jni);
    let attaching = is_attaching(jvmti, jni, &own);
    if !attaching {
        announce::introduce(jvmti, jni, &own);
        send_orphans(&own);
    }
    // A weak reference may have lost its object already.
    let Some(object) = jni.local(reference) else {
        return;
    };
    let reference = reference.number();
    if !attaching {
        define(jvmti, jni, &own, kind, object.get(), reference);
    } else if let Some(object) = Global::new(jni, object.get()) {
        let by = current::key();
        let until = Until::Started { by, object };
        wait(Early {
            until,
            kind,
            reference,
        });
        own.keep(OfStart);
    }
}

/// Tells of a reference to the object, when what it names has been told.
fn define(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    kind: EventKind,
    object: ObjectRef<'_>,
    reference: usize,
) {
    let Some(id) = announce::object(jvmti, jni, own, object) else {
        return;
    };
    let Some(class) = CLASSES.get(id.raw()).filter(|class| class.owes_its_load()) else {
        return tell_created(own, kind, id, reference);
    };
    wait(Early {
        until: Until::Loaded(Arc::clone(&class)),
        kind,
        reference,
    });
    if !class.owes_its_load() {
        // Another thread has sent it meanwhile, and may have seen nothing here.
        class_announced(own, id);
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
    if current::has_ended() {
        // In somebody else's callback, as jdwp's that comes behind ours.
        orphans::leave(kind, reference.number());
        worker::wake();
        return;
    }
    let (Some(jvmti), Some(own)) = (this_vm::jvmti(), threads::own()) else {
        return;
    };
    let _aside = ExceptionAside::put(jni);
    if is_attaching(jvmti, jni, &own) {
        // Not kept until its THREAD_START: somebody else may get the same reference before.
        orphans::leave(kind, reference.number());
        worker::wake();
        return;
    }
    announce::introduce(jvmti, jni, &own);
    send_orphans(&own);
    send(&own, kind, None, reference.number());
}

/// Sends what ended threads have left, on the calling one. What cannot be sent now stays. Where there
/// is no worker, which these events alone do not need, the next thread does it that starts or tells of a
/// reference, or the last one at the VM's end.
pub(crate) fn send_orphans(own: &Thread) {
    while let Some(orphan) = orphans::take(|_| true) {
        if deliver(own, orphan.kind, None, orphan.reference) == Sent::Later {
            return orphan.put_back();
        }
    }
}

/// The VM has given a reference of this number once more: before that is told of, the FREE of the one
/// before has been.
fn settle(own: &Thread, reference: usize) {
    let tell = |orphan: Taken| send(own, orphan.kind, None, orphan.reference);
    patience::FREE_BEFORE_ALLOC.until(|| {
        // Another one may have put it back.
        orphans::take(|one| one == reference).map(tell);
        !orphans::is_with_another(reference)
    });
}

/// Whether the calling thread's THREAD_START is still to come, and with it what it has to tell.
fn is_attaching(jvmti: Jvmti, jni: Jni, own: &Thread) -> bool {
    if own.attention() & attention::UNMET == 0 {
        // Nearly always.
        return false;
    }
    threads::name_own(jvmti, jni, own);
    threads::is_attaching(jvmti, own, own.object().as_ref().map(HeldObject::get))
}

/// Sends one of the four, or keeps it.
fn send(own: &Thread, kind: EventKind, object: Option<ObjectId>, reference: usize) -> Sent {
    let sent = deliver(own, kind, object, reference);
    if sent == Sent::Later {
        own.keep(Reference(kind, object, reference));
    }
    sent
}

/// Sends one of the four.
fn deliver(own: &Thread, kind: EventKind, object: Option<ObjectId>, reference: usize) -> Sent {
    let ref_id = std::ptr::with_exposed_provenance_mut(reference);
    dispatch::deliver_in_turn(own, kind.raw(), |event| {
        if object.is_some() {
            event.u.jni_globalref_alloc = JVMPI_Event_jni_globalref_alloc {
                obj_id: ids::object_id(object),
                ref_id,
            };
        } else {
            event.u.jni_globalref_free = JVMPI_Event_jni_globalref_free { ref_id };
        }
    })
}

/// One of the four that waits.
#[derive(Debug)]
struct Reference(EventKind, Option<ObjectId>, usize);

impl Deferred<Thread> for Reference {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        send(own, self.0, self.1, self.2);
    }
}
