//! What everything stands on: the log, the boundary that no panic passes, our options.

pub(crate) mod boundary;
pub(crate) mod config;
pub(crate) mod errno;
pub(crate) mod guards;
pub(crate) mod latest;
pub(crate) mod log;
pub(crate) mod observer;
pub(crate) mod patience;
pub(crate) mod progress;
