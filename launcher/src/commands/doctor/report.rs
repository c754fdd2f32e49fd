//! The lines of doctor's report.

use std::process::ExitCode;

use terminal_text::printable::printable;

use crate::base::say::{self, Failure};

/// Prints each line as it becomes known, and remembers whether all is well.
#[derive(Default)]
pub(crate) struct Report {
    problems: usize,
    /// What kept the first line from being written, of those that were not.
    unwritten: Option<Failure>,
}

impl Report {
    /// Something that is as it should be.
    pub(crate) fn ok(&mut self, what: &str) {
        self.line(&format!("ok: {}\n", printable(what)));
    }

    /// Something that is not, and what to do about it.
    pub(crate) fn problem(&mut self, what: &str, todo: &str) {
        self.problems += 1;
        let (what, todo) = (printable(what), printable(todo));
        self.line(&format!("problem: {what}  → {todo}\n"));
    }

    fn line(&mut self, line: &str) {
        let written = say::out(line.as_bytes());
        self.unwritten = self.unwritten.take().or(written.err());
    }

    pub(crate) fn all_well(&self) -> bool {
        self.problems == 0
    }

    /// Whether all is well, if all of it could be said.
    pub(crate) fn exit_code(self) -> Result<ExitCode, Failure> {
        match self.unwritten {
            Some(failure) => Err(failure),
            None if self.problems == 0 => Ok(ExitCode::SUCCESS),
            None => Ok(ExitCode::FAILURE),
        }
    }
}
