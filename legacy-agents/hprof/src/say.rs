//! What is said on stderr: whole lines, one write each, failures ignored.

use std::fmt::Arguments;
use std::io::{self, Write as _};

use crate::ffi::extension;
use terminal_text::printable::printable;

/// A line about something that went wrong, whatever is in the names that it tells of.
pub(crate) fn error(line: Arguments<'_>) {
    notice(&format!("hprof: {}", printable(&line.to_string())));
}

/// A line that is news also for whoever attaches or detaches the agent now.
pub(crate) fn notice(line: &str) {
    text(&format!("{line}\n"));
    extension::tell(line);
}

/// Text as it is.
pub(crate) fn text(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// To stdout: only what was asked for in so many words, `help`.
pub(crate) fn answer(text: &str) {
    let mut out = io::stdout();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}
