//! All threads stopped for a look at them.

pub(crate) mod stopped;
