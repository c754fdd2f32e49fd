//! The lines of doctor's report.

use std::process::ExitCode;

use terminal_text::printable::printable;

use crate::say;

/// Prints each line as it becomes known, and remembers whether all is well.
#[derive(Default)]
pub(crate) struct Report {
    problems: usize,
}

impl Report {
    /// Something that is as it should be.
    pub(crate) fn ok(&mut self, what: &str) {
        say::out(format!("ok: {}\n", printable(what)).as_bytes());
    }

    /// Something that is not, and what to do about it.
    pub(crate) fn problem(&mut self, what: &str, todo: &str) {
        self.problems += 1;
        let (what, todo) = (printable(what), printable(todo));
        say::out(format!("problem: {what}  → {todo}\n").as_bytes());
    }

    pub(crate) fn all_well(&self) -> bool {
        self.problems == 0
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.all_well() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
