//! The life of the VM, from the replay to JVM_SHUT_DOWN, and of its threads; what the agent enables and requests, and
//! which of the VM's events that takes; what the worker does in a round; what is left of an agent that has died.

pub(crate) mod abandoned;
pub(crate) mod agent_requests;
pub(crate) mod departure;
mod init_done;
pub(crate) mod lifecycle;
pub(crate) mod thread_lifetime;
pub(crate) mod virtual_threads;
pub(crate) mod vm_events;
pub(crate) mod worker_round;
