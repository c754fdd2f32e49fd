//! Libraries that want an executable stack, as old ones do, or say nothing of it.
//!
//! From glibc 2.41 on the dynamic linker loads one only where all stacks have been executable since the process began,
//! which they are if the environment says so. So this process becomes itself again with such an environment where a
//! library is refused for that reason, and only there. What the variable was is told by a last word, and put back before
//! the agent is loaded: neither that nor its children see it. Nothing of the agent has run by then: no code of a library
//! runs that cannot be mapped.
#![allow(
    unsafe_code,
    reason = "the environment of a process with a single thread"
)]

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use native_layout::executable_stacks::{self, VARIABLE};

use crate::{process, say};

/// What tells the second try of the variable: set and empty is not unset.
fn word(before: Option<OsString>) -> OsString {
    let Some(before) = before else {
        return OsString::new();
    };
    let mut word = OsString::from("=");
    word.push(before);
    word
}

/// The other way.
fn told(word: &OsStr) -> Option<&OsStr> {
    word.as_bytes().strip_prefix(b"=").map(OsStr::from_bytes)
}

/// Begins again, with these descriptors of the VM's, if the dynamic linker has refused a library for its stack; comes back if that was not the reason, or
/// nothing more can be done.
pub(crate) fn try_again(reason: &str, vm: i32, descriptors: [RawFd; 2]) {
    if !reason.contains("executable stack") {
        return;
    }
    let before = std::env::var_os(VARIABLE);
    let now = before.clone().unwrap_or_default();
    let (Some(wish), Ok(own)) = (executable_stacks::allowed(&now), std::env::current_exe()) else {
        return;
    };
    let mut again = Command::new(own);
    again.arg(vm.to_string());
    for descriptor in descriptors {
        process::hand_down(descriptor);
        again.arg(descriptor.to_string());
    }
    again.args(std::env::args_os().skip(4)).arg(word(before));
    let error = again.env(VARIABLE, wish).exec();
    say(&format!(
        "it cannot begin again with an executable stack: {error}"
    ));
}

/// Whether this is the second try: then the variable is as it was, from now on. Before there is any other thread.
pub(crate) fn put_back(word: Option<OsString>) -> bool {
    let Some(word) = word else { return false };
    if let Some(before) = told(&word) {
        #[allow(
            clippy::disallowed_methods,
            reason = "of a process of our own, and the agent is to find it as the program has it"
        )]
        // SAFETY: nobody else reads it meanwhile: there is one thread.
        unsafe {
            std::env::set_var(VARIABLE, before);
        };
    } else {
        // SAFETY: as above.
        unsafe { std::env::remove_var(VARIABLE) };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_try_is_told_what_it_was() {
        for before in [None, Some(""), Some("glibc.malloc.check=3"), Some("=")] {
            let word = word(before.map(OsString::from));
            assert_eq!(told(&word), before.map(OsStr::new), "{word:?}");
        }
    }
}
