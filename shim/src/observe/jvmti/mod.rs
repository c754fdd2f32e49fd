//! Agents that speak JVMTI, recorded: their environments' function tables are replaced in place
//! (JVMTI facts 21: an environment of our own making breaks agents), their callbacks go through ours.

pub(crate) mod agents;
mod births;
mod call_records;
pub(crate) mod callbacks;
pub(crate) mod calls;
pub(crate) mod environments;
mod extension_events;
mod extension_functions;
mod heap_walks;
pub(crate) mod identities;
pub(crate) mod lending;
pub(crate) mod natives;
pub(crate) mod own_threads;
mod passed;
mod promise;
mod refusals;
mod sample_threads;
pub(crate) mod saw;
mod special;
mod values;
