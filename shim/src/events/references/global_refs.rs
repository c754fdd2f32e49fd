//! JNI_GLOBALREF_ALLOC, JNI_GLOBALREF_FREE, JNI_WEAK_GLOBALREF_ALLOC and
//! JNI_WEAK_GLOBALREF_FREE: references that go through JNI. The VM's own handles, and the shim's,
//! are nobody's business.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_Event_jni_globalref_alloc, JVMPI_Event_jni_globalref_free};
use protocols::references::{Free, Reference, Ticket, Told, Turn};

use crate::base::patience;
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::{announce, worker};
use crate::events::references::known::{
    self, Before, Early, Its, Telling, Until, Waiting, change, teller,
};
use crate::model::classes::CLASSES;
use crate::model::ids::kept_ids::KeptId;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::object::HeldObject;
use crate::model::thread::{Thread, attention, current};
use crate::model::{ids, threads};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};
use crate::vm::this_vm;

/// What JNI makes and deletes.
#[derive(Clone, Copy)]
pub(crate) enum Strength {
    Strong,
    Weak,
}

impl Strength {
    /// The event of one that is made.
    pub(crate) const fn made(self) -> EventKind {
        match self {
            Self::Strong => EventKind::JniGlobalrefAlloc,
            Self::Weak => EventKind::JniWeakGlobalrefAlloc,
        }
    }

    /// The event of one that is deleted.
    pub(crate) const fn deleted(self) -> EventKind {
        match self {
            Self::Strong => EventKind::JniGlobalrefFree,
            Self::Weak => EventKind::JniWeakGlobalrefFree,
        }
    }
}

/// The strong references that the agent has been told of, by the id of their object.
pub(crate) fn strong() -> HashMap<ObjectId, Vec<usize>> {
    let mut strong: HashMap<_, Vec<usize>> = HashMap::new();
    change(|book| {
        for (reference, kind, object) in book.told() {
            if kind == EventKind::JniGlobalrefAlloc {
                strong.entry(object).or_default().push(reference.0);
            }
        }
    });
    strong
}

/// The class has had its CLASS_LOAD: the references that waited for it follow, on
/// the thread that sent it.
pub(crate) fn class_announced(own: &Thread, class: ObjectId) {
    // The class is told of before it is asked who waits for that. Partner: [`Telling::waits`].
    fence(Ordering::SeqCst);
    let waits = |early: &Early| match &early.until {
        Until::Loaded(waited) => waited.id == class,
        Until::Started { .. } => false,
    };
    while let Some((early, telling)) = Telling::of_early(teller(own), waits) {
        tell_taken(own, (early.kind, class), telling);
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
        while let Some((early, telling)) = Telling::of_early(teller(own), waits) {
            let (kind, reference) = (early.kind, early.reference);
            if let Until::Started { object, .. } = &early.until {
                let object = object.get();
                define(jvmti, jni, own, kind, object, reference, Some(telling));
            }
        }
    }
}

/// Tells of a new one, which nobody else knows.
fn tell_created(own: &Thread, its: Its, reference: Reference) {
    // What the thread is just sending is not in its turn with this one.
    let in_turn = own.attention() & attention::FLUSHING == 0;
    let may = settle(own, reference, in_turn);
    tell(
        own,
        its,
        may,
        Telling::begin_due(teller(own), reference, its),
    );
}

/// The same of one that was taken for that, and may be deleted meanwhile.
fn tell_taken(own: &Thread, its: Its, telling: Telling) {
    let may = settle(own, telling.reference, true);
    if telling.is_due(its) {
        tell(own, its, may, telling);
    }
}

/// Sends the ALLOC, or keeps it, as it has to be unless it `may` be sent; and the FREE, if it is deleted meanwhile.
fn tell(own: &Thread, its: Its, may: bool, telling: Telling) {
    let (kind, object) = its;
    let reference = telling.reference;
    let sent = match may {
        true => deliver(own, kind, Some(object), reference),
        false => Sent::Later,
    };
    if sent == Sent::Later {
        if let Some(ticket) = telling.end(|book, ticket| book.keep_alloc(ticket, kind)) {
            own.keep(KeptAlloc {
                kind,
                object: KeptId::new(object),
                waiting: Waiting(ticket),
            });
        }
    } else if telling.end(|book, ticket| book.alloc_told(ticket, sent == Sent::Yes)) {
        send_orphans(own);
        worker::wake();
    }
}

/// A reference was made.
pub(crate) fn created(jni: Jni, strength: Strength, reference: ObjectRef<'_>) {
    let kind = strength.made();
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
    let reference = Reference(reference.number());
    if !attaching {
        define(jvmti, jni, &own, kind, object.get(), reference, None);
    } else if let Some(object) = Global::new(jni, object.get()) {
        let by = current::key();
        let until = Until::Started { by, object };
        Telling::begin(teller(&own), reference).waits(Early {
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
    reference: Reference,
    telling: Option<Telling>,
) {
    let Some(id) = announce::object(jvmti, jni, own, object) else {
        return;
    };
    let Some(class) = CLASSES.get(id.raw()).filter(|class| class.owes_its_load()) else {
        return match telling {
            None => tell_created(own, (kind, id), reference),
            Some(telling) => tell_taken(own, (kind, id), telling),
        };
    };
    let telling = telling.unwrap_or_else(|| Telling::begin(teller(own), reference));
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
pub(crate) fn deleted(jni: Jni, strength: Strength, reference: ObjectRef<'_>) {
    let kind = strength.deleted();
    let reference = Reference(reference.number());
    let by = current::with_own(teller);
    let (free, early) = change(|book| book.delete(by, reference, kind));
    drop(early);
    match free {
        Free::Now if dispatch::reaches_agent(kind) => {}
        Free::Waits(ticket) => {
            let waiting = Waiting(ticket);
            _ = current::with_own(|own| own.keep(KeptFree { reference, waiting }));
            return;
        }
        Free::Now | Free::NotHere => return,
    }
    // In somebody else's callback behind the thread's end, as jdwp's that comes behind ours.
    let own = threads::own().filter(|_| !current::has_ended());
    let (Some(jvmti), Some(own)) = (this_vm::jvmti(), own) else {
        return leave(kind, reference);
    };
    let _aside = ExceptionAside::put(jni);
    if is_attaching(jvmti, jni, &own) {
        // Not kept until its THREAD_START: somebody else may get the same reference before.
        return leave(kind, reference);
    }
    announce::introduce(jvmti, jni, &own);
    send_orphans(&own);
    if deliver(&own, kind, None, reference) == Sent::Later {
        let ticket = change(|book| book.keep_free(Some(teller(&own)), kind, reference));
        own.keep(KeptFree {
            reference,
            waiting: Waiting(ticket),
        });
    }
}

/// Others tell of the FREE.
fn leave(kind: EventKind, reference: Reference) {
    change(|book| book.keep_free(None, kind, reference));
    worker::wake();
}

/// Sends what ended threads have left, on the calling one. What cannot be sent now stays. Where there
/// is no worker, which these events alone do not need, the next thread does it that starts or tells of a
/// reference, or the last one at the VM's end.
pub(crate) fn send_orphans(own: &Thread) {
    while known::is_any_open() {
        let orphan = change(|book| book.begin_orphan(teller(own)));
        let Some((ticket, kind, reference)) = orphan else {
            return;
        };
        if send_free(own, ticket, kind, reference) == Sent::Later {
            return;
        }
    }
}

/// The VM has given a reference of this number once more: before that is told of, the FREE of the one
/// before has been. False if that waits, in front of what the thread keeps from now on.
fn settle(own: &Thread, reference: Reference, in_turn: bool) -> bool {
    let mut may = true;
    if !known::is_any_open() {
        return may;
    }
    patience::FREE_BEFORE_ALLOC.until(|| {
        loop {
            match change(|book| book.before(teller(own), reference, in_turn)) {
                Before::Nothing => return true,
                Before::Another => return false,
                Before::Free(ticket, kind) => {
                    if send_free(own, ticket, kind, reference) == Sent::Later {
                        let waiting = Waiting(ticket);
                        own.keep(KeptFree { reference, waiting });
                        may = false;
                        return true;
                    }
                }
            }
        }
    });
    may
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

/// Sends a FREE that waited, and that the calling thread has begun to tell of.
fn send_free(own: &Thread, ticket: Ticket, kind: EventKind, reference: Reference) -> Sent {
    let sent = if dispatch::reaches_agent(kind) {
        deliver(own, kind, None, reference)
    } else {
        Sent::No
    };
    change(|book| book.end_free(ticket, told(sent)));
    sent
}

fn told(sent: Sent) -> Told {
    match sent {
        Sent::Yes => Told::Yes,
        Sent::No => Told::No,
        Sent::Later => Told::Later,
    }
}

/// Sends one of the four.
fn deliver(own: &Thread, kind: EventKind, object: Option<ObjectId>, reference: Reference) -> Sent {
    let ref_id = std::ptr::with_exposed_provenance_mut(reference.0);
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
    waiting: Waiting,
}

impl Deferred<Thread> for KeptAlloc {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        let (kind, object, ticket) = (self.kind, self.object.id(), self.waiting.0);
        let me = teller(own);
        match change(|book| book.turn(me, ticket)) {
            Turn::Lives(reference, telling) => {
                tell_taken(own, (kind, object), Telling::of(reference, telling));
            }
            Turn::Both(reference) => {
                let sent = match settle(own, reference, true) {
                    true => deliver(own, kind, Some(object), reference),
                    false => Sent::Later,
                };
                let is_due = change(|book| book.both_told(ticket, told(sent)));
                if sent == Sent::Later {
                    return own.keep(*self);
                }
                if is_due {
                    let waiting = Waiting(ticket);
                    KeptFree { reference, waiting }.send_here(own);
                }
            }
            Turn::Gone => {}
        }
        self.waiting.over();
    }
}

/// A FREE that waits.
#[derive(Debug)]
struct KeptFree {
    reference: Reference,
    waiting: Waiting,
}

impl KeptFree {
    fn send_here(self, own: &Thread) {
        let ticket = self.waiting.0;
        if let Some(kind) = change(|book| book.begin_free(teller(own), ticket))
            && send_free(own, ticket, kind, self.reference) == Sent::Later
        {
            return own.keep(self);
        }
        self.waiting.over();
    }
}

impl Deferred<Thread> for KeptFree {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        self.send_here(own);
    }
}
