//! What agents see of us, in C. All `unsafe` of a replay is here.

mod code;
pub(crate) mod env;
pub(crate) mod event;
pub(crate) mod host;
pub(crate) mod library;
pub(crate) mod mapping;
mod memory;
pub(crate) mod process;
pub(crate) mod table;
mod values;
mod vm;
