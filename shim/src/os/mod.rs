//! What Linux offers, with nothing of ours in it: memory that may be nonsense, mappings, barriers,
//! the dynamic linker, a clock.

pub(crate) mod asymmetric_fence;
pub(crate) mod imports;
pub(crate) mod library;
pub(crate) mod mapping;
pub(crate) mod memory;
pub(crate) mod ticks;
