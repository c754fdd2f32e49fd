//! HPROF's `format=json`, and what `xrun merge` has written.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::{CUT_OFF, UNKNOWN};
use crate::part::{Part, Process, Series};

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    version: u32,
}

#[derive(Deserialize)]
struct Hprof {
    options: Options,
    process: Option<String>,
    threads: Vec<Thread>,
    methods: Vec<Method>,
    frames: Vec<(usize, i32, Option<usize>)>,
    traces: Vec<Trace>,
    cpu: Option<Cpu>,
    sites: Option<Vec<Site>>,
    locks: Option<Vec<Lock>>,
    parked: Option<Vec<Park>>,
}

#[derive(Deserialize)]
struct Options {
    interval: Option<u64>,
    sample: Option<u32>,
}

#[derive(Deserialize)]
struct Thread {
    id: u32,
    name: String,
}

#[derive(Deserialize)]
struct Method {
    class: String,
    name: String,
}

#[derive(Deserialize)]
struct Trace {
    id: u32,
    thread: Option<u32>,
    frame: Option<usize>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", content = "entries", rename_all = "lowercase")]
enum Cpu {
    Samples(Vec<Samples>),
    Times(Vec<Times>),
    Old(Vec<Call>),
}

#[derive(Deserialize)]
struct Samples {
    trace: u32,
    count: u64,
}

#[derive(Deserialize)]
struct Times {
    trace: u32,
    ns: u64,
}

#[derive(Deserialize)]
struct Call {
    callee: usize,
    caller: Option<usize>,
    ns: u64,
}

#[derive(Deserialize)]
struct Site {
    class: String,
    trace: u32,
    live: Amount,
    allocated: Amount,
}

#[derive(Deserialize)]
struct Amount {
    objects: u64,
    bytes: u64,
}

#[derive(Deserialize)]
struct Lock {
    monitor: String,
    raw: bool,
    trace: u32,
    ns: u64,
}

#[derive(Deserialize)]
struct Park {
    blocker: Option<String>,
    trace: u32,
    ns: u64,
    #[serde(default)]
    still: bool,
}

/// As [`crate::write::json`] has it.
#[derive(Deserialize)]
struct Merged {
    interval: Option<u64>,
    processes: Vec<(String, String)>,
    names: Vec<String>,
    nodes: Vec<(usize, usize)>,
    series: Vec<MergedSeries>,
}

#[derive(Deserialize)]
struct MergedSeries {
    kind: String,
    title: String,
    unit: String,
    cells: Vec<(usize, usize, u64)>,
}

pub(super) fn read(bytes: &[u8], process: Process) -> Result<Part, String> {
    let wrong = |error: serde_json::Error| {
        if error.is_eof() {
            CUT_OFF.to_owned()
        } else {
            format!("its JSON is none that HPROF or xrun merge writes ({error})")
        }
    };
    let head: Head<'_> = serde_json::from_slice(bytes).map_err(|error| match error.is_eof() {
        true => CUT_OFF.to_owned(),
        false => UNKNOWN.to_owned(),
    })?;
    let known = match &*head.format {
        "xrun-hprof" => 2,
        "xrun-profiles" => 1,
        _ => return Err(UNKNOWN.to_owned()),
    };
    if head.version != known {
        return Err(format!(
            "version {} of {}, and this xrun reads {known}: take the xrun that it was written with",
            head.version, head.format
        ));
    }
    if head.format == "xrun-hprof" {
        Ok(hprof(
            &serde_json::from_slice(bytes).map_err(wrong)?,
            process,
        ))
    } else {
        merged(serde_json::from_slice(bytes).map_err(wrong)?)
            .ok_or_else(|| "its JSON names what is not in it: write it again".to_owned())
    }
}

fn hprof(file: &Hprof, process: Process) -> Part {
    let mut part = Part::default();
    let process = file.process.as_deref().map_or(process, Process::named);
    let process = part.process(process);
    let names = file.methods.iter();
    let names: Vec<u32> = names
        .map(|method| part.name(&format!("{}.{}", method.class, method.name)))
        .collect();
    let name = |at: usize| names.get(at).copied();
    let threads: FxHashMap<u32, &str> = file.threads.iter().map(|it| (it.id, &*it.name)).collect();
    let mut stacks: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for trace in &file.traces {
        let mut stack = Vec::new();
        let mut at = trace.frame;
        // A caller stands before what it calls: no circles.
        while let Some((place, &(method, _, caller))) =
            at.and_then(|at| Some((at, file.frames.get(at)?)))
        {
            stack.extend(name(method));
            at = caller.filter(|&caller| caller < place);
        }
        let thread = trace.thread.and_then(|thread| threads.get(&thread));
        stack.extend(thread.map(|thread| part.name(&format!("[{thread}]"))));
        stack.reverse();
        stacks.insert(trace.id, stack);
    }
    let stack = |trace: u32| stacks.get(&trace).cloned().unwrap_or_default();
    match &file.cpu {
        Some(Cpu::Samples(entries)) => {
            part.interval = file
                .options
                .interval
                .and_then(|ms| ms.checked_mul(1_000_000));
            let series = part.series(Series::samples());
            for entry in entries {
                part.add(series, process, stack(entry.trace), entry.count);
            }
        }
        Some(Cpu::Times(entries)) => {
            let series = part.series(Series::cpu_time());
            for entry in entries {
                part.add(series, process, stack(entry.trace), entry.ns);
            }
        }
        Some(Cpu::Old(calls)) => {
            let series = part.series(Series::cpu_time());
            for call in calls {
                let callee = name(call.callee);
                let frames = call
                    .caller
                    .and_then(name)
                    .into_iter()
                    .chain(callee)
                    .collect();
                part.add(series, process, frames, call.ns);
            }
        }
        None => {}
    }
    let series = Series::allocations(file.options.sample.is_some());
    let series = file
        .sites
        .as_ref()
        .map(|_| series.map(|one| part.series(one)));
    for site in file.sites.iter().flatten() {
        let mut frames = stack(site.trace);
        frames.push(part.name(&format!("new {}", profile_formats::in_java(&site.class))));
        let (all, live) = (&site.allocated, &site.live);
        let values = [all.bytes, all.objects, live.bytes, live.objects];
        for (series, value) in series.into_iter().flatten().zip(values) {
            part.add(series, process, frames.clone(), value);
        }
    }
    for lock in file.locks.iter().flatten() {
        let series = part.series(Series::lock_time());
        let mut frames = stack(lock.trace);
        let name = match lock.raw {
            true => format!("lock \"{}\" (raw)", lock.monitor),
            false => format!("lock {}", profile_formats::in_java(&lock.monitor)),
        };
        frames.push(part.name(&name));
        part.add(series, process, frames, lock.ns);
    }
    for park in file.parked.iter().flatten() {
        let series = part.series(Series::parked_time());
        let mut frames = stack(park.trace);
        let blocker = park.blocker.as_deref().unwrap_or("<no blocker>");
        let mark = if park.still { " (still parked)" } else { "" };
        frames.push(part.name(&format!("park {}{mark}", profile_formats::in_java(blocker))));
        part.add(series, process, frames, park.ns);
    }
    part
}

fn merged(file: Merged) -> Option<Part> {
    let mut part = Part::default();
    part.interval = file.interval;
    for (name, host) in file.processes {
        part.processes.push(Process { name, host });
    }
    let names: Vec<u32> = file.names.iter().map(|name| part.name(name)).collect();
    for one in file.series {
        let series = part.series(Series::new(&one.kind, &one.title, &one.unit));
        for (process, mut node, value) in one.cells {
            part.processes.get(process)?;
            let mut frames = Vec::new();
            while node != 0 {
                let &(parent, name) = file.nodes.get(node)?;
                frames.push(*names.get(name)?);
                // A caller stands before what it calls: no circles.
                if parent >= node {
                    return None;
                }
                node = parent;
            }
            frames.reverse();
            part.add(series, process, frames, value);
        }
    }
    Some(part)
}
