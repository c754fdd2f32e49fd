//! What everything stands on, and what knows nothing of JVMs: the log, the boundary that no panic
//! passes, our options in force, how long anybody waits, and the one hook for who looks on.

pub(crate) mod attach_report;
pub(crate) mod boundary;
pub(crate) mod cancellation;
pub(crate) mod config;
pub(crate) mod errno;
pub(crate) mod guards;
pub(crate) mod latest;
pub(crate) mod life;
pub(crate) mod log;
#[cfg(test)]
pub(crate) mod not_run;
pub(crate) mod observer;
pub(crate) mod output_name;
pub(crate) mod patience;
pub(crate) mod progress;
pub(crate) mod terminal;
