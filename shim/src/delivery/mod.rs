//! How an event reaches the agent: who may send now, what has to wait, what must be defined before.

pub(crate) mod announce;
pub(crate) mod deferred;
pub(crate) mod dispatch;
pub(crate) mod gate;
pub(crate) mod method_flow;
pub(crate) mod system_thread;
pub(crate) mod worker;
