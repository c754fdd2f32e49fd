//! The command lines of `xrun trace`, and which records they choose.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use event_translate::{EventKind, Function};
use recording_format::{Item, Subject, What, jvmti};

use terminal_text::nearest::did_you_mean;
use trace_views::Wish;

use crate::base::say::Failure;
use crate::command_line::description;

/// What stands on the command line.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) files: Vec<OsString>,
    pub(super) out: Option<OsString>,
    pub(super) parquet: Option<OsString>,
    pub(super) json: bool,
    pub(super) wish: Wish,
    pub(super) force: bool,
    subjects: Vec<Subject>,
    threads: Vec<u32>,
}

impl Choice {
    /// Reads the words after `trace JOB`.
    pub(super) fn parse(job: &str, words: &[OsString]) -> Result<Self, Failure> {
        let matches = description::read(&["trace", job], words)?;
        // What a job does not have is not described for it.
        let all = |name: &str| {
            let found = matches.try_get_many::<OsString>(name).ok().flatten();
            found.into_iter().flatten().cloned().collect::<Vec<_>>()
        };
        let on = |name: &str| {
            let found = matches.try_get_one::<bool>(name).ok().flatten();
            found.copied().unwrap_or(false)
        };
        let mut subjects = Vec::new();
        for name in all("event") {
            subjects.push(event(&name)?);
        }
        for name in all("call") {
            subjects.extend(call(&name)?);
        }
        let number = |word: &OsString| {
            let word = word.to_string_lossy();
            let number = word.trim_start_matches('t').parse();
            number.map_err(|_| {
                Failure::xrun(format!(
                    "--thread {word}: the number of a thread, as dump shows it"
                ))
            })
        };
        Ok(Self {
            files: [all("FILE"), all("FILES")].concat(),
            out: all("out").pop(),
            parquet: all("parquet").pop(),
            json: on("json"),
            wish: Wish {
                all: on("all"),
                whole: on("whole"),
            },
            force: on("force"),
            subjects,
            threads: all("thread").iter().map(number).collect::<Result<_, _>>()?,
        })
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
    let found = found.map(|kind| Subject::Event(kind.raw()));
    let of_jvmti = || (0..=u8::MAX).filter_map(jvmti::event);
    let same = of_jvmti().find(|event| event.name == plain);
    let names = EventKind::ALL.iter().map(|kind| kind.name());
    let meant = did_you_mean(plain, names.chain(of_jvmti().map(|event| event.name)));
    let unknown = || {
        Failure::xrun(format!(
            "--event {name}: neither JVMPI nor JVMTI has such an event{meant}"
        ))
    };
    found
        .or_else(|| Some(Subject::JvmtiEvent(same?.number)))
        .ok_or_else(unknown)
}

/// Both have some by the same name.
fn call(name: &OsStr) -> Result<Vec<Subject>, Failure> {
    let name = name.to_string_lossy();
    let found = Function::ALL
        .iter()
        .find(|function| function.row().name == name);
    let found = found.map(|function| Subject::Call(function.row().slot));
    let of_jvmti = || (0..=u8::MAX).filter_map(jvmti::function);
    let same = of_jvmti().find(|function| function.name == name);
    let same = same.map(|function| Subject::JvmtiCall(function.number));
    let subjects: Vec<Subject> = found.into_iter().chain(same).collect();
    if subjects.is_empty() {
        let names = Function::ALL.iter().map(|function| function.row().name);
        let meant = did_you_mean(&name, names.chain(of_jvmti().map(|function| function.name)));
        return Err(Failure::xrun(format!(
            "--call {name}: neither JVMPI nor JVMTI has such a function{meant}"
        )));
    }
    Ok(subjects)
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
