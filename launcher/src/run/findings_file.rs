//! The files of `--findings` and `--suppress`: where what is found is written, and what of it is known.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use findings::{Ended, Format, Suite, Suppressions};

use crate::base::output::{self, Kind, may_replace};
use crate::base::say::{self, Failure};
use crate::command_line::request::Globals;

/// Where findings go, and what of them is known.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    to: Option<(PathBuf, Format)>,
    known: Suppressions,
    /// The file that says what is known.
    known_in: Option<PathBuf>,
}

impl Wish {
    /// What was asked for; none if nothing was. `rules` are all that there are. Files are looked
    /// at now, before anything has run.
    pub(crate) fn of(globals: &Globals, rules: &[&str]) -> Result<Option<Self>, Failure> {
        let (to, format) = (&globals.findings, &globals.format);
        if to.is_none() && format.is_none() && globals.suppress.is_none() {
            return Ok(None);
        }
        let to = to
            .as_ref()
            .map(|path| destination(path, format.as_deref(), globals.force));
        let to = to.transpose()?;
        if to.is_none() && format.is_some() {
            return Err(Failure::xrun("--format needs --findings FILE beside it"));
        }
        let known = match &globals.suppress {
            None => Suppressions::default(),
            Some(path) => {
                let wrong = |what: &dyn std::fmt::Display| {
                    Failure::xrun(format!("--suppress {}: {what}", path.display()))
                };
                let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
                Suppressions::read(&text, rules).map_err(|what| wrong(&what))?
            }
        };
        Ok(Some(Self {
            to,
            known,
            known_in: globals.suppress.clone(),
        }))
    }

    /// Marks what is known, and says what is not any more.
    pub(crate) fn apply(&mut self, suites: &mut [Suite]) {
        self.known.apply(suites);
        for unused in self.known.unused() {
            let file = self.known_in.as_deref().unwrap_or(Path::new(""));
            say::warn(&format!("{}, {unused}", file.display()));
        }
    }

    /// Writes the file.
    pub(crate) fn write(&self, suites: &[Suite]) -> Result<(), Failure> {
        match &self.to {
            Some((path, format)) => output::write(path, format.text(suites).as_bytes()),
            None => Ok(()),
        }
    }

    /// Writes that nothing came of a job, for what an earlier one has found is not what this one has. The failure is
    /// what xrun ends with, whether or not that can be written.
    pub(crate) fn write_failure(&self, job: &str, about: Vec<(String, String)>, failure: &Failure) {
        let suite = Suite {
            job: job.to_owned(),
            about,
            rules: Vec::new(),
            findings: Vec::new(),
            ended: Ended {
                exit_code: failure.code.into(),
                problem: Some(failure.text.clone()),
            },
            is_once_each: false,
        };
        if let Err(other) = self.write(&[suite]) {
            say::warn(&other.text);
        }
    }
}

fn destination(
    path: &Path,
    format: Option<&OsStr>,
    force: bool,
) -> Result<(PathBuf, Format), Failure> {
    let format = match format {
        Some(name) => Format::named(&name.to_string_lossy()),
        None => Format::of_file(&path.to_string_lossy()),
    };
    let format = format.ok_or_else(|| {
        Failure::xrun("--format json or junit? (or --findings FILE.json or FILE.xml)")
    })?;
    let path = output::filled_in(path)?;
    may_replace(&path, Kind::Findings, force)?;
    Ok((path, format))
}
