//! Call traces.

pub(crate) mod call_trace;
pub(crate) mod whole_stack;
