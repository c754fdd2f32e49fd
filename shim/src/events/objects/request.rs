//! RequestEvent(OBJECT_ALLOC).

use std::sync::Arc;

use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId, Shape};
use jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;

use crate::base::patience;
use crate::delivery::announce::object_alloc::{deliver, describe};
use crate::delivery::announce::{self};
use crate::delivery::dispatch::Sent;
use crate::events::objects::lookup::find;
use crate::model::classes;
use crate::model::classes::CLASSES;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// RequestEvent(OBJECT_ALLOC): JVMPI's answer, or `None` for no live id.
pub(crate) fn request(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, id: ObjectId) -> Option<bool> {
    let entry = IDS.get(id)?;
    let mut about = None;
    match entry.kind {
        Kind::Alias => return None,
        Kind::Class if entry.has(Flag::UNLOADED) => return None,
        Kind::Class => {
            let size = match CLASSES.get(id.raw()) {
                Some(class) => class.size(jvmti, jni)?,
                None => jvmti.object_size(find(jvmti, jni, id)?.get()).ok()?,
            };
            let of_classes = match classes::class_of_classes() {
                Some(id) => CLASSES.get(id.raw())?,
                None => {
                    let of_classes = jni.class_of(find(jvmti, jni, id)?.get())?;
                    classes::of(jvmti, jni, of_classes.get())?
                }
            };
            announce::class(
                jvmti,
                jni,
                own,
                &of_classes,
                patience::DEFINITION_UNDER_LOCKS,
            );
            // The one object without a class: agents that go from class to class
            // would not stop otherwise (JVMPI facts B.2).
            let its_class = (id != of_classes.id).then_some(of_classes.id);
            let shape = Shape {
                class: its_class,
                array: 0,
            };
            about = Some((shape, size));
        }
        Kind::Object | Kind::Thread if entry.shape.is_none() => {
            let object = find(jvmti, jni, id)?;
            let class = jni.class_of(object.get())?;
            let class = classes::of(jvmti, jni, class.get())?;
            describe(jvmti, object.get(), id, entry.kind, class.id);
        }
        Kind::Object | Kind::Thread => {}
    }
    if about.is_none()
        && let Some(shape) = IDS.get(id)?.shape
    {
        announce::class_of(jvmti, jni, own, shape);
    }
    let event_type = EventKind::ObjectAlloc.raw() | JVMPI_REQUESTED_EVENT;
    Some(deliver(own, id, about, event_type) == Sent::Yes)
}
