//! A `key=value` for the shim, looked at before anything begins; and a folder that can be named in one.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use shim_options::{OPTIONS, Options};

use crate::base::say::Failure;

/// `key=value` that can stand in the shim's option string. The shim itself would warn of one
/// that it does not know, and go on; here nothing has begun.
pub(crate) fn checked(word: OsString) -> Result<OsString, Failure> {
    let refuse = |why: &str| Err(Failure::xrun(format!("--set {}: {why}", word.display())));
    let key = word
        .as_bytes()
        .split(|&b| b == b'=')
        .next()
        .unwrap_or_default();
    if key.is_empty() || key.len() == word.len() || key.contains(&b':') {
        refuse("write it as key=value, such as log=info")
    } else if key == b"agent" {
        refuse("name the agent with -Xrunfoo:opts instead")
    } else if word.as_bytes().contains(&b',') {
        refuse("a value cannot have ',' in it; give --set once for each option")
    } else {
        match trouble(&word.to_string_lossy()) {
            None => Ok(word),
            Some(trouble) => refuse(&trouble),
        }
    }
}

/// Why the shim would not take this setting.
fn trouble(word: &str) -> Option<String> {
    let (key, value) = word.split_once('=')?;
    Options::default().apply(key, value).err()?;
    let row = OPTIONS.iter().find(|row| row.name == key);
    Some(match row.map(|row| row.values) {
        None => {
            let known = OPTIONS.each_ref().map(|row| row.name).join(", ");
            format!("libjvmpi.so has no such option; it has {known}")
        }
        Some("RULE+RULE") => "not all of these are rules; CHECKS.md lists them".to_owned(),
        Some(values) => format!("write it as {key}={values}"),
    })
}

/// A folder whose name can stand in the shim's option string.
pub(crate) fn temporary_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().as_bytes().contains(&b',') {
        return PathBuf::from("/tmp");
    }
    folder
}
