//! Dumps for an agent whose ids have four bytes.

use dump_format::{Field, Level};
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_EVENT_HEAP_DUMP, JVMPI_EVENT_OBJECT_DUMP};
use lanes::{ClassShape, Dump, Shapes};
use recording_format::Value;

use crate::base::log;
use crate::model::classes::{Anatomy, CLASSES};
use crate::model::ids;

/// The dump among the values of an event, as the agent's process can use it, and its place; `None`
/// if there is none.
///
/// # Errors
/// If it cannot be given to the agent, which has been said.
pub(super) fn narrowed(
    number: i32,
    values: &[Value<'_>],
) -> Result<Option<(usize, Vec<u8>)>, NoDump> {
    let Some(place) = lanes::dump_place(number) else {
        return Ok(None);
    };
    let which = match number {
        JVMPI_EVENT_HEAP_DUMP => {
            let level = values.first().and_then(Value::int);
            let level = level.and_then(|level| Level::from_raw(i32::try_from(level).ok()?));
            Dump::Heap(level.ok_or(NoDump)?)
        }
        JVMPI_EVENT_OBJECT_DUMP => Dump::Object,
        _ => Dump::Monitors,
    };
    let shapes = if which == Dump::Monitors {
        Shapes::new()
    } else {
        shapes()
    };
    let dump = values.get(place).and_then(Value::bytes).ok_or(NoDump)?;
    let dump = lanes::narrow_dump(dump, which, &shapes).map_err(|why| {
        log::warning!("a dump cannot be given to a 32-bit agent: {why}");
        NoDump
    })?;
    Ok(Some((place, dump)))
}

/// The event does not come.
pub(super) struct NoDump;

fn outward(id: ObjectId) -> usize {
    ids::object_id(Some(id)).addr()
}

/// Of all classes that a dump can name.
fn shapes() -> Shapes {
    let shape = |anatomy: &Anatomy| {
        let types = |is_static| {
            let fields = anatomy.fields.iter();
            let fields = fields.filter(move |field: &&Field| field.is_static == is_static);
            fields.map(|field| field.ty).collect()
        };
        ClassShape {
            superclass: anatomy.superclass.map_or(0, outward),
            interfaces: anatomy.interfaces.len(),
            statics: types(true),
            fields: types(false),
        }
    };
    let classes = CLASSES.snapshot();
    let known = classes.iter().filter_map(|class| {
        let anatomy = class.anatomy.get()?;
        Some((outward(class.id), shape(anatomy)))
    });
    known.collect()
}
