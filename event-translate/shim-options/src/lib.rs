//! The options of `libjvmpi.so`: how they are written, what they mean, what each host of the
//! period sets among them.
//!
//! | module | its one job |
//! |---|---|
//! | [`agent_spec`] | takes the text apart in which they come, with the agent |
//! | [`options`] | the options, as a table and as values |
//! | [`host`] | hosts of the period, as rows |
//! | [`class_filter`] | which classes' methods are looked at |
#![forbid(unsafe_code)]

pub mod agent_spec;
pub mod class_filter;
pub mod host;
pub mod options;

pub use options::{
    Check, CpuTime, LogLevel, MethodEvents, OPTIONS, OptionRow, Options, VirtualThreads,
};
