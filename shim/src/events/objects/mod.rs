//! OBJECT_ALLOC, and how an id gets to stand for an object.

pub(crate) mod allocations;
pub(crate) mod reporting;
