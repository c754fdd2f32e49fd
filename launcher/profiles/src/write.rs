//! Collapsed stacks, JSON and pprof of all processes.

use std::io::{self, Write};
use std::iter::Peekable;
use std::rc::Rc;
use std::slice::Iter;

use profile_formats::pprof;
use serde::{Serialize, Serializer};

use crate::merged::Merged;
use crate::node::{Cell, Node, place};
use crate::part::{ESTIMATE, Process, Series};

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
        match nanos % 1_000_000 {
            0 => write!(out, ";(every {} ms)", nanos / 1_000_000)?,
            _ => write!(out, ";(every {nanos} ns)")?,
        }
    }
    writeln!(out, " 0")?;
    let mut own = vec![[0]; merged.nodes.len()];
    for cell in cells {
        if let Some([own]) = own.get_mut(place(cell.node)) {
            *own += cell.value;
        }
    }
    lines(merged, &own, out)
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
    let mut own = vec![[0; 2]; merged.nodes.len()];
    for cell in cells {
        let sides = own.get_mut(place(cell.node));
        if let Some(own) = sides.and_then(|sides| sides.get_mut(place(cell.process))) {
            *own += cell.value;
        }
    }
    lines(merged, &own, out)
}

/// The stacks that have something of their own, with their numbers.
fn lines<const SIDES: usize>(
    merged: &Merged,
    own: &[[u64; SIDES]],
    out: &mut dyn Write,
) -> io::Result<()> {
    // The stack at hand as it is written, and where each of its frames ends.
    let (mut stack, mut ends) = (String::new(), Vec::new());
    for (node, depth) in merged.preorder(|_| true) {
        if let Some(above) = depth.checked_sub(1) {
            ends.truncate(above);
            stack.truncate(ends.last().copied().unwrap_or(0));
            stack.extend(ends.last().map(|_| ';'));
            stack.extend(merged.name_of(node).chars().map(plain));
            ends.push(stack.len());
        }
        let Some(own) = own.get(place(node)).filter(|own| **own != [0; SIDES]) else {
            continue;
        };
        let stack = if depth == 0 { "<empty>" } else { &stack };
        out.write_all(stack.as_bytes())?;
        for value in own {
            write!(out, " {value}")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Not what ends frames and lines.
fn plain(letter: char) -> char {
    match letter {
        ';' => ':',
        letter if letter.is_control() => ' ',
        letter => letter,
    }
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    writer: &'a str,
    interval: Option<u64>,
    time: Option<(u64, u64)>,
    #[serde(serialize_with = "processes")]
    processes: &'a [Process],
    #[serde(serialize_with = "names")]
    names: &'a [Rc<str>],
    #[serde(serialize_with = "nodes")]
    nodes: &'a [Node],
    series: Vec<SeriesOut<'a>>,
}

#[derive(Serialize)]
struct SeriesOut<'a> {
    kind: &'a str,
    title: &'a str,
    unit: &'a str,
    #[serde(serialize_with = "cells")]
    cells: &'a [Cell],
}

// One by one: what is written needs no copy of them all.

fn processes<S: Serializer>(all: &[Process], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|it| (&it.name, &it.host)))
}

fn names<S: Serializer>(all: &[Rc<str>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|it| &**it))
}

fn nodes<S: Serializer>(all: &[Node], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|it| (it.parent, it.name)))
}

fn cells<S: Serializer>(all: &[Cell], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|it| (it.process, it.node, it.value)))
}

/// One object: `format` (`xrun-profiles`), `version` (1), `writer`, `interval` (nanoseconds between
/// samples, or null), `time` (when the first began and the last ended, nanoseconds since 1970, or
/// null), `processes` (name and host each), `names`, `nodes` (the caller's place here, which is smaller,
/// and the place of its name; the first is the root) and `series`: `kind`, `title`, `unit`,
/// and `cells`, each a process, a node, and how much of it is that node's own.
///
/// # Errors
/// Those of `out`.
pub fn json(merged: &Merged, writer: &str, out: &mut dyn Write) -> io::Result<()> {
    let series = merged.series.iter();
    let document = Document {
        format: "xrun-profiles",
        version: 1,
        writer,
        interval: merged.interval,
        time: merged.time,
        processes: &merged.processes,
        names: &merged.names,
        nodes: &merged.nodes,
        series: series
            .map(|(series, cells)| SeriesOut {
                kind: &series.kind,
                title: &series.title,
                unit: &series.unit,
                cells,
            })
            .collect(),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// What merge says of allocations in pprof, if all that there are were estimated.
pub(crate) const ESTIMATES: &str = "allocations are estimates";

/// Behind a type of theirs, if there are others that were counted.
pub(crate) const ESTIMATED: &str = "_estimate";

/// pprof, with a type of sample for each series, and `cpu`, which samples stand for, unless that is more than
/// the format's 63 bits hold; processes and hosts are labels.
///
/// # Errors
/// Those of `out`; or if a number has 64 bits.
pub fn pprof(merged: &Merged, writer: &str, out: &mut dyn Write) -> io::Result<()> {
    let all = || merged.series.iter().map(|(series, _)| series);
    let counted = all().any(|series| series.is_allocations() && !series.is_estimated());
    let types = all().map(|series| type_of(series, counted));
    let mut types: Vec<(String, &str)> = types.collect();
    // Samples, and what each stands for.
    let totals = merged.totals().into_iter().enumerate();
    let mut samples = totals.filter(|(_, (series, _))| **series == Series::samples());
    let samples = samples.next().zip(merged.interval);
    let samples = samples.and_then(|((at, (_, total)), nanos)| {
        let sum = i64::try_from(total.checked_mul(nanos)?);
        sum.is_ok().then_some((at, nanos))
    });
    types.extend(samples.map(|_| ("cpu".to_owned(), "nanoseconds")));
    let types: Vec<(&str, &str)> = types
        .iter()
        .map(|(kind, unit)| (kind.as_str(), *unit))
        .collect();
    let mut to = pprof::Writer::new(out, &types);
    to.comment(writer);
    if !counted && all().any(Series::is_estimated) {
        to.comment(ESTIMATES);
    }
    if let Some(nanos) = merged.interval {
        to.period("cpu", "nanoseconds", nanos);
    }
    if let Some((began, ended)) = merged.time {
        to.time(began.into(), ended.saturating_sub(began).into());
    }
    // By names; 0 is none yet.
    let mut locations = vec![0; merged.names.len()];
    let cells = merged
        .series
        .iter()
        .map(|(_, cells)| cells.iter().peekable());
    let mut cells: Vec<_> = cells.collect();
    // What one process has at one node is one sample.
    let place_of = |cell: &Cell| (cell.process, cell.node);
    let least = |cells: &mut Vec<Peekable<Iter<'_, Cell>>>| {
        let next = cells.iter_mut().filter_map(|cells| cells.peek().copied());
        next.map(place_of).min()
    };
    while let Some((process, node)) = least(&mut cells) {
        let is_here = |cell: &&Cell| place_of(cell) == (process, node);
        let values = cells.iter_mut().map(|cells| cells.next_if(is_here));
        let mut values: Vec<u64> = values.map(|cell| cell.map_or(0, |it| it.value)).collect();
        let cpu = samples.and_then(|(at, nanos)| values.get(at)?.checked_mul(nanos));
        values.extend(cpu);
        let (stack, thread) = stack_of(merged, node, |number, name| {
            let Some(known) = locations.get_mut(place(number)) else {
                return 0;
            };
            if *known == 0 {
                *known = to.name_only(name);
            }
            *known
        });
        let whose = merged.processes.get(place(process));
        let (name, host) = whose.map_or(("", ""), |it| (&it.name, &it.host));
        let labels = [("process", name), ("host", host), ("thread", thread)];
        to.sample(stack, &values, &labels)?;
    }
    to.finish().map(drop)
}

/// Locations of a stack, the callee first, each by the number of its name and that; and the thread, if
/// it begins with one.
fn stack_of(
    merged: &Merged,
    node: u32,
    mut location: impl FnMut(u32, &str) -> u64,
) -> (Vec<u64>, &str) {
    let (mut stack, mut at) = (Vec::new(), node);
    while at != 0
        && let Some(node) = merged.nodes.get(place(at))
    {
        let name = merged.name_of(at);
        // Not a method: whose it is.
        let is_first = node.parent == 0;
        let thread = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        if let Some(thread) = thread.filter(|_| is_first) {
            return (stack, thread);
        }
        stack.push(location(node.name, name));
        at = node.parent;
    }
    (stack, "")
}

/// As HPROF calls them. Beside allocations that were counted, those that were estimated say so.
fn type_of(series: &Series, counted: bool) -> (String, &str) {
    let (kind, unit) = match series.title.trim_end_matches(ESTIMATE) {
        "CPU samples" => ("samples", "count"),
        // Beside samples `cpu` is what these stand for.
        "CPU time" => ("cpu_time", "nanoseconds"),
        "Allocated" => ("alloc_space", "bytes"),
        "Allocations" => ("alloc_objects", "count"),
        "Live" => ("inuse_space", "bytes"),
        "Live objects" => ("inuse_objects", "count"),
        "Lock time" => ("delay", "nanoseconds"),
        "Parked time" => ("parked", "nanoseconds"),
        _ if series.unit == "ns" => (&*series.title, "nanoseconds"),
        _ => (&*series.title, &*series.unit),
    };
    let is_marked = counted && series.is_allocations() && series.is_estimated();
    (
        kind.to_owned() + if is_marked { ESTIMATED } else { "" },
        unit,
    )
}
