//! JNI_GLOBALREF_ALLOC, JNI_GLOBALREF_FREE, JNI_WEAK_GLOBALREF_ALLOC and
//! JNI_WEAK_GLOBALREF_FREE: references that go through JNI. The VM's own handles, and the shim's,
//! are nobody's business.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_Event_jni_globalref_alloc, JVMPI_Event_jni_globalref_free};

use crate::base::patience;
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::{announce, deferred, worker};
use crate::events::references::known::{self, Behind, Early, Free, Telling, Turn, Until};
use crate::events::references::orphans::{self, Taken};
use crate::model::classes::CLASSES;
use crate::model::deferred::Deferred;
use crate::model::ids;
use crate::model::kept_ids::KeptId;
use crate::model::thread::Thread;
use crate::model::thread_object::HeldObject;
use crate::model::threads;
use crate::model::{attention, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};
use crate::vm::this_vm;

/// The strong references that the agent has been told of, by the id of their object.
pub(crate) fn strong() -> HashMap<ObjectId, Vec<usize>> {
    known::strong()
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
    while let Some((early, telling)) = known::take_early(waits) {
        tell_created(own, early.kind, class, early.reference, Some(telling));
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
        while let Some((early, telling)) = known::take_early(waits) {
            let (kind, reference) = (early.kind, early.reference);
            if let Until::Started { object, .. } = &early.until {
                let object = object.get();
                define(jvmti, jni, own, kind, object, reference, Some(telling));
            }
        }
    }
}

/// `telling`: it was taken for that, and may be deleted meanwhile.
fn tell_created(
    own: &Thread,
    kind: EventKind,
    object: ObjectId,
    reference: usize,
    telling: Option<Telling>,
) {
    settle(own, reference);
    let telling = telling.unwrap_or_else(|| Telling::begin(reference));
    if telling.is_due(kind, object) {
        tell(own, kind, object, reference, telling);
    }
}

/// Sends the ALLOC, or keeps it; and the FREE, if it is deleted meanwhile.
fn tell(own: &Thread, kind: EventKind, object: ObjectId, reference: usize, telling: Telling) {
    let sent = deliver(own, kind, Some(object), reference);
    if sent == Sent::Later {
        if let Some(number) = telling.keeps(kind, object, own.env) {
            let object = KeptId::new(object);
            own.keep(KeptAlloc {
                kind,
                object,
                reference,
                number,
            });
        }
    } else if telling.ends(kind, object, sent == Sent::Yes) {
        send_orphans(own);
        worker::wake();
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
        define(jvmti, jni, &own, kind, object.get(), reference, None);
    } else if let Some(object) = Global::new(jni, object.get()) {
        let by = current::key();
        let until = Until::Started { by, object };
        Telling::begin(reference).waits(Early {
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
    telling: Option<Telling>,
) {
    let Some(id) = announce::object(jvmti, jni, own, object) else {
        return;
    };
    let Some(class) = CLASSES.get(id.raw()).filter(|class| class.owes_its_load()) else {
        return tell_created(own, kind, id, reference, telling);
    };
    let telling = telling.unwrap_or_else(|| Telling::begin(reference));
    telling.waits(Early {
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
    let reference = reference.number();
    let by = current::with_own(|own| own.env).unwrap_or_default();
    let behind = match known::delete(kind, reference, by) {
        Free::NotHere => return,
        Free::Here => None,
        Free::Behind(behind) => Some(behind),
    };
    if !dispatch::reaches_agent(kind) {
        return;
    }
    if current::has_ended() {
        // In somebody else's callback, as jdwp's that comes behind ours.
        orphans::leave(kind, reference);
        worker::wake();
        return;
    }
    let (Some(jvmti), Some(own)) = (this_vm::jvmti(), threads::own()) else {
        return;
    };
    let _aside = ExceptionAside::put(jni);
    if is_attaching(jvmti, jni, &own) {
        // Not kept until its THREAD_START: somebody else may get the same reference before.
        orphans::leave(kind, reference);
        worker::wake();
        return;
    }
    announce::introduce(jvmti, jni, &own);
    send_orphans(&own);
    if behind.is_none() {
        return send_free(&own, kind, reference, None);
    }
    // In its place behind the ALLOC, and now if that may be.
    own.keep(KeptFree {
        kind,
        reference,
        behind,
    });
    deferred::flush(jvmti, jni, &own);
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
    let tell = |orphan: Taken| send_free(own, orphan.kind, orphan.reference, None);
    known::overtake(reference, own.env);
    patience::FREE_BEFORE_ALLOC.until(|| {
        // Another one may have put it back.
        orphans::take(|one| one == reference).map(tell);
        !orphans::is_with_another(reference) && !known::is_with_another(reference, own.env)
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

/// Sends a FREE, or keeps it; `behind` an ALLOC that was kept.
fn send_free(own: &Thread, kind: EventKind, reference: usize, behind: Option<Behind>) {
    if deliver(own, kind, None, reference) == Sent::Later {
        own.keep(KeptFree {
            kind,
            reference,
            behind,
        });
    }
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

/// An ALLOC that waits.
#[derive(Debug)]
struct KeptAlloc {
    kind: EventKind,
    object: KeptId,
    reference: usize,
    /// What [`known`] has it by.
    number: u64,
}

impl Deferred<Thread> for KeptAlloc {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        let (kind, object, reference) = (self.kind, self.object.id(), self.reference);
        match known::take_kept(self.number) {
            Turn::Lives(telling) => tell_created(own, kind, object, reference, Some(telling)),
            Turn::Deleted => match deliver(own, kind, Some(object), reference) {
                Sent::Later => own.keep(*self),
                sent @ (Sent::Yes | Sent::No) => {
                    Behind::alloc_was(self.number, sent == Sent::Yes);
                }
            },
            Turn::Gone => {}
        }
    }
}

/// A FREE that waits.
#[derive(Debug)]
struct KeptFree {
    kind: EventKind,
    reference: usize,
    behind: Option<Behind>,
}

impl Deferred<Thread> for KeptFree {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        let Self {
            kind,
            reference,
            behind,
        } = *self;
        if behind.as_ref().is_none_or(Behind::is_due) {
            send_free(own, kind, reference, behind);
        }
    }
}
