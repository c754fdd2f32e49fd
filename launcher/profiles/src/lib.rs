//! Profiles of many processes, made one, or of two, held against each other: for `xrun merge` and
//! `xrun diff`.
//!
//! | module | its one job |
//! |---|---|
//! | [`read`] | what stands in a file, whoever wrote it |
//! | [`part`] | that, as plain data |
//! | [`merged`] | all of it: stacks of all processes in one tree, numbers of each |
//! | [`node`] | a frame under its caller, and its numbers |
//! | `children` | which child of a node has which name |
//! | [`changes`] | what methods have in one of two, and in the other |
//! | [`write`](mod@write) | collapsed, JSON, pprof |
//! | [`page`] | a page with flame graphs |
#![forbid(unsafe_code)]

pub mod changes;
mod children;
pub mod merged;
pub mod node;
pub mod page;
pub mod part;
pub mod read;
#[cfg(test)]
mod sums;
pub mod write;
