//! `format=json`: the whole profile, for programs.
//!
//! One object, on one line, its members in this order:
//!
//! | member | |
//! |---|---|
//! | `format`, `version` | `"xrun-hprof"`, 2; the version changes if a reader has to |
//! | `writer` | which HPROF has written it: `HPROF for xrun` and the version |
//! | `started`, `taken` | when the profiler was started and this was written, ms since 1970 |
//! | `process` | the process's id and its host: `4711 on host`; absent if unknown |
//! | `options` | `depth`, `cutoff`, `interval`, `lineno`, `thread`, `sample` (null or bytes) as they were in force |
//! | `notes` | a list of sentences: what whoever reads the numbers has to know of them |
//! | `threads` | by `id`: `name`, `group`, `parent` (the group's), `ended` |
//! | `methods` | those that others name, by their place here, from 0: `class`, `name`, `signature`, `source` (a file or null) |
//! | `frames` | `[method, line, caller]`, each after its caller: the line -1 if unknown, -2 in compiled, -3 in native code; the caller by its place here, null at the bottom of a stack |
//! | `traces` | by `id`: `thread` (an id, or null without `thread=y`), `frame`: the callee by its place in `frames`, null if the stack is empty |
//! | `cpu` | null or `kind`: `"samples"`, with `entries` of `trace`, `count`; `"times"`, with `entries` of `trace`, `calls`, `ns` (without callees); `"old"`, with `entries` of `callee`, `caller` (methods, or null), `calls`, `ns` |
//! | `leftOut` | only with `method-budget`: a list of `method`, `calls`: what was measured no more, and about how often it had been called by then |
//! | `sites` | null or a list: `class` (`[I`, `[La.B;` for arrays), `trace`, `live` and `allocated`, both of `objects` and `bytes`. With `sample` they are estimates, and both have `error`, the standard errors of `objects` and `bytes`, and the site `picked`: how many objects it was made from |
//! | `locks` | null or a list: `monitor` (a class, or a raw monitor's name), `raw`, `id`, `trace`, `count`, `ns` |
//! | `parked` | only with `monitor=y`: a list of `blocker` (a class, or null), `trace`, `count`, `ns`; `still`: true of those that were parked when the profile was taken |
//!
//! Lists that are not by id begin with what costs most; what costs the same is
//! sorted by trace and name, so the same profile is the same text. Ids of
//! threads and traces stay the same in all dumps of a run. New members may come.
//!
//! Stacks share their lower parts, as they are deep and many: with each frame in each of
//! them, a `cpu=times` of h2 would be four times as large.

mod document;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;

use self::document::{
    AmountOut, CallOut, CpuOut, Document, ErrorOut, FrameOut, LeftOut, LockOut, MethodOut, Options,
    ParkOut, SamplesOut, SiteOut, ThreadOut, TimesOut, TraceOut,
};
use crate::estimate::Estimate;
use crate::profile::{
    Amount, Call, Cpu, CpuEntry, Lock, Method, MethodRef, Monitor, Park, Profile, Site, Trace,
};
use crate::program;

/// Writes the profile.
///
/// # Errors
///
/// Those of `out`.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let shown = profile.shown;
    let mut places = Places::default();
    let traces = profile.traces.iter();
    let traces = traces.map(|trace| places.trace(trace)).collect();
    let cpu = profile.cpu.as_ref().map(|cpu| cpu_of(cpu, &mut places));
    let left_out = profile.left_out.as_ref().map(|left_out| {
        let all = left_out.iter();
        all.map(|&(method, calls)| LeftOut {
            method: places.method(method),
            calls,
        })
        .collect()
    });
    let document = Document {
        format: "xrun-hprof",
        version: 2,
        writer: program::WRITER,
        started: millis(profile.started),
        taken: millis(profile.taken),
        process: profile.program.process(),
        options: Options {
            depth: shown.depth,
            cutoff: shown.cutoff,
            interval: shown.interval,
            lineno: shown.lineno,
            thread: shown.thread,
            sample: shown.sample,
        },
        notes: &profile.notes,
        threads: threads(profile),
        methods: places
            .methods
            .iter()
            .map(|&one| method(profile, one))
            .collect(),
        frames: &places.frames,
        traces,
        cpu,
        left_out,
        sites: profile
            .sites
            .as_deref()
            .map(|sites| self::sites(profile, sites)),
        locks: profile
            .locks
            .as_deref()
            .map(|locks| self::locks(profile, locks)),
        parked: profile
            .parked
            .as_deref()
            .map(|parks| parked(profile, parks)),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Milliseconds since 1970.
pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn threads(profile: &Profile) -> Vec<ThreadOut<'_>> {
    let threads = profile.threads.iter();
    threads
        .map(|thread| ThreadOut {
            id: thread.serial,
            name: &thread.name,
            group: &thread.group,
            parent: &thread.parent,
            ended: thread.ended,
        })
        .collect()
}

fn method(profile: &Profile, which: MethodRef) -> MethodOut<'_> {
    const UNKNOWN: MethodRef = MethodRef(0);
    let method = profile.method(which).or_else(|| profile.method(UNKNOWN));
    let class = method.map(|method| method.class);
    let source = class.and_then(|class| profile.class(class));
    let source = source.map(|class| class.source.as_str());
    let text = |part: fn(&Method) -> &String| method.map_or("", |method| part(method));
    MethodOut {
        class: profile.class_name(class),
        name: text(|method| &method.name),
        signature: text(|method| &method.signature),
        source: source.filter(|source| !source.is_empty()),
    }
}

/// Methods and frames that are named, in the order in which they are.
#[derive(Default)]
struct Places {
    methods: Vec<MethodRef>,
    of_methods: FxHashMap<MethodRef, u32>,
    frames: Vec<FrameOut>,
    of_frames: FxHashMap<FrameOut, u32>,
}

impl Places {
    fn method(&mut self, method: MethodRef) -> u32 {
        place(&mut self.methods, &mut self.of_methods, method)
    }

    fn trace(&mut self, trace: &Trace) -> TraceOut {
        let mut callee = None;
        for frame in trace.frames.iter().rev() {
            let frame = (self.method(frame.method), frame.line, callee);
            callee = Some(place(&mut self.frames, &mut self.of_frames, frame));
        }
        TraceOut {
            id: trace.serial,
            thread: (trace.thread != 0).then_some(trace.thread),
            frame: callee,
        }
    }
}

fn place<T: Copy + Eq + std::hash::Hash>(
    all: &mut Vec<T>,
    places: &mut FxHashMap<T, u32>,
    one: T,
) -> u32 {
    *places.entry(one).or_insert_with(|| {
        all.push(one);
        u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
    })
}

fn cpu_of(cpu: &Cpu, places: &mut Places) -> CpuOut {
    let sorted = |entries: &[CpuEntry], cost: fn(&CpuEntry) -> u64| {
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| (Reverse(cost(entry)), entry.trace));
        entries
    };
    match cpu {
        Cpu::Samples(entries) => CpuOut::Samples(
            sorted(entries, |entry| entry.count)
                .iter()
                .map(|&CpuEntry { trace, count, .. }| SamplesOut { trace, count })
                .collect(),
        ),
        Cpu::Times(entries) => CpuOut::Times(
            sorted(entries, |entry| entry.nanos)
                .iter()
                .map(|entry| TimesOut {
                    trace: entry.trace,
                    calls: entry.count,
                    ns: entry.nanos,
                })
                .collect(),
        ),
        Cpu::Old(calls) => {
            let mut calls: Vec<&Call> = calls.iter().collect();
            calls.sort_by_key(|call| (Reverse(call.nanos), call.callee, call.caller));
            let calls = calls.into_iter().map(|call| CallOut {
                callee: places.method(call.callee),
                caller: call.caller.map(|caller| places.method(caller)),
                calls: call.count,
                ns: call.nanos,
            });
            CpuOut::Old(calls.collect())
        }
    }
}

fn sites(profile: &Profile, sites: &[Site]) -> Vec<SiteOut> {
    let amount = |Amount { objects, bytes }, estimate: Option<Estimate>| AmountOut {
        objects,
        bytes,
        error: estimate.map(|estimate| {
            let (objects, bytes) = estimate.errors();
            ErrorOut {
                objects: objects.round(),
                bytes: bytes.round(),
            }
        }),
    };
    let mut sites: Vec<SiteOut> = sites
        .iter()
        .map(|site| SiteOut {
            class: profile.site_name(site.kind),
            trace: site.trace,
            live: amount(site.live, site.estimates.map(|both| both.live)),
            allocated: amount(site.allocated, site.estimates.map(|both| both.allocated)),
            picked: site.estimates.map(|both| both.allocated.picked),
        })
        .collect();
    sites.sort_by(|one, other| {
        let key = |site: &SiteOut| (Reverse(site.allocated.bytes), site.trace);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.class.cmp(&other.class))
    });
    sites
}

fn locks<'a>(profile: &'a Profile, locks: &'a [Lock]) -> Vec<LockOut<'a>> {
    let mut locks: Vec<LockOut<'a>> = locks
        .iter()
        .map(|lock| {
            let (monitor, raw, id) = match &lock.monitor {
                Monitor::Java(class, id) => (profile.class_name(*class), false, id),
                Monitor::Raw(name, id) => (name.as_str(), true, id),
            };
            LockOut {
                monitor,
                raw,
                id: format!("{id:x}"),
                trace: lock.trace,
                count: lock.count,
                ns: lock.nanos,
            }
        })
        .collect();
    locks.sort_by(|one, other| {
        let key = |lock: &LockOut<'_>| (Reverse(lock.ns), lock.trace);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.id.cmp(&other.id))
    });
    locks
}

fn parked<'a>(profile: &'a Profile, parks: &[Park]) -> Vec<ParkOut<'a>> {
    let parks = parks.iter();
    let mut parks: Vec<_> = parks
        .map(|park| ParkOut {
            blocker: park.blocker.map(|class| profile.class_name(Some(class))),
            trace: park.trace,
            count: park.count,
            ns: park.nanos,
            still: park.still,
        })
        .collect();
    parks.sort_by_key(|park| (Reverse(park.ns), park.trace, park.blocker));
    parks
}
