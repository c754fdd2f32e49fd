//! `format=json`: the whole profile, for programs.
//!
//! One object, on one line, its members in this order:
//!
//! | member | |
//! |---|---|
//! | `format`, `version` | `"xrun-hprof"`, 2; the version changes if a reader has to |
//! | `writer` | which HPROF has written it: `HPROF for xrun` and the version |
//! | `started`, `taken` | when the profiler was started and this was written, ms since 1970 |
//! | `options` | `depth`, `cutoff`, `lineno`, `thread`, `sample` (null or bytes) as they were in force |
//! | `notes` | a list of sentences: what whoever reads the numbers has to know of them |
//! | `threads` | by `id`: `name`, `group`, `parent` (the group's), `ended` |
//! | `methods` | those that others name, by their place here, from 0: `class`, `name`, `signature`, `source` (a file or null) |
//! | `frames` | `[method, line, caller]`, each after its caller: the line -1 if unknown, -2 in compiled, -3 in native code; the caller by its place here, null at the bottom of a stack |
//! | `traces` | by `id`: `thread` (an id, or null without `thread=y`), `frame`: the callee by its place in `frames`, null if the stack is empty |
//! | `cpu` | null or `kind`: `"samples"`, with `entries` of `trace`, `count`; `"times"`, with `entries` of `trace`, `calls`, `ns` (without callees); `"old"`, with `entries` of `callee`, `caller` (methods, or null), `calls`, `ns` |
//! | `leftOut` | only with `method-budget`: a list of `method`, `calls`: what was measured no more, and about how often it had been called by then |
//! | `sites` | null or a list: `class` (`[I`, `[La.B;` for arrays), `trace`, `live` and `allocated`, both of `objects` and `bytes`. With `sample` they are estimates, and both have `error`, the standard errors of `objects` and `bytes`, and the site `picked`: how many objects it was made from |
//! | `locks` | null or a list: `monitor` (a class, or a raw monitor's name), `raw`, `id`, `trace`, `count`, `ns` |
//! | `parked` | only with `monitor=y`: a list of `blocker` (a class, or null), `trace`, `count`, `ns` |
//!
//! Lists that are not by id begin with what costs most; what costs the same is
//! sorted by trace and name, so the same profile is the same text. Ids of
//! threads and traces stay the same in all dumps of a run. New members may come.
//!
//! Stacks share their lower parts, as they are deep and many: with each frame in each of
//! them, a `cpu=times` of h2 would be four times as large.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::estimate::Estimate;
use crate::profile::{
    Amount, Call, Cpu, CpuEntry, Lock, Method, MethodRef, Monitor, Park, Profile, Site, Trace,
};
use crate::program;

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    version: u32,
    writer: &'a str,
    started: u64,
    taken: u64,
    options: Options,
    notes: &'a [String],
    threads: Vec<ThreadOut<'a>>,
    methods: Vec<MethodOut<'a>>,
    frames: &'a [FrameOut],
    traces: Vec<TraceOut>,
    cpu: Option<CpuOut>,
    #[serde(rename = "leftOut", skip_serializing_if = "Option::is_none")]
    left_out: Option<Vec<LeftOut>>,
    sites: Option<Vec<SiteOut>>,
    locks: Option<Vec<LockOut<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parked: Option<Vec<ParkOut<'a>>>,
}

#[derive(Serialize)]
struct Options {
    depth: u32,
    cutoff: f64,
    lineno: bool,
    thread: bool,
    sample: Option<u32>,
}

#[derive(Serialize)]
struct ThreadOut<'a> {
    id: u32,
    name: &'a str,
    group: &'a str,
    parent: &'a str,
    ended: bool,
}

#[derive(Serialize)]
struct MethodOut<'a> {
    class: &'a str,
    name: &'a str,
    signature: &'a str,
    source: Option<&'a str>,
}

/// Method, line, caller.
type FrameOut = (u32, i32, Option<u32>);

#[derive(Serialize)]
struct TraceOut {
    id: u32,
    thread: Option<u32>,
    frame: Option<u32>,
}

#[derive(Serialize)]
#[serde(tag = "kind", content = "entries", rename_all = "lowercase")]
enum CpuOut {
    Samples(Vec<SamplesOut>),
    Times(Vec<TimesOut>),
    Old(Vec<CallOut>),
}

#[derive(Serialize)]
struct SamplesOut {
    trace: u32,
    count: u64,
}

#[derive(Serialize)]
struct TimesOut {
    trace: u32,
    calls: u64,
    ns: u64,
}

#[derive(Serialize)]
struct CallOut {
    callee: u32,
    caller: Option<u32>,
    calls: u64,
    ns: u64,
}

#[derive(Serialize)]
struct LeftOut {
    method: u32,
    calls: u64,
}

#[derive(Serialize)]
struct SiteOut {
    class: String,
    trace: u32,
    live: AmountOut,
    allocated: AmountOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    picked: Option<u64>,
}

#[derive(Serialize)]
struct AmountOut {
    objects: u64,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorOut>,
}

#[derive(Serialize)]
struct ErrorOut {
    objects: f64,
    bytes: f64,
}

#[derive(Serialize)]
struct LockOut<'a> {
    monitor: &'a str,
    raw: bool,
    id: String,
    trace: u32,
    count: u64,
    ns: u64,
}

#[derive(Serialize)]
struct ParkOut<'a> {
    blocker: Option<&'a str>,
    trace: u32,
    count: u64,
    ns: u64,
}

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
        options: Options {
            depth: shown.depth,
            cutoff: shown.cutoff,
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
        })
        .collect();
    parks.sort_by_key(|park| (Reverse(park.ns), park.trace, park.blocker));
    parks
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::profile::MethodRef;

    fn written(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(profile, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_whole_profile() {
        let expected = concat!(
            r#"{"format":"xrun-hprof","version":2,"writer":"HPROF for xrun "#,
            env!("CARGO_PKG_VERSION"),
            r#"","started":1000000000123,"taken":1000000002123,"#,
            r#""options":{"depth":4,"cutoff":0.0001,"lineno":true,"thread":true,"sample":null},"notes":[],"#,
            r#""threads":[{"id":1,"name":"main","group":"main","parent":"system","ended":false}],"#,
            r#""methods":[{"class":"a.Main","name":"main","signature":"()V","source":"Main.java"},"#,
            r#"{"class":"a.Main","name":"<init>","signature":"()V","source":"Main.java"},"#,
            r#"{"class":"a.Main","name":"work","signature":"()V","source":"Main.java"}],"#,
            r#""frames":[[0,3,null],[1,7,0],[1,8,0],[2,-3,2]],"#,
            r#""traces":[{"id":1,"thread":null,"frame":null},"#,
            r#"{"id":2,"thread":1,"frame":1},"#,
            r#"{"id":3,"thread":1,"frame":3}],"#,
            r#""cpu":{"kind":"samples","entries":[{"trace":3,"count":10},{"trace":2,"count":5},{"trace":1,"count":2}]},"#,
            r#""sites":[{"class":"[I","trace":2,"live":{"objects":0,"bytes":0},"allocated":{"objects":4,"bytes":100}},"#,
            r#"{"class":"[La.Main;","trace":2,"live":{"objects":1,"bytes":32},"allocated":{"objects":2,"bytes":64}}],"#,
            r#""locks":[{"monitor":"a.Main","raw":false,"id":"30","trace":3,"count":2,"ns":7000000}],"#,
            r#""parked":[{"blocker":"a.Main","trace":2,"count":3,"ns":9000000},{"blocker":null,"trace":3,"count":1,"ns":0}]}"#,
            "\n"
        );
        assert_eq!(written(&sample::profile()), expected);
    }

    #[test]
    fn the_other_kinds_of_cpu() {
        let mut profile = sample::profile();
        (profile.sites, profile.locks, profile.parked) = (None, None, None);
        profile.cpu = Some(Cpu::Times(vec![
            CpuEntry {
                trace: 2,
                count: 1,
                nanos: 3,
            },
            CpuEntry {
                trace: 3,
                count: 2,
                nanos: 4,
            },
        ]));
        let text = written(&profile);
        assert!(
            text.ends_with(concat!(
                r#""cpu":{"kind":"times","entries":[{"trace":3,"calls":2,"ns":4},{"trace":2,"calls":1,"ns":3}]},"#,
                r#""sites":null,"locks":null}"#,
                "\n"
            )),
            "{text}"
        );
        profile.cpu = Some(Cpu::Old(vec![Call {
            callee: MethodRef(1),
            caller: None,
            count: 1,
            nanos: 9,
        }]));
        let text = written(&profile);
        let expected = r#"{"kind":"old","entries":[{"callee":1,"caller":null,"calls":1,"ns":9}]}"#;
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn methods_that_nobody_names_are_left_out() {
        let mut profile = sample::profile();
        profile.traces.pop();
        let text = written(&profile);
        assert!(!text.contains(r#""name":"work""#), "{text}");
        profile.cpu = Some(Cpu::Old(vec![Call {
            callee: MethodRef(2),
            caller: Some(MethodRef(99)),
            count: 1,
            nanos: 9,
        }]));
        let text = written(&profile);
        assert!(text.contains(r#""name":"work""#), "{text}");
        assert!(text.contains(r#"{"callee":2,"caller":3,"#), "{text}");
    }

    #[test]
    fn names_are_escaped() {
        let mut profile = sample::profile();
        let name = "a\"b\\c\n\u{1}é𝄞";
        name.clone_into(&mut profile.threads[0].name);
        let read: serde_json::Value = serde_json::from_str(&written(&profile)).unwrap();
        assert_eq!(read["threads"][0]["name"], name);
    }
}
