//! What a thread keeps for itself, in its record or in that of the carrier which runs it: what it has learnt of its own
//! stack, the frames and methods that it has shown to the agent, the event that it sends most. A line belongs here if no
//! other thread ever reads or writes what it is about; [`crate::model::thread::current`] gives a thread its own.

pub(crate) mod cell;
pub(crate) mod known_frames;
pub(crate) mod late_frames;
pub(crate) mod method_stack;
pub(crate) mod ready_event;
pub(crate) mod stack;
