//! What a replay asks of the system. All its `unsafe` is here.

pub(crate) mod mapping;
pub(crate) mod process;
