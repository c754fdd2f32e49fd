//! A strict reader of `java.hprof.txt`: the templates that scripts and tools of
//! twenty years rely on, to the last blank.
//!
//! Every line has to be what its template prints for the numbers found in it; what
//! no template prints is an error. So is a trace, thread or class that is named but
//! not there, a table that is not in order, and a sum that does not add up.
//!
//! | module | its one job |
//! |---|---|
//! | `words` | numbers, times, lines |
//! | `tables` | SITES, CPU SAMPLES, CPU TIME, MONITOR TIME, PARKED TIME, cpu=old |
//! | `heap` | HEAP DUMP |
//! | `monitors` | MONITOR DUMP |

mod heap;
mod monitors;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

pub use heap::{Array, HeapClass, HeapDump, Instance, Root};
pub use monitors::{Monitor, MonitorDump, ThreadState};
pub use tables::{
    Call, CpuRow, CpuTable, LockRow, LockTable, ParkRow, ParkTable, SiteRow, SiteTable,
};
use words::{Lines, Result, decimal, fields};

/// A whole file.
#[derive(Debug, Default)]
pub struct Ascii {
    /// The lines between the first and `--------`.
    pub prelude: Vec<String>,
    /// By their ids.
    pub threads: BTreeMap<u32, Thread>,
    /// Virtual ones that have no lines.
    pub left_out: u64,
    /// By their numbers.
    pub traces: BTreeMap<u32, Trace>,
    /// `SITES`, one for each dump.
    pub sites: Vec<SiteTable>,
    /// `CPU SAMPLES` and `CPU TIME (ms)`.
    pub cpu: Vec<CpuTable>,
    /// `MONITOR TIME`.
    pub locks: Vec<LockTable>,
    /// `PARKED TIME`.
    pub parked: Vec<ParkTable>,
    /// `MONITOR DUMP`.
    pub monitors: Vec<MonitorDump>,
    /// `HEAP DUMP`.
    pub heaps: Vec<HeapDump>,
    /// The table of `cpu=old`, one for each dump.
    pub calls: Vec<Vec<Call>>,
}

/// `THREAD START` and what became of it.
#[derive(Debug)]
pub struct Thread {
    /// The object.
    pub object: u64,
    /// Its name.
    pub name: String,
    /// Its group's.
    pub group: String,
    /// A `THREAD END` came.
    pub ended: bool,
}

/// `TRACE`.
#[derive(Debug, PartialEq, Eq)]
pub struct Trace {
    /// With thread=y.
    pub thread: Option<u32>,
    /// The callee first.
    pub frames: Vec<Frame>,
}

/// A line of a trace.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    /// `class.method`.
    pub method: String,
    /// The file.
    pub source: String,
    /// -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}

/// Reads a file with the common head.
///
/// # Errors
/// The line that does not fit, and why.
pub fn read(text: &str) -> std::result::Result<Ascii, String> {
    let mut lines = Lines::new(text);
    let mut ascii = Ascii::default();
    head(&mut lines, &mut ascii)
        .and_then(|()| body(&mut lines, &mut ascii))
        .map_err(|error| lines.blame(&error))?;
    Ok(ascii)
}

/// Reads the file of `cpu=old`, which has no head.
///
/// # Errors
/// The line that does not fit, and why.
pub fn read_old(text: &str) -> std::result::Result<Vec<Call>, String> {
    let mut lines = Lines::new(text);
    tables::old(&mut lines)
        .and_then(|calls| match lines.peek() {
            None => Ok(calls),
            Some(_) => Err("the table ends in front of this".into()),
        })
        .map_err(|error| lines.blame(&error))
}

fn head(lines: &mut Lines<'_>, ascii: &mut Ascii) -> Result<()> {
    let [created] = fields(lines.next()?, &["JAVA PROFILE 1.0.1, created ", ""])?;
    words::ctime(created)?;
    lines.exactly("")?;
    while lines.peek() != Some("--------") {
        ascii.prelude.push(lines.next()?.to_owned());
    }
    if ascii.prelude.pop().as_deref() != Some("") || ascii.prelude.is_empty() {
        return Err("prose and an empty line come before the dashes".into());
    }
    lines.exactly("--------")?;
    lines.exactly("")
}

fn body(lines: &mut Lines<'_>, ascii: &mut Ascii) -> Result<()> {
    while let Some(line) = lines.peek() {
        let word = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        match word.as_str() {
            "THREAD START" => thread_start(lines, ascii)?,
            "THREAD END" => thread_end(lines, ascii)?,
            "THREADS LEFT" => left_out(lines, ascii)?,
            "SITES BEGIN" => ascii.sites.push(tables::sites(lines)?),
            "CPU SAMPLES" | "CPU TIME" => ascii.cpu.push(tables::cpu(lines)?),
            "MONITOR TIME" => ascii.locks.push(tables::locks(lines)?),
            "PARKED TIME" => ascii.parked.push(tables::parked(lines)?),
            "MONITOR DUMP" => ascii.monitors.push(monitors::read(lines, ascii)?),
            "HEAP DUMP" => ascii.heaps.push(heap::read(lines)?),
            "count callee" => ascii.calls.push(tables::old(lines)?),
            _ if line.starts_with("TRACE ") => trace(lines, ascii)?,
            _ => return Err("begins no section".into()),
        }
        check(ascii)?;
    }
    Ok(())
}

/// What the section just read names must have been there before it.
fn check(ascii: &Ascii) -> Result<()> {
    let mut named = Vec::new();
    if let Some(table) = ascii.sites.last() {
        named.extend(table.rows.iter().map(|row| row.trace));
    }
    if let Some(table) = ascii.cpu.last() {
        for row in &table.rows {
            named.push(row.trace);
            let top = ascii
                .traces
                .get(&row.trace)
                .map(|trace| trace.frames.first());
            let top = top.map(|top| top.map_or("<empty trace>", |top| top.method.as_str()));
            if top.is_some_and(|top| top != row.method) {
                return Err(format!(
                    "trace {} does not begin with {}",
                    row.trace, row.method
                ));
            }
        }
    }
    if let Some(table) = ascii.locks.last() {
        named.extend(table.rows.iter().map(|row| row.trace));
    }
    if let Some(table) = ascii.parked.last() {
        named.extend(table.rows.iter().map(|row| row.trace));
    }
    if let Some(dump) = ascii.monitors.last() {
        named.extend(dump.threads.iter().map(|thread| thread.trace));
    }
    if let Some(dump) = ascii.heaps.last() {
        named.extend(dump.traces());
        if let Some(thread) = dump.threads().find(|id| !ascii.threads.contains_key(id)) {
            return Err(format!("thread {thread} was not started"));
        }
    }
    // Zero is "no trace".
    match named
        .iter()
        .find(|trace| **trace != 0 && !ascii.traces.contains_key(trace))
    {
        Some(trace) => Err(format!("trace {trace} is not there")),
        None => Ok(()),
    }
}

fn thread_start(lines: &mut Lines<'_>, ascii: &mut Ascii) -> Result<()> {
    // Names can hold anything but the end of a line.
    let parts = [
        "THREAD START (obj=",
        ", id = ",
        ", name=\"",
        "\", group=\"",
        "\")",
    ];
    let [object, id, name, group] = fields(lines.next()?, &parts)?;
    let thread = Thread {
        object: words::hex(object)?,
        name: name.to_owned(),
        group: group.to_owned(),
        ended: false,
    };
    match ascii.threads.insert(decimal(id)?, thread) {
        Some(_) => Err("the id is taken".into()),
        None => Ok(()),
    }
}

fn thread_end(lines: &mut Lines<'_>, ascii: &mut Ascii) -> Result<()> {
    let [id] = fields(lines.next()?, &["THREAD END (id = ", ")"])?;
    match ascii.threads.get_mut(&decimal(id)?) {
        Some(thread) if !thread.ended => {
            thread.ended = true;
            Ok(())
        }
        _ => Err("no such thread is running".into()),
    }
}

/// Written when there are more.
fn left_out(lines: &mut Lines<'_>, ascii: &mut Ascii) -> Result<()> {
    const BEHIND: &str = " virtual ones that have ended and that nothing here names";
    let [count] = fields(lines.next()?, &["THREADS LEFT OUT: ", BEHIND])?;
    let count = decimal(count)?;
    if count <= ascii.left_out {
        return Err("no more than there were".into());
    }
    ascii.left_out = count;
    Ok(())
}

fn trace(lines: &mut Lines<'_>, ascii: &mut Ascii) -> Result<()> {
    let line = lines.next()?;
    let (number, thread) = match fields(line, &["TRACE ", ": (thread=", ")"]) {
        Ok([number, thread]) => (number, Some(decimal(thread)?)),
        Err(_) => {
            let [number] = fields(line, &["TRACE ", ":"])?;
            (number, None)
        }
    };
    if let Some(thread) = thread.filter(|thread| !ascii.threads.contains_key(thread)) {
        return Err(format!("thread {thread} was not started"));
    }
    let mut frames = Vec::new();
    if lines.peek() == Some("\t<empty>") {
        lines.next()?;
    } else {
        while lines.peek().is_some_and(|line| line.starts_with('\t')) {
            frames.push(frame(lines.next()?)?);
        }
        if frames.is_empty() {
            return Err("a trace without frames says <empty>".into());
        }
    }
    match ascii
        .traces
        .insert(decimal(number)?, Trace { thread, frames })
    {
        Some(_) => Err("the number is taken".into()),
        None => Ok(()),
    }
}

fn frame(line: &str) -> Result<Frame> {
    // The name of a source file may have brackets in it.
    let place = line
        .strip_prefix('\t')
        .and_then(|line| line.strip_suffix(')'));
    let place = place.and_then(|line| line.split_once('('));
    let (method, place) = place.ok_or("a frame is class.method(source:line)")?;
    let (source, number) = place.rsplit_once(':').ok_or("no colon before the line")?;
    let line = match number {
        "Unknown line" => -1,
        "Compiled method" => -2,
        "Native method" => -3,
        number => decimal(number).and_then(|line: u32| {
            i32::try_from(line)
                .ok()
                .filter(|line| *line > 0)
                .ok_or_else(|| "no such line".into())
        })?,
    };
    if source.is_empty() || !method.contains('.') {
        return Err("a frame is class.method(source:line)".into());
    }
    Ok(Frame {
        method: method.to_owned(),
        source: source.to_owned(),
        line,
    })
}
