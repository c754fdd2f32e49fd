//! Output files that are ours alone, and whole.
//!
//! Profiles, heap dumps and recordings hold what the program holds: passwords, keys, names
//! of customers. They are written in folders where others may write, too, often as root. So
//! a file is made new and for its owner's eyes ([`create`](fn@create)), a link counts only if its maker
//! may be trusted ([`look_up`]), and what a name stood for until now stays until the new file
//! is there in one piece ([`Fresh`]). Processes that have one command line get a name each
//! ([`file_name`](fn@file_name)).
#![forbid(unsafe_code)]

mod create;
mod file_name;
mod folder;
mod fresh;
mod target;

pub use create::create;
pub use file_name::{FileName, file_name, host};
pub use folder::Folder;
pub use fresh::{Fresh, Put, append, replace, replace_by};
pub use target::{Target, claim, is_refusal, look_up, may_be_written_over, names};

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// Sixteen digits that nobody foresees.
fn random() -> String {
    // Its keys are the kernel's random numbers.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
