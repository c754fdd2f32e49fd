//! What a JVM of 2003 would have said: the map from JVMPI to JVMTI.
//!
//! One row per event and per function ([`table`]) says what it needs of the VM ([`needs`]);
//! and there is what agents of the period expect in them:
//! names of classes ([`class_name`]), lines ([`call_trace`]), states of threads
//! ([`thread_status`]), an exit for each entry ([`shadow`]); and what events of methods cost
//! ([`method_costs`], [`small_natives`]); and which functions of JNI another process can call
//! ([`jni_functions`]).
//!
//! Nothing here, and in the crates in this folder, does I/O, keeps state of its own or knows the
//! boundary to C: numbers, bytes and strings in, values out. Whether an agent has been told of
//! a thing, once and before it is used, is `id_map`'s to remember.
#![forbid(unsafe_code)]

pub mod call_trace;
pub mod class_name;
pub mod event_set;
pub mod internals;
pub mod jni_functions;
pub mod method_costs;
pub mod needed;
pub mod needs;
pub mod shadow;
pub mod small_natives;
pub mod table;
pub mod thread_status;

pub use event_set::EventSet;
pub use table::{
    Answer, EVENTS, Enable, EventKind, EventRow, FUNCTIONS, Function, FunctionRow, Mark, Source,
    Version,
};
