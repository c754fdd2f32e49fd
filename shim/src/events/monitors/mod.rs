//! Java's monitors, entered, waited on and left; MONITOR_DUMP; contention of the agent's raw ones.

pub(crate) mod contended_exit;
pub(crate) mod lock_depth;
pub(crate) mod monitor_dump;
pub(crate) mod monitor_events;
pub(crate) mod monitor_search;
pub(crate) mod monitor_snapshot;
pub(crate) mod parks;
pub(crate) mod raw_monitors;
pub(crate) mod sleep;
pub(crate) mod telling;
pub(crate) mod waiters;
