//! COMPILED_METHOD_LOAD and UNLOAD.

pub(crate) mod compiled;
