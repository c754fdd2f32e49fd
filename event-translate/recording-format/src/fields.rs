//! What a record holds: the fields of each event and each function, and their values.
//!
//! The tables that encoder, decoder, text, JSON and comparison read. A new field is a
//! new word at the end of a row here, a new version of the format, and a line in
//! [`fields_of_version`].

/// What an id names. Ids of different spaces may be the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Space {
    /// A `JNIEnv`: a thread.
    Env,
    /// A `jmethodID`.
    Method,
    /// A `jobjectID` of an object.
    Object,
    /// A `jobjectID` of a class; the same numbers as [`Space::Object`].
    Class,
    /// A `jobject`.
    Reference,
    /// A `JVMPI_RawMonitor`.
    Monitor,
    /// Memory: code, or a pointer of the agent's.
    Address,
    /// A `jfieldID`.
    Field,
}

impl Space {
    pub(super) const COUNT: usize = 8;

    /// How it is written before a number: `method:7f00`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Env => "env",
            Self::Method => "method",
            Self::Object => "object",
            Self::Class => "class",
            Self::Reference => "ref",
            Self::Monitor => "monitor",
            Self::Address => "address",
            Self::Field => "field",
        }
    }

    /// The space whose numbers these are: classes are objects.
    #[must_use]
    pub const fn of_numbers(self) -> Self {
        match self {
            Self::Class => Self::Object,
            Self::Env
            | Self::Method
            | Self::Object
            | Self::Reference
            | Self::Monitor
            | Self::Address
            | Self::Field => self,
        }
    }
}

/// What kind of value a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Int,
    /// The number of an event.
    Event,
    /// The number of an event of JVMTI.
    JvmtiEvent,
    /// An id.
    Id(Space),
    /// A C string, perhaps NULL.
    Text,
    /// Bytes.
    Bytes,
    /// Rows of values.
    List(&'static [Field]),
}

impl Type {
    /// The value of a field that its recording does not have.
    pub(crate) const fn nothing<'a>(self) -> Value<'a> {
        match self {
            Self::Int | Self::Event | Self::JvmtiEvent => Value::Int(0),
            Self::Id(_) => Value::Id(0),
            Self::Text => Value::Text(None),
            Self::Bytes => Value::Bytes(&[]),
            Self::List(_) => Value::List(Vec::new()),
        }
    }
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the specification.
    pub name: &'static str,
    /// What it holds.
    pub kind: Type,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value<'a> {
    /// Of [`Type::Int`], [`Type::Event`] and [`Type::JvmtiEvent`].
    Int(i64),
    /// Of [`Type::Id`]; 0 is NULL.
    Id(u64),
    /// Of [`Type::Text`]; `None` is NULL.
    Text(Option<&'a [u8]>),
    /// Of [`Type::Bytes`].
    Bytes(&'a [u8]),
    /// Of [`Type::List`].
    List(Vec<Vec<Value<'a>>>),
}

impl<'a> Value<'a> {
    /// The number of an [`Value::Int`].
    #[must_use]
    pub const fn int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Id(_) | Self::Text(_) | Self::Bytes(_) | Self::List(_) => None,
        }
    }

    /// The number of an [`Value::Id`].
    #[must_use]
    pub const fn id(&self) -> Option<u64> {
        match self {
            Self::Id(value) => Some(*value),
            Self::Int(_) | Self::Text(_) | Self::Bytes(_) | Self::List(_) => None,
        }
    }

    /// The bytes of a [`Value::Text`] that is not NULL, or of a [`Value::Bytes`].
    #[must_use]
    pub const fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Text(text) => *text,
            Self::Bytes(bytes) => Some(bytes),
            Self::Int(_) | Self::Id(_) | Self::List(_) => None,
        }
    }

    /// The rows of a [`Value::List`].
    #[must_use]
    pub fn rows(&self) -> &[Vec<Self>] {
        match self {
            Self::List(rows) => rows,
            Self::Int(_) | Self::Id(_) | Self::Text(_) | Self::Bytes(_) => &[],
        }
    }
}

use Space::{Address, Class, Env, Method, Monitor, Object, Reference};
use Type::{Bytes, Event, Id, Int, List, Text};

macro_rules! fields {
    ($($name:literal: $kind:expr),* $(,)?) => {{
        const FIELDS: &[Field] = &[$(Field { name: $name, kind: $kind }),*];
        FIELDS
    }};
}
pub(crate) use fields;

const METHOD_ROWS: &[Field] = fields![
    "method_name": Text, "method_signature": Text, "start_lineno": Int, "end_lineno": Int,
    "method_id": Id(Method),
];
const FIELD_ROWS: &[Field] = fields!["field_name": Text, "field_signature": Text];
const LINE_ROWS: &[Field] = fields!["offset": Int, "lineno": Int];
const FRAME_ROWS: &[Field] = fields!["lineno": Int, "method_id": Id(Method)];
const TRACE_ROWS: &[Field] = fields!["env_id": Id(Env), "frames": List(FRAME_ROWS)];
const STATUS_ROWS: &[Field] = fields!["status": Int];
const ENV_ROWS: &[Field] = fields!["env_id": Id(Env)];

/// The members of an event's contents, by its number (without the bit of requested
/// ones); none for a number that no event has.
#[must_use]
pub const fn event_fields(number: i32) -> &'static [Field] {
    match number {
        1 | 3 => fields!["method_id": Id(Method)],
        2 => fields!["method_id": Id(Method), "obj_id": Id(Object)],
        4 => fields![
            "arena_id": Int, "class_id": Id(Class), "is_array": Int, "size": Int,
            "obj_id": Id(Object),
        ],
        5 => fields!["obj_id": Id(Object)],
        6 => fields![
            "arena_id": Int, "obj_id": Id(Object), "new_arena_id": Int, "new_obj_id": Id(Object),
        ],
        7 => fields![
            "method_id": Id(Method), "code_addr": Id(Address), "code_size": Int,
            "lineno_table": List(LINE_ROWS), "code": Bytes,
        ],
        // One agent of the period reads the address where COMPILED_METHOD_LOAD has it.
        8 => fields!["method_id": Id(Method), "code_addr": Id(Address)],
        9 => fields!["method_id": Id(Method), "offset": Int, "u0": Int, "u1": Int, "u2": Int],
        33 => fields![
            "thread_name": Text, "group_name": Text, "parent_name": Text,
            "thread_id": Id(Object), "thread_env_id": Id(Env),
        ],
        35 => fields!["class_data": Bytes],
        37 => fields!["dump_level": Int, "dump": Bytes, "traces": List(TRACE_ROWS)],
        38 | 40 => fields!["obj_id": Id(Object), "ref_id": Id(Reference)],
        39 | 41 => fields!["ref_id": Id(Reference)],
        42 => fields![
            "class_name": Text, "source_name": Text, "num_interfaces": Int,
            "methods": List(METHOD_ROWS), "statics": List(FIELD_ROWS),
            "instances": List(FIELD_ROWS), "class_id": Id(Class),
        ],
        43 => fields!["class_id": Id(Class)],
        48 => fields!["arena_id": Int, "arena_name": Text],
        49 => fields!["arena_id": Int],
        50 => fields!["data": Bytes],
        51..=53 => fields!["name": Text, "id": Id(Monitor)],
        54..=56 => fields!["object": Id(Object)],
        57 | 58 => fields!["object": Id(Object), "timeout": Int],
        59 => fields![
            "dump": Bytes, "traces": List(TRACE_ROWS), "threads_status": List(STATUS_ROWS),
        ],
        61 => fields!["used_objects": Int, "used_object_space": Int, "total_object_space": Int],
        _ => &[],
    }
}

/// How many of [`event_fields`] recordings of this version of the format have.
pub(super) const fn fields_of_version(version: u32, number: i32) -> usize {
    match (version, number) {
        // Without the code.
        (1, 7) => 4,
        _ => event_fields(number).len(),
    }
}

/// What the agent's handler leaves in an event.
#[must_use]
pub const fn event_results(number: i32) -> &'static [Field] {
    match number {
        // Empty if the agent has left the class as it was.
        35 => fields!["new_class_data": Bytes],
        _ => &[],
    }
}

/// The slot under which calls of the invoke interface's GetEnv are recorded.
pub const GET_ENV: u8 = 0;

/// The arguments of a function, by its slot in `JVMPI_Interface`.
#[must_use]
pub const fn call_arguments(slot: u8) -> &'static [Field] {
    match slot {
        GET_ENV => fields!["version": Int],
        2 | 3 => fields!["event_type": Event, "arg": Id(Address)],
        // `level` is -1 unless it is HEAP_DUMP with an argument.
        4 => fields!["event_type": Event, "arg": Id(Object), "level": Int],
        5 => fields!["env_id": Id(Env), "depth": Int],
        6 => fields!["err_code": Int],
        7 => fields!["lock_name": Text],
        8 | 9 | 11 | 12 => fields!["lock_id": Id(Monitor)],
        10 => fields!["lock_id": Id(Monitor), "ms": Int],
        14..=17 | 20 | 24 => fields!["env_id": Id(Env)],
        18 => fields!["name": Text, "priority": Int, "f": Id(Address)],
        19 => fields!["env_id": Id(Env), "ptr": Id(Address)],
        25 => fields!["mid": Id(Method)],
        26 => fields!["jid": Id(Object)],
        27 => fields!["jobj": Id(Reference)],
        28 | 29 => fields!["req_list": List(ENV_ROWS)],
        _ => &[],
    }
}

/// What a function gives back.
#[must_use]
pub const fn call_results(slot: u8) -> &'static [Field] {
    match slot {
        // The file and the place of the caller.
        GET_ENV => fields!["result": Int, "caller": Text],
        2..=4 | 16 | 17 | 18 => fields!["result": Int],
        // NULL if the trace was left as it was.
        5 => fields!["num_frames": Int, "frames": List(FRAME_ROWS)],
        7 => fields!["result": Id(Monitor)],
        13 => fields!["result": Int],
        20 => fields!["result": Id(Address)],
        24 | 25 | 27 => fields!["result": Id(Object)],
        26 => fields!["result": Id(Reference)],
        28 | 29 => fields!["results": List(STATUS_ROWS)],
        _ => &[],
    }
}

/// What is said of a function of the agent's that is called: JVM_OnLoad, or that of a
/// system thread.
#[must_use]
pub const fn run_fields() -> &'static [Field] {
    fields!["function": Id(Address), "options": Text]
}

/// What such a function gives back.
#[must_use]
pub const fn run_results() -> &'static [Field] {
    fields!["result": Int]
}
