//! OBJECT_ALLOC of an object that has its id.

use event_translate::class_name;
use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId, Shape};
use jvmpi_headers::jvmpi::{JVMPI_Event_obj_alloc, JVMPI_REQUESTED_EVENT};

use crate::base::config;
use crate::delivery::announce::once::Told;
use crate::delivery::dispatch::{self, Sent};
use crate::model::classes::CLASSES;
use crate::model::ids;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::refs::ObjectRef;

/// Writes down class and size of an object that has an id but was never allocated
/// before our eyes.
pub(crate) fn describe(
    jvmti: Jvmti,
    object: ObjectRef<'_>,
    id: ObjectId,
    kind: Kind,
    class: ObjectId,
) {
    if let Some(shape) = IDS.get(class).and_then(|entry| entry.shape) {
        let size = jvmti.object_size(object).unwrap_or(0);
        IDS.describe(id, kind, shape, size, ids::nursery());
    }
}

/// Sends the OBJECT_ALLOC of a described object unless it was sent. [`Told::Later`] leaves it with
/// [`Flag::KEPT`].
pub(super) fn send(own: &Thread, id: ObjectId) -> Told {
    if dispatch::reaches_agent(EventKind::ObjectAlloc) {
        IDS.set(id, Flag::KEPT);
        if deliver(own, id, None, EventKind::ObjectAlloc.raw()) == Sent::Later {
            return Told::Later;
        }
    }
    IDS.clear(id, Flag::KEPT);
    Told::Yes
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
                || !IDS.has(class, Flag::PREPARED)
                || unknown(class))
    };
    shape.class.filter(|&class| !hidden(class))
}
