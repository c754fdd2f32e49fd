//! OBJECT_ALLOC, and how an id gets to stand for an object.

pub(crate) mod allocations;
pub(crate) mod lookup;
pub(crate) mod replay;
pub(crate) mod reporting;
pub(crate) mod request;
