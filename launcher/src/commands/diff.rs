//! `xrun diff`: what has become more and what less, between two profiles.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use profiles::changes;
use profiles::merged::Merged;
use profiles::node::Cell;
use profiles::page::{self, About};
use profiles::part::Series;
use profiles::write;

use super::merge::{DRAWN, Format, ON_A_PAGE, choose, now, one_kind, part_of, say_folded};
use crate::base::output::{self, Kind, may_replace};
use crate::base::progress::Busy;
use crate::base::say::{self, Failure};
use crate::command_line::description;

/// What stands as text: methods of each kind.
const LISTED: usize = 20;
/// Smaller changes, of the whole, are none.
const LEAST: f64 = 0.0005;

const WRITER: &str = concat!("xrun ", env!("CARGO_PKG_VERSION"), " diff");

/// Does it.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    let found = description::read(&["diff"], words)?;
    let all = |name: &str| found.get_many::<OsString>(name).into_iter().flatten();
    let texts = |name: &str| -> Vec<String> {
        let words = all(name);
        words.map(|it| it.to_string_lossy().into_owned()).collect()
    };
    let out = all("out").next();
    let out = out.map(output::filled_in).transpose()?;
    let format = out.as_ref().map(|out| {
        let known = [Format::Flame, Format::Collapsed, Format::Json];
        let named = texts("format");
        Format::of("diff", named.first().map(String::as_str), out, &known)
    });
    let format = format.transpose()?;
    if let Some(out) = &out {
        may_replace(out, Kind::Profile, found.get_flag("force"))?;
    }
    let files: Vec<&Path> = all("FILES").map(Path::new).collect();
    let [before, after] = files[..] else {
        return Err(Failure::xrun(
            "diff needs two profiles: what was before, and what is after",
        ));
    };
    let busy = Busy::with("diff".to_owned());
    let mut merged = Merged::default();
    merged.compared = true;
    let mut intervals = Vec::new();
    for (file, side) in [(before, "before"), (after, "after")] {
        let wrong = |why: String| Failure::xrun(format!("{}: {why}", file.display()));
        let mut part = part_of(file, out.as_deref()).map_err(wrong)?;
        intervals.push(part.interval);
        part.be_side(side);
        merged.add(&part).map_err(wrong)?;
    }
    choose("diff", &mut merged, &texts("kind"))?;
    say_folded(&merged);
    let text = text(&merged);
    let other_interval = match intervals[..] {
        [Some(first), Some(second)] if first != second => Some(format!(
            "samples were taken every {} ms before and every {} ms after: shares can be compared, counts cannot",
            millis(first),
            millis(second)
        )),
        _ => None,
    };
    if let Some(note) = &other_interval {
        say::warn(&format!("diff: {note}"));
    }
    if let (Some(out), Some(format)) = (&out, format) {
        let mut notes = notes(&merged);
        notes.extend(other_interval.map(|note| format!("Note: {note}.")));
        if format == Format::Collapsed {
            one_kind("diff", &merged)?;
        }
        output::write_by(out, |out| {
            write(&mut merged, format, [before, after], &notes, out)
        })?;
    }
    drop(busy);
    say::out(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Of nanoseconds.
#[allow(clippy::cast_precision_loss, reason = "for people")]
fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

/// What one of the two does not have at all.
fn notes(merged: &Merged) -> Vec<String> {
    let mut notes = vec![
        "Red has become more, blue less, as shares of the whole. Boxes are as wide as both together, \
         what was before scaled to what is after."
            .to_owned(),
    ];
    for (series, cells) in &merged.series {
        for (side, name) in [(0, "before"), (1, "after")] {
            if cells.iter().all(|cell| cell.process != side) {
                notes.push(format!("{}: there is nothing {name}.", series.title));
            }
        }
    }
    notes
}

/// The largest changes of each kind.
fn text(merged: &Merged) -> String {
    let mut text = String::new();
    for (series, cells) in &merged.series {
        let _ = writeln!(text, "{}", heading(series, cells));
        let changes = changes::of(merged, cells);
        let large: Vec<_> = changes
            .iter()
            .filter(|change| change.growth().abs() >= LEAST)
            .take(LISTED)
            .collect();
        if large.is_empty() {
            text.push_str("  no method has become more or less\n");
            continue;
        }
        text.push_str("    before     after    change  method (self)\n");
        for change in large {
            let [before, after] = change.own.map(|share| share * 100.0);
            let _ = writeln!(
                text,
                "{before:>8.2} % {after:>7.2} % {:>+7.2} %  {}",
                after - before,
                change.name
            );
        }
    }
    if merged.series.is_empty() {
        text.push_str("both profiles are empty\n");
    }
    text
}

fn heading(series: &Series, cells: &[Cell]) -> String {
    let of = |side: u32| -> u64 {
        let own = cells.iter().filter(|cell| cell.process == side);
        own.map(|cell| cell.value).sum()
    };
    format!(
        "{}: {} before, {} after ({})",
        series.title,
        of(0),
        of(1),
        series.unit
    )
}

fn write(
    merged: &mut Merged,
    format: Format,
    files: [&Path; 2],
    notes: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Collapsed => write::compared(merged, out),
        Format::Json | Format::Pprof => write::json(merged, WRITER, out),
        Format::Flame => {
            merged.cut(DRAWN, ON_A_PAGE);
            let [before, after] = files.map(|file| file.display().to_string());
            let title = format!("{before} → {after}");
            let facts = [
                ("Before", before),
                ("After", after),
                ("Written by", WRITER.to_owned()),
            ];
            let about = About {
                title: &title,
                taken: now(),
                facts: &facts,
                notes,
            };
            page::write(merged, about, out)
        }
    }
}
