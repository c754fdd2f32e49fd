//! HPROF's `format=a`, of JDK 1.2 to 8 and ours.
//!
//! A file may have several dumps, each with all there was by then: the last table of each kind
//! counts. Rows below `cutoff=` are not there; of CPU tables, whose heads say how much there is in
//! all, what they lack is a frame of its own.

use std::io::{self, BufRead};

use profile_formats::tree::REST;
use rustc_hash::FxHashMap;

use super::{CUT_OFF, UNKNOWN};
use crate::part::{Part, Process, Series};

#[derive(Default)]
struct Text<'a> {
    threads: FxHashMap<&'a str, &'a str>,
    /// Thread, and frames from the callee on.
    traces: FxHashMap<&'a str, (&'a str, Vec<&'a str>)>,
    samples: Option<Table<'a>>,
    times: Option<Table<'a>>,
    sites: Option<Table<'a>>,
}

#[derive(Default)]
struct Table<'a> {
    head: &'a str,
    rows: Vec<Vec<&'a str>>,
}

pub(super) fn read(file: &mut dyn BufRead, process: Process) -> Result<Part, String> {
    let text = without_dumps(file).map_err(super::cut_off)?;
    let found = scan(&text)?;
    if found.samples.is_none() && found.times.is_none() && found.sites.is_none() {
        // Behind traces there is always something.
        let last = text.lines().next_back().unwrap_or_default();
        if last.starts_with("TRACE ") || last.starts_with('\t') {
            return Err(CUT_OFF.to_owned());
        }
        return Err(format!(
            "without CPU SAMPLES, CPU TIME and SITES; {UNKNOWN}"
        ));
    }
    let mut part = Part::default();
    part.process(process);
    let bad = |row: &[&str]| {
        format!(
            "a row that cannot be read ({}): it is not merged",
            row.join(" ")
        )
    };
    if let Some(table) = &found.samples {
        let series = part.series(Series::samples());
        let total = total(table.head).ok_or(CUT_OFF)?;
        let mut rest = total;
        for row in &table.rows {
            let (count, trace) = counted(row).ok_or_else(|| bad(row))?;
            let node = found.stack(&mut part, trace);
            part.add(series, 0, node, count);
            rest = rest.saturating_sub(count);
        }
        let node = part.called(0, REST);
        part.add(series, 0, node, rest);
    }
    if let Some(table) = &found.times {
        let series = part.series(Series::cpu_time());
        let total = total(table.head).ok_or(CUT_OFF)?.saturating_mul(1_000_000);
        let mut rest = total;
        for row in &table.rows {
            let (_, trace) = counted(row).ok_or_else(|| bad(row))?;
            // Its share is all that the table says, with two digits behind the point.
            let share = row
                .get(1)
                .and_then(|share| hundredths(share))
                .ok_or_else(|| bad(row))?;
            let nanos = u128::from(total) * u128::from(share) / 10_000;
            // Rounded up by all rows there may be more than the whole.
            let nanos = u64::try_from(nanos).unwrap_or(u64::MAX).min(rest);
            let node = found.stack(&mut part, trace);
            part.add(series, 0, node, nanos);
            rest -= nanos;
        }
        let node = part.called(0, REST);
        part.add(series, 0, node, rest);
    }
    if let Some(table) = &found.sites {
        let series = Series::allocations(table.head.contains("estimated"));
        let series = series.map(|one| part.series(one));
        for row in &table.rows {
            let number = |at: usize| row.get(at).and_then(|it| it.parse::<u64>().ok());
            let values = [number(5), number(6), number(3), number(4)];
            let class: Vec<&str> = row
                .iter()
                .skip(8)
                .copied()
                .take_while(|it| !it.starts_with("(+-"))
                .collect();
            let trace = row.get(7).ok_or_else(|| bad(row))?;
            let name = format!("new {}", profile_formats::in_java(&class.join(" ")));
            let node = found.stack(&mut part, trace);
            let node = part.called(node, &name);
            for (series, value) in series.into_iter().zip(values) {
                part.add(series, 0, node, value.ok_or_else(|| bad(row))?);
            }
        }
    }
    Ok(part)
}

/// All but heap dumps, which may be larger than memory and have nothing that is merged.
fn without_dumps(file: &mut dyn BufRead) -> io::Result<String> {
    let (mut text, mut line, mut is_dump) = (String::new(), Vec::new(), false);
    let mut is_whole = true;
    while file.read_until(b'\n', &mut line)? > 0 {
        is_whole = line.ends_with(b"\n");
        is_dump |= line.starts_with(b"HEAP DUMP BEGIN");
        is_dump &= !line.starts_with(b"HEAP DUMP END");
        if !is_dump {
            text.push_str(&String::from_utf8_lossy(&line));
        }
        line.clear();
    }
    // The last line ends as all do.
    if is_dump || !is_whole {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(text)
}

fn scan(text: &str) -> Result<Text<'_>, String> {
    let mut found = Text::default();
    let mut open: Option<(&str, Table<'_>)> = None;
    let mut trace: Option<&str> = None;
    for line in text.lines() {
        if let Some((title, table)) = &mut open {
            if line
                .strip_prefix(*title)
                .is_some_and(|rest| rest.starts_with(" END"))
            {
                if let Some((title, table)) = open.take() {
                    match title {
                        "CPU SAMPLES" => found.samples = Some(table),
                        "SITES" => found.sites = Some(table),
                        _ => found.times = Some(table),
                    }
                }
            } else {
                let words: Vec<&str> = line.split_whitespace().collect();
                // Not the headings.
                if words
                    .first()
                    .is_some_and(|rank| rank.parse::<u32>().is_ok())
                {
                    table.rows.push(words);
                }
            }
            continue;
        }
        if let (Some(frame), Some(trace)) = (line.strip_prefix('\t'), trace) {
            if let Some((_, frames)) = found.traces.get_mut(trace) {
                // `<empty>`, and `<unknown>` frames of old ones without a place.
                frames.extend(Some(frame).filter(|frame| *frame != "<empty>"));
            }
            continue;
        }
        trace = None;
        if let Some(rest) = line.strip_prefix("TRACE ") {
            if let Some((number, rest)) = rest.split_once(':') {
                let thread = rest.trim().strip_prefix("(thread=");
                let thread = thread.map_or("", |rest| rest.trim_end_matches(')'));
                found.traces.insert(number, (thread, Vec::new()));
                trace = Some(number);
            }
        } else if let Some(rest) = line.strip_prefix("THREAD START (") {
            let id = rest
                .split_once("id = ")
                .and_then(|(_, rest)| rest.split_once(','));
            let name = rest
                .split_once("name=\"")
                .and_then(|(_, rest)| rest.rsplit_once("\", group="));
            if let (Some((id, _)), Some((name, _))) = (id, name) {
                found.threads.insert(id, name);
            }
        } else {
            for title in ["CPU SAMPLES", "CPU TIME (ms)", "SITES"] {
                let head = line
                    .strip_prefix(title)
                    .and_then(|rest| rest.strip_prefix(" BEGIN "));
                if let Some(head) = head {
                    open = Some((
                        title,
                        Table {
                            head,
                            rows: Vec::new(),
                        },
                    ));
                }
            }
        }
    }
    match open {
        Some(_) => Err(CUT_OFF.to_owned()),
        None => Ok(found),
    }
}

impl Text<'_> {
    fn stack(&self, part: &mut Part, trace: &str) -> u32 {
        let Some((thread, frames)) = self.traces.get(trace) else {
            return 0;
        };
        let thread = self.threads.get(thread);
        let thread = thread.map_or(0, |name| part.called(0, &format!("[{name}]")));
        frames.iter().rev().fold(thread, |caller, frame| {
            // Class.method(Source.java:12), and names of methods have no parenthesis.
            part.called(caller, frame.split('(').next().unwrap_or(frame).trim())
        })
    }
}

/// `(total = 126) Fri …`
fn total(head: &str) -> Option<u64> {
    let (_, rest) = head.split_once("total = ")?;
    rest.split(|letter: char| !letter.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// Count and trace of a row: rank, self, accum, count, trace, method.
fn counted<'a>(row: &[&'a str]) -> Option<(u64, &'a str)> {
    Some((row.get(3)?.parse().ok()?, row.get(4)?))
}

/// Of a percent: `12.34%` is 1234, and `12,34%` where that was written with commas.
fn hundredths(share: &str) -> Option<u32> {
    let (whole, part) = share.strip_suffix('%')?.split_once(['.', ','])?;
    let part = part.get(..2).filter(|_| part.len() == 2)?;
    whole
        .parse::<u32>()
        .ok()?
        .checked_mul(100)?
        .checked_add(part.parse().ok()?)
}
