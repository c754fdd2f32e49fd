//! The other side: finding and starting the agent, calling it, what it may do at that border.

pub(crate) mod agent_call;
pub(crate) mod class_bytes;
pub(crate) mod process;
pub(crate) mod ready_event;
pub(crate) mod start;
pub(crate) mod table;
