//! Where our own outputs go.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use terminal_text::raw_text;

use crate::base::log;

/// What a name is on disk: options are text, which stands for bytes.
pub(crate) fn bytes(path: &str) -> OsString {
    OsString::from_vec(raw_text::encode(path))
}

/// The name of an output with what is this process's own filled in (`%p`, `%h`, `%t`, `%x{NAME}`).
pub(crate) fn filled_in(option: &str, path: &str) -> PathBuf {
    let file = own_files::file_name(bytes(path));
    for variable in &file.unset {
        log::warning!("%x{{{variable}}} in {option}= is not set: nothing stands there");
    }
    file.name
}
