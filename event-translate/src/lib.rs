//! What a JVM of 2003 would have said.
//!
//! Everything between JVMTI and JVMPI that can be thought through without a
//! JVM: the table of events and functions, names and line numbers as agents of
//! the period expect them, states of threads, the options that choose between
//! readings of the old specification.
//!
//! Nothing here does I/O, keeps state of its own or knows the boundary to C:
//! numbers, bytes and strings in, values out. Whether an agent has been told of
//! a thing, once and before it is used, is `id_map`'s to remember.
#![forbid(unsafe_code)]

pub mod agent_settings;
pub mod agent_spec;
pub mod arenas;
pub mod call_trace;
pub mod check;
pub mod class_filter;
pub mod class_name;
pub mod dumps;
pub mod elf_symbols;
pub mod elf_target;
pub mod event_set;
pub mod host;
pub mod matrix;
pub mod matrix_jdks;
pub mod migration;
pub mod native_arguments;
pub mod options;
pub mod perf_data;
pub mod printable;
pub mod raw_text;
pub mod recording;
pub mod rewrite;
pub mod shadow;
pub mod table;
pub mod thread_status;

pub use event_set::EventSet;
pub use table::{
    EVENTS, Enable, EventKind, EventRow, FUNCTIONS, Function, FunctionRow, Mark, Source, Version,
};
