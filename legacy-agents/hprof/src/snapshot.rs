//! Takes the picture that outputs are made from.

use std::time::SystemTime;

use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::classes::Classes;
use crate::contention;
use crate::estimate::Estimate;
use crate::ffi::extension;
use crate::notes;
use crate::options::{CpuMode, Format};
use crate::profile::{
    Amount, Call, Class, ClassRef, Cpu, CpuEntry, Estimates, Frame, Lock, Method, MethodRef,
    Profile, Shown, Site, SiteKind, Thread, Trace,
};
use crate::program;
use crate::sites::Place;
use crate::text::shown;
use crate::threads::Threads;
use crate::times::Costs;
use crate::traces::Traces;

/// Which parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) cpu: bool,
    pub(crate) sites: bool,
    pub(crate) locks: bool,
}

/// How names stand in the picture.
#[derive(Clone, Copy, Debug)]
enum Texts {
    AsTheyAre,
    Shown,
}

impl Texts {
    fn of(self, name: &str) -> String {
        match self {
            Self::AsTheyAre => name.to_owned(),
            Self::Shown => shown(name).into_owned(),
        }
    }
}

/// Everything as of now. What is not for a binary file has names as they are shown.
pub(crate) fn take(agent: &Agent, parts: Parts) -> Profile {
    let options = &agent.options;
    let texts = if options.format == Format::Binary {
        Texts::AsTheyAre
    } else {
        Texts::Shown
    };
    // First what may make new traces, then the traces.
    let cpu = options.cpu.filter(|_| parts.cpu).map(|mode| match mode {
        CpuMode::Samples => Cpu::Samples(samples(agent)),
        CpuMode::Times => Cpu::Times(times(&agent.times.costs(&agent.traces))),
        CpuMode::Old => {
            let costs = agent.times.costs(&agent.traces);
            Cpu::Old(calls(&costs, &agent.traces.lock()))
        }
    });
    let sites = parts.sites.then(|| sites(agent));
    let locks = (options.monitor && parts.locks).then(|| locks(agent));
    let parked = (options.monitor && parts.locks).then(|| contention::parks(agent));
    let (threads, traces) = {
        // At once: what one names the other has.
        let known = agent.threads.lock();
        let kept = agent.traces.lock();
        (threads(&known, texts), traces(&kept))
    };
    let left_out = (options.budget.is_some() && parts.cpu).then(|| left_out(agent));
    let (classes, methods) = names(&agent.classes.lock(), texts);
    let taken = SystemTime::now();
    let found = match &cpu {
        Some(Cpu::Samples(entries)) => {
            let found = entries.iter().map(|entry| entry.count).sum();
            program::samples(found, options.interval)
        }
        _ => String::new(),
    };
    let unseen = program::unseen(agent.unseen(), agent.samples.looks());
    Profile {
        started: agent.started,
        taken,
        program: program::of(&agent.asked, [agent.started, taken], found, unseen),
        shown: Shown {
            depth: options.depth,
            cutoff: options.cutoff,
            interval: options.interval,
            lineno: options.lineno,
            thread: options.thread,
            sample: options.sample,
        },
        notes: notes::of_profile(
            options,
            &extension::text("vm").unwrap_or_default(),
            left_out.as_ref().map_or(0, Vec::len),
        ),
        classes,
        methods,
        threads,
        traces,
        cpu,
        left_out,
        sites,
        locks,
        parked: parked.flatten(),
    }
}

/// Those that the host tells of no more, and how often each had been called.
fn left_out(agent: &Agent) -> Vec<(MethodRef, u64)> {
    learn_left_out(agent);
    let classes = agent.classes.lock();
    let all = classes.left_out();
    all.map(|(method, calls)| (MethodRef(method), calls))
        .collect()
}

/// Asks the host for those that it tells of no more: also before a class goes, for then nobody can name its methods.
pub(crate) fn learn_left_out(agent: &Agent) {
    if agent.options.budget.is_some() {
        let from = agent.classes.lock().known_left_out();
        let more = extension::left_out(from);
        agent.classes.lock().learn_left_out(from, &more);
    }
}

fn samples(agent: &Agent) -> Vec<CpuEntry> {
    let counts = agent.samples.counts().into_iter();
    let entries = counts.map(|(trace, count)| CpuEntry {
        trace,
        count,
        nanos: 0,
    });
    entries.collect()
}

fn times(costs: &Costs) -> Vec<CpuEntry> {
    let entries = costs.iter().map(|(&trace, &(count, nanos))| CpuEntry {
        trace,
        count,
        nanos,
    });
    entries.collect()
}

fn calls(costs: &Costs, traces: &Traces) -> Vec<Call> {
    let calls = costs.iter().filter_map(|(&trace, &(count, nanos))| {
        let (_, frames) = traces.get(trace)?;
        Some(Call {
            callee: MethodRef(frames.first()?.0),
            caller: frames.get(1).map(|frame| MethodRef(frame.0)),
            count,
            nanos,
        })
    });
    calls.collect()
}

fn sites(agent: &Agent) -> Vec<Site> {
    let amounts = agent.sites.amounts();
    if let Some(interval) = agent.options.sample {
        return estimated(&amounts, interval);
    }
    let sites = amounts.into_iter().map(|(place, allocated, live)| Site {
        kind: kind(place.kind, place.class),
        trace: place.trace,
        live,
        allocated,
        estimates: None,
    });
    sites.collect()
}

/// Sites of picked objects: those that differ in nothing but their size become one.
fn estimated(picked: &[(Place, Amount, Amount)], interval: u32) -> Vec<Site> {
    let mut all: FxHashMap<(u32, SiteKind), Estimates> = FxHashMap::default();
    for (place, allocated, live) in picked {
        let estimate = |amount: &Amount| Estimate::new(amount.objects, place.size, interval);
        let kind = kind(place.kind, place.class);
        let sum = all.entry((place.trace, kind)).or_default();
        sum.allocated += estimate(allocated);
        sum.live += estimate(live);
    }
    let sites = all.into_iter().map(|((trace, kind), estimates)| Site {
        kind,
        trace,
        live: estimates.live.amount(),
        allocated: estimates.allocated.amount(),
        estimates: Some(estimates),
    });
    sites.collect()
}

/// What the number of a kind and the index of a class mean.
pub(crate) fn kind(kind: u8, class: u32) -> SiteKind {
    let class = (class != 0).then_some(ClassRef(class));
    match kind {
        2 => SiteKind::Array(class),
        4 => SiteKind::PrimitiveArray(b'Z'),
        5 => SiteKind::PrimitiveArray(b'C'),
        6 => SiteKind::PrimitiveArray(b'F'),
        7 => SiteKind::PrimitiveArray(b'D'),
        8 => SiteKind::PrimitiveArray(b'B'),
        9 => SiteKind::PrimitiveArray(b'S'),
        10 => SiteKind::PrimitiveArray(b'I'),
        11 => SiteKind::PrimitiveArray(b'J'),
        _ => SiteKind::Instance(class),
    }
}

fn locks(agent: &Agent) -> Vec<Lock> {
    let waits = agent.locks.waits().into_iter();
    let locks = waits.map(|((monitor, trace), (count, nanos))| Lock {
        monitor,
        trace,
        count,
        nanos,
    });
    locks.collect()
}

fn threads(threads: &Threads, texts: Texts) -> Vec<Thread> {
    let shown = threads.listed().map(|(serial, thread)| Thread {
        serial,
        object: thread.object,
        name: texts.of(&thread.name),
        group: texts.of(&thread.group),
        parent: texts.of(&thread.parent),
        trace: thread.trace,
        ended: thread.ended,
    });
    shown.collect()
}

fn traces(traces: &Traces) -> Vec<Trace> {
    let last = u32::try_from(traces.len()).unwrap_or(u32::MAX);
    let shown = (1..=last).filter_map(|serial| {
        let (thread, frames) = traces.get(serial)?;
        let frames = frames.iter().map(|&(method, line)| Frame {
            method: MethodRef(method),
            line,
        });
        Some(Trace {
            serial,
            thread,
            frames: frames.collect(),
        })
    });
    shown.collect()
}

fn names(known: &Classes, texts: Texts) -> (Vec<Class>, Vec<Method>) {
    let classes = (0..).zip(known.all()).map(|(serial, class)| Class {
        serial,
        id: class.id,
        name: texts.of(&class.name),
        source: texts.of(&class.source),
        trace: class.trace,
        unloaded: class.unloaded,
    });
    let methods = known.all_methods().iter().map(|method| Method {
        class: ClassRef(method.class),
        name: texts.of(&method.name),
        signature: texts.of(&method.signature),
    });
    (classes.collect(), methods.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes that each stand for another number of objects, in one site.
    #[test]
    fn sizes_of_a_site_are_added_up() {
        let place = |trace, size| Place {
            trace,
            class: 3,
            kind: 8,
            size,
        };
        let amount = |objects, size| Amount {
            objects,
            bytes: objects * size,
        };
        let picked = [
            (place(1, 16), amount(5, 16), amount(2, 16)),
            (place(2, 16), amount(1, 16), amount(0, 16)),
            (place(1, 1 << 30), amount(7, 1 << 30), amount(7, 1 << 30)),
        ];
        let mut sites = estimated(&picked, 1 << 19);
        sites.sort_by_key(|site| site.trace);
        let [first, second] = &sites[..] else {
            panic!("{sites:?}");
        };
        assert_eq!(first.allocated.objects, 5 * 32_768 + 3 + 7);
        assert_eq!(first.live.objects, 2 * 32_768 + 1 + 7);
        assert_eq!(first.live.bytes - (7 << 30), 2 * (1 << 19) + 16);
        assert_eq!(first.estimates.unwrap().allocated.picked, 12);
        assert_eq!(second.live, Amount::default());
        assert_eq!(second.kind, SiteKind::PrimitiveArray(b'B'));
    }
}
