//! The life of the VM, and what the agent enables, disables and requests.

pub(crate) mod agent_requests;
pub(crate) mod lifecycle;
pub(crate) mod vm_events;
pub(crate) mod worker_round;
