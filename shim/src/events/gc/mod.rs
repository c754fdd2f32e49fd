//! Collections: GC_START to GC_FINISH with all that dies and moves in between.

pub(crate) mod bracket;
pub(crate) mod collections;
pub(crate) mod deaths;
pub(crate) mod heap_count;
pub(crate) mod object_free;
pub(crate) mod reclaim;
pub(crate) mod unloading;
