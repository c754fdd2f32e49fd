//! The 28 functions of the table, by noun. Each body is one passage of the gate
//! and a hand-over.

pub(crate) mod events;
pub(crate) mod gc;
pub(crate) mod ids;
pub(crate) mod monitors;
pub(crate) mod stack;
pub(crate) mod suspension;
pub(crate) mod threads;
