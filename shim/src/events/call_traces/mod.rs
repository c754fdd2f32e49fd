//! Call traces.

pub(crate) mod whole_stack;
