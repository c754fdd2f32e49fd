//! Agents that speak JVMTI, recorded: their environments' function tables are replaced in place
//! (JVMTI facts 21: an environment of our own making breaks agents), their callbacks go through ours.

pub(crate) mod agents;
pub(crate) mod callbacks;
pub(crate) mod calls;
pub(crate) mod environments;
mod extension_events;
pub(crate) mod identities;
pub(crate) mod lending;
mod passed;
mod promise;
pub(crate) mod saw;
mod special;
mod values;
