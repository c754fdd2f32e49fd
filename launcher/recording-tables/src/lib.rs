//! Recordings as tables that data engines read: Parquet, partitioned by process.
//!
//! `DIR/TABLE/process=NAME/TABLE.parquet`, the tables and their columns as [`schema`] has them.
//! Numbers that the agent saw may name several things in one run, one after the other: ids of
//! the dead are used again, and a thread's env. So rows name threads, methods and classes by
//! their rows in the tables of those ([`identities`]), which never stand for another.
//!
//! Memory: what is alive in the recording (a word for each object), and a few megabytes for the
//! rows that are on their way.
#![forbid(unsafe_code)]

mod batch;
mod calls;
mod class_of;
mod encode;
mod events;
mod export;
mod identities;
mod rows;
pub mod schema;
mod stacks;
#[cfg(test)]
mod tests;

pub use export::{Counted, Error, Place, export};
