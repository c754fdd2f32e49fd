//! OBJECT_ALLOC: allocations as they happen, objects older than the agent's wish, requests; and
//! from an id back to its object.

pub(crate) mod allocations;
pub(crate) mod lookup;
pub(crate) mod replay;
pub(crate) mod reporting;
pub(crate) mod request;
