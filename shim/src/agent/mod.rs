//! The other side: finding and starting the agent, calling it so that a C++ exception ends here,
//! the tables it holds, what its events say, memory and process ends at that border.

pub(crate) mod agent_call;
pub(crate) mod class_bytes;
pub(crate) mod event_values;
pub(crate) mod park_handler;
pub(crate) mod process;
pub(crate) mod ready_event;
pub(crate) mod start;
pub(crate) mod table;
