//! `xrun report`: what an agent uses of JVMPI, and what JVMTI has for it.
//!
//! | module | its one job |
//! |---|---|
//! | [`usage`] | counts of calls and events, and their file |
//! | [`counterparts`] | what stands in place of each event and function: data |
//! | [`of_recording`] | the counts of a recording |
//! | [`report`] | the report as Markdown |
//! | [`html`] | the same as a page |

pub mod counterparts;
pub mod html;
mod recorded;
pub mod report;
pub mod usage;

pub use counterparts::{Counterpart, Effort};
pub use recorded::of_recording;
pub use report::{Rating, Subject, markdown, rating};
pub use usage::{Phase, Usage};
