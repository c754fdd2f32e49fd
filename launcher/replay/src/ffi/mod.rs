//! What a replay asks of the system. All its `unsafe` is in `process`.

pub(crate) mod process;
