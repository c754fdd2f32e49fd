//! Threads: suspended ones, and those that we make.

pub(crate) mod stopped;
