//! Rows of `events`: each kind of event gathers its own, so that a row group has one kind and
//! only the columns that it fills.

use std::sync::mpsc::SyncSender;

use event_translate::EventKind;
use parquet::data_type::ByteArray;
use recording_format::{Field, Subject, Type, Value, event_fields};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, Cells, NULL, utf8};
use crate::identities::{Identities, id};
use crate::rows::{Stopped, send};
use crate::schema::EVENTS;
use crate::stacks::Stacks;

/// An event of a recording.
pub(crate) struct Event<'e, 'a> {
    pub(crate) number: i64,
    pub(crate) nanos: i64,
    /// Its number in `jvmpi.h`.
    pub(crate) kind: i32,
    pub(crate) requested: bool,
    pub(crate) env: u64,
    pub(crate) values: &'e [Value<'a>],
}

const fn column(name: &str) -> usize {
    match EVENTS.place(name) {
        Some(place) => place,
        None => usize::MAX,
    }
}

const NUMBER: usize = column("number");
const NANOS: usize = column("nanos");
const EVENT: usize = column("event");
const REQUESTED: usize = column("requested");
const THREAD: usize = column("thread");
const CLASS: usize = column("class");

/// Where the value of a field goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// As it is.
    Column(usize),
    /// Its length.
    Length(usize),
    /// The row of a method.
    Method(usize),
    /// The event's class comes from it.
    Class,
    /// Into another table.
    Table,
}

/// Where it goes; `None` if nobody has said.
pub(crate) fn place_of(field: &Field) -> Option<To> {
    Some(match field.name {
        "method_id" => To::Method(const { column("method") }),
        "class_id" | "is_array" => To::Class,
        "obj_id" | "object" | "thread_id" => To::Column(const { column("object") }),
        "size" | "code_size" => To::Column(const { column("size") }),
        "arena_id" => To::Column(const { column("arena") }),
        "new_arena_id" => To::Column(const { column("new_arena") }),
        "new_obj_id" => To::Column(const { column("new_object") }),
        "name" | "arena_name" => To::Column(const { column("name") }),
        "id" => To::Column(const { column("monitor") }),
        "timeout" => To::Column(const { column("timeout") }),
        "ref_id" => To::Column(const { column("reference") }),
        "code_addr" => To::Column(const { column("code") }),
        "offset" => To::Column(const { column("bytecode") }),
        "u0" => To::Column(const { column("operand0") }),
        "u1" => To::Column(const { column("operand1") }),
        "u2" => To::Column(const { column("operand2") }),
        "class_data" | "dump" | "data" => To::Length(const { column("bytes") }),
        "dump_level" => To::Column(const { column("level") }),
        "used_objects" => To::Column(const { column("used_objects") }),
        "used_object_space" => To::Column(const { column("used_space") }),
        "total_object_space" => To::Column(const { column("total_space") }),
        // threads, classes, methods, traces; lines and bytes of compiled code are in none.
        "thread_name" | "group_name" | "parent_name" | "thread_env_id" | "class_name"
        | "source_name" | "num_interfaces" | "methods" | "statics" | "instances" | "traces"
        | "threads_status" | "lineno_table" | "code" => To::Table,
        _ => return None,
    })
}

/// Whose class the event's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClassFrom {
    Nothing,
    /// An object of which it was told before.
    Object(usize),
    Birth,
    Move,
    Death,
    Loading(usize),
}

#[derive(Debug)]
struct Kind {
    batch: Batch,
    name: ByteArray,
    fields: Vec<To>,
    class: ClassFrom,
}

impl Kind {
    fn of(kind: i32) -> Self {
        let fields = event_fields(kind);
        let place = |name| fields.iter().position(|field| field.name == name);
        let class = match EventKind::from_raw(kind) {
            Some(EventKind::ObjectAlloc) => ClassFrom::Birth,
            Some(EventKind::ObjectMove) => ClassFrom::Move,
            Some(EventKind::ObjectFree) => ClassFrom::Death,
            _ => match (place("class_id"), place("obj_id").or(place("object"))) {
                (Some(class), _) => ClassFrom::Loading(class),
                (None, Some(object)) => ClassFrom::Object(object),
                (None, None) => ClassFrom::Nothing,
            },
        };
        let is_known = |field: &Field| match field.kind {
            // What a later version has is not lost for the rest.
            Type::List(_) => To::Table,
            Type::Int | Type::Event | Type::JvmtiEvent | Type::Id(_) | Type::Text | Type::Bytes => {
                place_of(field).unwrap_or(To::Table)
            }
        };
        let name = ByteArray::from(Subject::Event(kind).to_string().into_bytes());
        Self {
            batch: named(&name),
            name,
            fields: fields.iter().map(is_known).collect(),
            class,
        }
    }
}

fn named(name: &ByteArray) -> Batch {
    let mut batch = Batch::new(&EVENTS);
    if let Some(column) = batch.columns.get_mut(EVENT) {
        *column = Cells::Same(name.clone());
    }
    batch
}

#[derive(Debug)]
pub(crate) struct Events {
    kinds: FxHashMap<i32, Kind>,
    to: SyncSender<Batch>,
}

impl Events {
    pub(crate) fn new(to: &SyncSender<Batch>) -> Self {
        Self {
            kinds: FxHashMap::default(),
            to: to.clone(),
        }
    }

    pub(crate) fn add(
        &mut self,
        event: &Event<'_, '_>,
        identities: &mut Identities,
        stacks: &mut Stacks,
    ) -> Result<(), Stopped> {
        let values = event.values;
        let known = EventKind::from_raw(event.kind);
        match known {
            Some(EventKind::ThreadStart) => identities.start(event.nanos, values)?,
            Some(EventKind::ThreadEnd) => identities.end(event.nanos, event.env),
            Some(EventKind::ClassLoad) => identities.load(event.nanos, values)?,
            _ => {}
        }
        let env = match known {
            Some(EventKind::ThreadStart) => id(values, 4),
            _ => event.env,
        };
        let thread = identities.thread(env)?;
        let kind = self
            .kinds
            .entry(event.kind)
            .or_insert_with(|| Kind::of(event.kind));
        let class = match kind.class {
            ClassFrom::Nothing => None,
            ClassFrom::Object(place) => identities.class_of.get(id(values, place)),
            ClassFrom::Birth => {
                let is_array = values.get(2).and_then(Value::int).unwrap_or(0);
                let class = identities.class_of_new(id(values, 1), is_array)?;
                identities.class_of.set(id(values, 4), Some(class));
                Some(class)
            }
            ClassFrom::Move => identities.renumber(id(values, 1), id(values, 3)),
            ClassFrom::Death => identities.class_of.set(id(values, 0), None),
            ClassFrom::Loading(place) => Some(identities.class(id(values, place))),
        };
        let batch = &mut kind.batch;
        batch.add(NUMBER, event.number);
        batch.add(NANOS, event.nanos);
        batch.add(REQUESTED, i64::from(event.requested));
        batch.add(THREAD, thread.unwrap_or(NULL));
        if kind.class != ClassFrom::Nothing {
            batch.add(CLASS, class.map_or(NULL, i64::from));
        }
        for (to, value) in kind.fields.iter().zip(values) {
            match *to {
                To::Column(place) => match value {
                    Value::Int(number) => batch.add(place, *number),
                    Value::Id(id) => batch.add(place, id.cast_signed()),
                    Value::Text(text) => {
                        if let Some(texts) = batch.texts(place) {
                            texts.push(text.map(utf8));
                        }
                    }
                    Value::Bytes(_) | Value::List(_) => batch.add(place, NULL),
                },
                To::Length(place) => {
                    let length = value.bytes().map_or(0, <[u8]>::len);
                    batch.add(place, i64::try_from(length).unwrap_or(i64::MAX));
                }
                To::Method(place) => {
                    let method = identities.method(value.id().unwrap_or(0))?;
                    batch.add(place, method);
                }
                To::Class | To::Table => {}
            }
        }
        batch.rows += 1;
        if batch.is_full() {
            let next = named(&kind.name);
            send(&self.to, std::mem::replace(batch, next))?;
        }
        match known {
            Some(EventKind::ClassUnload) => identities.unload(event.nanos, id(values, 0)),
            Some(EventKind::HeapDump) => {
                let traces = values.get(2).map(Value::rows).unwrap_or_default();
                stacks.dump(event.number, traces, &[], identities)
            }
            Some(EventKind::MonitorDump) => {
                let rows = |place| values.get(place).map(Value::rows).unwrap_or_default();
                stacks.dump(event.number, rows(1), rows(2), identities)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn finish(&mut self) -> Result<(), Stopped> {
        for (_, kind) in self.kinds.drain() {
            send(&self.to, kind.batch)?;
        }
        Ok(())
    }
}
