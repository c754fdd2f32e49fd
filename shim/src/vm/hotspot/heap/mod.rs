//! The heap and its collector as HotSpot knows them: its dumper, what it counts, and the slots of its weak references.
//!
//! A line belongs here if it is about the heap or what is dead in it.

pub(crate) mod heap_dumper;
pub(crate) mod vm_counters;
pub(crate) mod weak_slots;
