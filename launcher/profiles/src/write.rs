//! Collapsed stacks, JSON and pprof of all processes.

use std::io::{self, Write};

use profile_formats::pprof::{Builder, Method};
use serde::Serialize;

use crate::merged::Merged;
use crate::node::place;
use crate::part::Series;

/// A line per stack: of the one series that there is, or that was chosen.
///
/// # Errors
/// Those of `out`; or if that is not one.
pub fn collapsed(merged: &Merged, writer: &str, out: &mut dyn Write) -> io::Result<()> {
    let [(series, cells)] = &merged.series[..] else {
        return Err(io::Error::other("of one kind only"));
    };
    write!(out, "({writer});({}, {})", series.title, series.unit)?;
    if let Some(nanos) = merged.interval.filter(|_| series.unit == "samples") {
        write!(out, ";(every {} ms)", nanos / 1_000_000)?;
    }
    writeln!(out, " 0")?;
    let mut own = vec![0_u64; merged.nodes.len()];
    for cell in cells {
        if let Some(own) = own.get_mut(place(cell.node)) {
            *own += cell.value;
        }
    }
    let stacks = (0..).zip(&own).filter(|(_, value)| **value > 0);
    let mut lines: Vec<String> = stacks
        .map(|(node, value)| format!("{} {value}\n", shown(merged, node)))
        .collect();
    lines.sort_unstable();
    lines
        .iter()
        .try_for_each(|line| out.write_all(line.as_bytes()))
}

/// A line per stack of two that are compared, with what it has in one and in the other, as
/// scripts for differential flame graphs read it.
///
/// # Errors
/// Those of `out`; or if there is not one series.
pub fn compared(merged: &Merged, out: &mut dyn Write) -> io::Result<()> {
    let [(_, cells)] = &merged.series[..] else {
        return Err(io::Error::other("of one kind only"));
    };
    let mut own = vec![[0_u64; 2]; merged.nodes.len()];
    for cell in cells {
        let sides = own.get_mut(place(cell.node));
        if let Some(own) = sides.and_then(|sides| sides.get_mut(place(cell.process))) {
            *own += cell.value;
        }
    }
    let stacks = (0..).zip(&own).filter(|(_, sides)| **sides != [0, 0]);
    let mut lines: Vec<String> = stacks
        .map(|(node, [before, after])| format!("{} {before} {after}\n", shown(merged, node)))
        .collect();
    lines.sort_unstable();
    lines
        .iter()
        .try_for_each(|line| out.write_all(line.as_bytes()))
}

/// A stack on a line.
fn shown(merged: &Merged, node: u32) -> String {
    let frames = merged.stack(node);
    if frames.is_empty() {
        "<empty>".to_owned()
    } else {
        frames.join(";")
    }
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    writer: &'a str,
    interval: Option<u64>,
    processes: Vec<(&'a str, &'a str)>,
    names: Vec<&'a str>,
    nodes: Vec<(u32, u32)>,
    series: Vec<SeriesOut<'a>>,
}

#[derive(Serialize)]
struct SeriesOut<'a> {
    kind: &'a str,
    title: &'a str,
    unit: &'a str,
    cells: Vec<(u32, u32, u64)>,
}

/// One object: `format` (`xrun-profiles`), `version` (1), `writer`, `interval` (nanoseconds between
/// samples, or null), `processes` (name and host each), `names`, `nodes` (the caller's place here,
/// which is smaller, and the place of its name; the first is the root) and `series`: `kind`, `title`, `unit`,
/// and `cells`, each a process, a node, and how much of it is that node's own.
///
/// # Errors
/// Those of `out`.
pub fn json(merged: &Merged, writer: &str, out: &mut dyn Write) -> io::Result<()> {
    let processes = merged.processes.iter();
    let series = merged.series.iter();
    let document = Document {
        format: "xrun-profiles",
        version: 1,
        writer,
        interval: merged.interval,
        processes: processes.map(|it| (&*it.name, &*it.host)).collect(),
        names: merged.names.iter().map(|name| &**name).collect(),
        nodes: merged.nodes.iter().map(|it| (it.parent, it.name)).collect(),
        series: series
            .map(|(series, cells)| SeriesOut {
                kind: &series.kind,
                title: &series.title,
                unit: &series.unit,
                cells: cells
                    .iter()
                    .map(|it| (it.process, it.node, it.value))
                    .collect(),
            })
            .collect(),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// pprof, with a type of sample for each series; processes and hosts are labels.
///
/// # Errors
/// Those of `out`.
pub fn pprof(merged: &Merged, writer: &str, out: &mut dyn Write) -> io::Result<()> {
    let types: Vec<(&str, &str)> = merged
        .series
        .iter()
        .map(|(series, _)| type_of(series))
        .collect();
    let mut builder = Builder::new(&types);
    builder.comment(writer);
    if merged
        .series
        .iter()
        .any(|(series, _)| series.title.contains("estimate"))
    {
        builder.comment("allocations are estimates");
    }
    if let Some(nanos) = merged.interval {
        builder.period("cpu", "nanoseconds", nanos);
    }
    for (at, (_, cells)) in merged.series.iter().enumerate() {
        for cell in cells {
            let mut values = vec![0; types.len()];
            if let Some(value) = values.get_mut(at) {
                *value = cell.value;
            }
            let mut frames = merged.stack(cell.node);
            // Not a method: whose it is.
            let thread = frames
                .first()
                .and_then(|name| name.strip_prefix('[')?.strip_suffix(']'));
            if thread.is_some() {
                frames.remove(0);
            }
            let stack = frames.iter().rev().map(|name| {
                let method = Method {
                    name,
                    system_name: name,
                    file: "",
                };
                builder.location(method, 0)
            });
            let stack = stack.collect();
            let (name, host) = merged
                .processes
                .get(place(cell.process))
                .map_or(("", ""), |process| (&process.name, &process.host));
            let labels = [
                ("process", name),
                ("host", host),
                ("thread", thread.unwrap_or("")),
            ];
            builder.sample(stack, &values, &labels);
        }
    }
    builder.write(out)
}

/// As HPROF calls them.
fn type_of(series: &Series) -> (&str, &str) {
    match series.title.trim_end_matches(" (estimate)") {
        "CPU samples" => ("samples", "count"),
        // Beside samples `cpu` is what these stand for.
        "CPU time" => ("cpu_time", "nanoseconds"),
        "Allocated" => ("alloc_space", "bytes"),
        "Allocations" => ("alloc_objects", "count"),
        "Live" => ("inuse_space", "bytes"),
        "Live objects" => ("inuse_objects", "count"),
        "Lock time" => ("delay", "nanoseconds"),
        "Parked time" => ("parked", "nanoseconds"),
        title => (
            title,
            if series.unit == "ns" {
                "nanoseconds"
            } else {
                &series.unit
            },
        ),
    }
}
