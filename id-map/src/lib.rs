//! Who is who: the ids an agent sees, and what they stand for.
//!
//! JVMPI names objects, classes, threads, methods and monitors by pointer-sized
//! ids. On a VM of today these are tokens of ours, never addresses. This crate
//! gives them out, remembers what kind of thing each one is, finds the record
//! behind it, and keeps the state "has the agent been told?".
//!
//! Nothing here knows a JVM: records are type parameters, locks are held only
//! for the few instructions of a look-up, and no caller's code runs under one
//! (except the closures of [`Directory::read`], [`Directory::retain`] and
//! [`Directory::any`], which say so).
#![forbid(unsafe_code)]

mod announce;
mod claims;
mod directory;
mod id;
mod method_numbers;
mod monitor_id;
mod monitors;
mod objects;
mod renumbering;
mod sync;
mod watched;

pub use announce::{Announcement, Claim, Claimed};
pub use claims::{Begin, Claims};
pub use directory::{Directory, IdHasher, IdSet, View};
pub use id::ObjectId;
pub use method_numbers::MethodNumbers;
pub use monitor_id::{Enter, Exit, Monitor, MonitorId, Outcome};
pub use monitors::Monitors;
pub use objects::{Entry, Flag, Kind, ObjectTable, Recycler, Shape, Supply};
pub use renumbering::Renumbering;
#[cfg(loom)]
pub use sync::{Weaker, weaken};
pub use watched::{Births, Watched};
