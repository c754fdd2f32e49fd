//! `xrun merge`: profiles of many processes, made one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use profiles::merged::Merged;
use profiles::page::{self, About};
use profiles::{read, write};

use crate::description;
use crate::output::{self, Kind, may_replace};
use crate::progress::Busy;
use crate::say::{self, Failure};

/// Nodes below this share are drawn as one box: a seventh of a pixel.
const DRAWN: f64 = 0.0001;
/// Numbers of a page at most: browsers take their time to read them.
const ON_A_PAGE: usize = 1_000_000;

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
    let out = PathBuf::from(filled_in(out)?);
    let named = all("format")
        .next()
        .map(|it| it.to_string_lossy().into_owned());
    let format = format_of(named.as_deref(), &out)?;
    may_replace(&out, Kind::Profile, found.get_flag("force"))?;
    let _busy = Busy::with("merge".to_owned());
    let mut merged = Merged::default();
    let mut bad = 0;
    let mut files = 0;
    for file in all("FILES") {
        files += 1;
        if let Err(why) = add(&mut merged, Path::new(file), &out) {
            say::warn(&format!("{}: {why}", Path::new(file).display()));
            bad += 1;
        }
    }
    if bad == files {
        return Err(Failure::xrun(
            "merge: no file could be read; nothing is written",
        ));
    }
    choose(&mut merged, &kinds)?;
    if merged.folded {
        say::warn(
            "what has least was put together, as (below the cutoff): it was more than memory has room for; sums are whole",
        );
    }
    output::write(&out, &bytes(&mut merged, format, files - bad, bad)?)?;
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn filled_in(name: &OsString) -> Result<String, Failure> {
    let Some(name) = name.to_str() else {
        return Err(Failure::xrun("merge: the name of OUT is no text"));
    };
    let file = own_files::file_name(name);
    match file.unset.first() {
        Some(unset) => Err(Failure::xrun(format!(
            "merge: %x{{{unset}}} in {name} is not set"
        ))),
        None => Ok(file.name),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Flame,
    Collapsed,
    Json,
    Pprof,
}

fn format_of(named: Option<&str>, out: &Path) -> Result<Format, Failure> {
    let name = out.to_string_lossy();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    match named {
        Some("flame") => Ok(Format::Flame),
        Some("collapsed") => Ok(Format::Collapsed),
        Some("json") => Ok(Format::Json),
        Some("pprof") => Ok(Format::Pprof),
        Some(other) => Err(Failure::xrun(format!(
            "merge: --format {other}? flame, collapsed, json or pprof"
        ))),
        None if ends(&[".html", ".htm"]) => Ok(Format::Flame),
        None if ends(&[".collapsed", ".folded"]) => Ok(Format::Collapsed),
        None if ends(&[".json"]) => Ok(Format::Json),
        None if ends(&[".pb.gz", ".pprof"]) => Ok(Format::Pprof),
        None => Err(Failure::xrun(format!(
            "merge: what is {name} to be? .html, .collapsed, .json or .pb.gz at its end, or --format"
        ))),
    }
}

fn add(merged: &mut Merged, file: &Path, out: &Path) -> Result<(), String> {
    let same = |one: &Path| fs::canonicalize(one).ok();
    if same(file).is_some_and(|file| Some(file) == same(out)) {
        return Err("it is what is to be written: name another OUT".to_owned());
    }
    let name = file.to_string_lossy();
    if name.ends_with(".new") {
        return Err(
            "a profile that was still being written: the one beside it is whole".to_owned(),
        );
    }
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    merged.add(&read::read(&name, &bytes)?)
}

/// Only what was asked for.
fn choose(merged: &mut Merged, kinds: &[String]) -> Result<(), Failure> {
    let titles: Vec<String> = merged
        .series
        .iter()
        .map(|(series, _)| series.title.clone())
        .collect();
    let there = titles.join(", ");
    if let Some(kind) = kinds.iter().find(|kind| !titles.contains(kind)) {
        return Err(Failure::xrun(format!(
            "merge: --kind \"{kind}\"? There are: {there}"
        )));
    }
    merged
        .series
        .retain(|(series, _)| kinds.is_empty() || kinds.contains(&series.title));
    Ok(())
}

fn bytes(
    merged: &mut Merged,
    format: Format,
    files: usize,
    bad: usize,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let written = match format {
        Format::Flame => {
            merged.cut(DRAWN, ON_A_PAGE);
            let taken = SystemTime::now().duration_since(UNIX_EPOCH);
            let hosts: std::collections::BTreeSet<&str> =
                merged.processes.iter().map(|it| &*it.host).collect();
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
            let about = About {
                title: "All processes",
                taken: u64::try_from(taken.unwrap_or_default().as_millis()).unwrap_or(0),
                facts: &facts,
                notes: &notes,
            };
            page::write(merged, about, &mut bytes)
        }
        Format::Collapsed => {
            if merged.series.len() != 1 {
                let titles = merged.series.iter().map(|(series, _)| &*series.title);
                let titles: Vec<&str> = titles.collect();
                return Err(Failure::xrun(format!(
                    "merge: collapsed has one kind, and there are {}: {}; choose one with --kind",
                    titles.len(),
                    titles.join(", ")
                )));
            }
            write::collapsed(merged, WRITER, &mut bytes)
        }
        Format::Json => write::json(merged, WRITER, &mut bytes),
        Format::Pprof => write::pprof(merged, WRITER, &mut bytes),
    };
    written.map_err(|error| Failure::xrun(format!("merge: {error}")))?;
    Ok(bytes)
}
