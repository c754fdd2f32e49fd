//! Agents that want an executable stack, as old ones do, or say nothing of it.
//!
//! A VM whose C library refuses them (glibc 2.41 and later) is told by its environment to begin with such stacks; that
//! of any other VM stays as it is.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

pub(crate) use native_layout::executable_stacks::VARIABLE;
use native_layout::executable_stacks::{allowed, must_be_told};

use super::linker_needs;
use super::needed_libraries;

/// What [`VARIABLE`], which is `now` this, is to be for a program that loads this library; `None` if it may stay.
pub(crate) fn for_library(library: &Path, program: &Path, now: Option<&OsStr>) -> Option<OsString> {
    // Most say no, and libraries are looked for by programs of their own.
    (refuses(program) && are_wanted(library)).then(|| allowed(now.unwrap_or_default()))?
}

/// Says so to a program that is to load this library.
pub(crate) fn allow(command: &mut Command, library: &Path, program: &Path) {
    let now = std::env::var_os(VARIABLE);
    if let Some(value) = for_library(library, program, now.as_deref()) {
        command.env(VARIABLE, value);
    }
}

/// By it, or one that it needs.
fn are_wanted(library: &Path) -> bool {
    needed_libraries::with_all_needed(library)
        .iter()
        .any(|part| linker_needs::of(part).is_some_and(|its| its.executable_stacks()))
}

/// Whether the C library of this program would: its dynamic linker is asked.
fn refuses(program: &Path) -> bool {
    let Some(loader) = linker_needs::of(program).and_then(|its| its.loader) else {
        return false;
    };
    let said = Command::new(loader).arg("--version").output();
    said.is_ok_and(|said| must_be_told(&String::from_utf8_lossy(&said.stdout)))
}
