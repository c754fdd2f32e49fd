//! Stacks as HotSpot has them, without GetStackTrace, and what Java's own stack traces show.
//!
//! - [`async_walk`], AsyncGetCallTrace; [`last_frame`], when its first frame is right.
//! - [`async_trace`], by it the stack of a running thread; `stack_requests`, who has asked for one; `interrupted`, where
//!   the signal came.
//! - [`physical_frames`], the calling thread's own stack as it lies in memory; [`code_cache`], what code is there.
//! - [`hidden_frames`], which frames Java does not see.
//!
//! A line belongs here if it is about frames, or about the code that they return to.

pub(crate) mod async_trace;
pub(crate) mod async_walk;
pub(crate) mod code_cache;
pub(crate) mod hidden_frames;
mod interrupted;
pub(crate) mod last_frame;
pub(crate) mod physical_frames;
mod stack_requests;
