//! OBJECT_ALLOC of an object that is named before the VM has told of it.

use std::sync::Arc;

use event_translate::class_name;
use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId, Shape};
use jvmpi_headers::jni::jobject;
use jvmpi_headers::jvmpi::{JVMPI_Event_obj_alloc, JVMPI_REQUESTED_EVENT};

use crate::base::config;
use crate::delivery::announce::{self, Patience};
use crate::delivery::dispatch::{self, Sent};
use crate::model::deferred::Deferred;
use crate::model::ids;
use crate::model::tables::{CLASSES, IDS};
use crate::model::thread::Thread;
use crate::model::{classes, wanted};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// The id of an object that an event or an answer is about to name; what defines
/// it is sent first.
pub(crate) fn object(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    object: jobject,
) -> Option<ObjectId> {
    let class_object = jni.class_of(object)?;
    let class = classes::of(jvmti, jni, class_object.get())?;
    if classes::is_class_of_classes(class.id) {
        let class = classes::of(jvmti, jni, object)?;
        // One that is not linked has none yet, and is an object like any other.
        announce::class(jvmti, jni, own, &class, Patience::Short);
        IDS.set(class.id, Flag::KNOWN);
        return Some(class.id);
    }
    let id = ids::id_of(jvmti, jni, object, Kind::Object)?;
    let entry = IDS.get(id)?;
    if entry.shape.is_none() {
        describe(jvmti, object, id, entry.kind, class.id);
    }
    if !entry.has(Flag::ALLOCATED) && dispatch::reaches_agent(EventKind::ObjectAlloc) {
        announce::make_ready(jvmti, jni, own, &class);
        allocation(own, id);
    }
    IDS.set(id, Flag::KNOWN);
    Some(id)
}

/// Makes sure that an object can be named of which only the id is at hand.
pub(crate) fn object_by_id(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, id: ObjectId) {
    let known = IDS.get(id).is_none_or(|entry| entry.has(Flag::KNOWN));
    if !known && let Some(object) = jvmti.object_with_tag(jni, id.raw()) {
        announce::object(jvmti, jni, own, object.get());
    }
}

/// Writes down class and size of an object that has an id but was never allocated
/// before our eyes.
pub(crate) fn describe(jvmti: Jvmti, object: jobject, id: ObjectId, kind: Kind, class: ObjectId) {
    if let Some(shape) = IDS.get(class).and_then(|entry| entry.shape) {
        let size = jvmti.object_size(object).unwrap_or(0);
        IDS.describe(id, kind, shape, size, ids::nursery());
    }
}

/// Sends the OBJECT_ALLOC of a described object, or keeps it; true if it was sent.
pub(crate) fn allocation(own: &Thread, id: ObjectId) -> bool {
    if !dispatch::reaches_agent(EventKind::ObjectAlloc) {
        IDS.clear(id, Flag::KEPT);
        return false;
    }
    IDS.set(id, Flag::KEPT);
    let sent = deliver(own, id, None, EventKind::ObjectAlloc.raw());
    match sent {
        Sent::Yes | Sent::No => IDS.clear(id, Flag::KEPT),
        Sent::Later => own.keep(Allocation(id)),
    }
    sent == Sent::Yes
}

/// `about`: what cannot be read from the table, of a class.
pub(crate) fn deliver(
    own: &Thread,
    id: ObjectId,
    about: Option<(Shape, u32)>,
    event_type: i32,
) -> Sent {
    let mut new = false;
    let sent = dispatch::pass(own, event_type, || {
        // Only now: until it is told of, the object is in no arena.
        new = IDS.set(id, Flag::ALLOCATED);
        if !new && event_type & JVMPI_REQUESTED_EVENT == 0 {
            // Another thread has just met it, too.
            return false;
        }
        let mut event = dispatch::blank(event_type, own);
        if new {
            IDS.set_arena(id, ids::nursery());
        }
        IDS.set(id, Flag::KNOWN);
        let entry = IDS.get(id);
        let known = entry.and_then(|entry| Some((entry.shape?, entry.size)));
        let shape = about.or(known).map(|(shape, _)| shape);
        let size = about.or(known).map_or(0, |(_, size)| size);
        event.u.obj_alloc = JVMPI_Event_obj_alloc {
            arena_id: entry.map_or(1, |entry| i32::from(entry.arena)),
            class_id: ids::object_id(shape.and_then(shown_class)),
            is_array: shape.map_or(0, |shape| i32::from(shape.array)),
            size: size.cast_signed(),
            obj_id: ids::object_id(Some(id)),
        };
        dispatch::notify(&mut event)
    });
    if sent != Sent::Yes && new {
        IDS.clear(id, Flag::ALLOCATED);
    }
    sent
}

/// Classic told no class of arrays of objects (JVMPI facts C). Nor is one told that the agent
/// could not be told of: the array of a class that is loaded and not linked is as new as any.
pub(crate) fn shown_class(shape: Shape) -> Option<ObjectId> {
    let is_array = shape.array == class_name::ARRAY_OF_REFERENCES;
    let unknown = |class: ObjectId| {
        wanted::listens_no_more(EventKind::ClassLoad)
            && CLASSES
                .get(class.raw())
                .is_some_and(|class| !class.may_be_dumped())
    };
    let hidden = |class: ObjectId| {
        is_array
            && (config::options().host.row().arrays_have_no_class
                || !IDS.has(class, Flag::LINKED)
                || unknown(class))
    };
    shape.class.filter(|&class| !hidden(class))
}

/// What an OBJECT_ALLOC of this shape names has its CLASS_LOAD; false if the object is of a
/// class that the agent cannot be told of, which an array may be without.
pub(crate) fn tell_class(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, shape: Shape) -> bool {
    let class = shape.class.and_then(|class| CLASSES.get(class.raw()));
    let Some(class) = class else { return true };
    if shape.array == 0 {
        announce::make_ready(jvmti, jni, own, &class);
        IDS.has(class.id, Flag::LINKED)
    } else {
        announce::tell(jvmti, jni, own, &class);
        true
    }
}

/// OBJECT_ALLOC that waits; the id has [`Flag::KEPT`], so that it does not die before.
#[derive(Debug)]
pub(crate) struct Allocation(pub(crate) ObjectId);

impl Deferred for Allocation {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        if IDS
            .get(self.0)
            .is_some_and(|entry| !entry.has(Flag::ALLOCATED))
        {
            allocation(own, self.0);
        }
    }
}
