//! One recording, on its way into its files: this thread reads, another one encodes.

use std::fmt;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use recording_format::{Item, Recording, Subject, What};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, Cell};
use crate::calls::Calls;
use crate::encode::{TableFile, path_of};
use crate::events::Events;
use crate::identities::Identities;
use crate::rows::{Rows, Stopped};
use crate::schema::{PROCESSES, TABLES, Table};
use crate::stacks::Stacks;

/// Where a recording goes.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder of all tables.
    pub folder: &'a Path,
    /// The name of this process among others: the folder `process=NAME` of each table.
    pub process: &'a str,
}

impl Place<'_> {
    /// The files that [`export`] writes.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        TABLES
            .into_iter()
            .map(|table| path_of(self.folder, table, self.process))
    }
}

/// What was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Rows of `events`.
    pub events: u64,
    /// Rows of `calls`.
    pub calls: u64,
}

/// A file that could not be written.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    reason: io::Error,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for Error {}

/// Writes the tables of one recording, which was read from `file`. Each file is there as a whole
/// or not at all; one that was there is replaced.
///
/// # Errors
/// If a folder or a file cannot be written.
pub fn export(recording: &Recording<'_>, file: &str, place: Place<'_>) -> Result<Counted, Error> {
    let mut files = Vec::new();
    for table in TABLES {
        let path = path_of(place.folder, table, place.process);
        let failed = |reason| Error {
            path: path.clone(),
            reason,
        };
        if let Some(folder) = path.parent() {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true).mode(0o700);
            builder.create(folder).map_err(failed)?;
        }
        let open = TableFile::beside(&path, table).map_err(failed)?;
        files.push((table, path.clone(), open));
    }
    // Kinds that come together are full together: so many batches wait that neither side does.
    let (sender, receiver) = sync_channel(8);
    thread::scope(|scope| {
        let encoder = scope.spawn(move || encode(&receiver, files));
        let counted = Export::new(sender).whole(recording, file);
        match encoder.join() {
            Ok(Ok(())) => Ok(counted.unwrap_or_default()),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(Error {
                path: place.folder.to_owned(),
                reason: io::Error::other("what writes it has panicked"),
            }),
        }
    })
}

fn encode(
    batches: &Receiver<Batch>,
    mut files: Vec<(&'static Table, PathBuf, TableFile)>,
) -> Result<(), Error> {
    for batch in batches {
        for (table, path, file) in &mut files {
            if table.name == batch.table.name {
                file.write(&batch).map_err(|reason| Error {
                    path: path.clone(),
                    reason,
                })?;
            }
        }
    }
    for (_, path, file) in files {
        file.finish().map_err(|reason| Error { path, reason })?;
    }
    Ok(())
}

struct Export {
    identities: Identities,
    stacks: Stacks,
    events: Events,
    calls: Calls,
    processes: Rows,
    /// Of each thread of the recording.
    threads: FxHashMap<u32, At>,
    counted: Counted,
    number: i64,
    last: u64,
}

/// Where a thread of the recording is.
#[derive(Debug, Default)]
pub(crate) struct At {
    /// The env of its last event.
    pub(crate) env: u64,
    /// The events whose handlers are running, calls that have not returned, and their numbers.
    pub(crate) open: Vec<(Subject, i64)>,
}

impl At {
    /// The event in whose handler it is.
    pub(crate) fn event(&self) -> Option<i64> {
        let is_event = |open: &&(Subject, i64)| matches!(open.0, Subject::Event(_));
        self.open.iter().rev().find(is_event).map(|open| open.1)
    }
}

impl Export {
    fn new(sender: SyncSender<Batch>) -> Self {
        Self {
            identities: Identities::new(&sender),
            stacks: Stacks::new(&sender),
            events: Events::new(&sender),
            calls: Calls::new(&sender),
            processes: Rows::of(&PROCESSES, &sender),
            threads: FxHashMap::default(),
            counted: Counted::default(),
            number: 0,
            last: 0,
        }
    }

    fn whole(mut self, recording: &Recording<'_>, file: &str) -> Result<Counted, Stopped> {
        recording.items().each(|item| self.item(item))?;
        self.calls.finish()?;
        self.events.finish()?;
        self.stacks.finish()?;
        self.process(recording, file)?;
        self.processes.flush()?;
        self.identities.finish()?;
        Ok(self.counted)
    }

    fn item(&mut self, item: &Item<'_>) -> Result<(), Stopped> {
        self.last = self.last.max(item.nanos);
        let at = self.threads.entry(item.thread).or_default();
        let nanos = item.nanos.cast_signed();
        let subject = item.what.subject();
        match &item.what {
            What::Event {
                number: kind,
                requested,
                env,
                values,
                ..
            } => {
                at.env = *env;
                self.number += 1;
                self.counted.events += 1;
                if item.what.is_open() {
                    at.open.push((subject, self.number));
                }
                let event = crate::events::Event {
                    number: self.number,
                    nanos,
                    kind: *kind,
                    requested: *requested,
                    env: *env,
                    values,
                };
                self.events
                    .add(&event, &mut self.identities, &mut self.stacks)
            }
            What::Call { .. } | What::Run { .. } => {
                self.number += 1;
                self.counted.calls += 1;
                let begun = crate::calls::Begun {
                    number: self.number,
                    nanos,
                    thread: self.identities.thread(at.env)?,
                    event: at.event(),
                };
                if item.what.is_open() {
                    at.open.push((subject, self.number));
                }
                self.calls
                    .add(begun, &item.what, &mut self.identities, &mut self.stacks)
            }
            What::Leave { results, .. } => {
                let place = at.open.iter().rposition(|open| open.0 == subject);
                let left = place.and_then(|place| at.open.drain(place..).next());
                match left {
                    Some((Subject::Call(_) | Subject::Run, number)) => self.calls.leave(
                        number,
                        nanos,
                        results,
                        &mut self.identities,
                        &mut self.stacks,
                    ),
                    Some((
                        Subject::Event(_)
                        | Subject::JvmtiEvent(_)
                        | Subject::JvmtiCall(_)
                        | Subject::Definition(_),
                        _,
                    ))
                    | None => Ok(()),
                }
            }
            // The tables are those of an agent that speaks JVMPI.
            What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Defined { .. } => Ok(()),
        }
    }

    fn process(&mut self, recording: &Recording<'_>, file: &str) -> Result<(), Stopped> {
        let header = &recording.header;
        let known = |text: &str| Cell::maybe(Some(text.as_bytes()).filter(|it| !it.is_empty()));
        let started = (header.started > 0).then(|| (header.started / 1000).cast_signed());
        let problems = recording.problems().join("; ");
        self.processes.push([
            i64::from(header.pid).into(),
            Cell::text(file.as_bytes()),
            started.into(),
            self.last.into(),
            known(&header.shim),
            known(&header.vm),
            known(&header.agent),
            Cell::maybe(header.options.as_deref().map(str::as_bytes)),
            known(&header.settings),
            known(&header.command),
            known(&problems),
        ])
    }
}
