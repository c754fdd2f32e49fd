//! All threads stopped for a look at them, and threads in dumps.

pub(crate) mod in_dumps;
pub(crate) mod mounted;
pub(crate) mod stopped;
