//! `xrun report`: what an agent uses of JVMPI, and what JVMTI has for it.
//!
//! Counts come from the run ([`agent_usage`]) or from a recording; a page for people goes out.
//!
//! | module | its one job |
//! |---|---|
//! | [`counterparts`] | what stands in place of each event and function: data |
//! | [`of_recording`] | the counts of a recording |
//! | [`report`] | the report as Markdown |
//! | [`html`] | the same as a page |
//! | [`skeleton`](fn@skeleton) | a JVMTI agent to begin with |
#![forbid(unsafe_code)]

pub mod counterparts;
pub mod html;
mod recorded;
pub mod report;
mod skeleton;

pub use counterparts::{Counterpart, Effort};
pub use recorded::of_recording;
pub use report::{Rating, Subject, markdown, rating};
pub use skeleton::{FILES as SKELETON_FILES, SkeletonFile, is_untouched, skeleton};
