//! What is said to the dynamic linker, so that it loads libraries that want an executable stack.
//!
//! Up to glibc 2.40 it made all stacks so when it loaded one. From 2.41 on it refuses such a library unless the process
//! has begun with executable stacks, which it does if the environment says so (JVMTI facts 48).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// The variable that says so.
pub const VARIABLE: &str = "GLIBC_TUNABLES";

const TUNABLE: &str = "glibc.rtld.execstack";

/// As it was before 2.41. An older glibc does not know the name, and goes on; one that does not know the number, too.
const ALLOWS: &str = "2";

/// What [`VARIABLE`] is to be, which is this now; `None` if it says something of stacks already.
#[must_use]
pub fn allowed(now: &OsStr) -> Option<OsString> {
    let own = TUNABLE.as_bytes();
    if now.as_bytes().windows(own.len()).any(|part| part == own) {
        return None;
    }
    let mut all = now.to_owned();
    if !now.is_empty() {
        all.push(":");
    }
    all.push(format!("{TUNABLE}={ALLOWS}"));
    Some(all)
}

/// Whether a dynamic linker that calls itself so (`--version`) has to be told.
#[must_use]
pub fn must_be_told(version: &str) -> bool {
    let first = version.lines().next().unwrap_or("");
    let number = first
        .split_ascii_whitespace()
        .rev()
        .find_map(|word| word.strip_prefix("2."));
    let number = number.map(|rest| {
        rest.split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or("")
    });
    number
        .and_then(|minor| minor.parse::<u32>().ok())
        .is_some_and(|minor| minor >= 41)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_has_said_stays() {
        let with = |now: &str| allowed(OsStr::new(now)).map(|wish| wish.into_string().unwrap());
        assert_eq!(with("").as_deref(), Some("glibc.rtld.execstack=2"));
        assert_eq!(
            with("glibc.malloc.check=3").as_deref(),
            Some("glibc.malloc.check=3:glibc.rtld.execstack=2")
        );
        assert_eq!(with("glibc.rtld.execstack=0:glibc.malloc.check=3"), None);
    }

    #[test]
    fn linkers_say_their_version() {
        for (line, told) in [
            (
                "ld.so (Debian GLIBC 2.43-7) stable release version 2.43.\n",
                true,
            ),
            (
                "ld.so (Debian GLIBC 2.41-12+deb13u5) stable release version 2.41.\nCopyright",
                true,
            ),
            (
                "ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.",
                false,
            ),
            (
                "ld.so (GNU libc) development release version 2.41.9000.",
                true,
            ),
            ("musl libc (x86_64)\nVersion 1.2.3", false),
            ("", false),
        ] {
            assert_eq!(must_be_told(line), told, "{line}");
        }
    }
}
