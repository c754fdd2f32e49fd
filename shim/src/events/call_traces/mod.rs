//! Stacks as the agent sees them: GetCallTrace, and the traces of dumps.

pub(crate) mod call_trace;
mod code_walk;
mod frame_groups;
pub(crate) mod method_ids;
pub(crate) mod own_walk;
pub(crate) mod round;
pub(crate) mod running;
pub(crate) mod sampling;
mod trust;
pub(crate) mod whole_stack;
