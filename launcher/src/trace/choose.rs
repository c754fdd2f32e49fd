//! The command lines of `xrun trace`, and which records they choose.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use event_translate::{EventKind, Function};
use recording_format::{Item, Subject, What};

use crate::say::Failure;

/// What stands on the command line.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) files: Vec<OsString>,
    pub(super) out: Option<OsString>,
    pub(super) json: bool,
    pub(super) all: bool,
    pub(super) force: bool,
    subjects: Vec<Subject>,
    threads: Vec<u32>,
}

impl Choice {
    pub(super) fn parse(words: &[OsString]) -> Result<Self, Failure> {
        let mut choice = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = |what: &str| {
                let missing = || Failure::xrun(format!("{} needs {what}", word.display()));
                words.next().ok_or_else(missing)
            };
            match word.to_str() {
                Some("--json") => choice.json = true,
                Some("--all") => choice.all = true,
                Some("--force") => choice.force = true,
                Some("-o") => choice.out = Some(value("a file")?.clone()),
                Some("--event") => choice.subjects.push(event(value("the name of an event")?)?),
                Some("--call") => choice
                    .subjects
                    .push(call(value("the name of a function")?)?),
                Some("--thread") => {
                    let word = value("the number of a thread")?.to_string_lossy();
                    let number = word.trim_start_matches('t').parse();
                    choice.threads.push(number.map_err(|_| {
                        Failure::xrun(format!(
                            "--thread {word}: the number of a thread, as dump shows it"
                        ))
                    })?);
                }
                Some(flag) if flag.starts_with('-') => {
                    return Err(Failure::xrun(format!(
                        "{flag}: no flag of xrun trace (xrun --help says more)"
                    )));
                }
                _ => choice.files.push(word.clone()),
            }
        }
        Ok(choice)
    }

    fn wants(&self, item: &Item<'_>) -> bool {
        let subject = item.what.subject();
        (self.threads.is_empty() || self.threads.contains(&item.thread))
            && (self.subjects.is_empty() || self.subjects.contains(&subject))
    }
}

fn event(name: &OsStr) -> Result<Subject, Failure> {
    let name = name.to_string_lossy();
    let plain = name.trim_start_matches("JVMPI_EVENT_");
    let found = EventKind::ALL.iter().find(|kind| kind.name() == plain);
    let unknown = || Failure::xrun(format!("--event {name}: JVMPI has no such event"));
    found
        .map(|kind| Subject::Event(kind.raw()))
        .ok_or_else(unknown)
}

fn call(name: &OsStr) -> Result<Subject, Failure> {
    let name = name.to_string_lossy();
    let found = Function::ALL
        .iter()
        .find(|function| function.row().name == name);
    let unknown = || Failure::xrun(format!("--call {name}: JVMPI has no such function"));
    let slot = found.map(|function| Subject::Call(function.row().slot));
    slot.ok_or_else(unknown)
}

/// Follows a recording and says which records are chosen.
pub(super) struct Chooser<'a> {
    choice: &'a Choice,
    /// Of each thread: what is open, and whether it was chosen.
    open: HashMap<u32, Vec<(Subject, bool)>>,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(choice: &'a Choice) -> Self {
        Self {
            choice,
            open: HashMap::new(),
        }
    }

    /// How many chosen ones the next record lies in, if it is chosen itself.
    pub(super) fn depth(&mut self, item: &Item<'_>) -> Option<usize> {
        let open = self.open.entry(item.thread).or_default();
        let depth = |open: &[(Subject, bool)]| open.iter().filter(|(_, chosen)| *chosen).count();
        if let What::Leave { subject, .. } = item.what {
            let place = open.iter().rposition(|(open, _)| *open == subject)?;
            let (_, chosen) = *open.get(place)?;
            open.truncate(place);
            return chosen.then(|| depth(open));
        }
        let chosen = self.choice.wants(item);
        let found = chosen.then(|| depth(open));
        if item.what.is_open() {
            open.push((item.what.subject(), chosen));
        }
        found
    }
}
