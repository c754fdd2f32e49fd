//! Dumps for an agent whose ids have four bytes.

use std::borrow::Cow;

use dump_format::{Field, Level};
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{
    JVMPI_EVENT_HEAP_DUMP, JVMPI_EVENT_MONITOR_DUMP, JVMPI_EVENT_OBJECT_DUMP,
};
use lanes::{ClassShape, Dump, Shapes};
use recording_format::Value;

use crate::base::log;
use crate::model::anatomy::Anatomy;
use crate::model::classes::CLASSES;
use crate::model::ids;

/// The values of an event as the agent's process can use them: those of a dump with its bytes made
/// anew. `None` if they cannot be; that has been said.
pub(super) fn fitted<'v>(number: i32, values: &'v [Value<'v>]) -> Option<Fitted<'v>> {
    let int = |value: Option<&Value<'_>>| value.and_then(Value::int).unwrap_or(-1);
    let (place, which) = match number {
        JVMPI_EVENT_HEAP_DUMP => {
            let level = i32::try_from(int(values.first())).ok();
            (1, Dump::Heap(level.and_then(Level::from_raw)?))
        }
        JVMPI_EVENT_OBJECT_DUMP => (0, Dump::Object),
        JVMPI_EVENT_MONITOR_DUMP => (0, Dump::Monitors),
        _ => return Some(Fitted::AsTheyAre(values)),
    };
    let dump = values.get(place)?.bytes()?;
    let shapes = if which == Dump::Monitors {
        Shapes::new()
    } else {
        shapes()
    };
    match lanes::narrow_dump(dump, which, &shapes) {
        Ok(dump) => Some(Fitted::Dump {
            values,
            place,
            dump,
        }),
        Err(why) => {
            log::warning!("a dump cannot be given to a 32-bit agent: {why}");
            None
        }
    }
}

/// See [`fitted`].
pub(super) enum Fitted<'v> {
    AsTheyAre(&'v [Value<'v>]),
    Dump {
        values: &'v [Value<'v>],
        place: usize,
        dump: Vec<u8>,
    },
}

impl Fitted<'_> {
    /// What is sent.
    pub(super) fn values(&self) -> Cow<'_, [Value<'_>]> {
        match self {
            Self::AsTheyAre(values) => Cow::Borrowed(values),
            Self::Dump {
                values,
                place,
                dump,
            } => {
                let mut all = values.to_vec();
                if let Some(value) = all.get_mut(*place) {
                    *value = Value::Bytes(dump);
                }
                Cow::Owned(all)
            }
        }
    }
}

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
