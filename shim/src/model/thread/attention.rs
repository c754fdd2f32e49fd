//! What a thread must look at before it takes the fast path through an event of its own.

/// Its THREAD_START may be due.
pub(crate) const UNMET: u32 = 1;
/// It keeps events.
pub(crate) const KEPT: u32 = 2;
/// What this thread allocates or does now is the shim's: nothing of it is told.
pub(crate) const SILENT: u32 = 4;
/// It defines or retransforms classes for us.
pub(crate) const REWRITING: u32 = 8;
/// It carries virtual threads.
pub(crate) const CARRIER: u32 = 16;
/// It sends what it has kept.
pub(crate) const FLUSHING: u32 = 32;
/// A virtual thread that is telling of its start.
pub(crate) const STARTING: u32 = 64;
