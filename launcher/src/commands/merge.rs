//! `xrun merge`: profiles of many processes, made one.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use profiles::merged::Merged;
use profiles::page::{self, About};
use profiles::part::Part;
use profiles::{read, write};

use crate::base::output::{self, Kind, may_replace};
use crate::base::progress::Busy;
use crate::base::say::{self, Failure};
use crate::command_line::description;

/// Nodes below this share are drawn as one box: a seventh of a pixel.
pub(crate) const DRAWN: f64 = 0.0001;
/// Numbers of a page at most: browsers take their time to read them.
pub(crate) const ON_A_PAGE: usize = 1_000_000;

const WRITER: &str = concat!("xrun ", env!("CARGO_PKG_VERSION"), " merge");

/// Does it.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    let found = description::read(&["merge"], words)?;
    let all = |name: &str| found.get_many::<OsString>(name).into_iter().flatten();
    let kinds: Vec<String> = all("kind")
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let Some(out) = all("out").next() else {
        return Err(Failure::xrun("merge needs -o OUT"));
    };
    let out = output::filled_in(out)?;
    let named = all("format")
        .next()
        .map(|it| it.to_string_lossy().into_owned());
    let format = Format::of("merge", named.as_deref(), &out, &Format::ALL)?;
    may_replace(&out, Kind::Profile, found.get_flag("force"))?;
    let _busy = Busy::with("merge".to_owned());
    let mut merged = Merged::default();
    let files: Vec<&Path> = all("FILES").map(Path::new).collect();
    let files = each_once(files);
    let bad = add(&mut merged, &files, &out);
    let files = files.len();
    if bad == files {
        return Err(Failure::xrun(
            "merge: no file could be read; nothing is written",
        ));
    }
    choose("merge", &mut merged, &kinds)?;
    say_folded(&merged);
    if format == Format::Collapsed {
        one_kind("merge", &merged)?;
    }
    output::write_by(&out, |out| {
        write(&mut merged, format, [files - bad, bad], out)
    })?;
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Flame,
    Collapsed,
    Json,
    Pprof,
}

impl Format {
    const ALL: [Self; 4] = [Self::Flame, Self::Collapsed, Self::Json, Self::Pprof];

    const fn name(self) -> &'static str {
        match self {
            Self::Flame => "flame",
            Self::Collapsed => "collapsed",
            Self::Json => "json",
            Self::Pprof => "pprof",
        }
    }

    /// How files of this format are called at their ends.
    const fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Flame => &[".html", ".htm"],
            Self::Collapsed => &[".collapsed", ".folded"],
            Self::Json => &[".json"],
            Self::Pprof => &[".pb.gz", ".pprof"],
        }
    }

    /// The one that is named, or that the file's name ends with; of those that `what` can write.
    pub(crate) fn of(
        what: &str,
        named: Option<&str>,
        out: &Path,
        known: &[Self],
    ) -> Result<Self, Failure> {
        let out = out.to_string_lossy();
        let mut all = known.iter().copied();
        let listed = |words: Vec<&str>| match words.split_last() {
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => String::new(),
        };
        match named {
            Some(name) => all.find(|format| format.name() == name).ok_or_else(|| {
                let names = known.iter().map(|format| format.name()).collect();
                Failure::xrun(format!("{what}: --format {name}? {}", listed(names)))
            }),
            None => all
                .find(|format| format.ends().iter().any(|end| out.ends_with(end)))
                .ok_or_else(|| {
                    let ends = known.iter().filter_map(|format| format.ends().first());
                    Failure::xrun(format!(
                        "{what}: what is {out} to be? {} at its end, or --format",
                        listed(ends.copied().collect())
                    ))
                }),
        }
    }
}

/// A profile, unless it is `out`.
pub(crate) fn part_of(file: &Path, out: Option<&Path>) -> Result<Part, String> {
    let same = |one: &Path| fs::canonicalize(one).ok();
    if same(file).is_some_and(|file| Some(file) == out.and_then(same)) {
        return Err("it is what is to be written: name another OUT".to_owned());
    }
    let name = file.to_string_lossy();
    if name.ends_with(".new") {
        return Err("a profile that was still being written: take the one beside it".to_owned());
    }
    let mut file = File::open(file).map_err(|error| error.to_string())?;
    read::read(&name, &mut file)
}

/// A file that is named twice counts once: patterns overlap.
fn each_once(mut files: Vec<&Path>) -> Vec<&Path> {
    let mut known = HashSet::new();
    files.retain(|&file| {
        // What is not there is said later on.
        let is_new = fs::canonicalize(file).map_or(true, |it| known.insert(it));
        if !is_new {
            say::warn(&format!(
                "{}: named twice, and counted once",
                file.display()
            ));
        }
        is_new
    });
    files
}

pub(crate) fn say_folded(merged: &Merged) {
    if merged.folded {
        say::warn(
            "what has least was put together, as (below the cutoff): it was more than memory has room for; sums are whole",
        );
    }
}

/// Adds these files; how many could not be. One is read while that before it is added.
fn add(merged: &mut Merged, files: &[&Path], out: &Path) -> usize {
    let mut bad = 0;
    thread::scope(|scope| {
        let (sender, parts) = sync_channel(1);
        scope.spawn(move || {
            for &file in files {
                if sender.send((file, part_of(file, Some(out)))).is_err() {
                    break;
                }
            }
        });
        for (file, part) in parts {
            if let Err(why) = part.and_then(|part| merged.add(&part)) {
                say::warn(&format!("{}: {why}", file.display()));
                bad += 1;
            }
        }
    });
    bad
}

/// Only what was asked for.
pub(crate) fn choose(what: &str, merged: &mut Merged, kinds: &[String]) -> Result<(), Failure> {
    let titles: Vec<String> = merged
        .series
        .iter()
        .map(|(series, _)| series.title.clone())
        .collect();
    let there = titles.join(", ");
    if let Some(kind) = kinds.iter().find(|kind| !titles.contains(kind)) {
        return Err(Failure::xrun(format!(
            "{what}: --kind \"{kind}\"? There are: {there}"
        )));
    }
    merged
        .series
        .retain(|(series, _)| kinds.is_empty() || kinds.contains(&series.title));
    Ok(())
}

/// Collapsed has one.
pub(crate) fn one_kind(what: &str, merged: &Merged) -> Result<(), Failure> {
    if merged.series.len() == 1 {
        return Ok(());
    }
    let titles = merged.series.iter().map(|(series, _)| &*series.title);
    let titles: Vec<&str> = titles.collect();
    Err(Failure::xrun(format!(
        "{what}: collapsed has one kind, and there are {}: {}; choose one with --kind",
        titles.len(),
        titles.join(", ")
    )))
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(0)
}

/// Of so many files, and of so many that could not be read.
fn write(
    merged: &mut Merged,
    format: Format,
    [files, bad]: [usize; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Flame => {
            merged.cut(DRAWN, ON_A_PAGE);
            let hosts: BTreeSet<&str> = merged.processes.iter().map(|it| &*it.host).collect();
            let facts = [
                ("Files", files.to_string()),
                ("Processes", merged.processes.len().to_string()),
                (
                    "Hosts",
                    hosts
                        .into_iter()
                        .filter(|it| !it.is_empty())
                        .collect::<Vec<_>>()
                        .join(", "),
                ),
                ("Written by", WRITER.to_owned()),
            ];
            let notes: Vec<String> = (bad > 0)
                .then(|| format!("{bad} files could not be read and are not in here."))
                .into_iter()
                .collect();
            let title = match merged.processes.as_slice() {
                [one] if one.name.parse::<u32>().is_ok() => format!("Process {}", one.name),
                [one] => one.name.clone(),
                _ => "All processes".to_owned(),
            };
            let about = About {
                title: &title,
                taken: now(),
                facts: &facts,
                notes: &notes,
            };
            page::write(merged, about, out)
        }
        Format::Collapsed => write::collapsed(merged, WRITER, out),
        Format::Json => write::json(merged, WRITER, out),
        Format::Pprof => write::pprof(merged, WRITER, out),
    }
}
