//! What xrun says: whole lines, and how it fails.
//!
//! `println!` and `eprintln!` panic when the other end is closed, so they are
//! not used.

use std::io::{ErrorKind, Write};

use terminal_text::printable::printable;

use super::progress;

/// Exit code of a VM that cannot find its agent; ours for the same trouble.
pub(crate) const AGENT_TROUBLE: u8 = 1;
/// Exit code for a wrong use of xrun or an incomplete installation of it.
pub(crate) const XRUN_TROUBLE: u8 = 2;
/// Exit code for a command that is there but cannot be executed, as in shells.
pub(crate) const NOT_EXECUTABLE: u8 = 126;
/// Exit code for a command that is not there, as in shells.
pub(crate) const NOT_FOUND: u8 = 127;

/// Why nothing was run: one line for stderr, and the exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) text: String,
}

impl Failure {
    /// The agent is missing or unfit: the VM itself would end with 1.
    pub(crate) fn agent(text: impl Into<String>) -> Self {
        Self {
            code: AGENT_TROUBLE,
            text: text.into(),
        }
    }

    /// xrun was called wrongly or is incomplete.
    pub(crate) fn xrun(text: impl Into<String>) -> Self {
        Self {
            code: XRUN_TROUBLE,
            text: text.into(),
        }
    }
}

/// One line on stderr, marked as ours, whatever is in the names that it tells of.
pub(crate) fn warn(text: &str) {
    let line = format!("xrun: {}\n", printable(text));
    // Nobody is left to hear that stderr is closed.
    let _ = progress::beside(|| std::io::stderr().write_all(line.as_bytes()));
}

/// One line on stderr of somebody else's, which says whose it is.
pub(crate) fn line(text: &str) {
    let line = format!("{}\n", printable(text));
    let _ = progress::beside(|| std::io::stderr().write_all(line.as_bytes()));
}

/// Bytes on stdout, as they are (file names need not be UTF-8). Whoever reads no more has seen
/// enough; what a disk has no room for is a failure.
pub(crate) fn out(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout();
    let write = || stdout.write_all(bytes).and_then(|()| stdout.flush());
    written(progress::beside(write))
}

/// What became of something written to stdout.
pub(crate) fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::xrun(format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}
