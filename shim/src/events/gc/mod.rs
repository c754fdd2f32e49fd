//! Collections: what the VM finds and tells, and the bracket from GC_START to GC_FINISH with all
//! that dies, moves and is unloaded in between.

pub(crate) mod bracket;
pub(crate) mod bracket_ends;
mod bracket_event;
pub(crate) mod claim;
pub(crate) mod collections;
pub(crate) mod deaths;
pub(crate) mod disabling;
pub(crate) mod forcing;
pub(crate) mod heap_count;
pub(crate) mod object_free;
pub(crate) mod reclaim;
pub(crate) mod sending;
pub(crate) mod unloading;
