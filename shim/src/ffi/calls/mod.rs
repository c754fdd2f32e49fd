//! The 28 functions of the table, by noun. Each body is one passage of the gate
//! and a hand-over.

pub(super) mod events;
pub(super) mod gc;
pub(super) mod ids;
pub(super) mod monitors;
pub(super) mod stack;
pub(super) mod threads;
