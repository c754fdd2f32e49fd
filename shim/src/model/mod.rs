//! What is known: threads, classes, methods and the ids they have. Nothing is sent here, and nothing is waited for but a
//! walk of the heap.
//!
//! Each folder and file knows only those above it in this list:
//!
//! | | what lives there |
//! |---|---|
//! | [`wanted`], [`method_flow`] | what the agent wants to hear of: all events; those of methods, which look at it most |
//! | [`own`] | what a thread keeps for itself: no other reads or writes it |
//! | [`thread`] | one thread: its record, and the calling thread's way to its own |
//! | [`tables`] | where ids, threads and raw monitors are found: those that several look into |
//! | [`ids`] | how an object gets its id, and what keeps that alive |
//! | [`threads`] | which threads there are: met, mounted, suspended, ended |
//! | [`classes`] | classes and their methods: records, class files, numbers in rewritten code, what is known of code |

pub(crate) mod classes;
pub(crate) mod ids;
pub(crate) mod method_flow;
pub(crate) mod own;
pub(crate) mod tables;
pub(crate) mod thread;
pub(crate) mod threads;
pub(crate) mod wanted;
