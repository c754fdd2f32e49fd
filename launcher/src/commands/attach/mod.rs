//! `xrun attach`, `detach` and `ps`: agents in VMs that are running.
//!
//! No JDK is needed: the VM's own attach protocol is spoken here.
//!
//! | file | job |
//! |---|---|
//! | `process` | what the kernel tells of a process |
//! | `inside` | its files, by the names that it has for them |
//! | `vm` | what the VM in it tells of itself, unasked |
//! | `protocol` | the VM's attach listener, and requests to it |
//! | `report` | what the shim inside answers, beside the VM's return code |
//! | `libraries` | which files the VM is to load, and under which names it sees them |
//! | `session` | attaching, waiting, detaching |
//! | `ps` | the list |
//! | `trouble` | what can be wrong, and the exit codes |
//! | `system` | calls of the kernel's |

mod inside;
mod libraries;
mod process;
mod protocol;
mod ps;
mod report;
mod session;
mod system;
mod trouble;
mod vm;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::base::say::Failure;
use crate::command_line::attach_words;

pub(crate) use session::attach;

/// `xrun detach`.
pub(crate) fn detach(words: &[OsString]) -> Result<ExitCode, Failure> {
    let (pid, name) = attach_words::detach(words)?;
    session::detach(pid, name.as_deref())
}

/// `xrun ps`.
pub(crate) fn ps(words: &[OsString]) -> Result<(), Failure> {
    attach_words::none("ps", words)?;
    ps::run()
}
