//! Threads that are suspended.

pub(crate) mod stopped;
