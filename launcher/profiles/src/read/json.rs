//! HPROF's `format=json`, and what `xrun merge` has written.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::{CUT_OFF, UNKNOWN};
use crate::node::place;
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
    started: Option<u64>,
    taken: Option<u64>,
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
    time: Option<(u64, u64)>,
    processes: Vec<(String, String)>,
    names: Vec<String>,
    nodes: Vec<(u32, u32)>,
    series: Vec<MergedSeries>,
}

#[derive(Deserialize)]
struct MergedSeries {
    kind: String,
    title: String,
    unit: String,
    cells: Vec<(u32, u32, u64)>,
}

pub(super) fn read(bytes: Vec<u8>, process: Process) -> Result<Part, String> {
    let wrong = |error: serde_json::Error| {
        if error.is_eof() {
            CUT_OFF.to_owned()
        } else {
            format!("its JSON is none that HPROF or xrun merge writes ({error})")
        }
    };
    let head: Head<'_> = serde_json::from_slice(&bytes).map_err(|error| match error.is_eof() {
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
    // What was read takes the place of the bytes.
    if head.format == "xrun-hprof" {
        let file = serde_json::from_slice(&bytes).map_err(wrong)?;
        drop(bytes);
        Ok(hprof(&file, process))
    } else {
        let file = serde_json::from_slice(&bytes).map_err(wrong)?;
        drop(bytes);
        merged(file).ok_or_else(|| "its JSON names what is not in it: write it again".to_owned())
    }
}

fn hprof(file: &Hprof, process: Process) -> Part {
    let mut part = Part::default();
    let nanos = |millis: Option<u64>| millis.and_then(|millis| millis.checked_mul(1_000_000));
    part.time = nanos(file.started).zip(nanos(file.taken));
    let process = file.process.as_deref().map_or(process, Process::named);
    let process = part.process(process);
    let names = file.methods.iter();
    let names: Vec<u32> = names
        .map(|method| part.name(&format!("{}.{}", method.class, method.name)))
        .collect();
    let name = |at: usize| names.get(at).copied();
    let threads: FxHashMap<u32, &str> = file.threads.iter().map(|it| (it.id, &*it.name)).collect();
    let mut stacks: FxHashMap<u32, u32> = FxHashMap::default();
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
        let callers_first = stack.iter().rev();
        let node = callers_first.fold(0, |caller, &name| part.child(caller, name));
        stacks.insert(trace.id, node);
    }
    let stack = |trace: u32| stacks.get(&trace).copied().unwrap_or(0);
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
                let both = call.caller.and_then(name).into_iter();
                let both = both.chain(name(call.callee));
                let node = both.fold(0, |caller, name| part.child(caller, name));
                part.add(series, process, node, call.ns);
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
        let name = format!("new {}", profile_formats::in_java(&site.class));
        let node = part.called(stack(site.trace), &name);
        let (all, live) = (&site.allocated, &site.live);
        let values = [all.bytes, all.objects, live.bytes, live.objects];
        for (series, value) in series.into_iter().flatten().zip(values) {
            part.add(series, process, node, value);
        }
    }
    for lock in file.locks.iter().flatten() {
        let series = part.series(Series::lock_time());
        let name = match lock.raw {
            true => format!("lock \"{}\" (raw)", lock.monitor),
            false => format!("lock {}", profile_formats::in_java(&lock.monitor)),
        };
        let node = part.called(stack(lock.trace), &name);
        part.add(series, process, node, lock.ns);
    }
    for park in file.parked.iter().flatten() {
        let series = part.series(Series::parked_time());
        let blocker = park.blocker.as_deref().unwrap_or("<no blocker>");
        let mark = if park.still { " (still parked)" } else { "" };
        let name = format!("park {}{mark}", profile_formats::in_java(blocker));
        let node = part.called(stack(park.trace), &name);
        part.add(series, process, node, park.ns);
    }
    part
}

fn merged(file: Merged) -> Option<Part> {
    let mut part = Part::default();
    (part.interval, part.time) = (file.interval, file.time);
    for (name, host) in file.processes {
        part.processes.push(Process { name, host });
    }
    let names = file.names.into_iter();
    let names: Vec<u32> = names.map(|name| part.name(&name)).collect();
    let mut nodes = vec![0];
    for (parent, name) in file.nodes.into_iter().skip(1) {
        // A caller stands before what it calls: no circles.
        let parent = *nodes.get(place(parent))?;
        nodes.push(part.child(parent, *names.get(place(name))?));
    }
    for one in file.series {
        let series = part.series(Series::new(&one.kind, &one.title, &one.unit));
        for (process, node, value) in one.cells {
            part.processes.get(place(process))?;
            part.add(series, process, *nodes.get(place(node))?, value);
        }
    }
    Some(part)
}
