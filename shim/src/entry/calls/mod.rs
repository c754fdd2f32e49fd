//! The 28 functions of the table, by noun. Each body passes the boundary to C, refuses what
//! the specification does not allow, and hands over to what knows the answer.

pub(crate) mod events;
pub(crate) mod gc;
pub(crate) mod ids;
pub(crate) mod monitors;
pub(crate) mod stack;
pub(crate) mod suspension;
pub(crate) mod threads;
