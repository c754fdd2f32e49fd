//! What a profile holds that can be drawn as stacks: CPU, allocations, locks, parked threads.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use profile_formats::in_java;
use profile_formats::tree::{ALL, Stack};

use crate::profile::{Cpu, CpuEntry, Estimates, MethodRef, Monitor, Profile, Site};

/// All charts of a profile, and the names of their frames.
#[derive(Debug, PartialEq)]
pub(super) struct Charts {
    /// Sorted; the first is [`ALL`].
    pub(super) names: Vec<String>,
    /// In the order in which people look at them.
    pub(super) charts: Vec<Chart>,
}

/// Stacks of one kind, sorted.
#[derive(Debug, PartialEq)]
pub(super) struct Chart {
    /// `cpu`, `allocations`, `locks`, `parked`.
    pub(super) kind: &'static str,
    /// What [`Stack::values`] are, one by one.
    pub(super) weights: &'static [Weight],
    /// If they are estimates: behind them come their variances, each in this unit.
    pub(super) variance_units: Vec<f64>,
    /// Each once.
    pub(super) stacks: Vec<Stack>,
}

/// A meaning of numbers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Weight {
    /// For people.
    pub(super) title: &'static str,
    /// `samples`, `ns`, `bytes`, `objects`.
    pub(super) unit: &'static str,
}

const SAMPLES: &[Weight] = &[Weight {
    title: "CPU samples",
    unit: "samples",
}];
const TIMES: &[Weight] = &[Weight {
    title: "CPU time",
    unit: "ns",
}];
const ALLOCATIONS: &[Weight] = &[
    Weight {
        title: "Allocated",
        unit: "bytes",
    },
    Weight {
        title: "Allocations",
        unit: "objects",
    },
    Weight {
        title: "Live",
        unit: "bytes",
    },
];
const ESTIMATES: &[Weight] = &[
    Weight {
        title: "Allocated (estimate)",
        unit: "bytes",
    },
    Weight {
        title: "Allocations (estimate)",
        unit: "objects",
    },
    Weight {
        title: "Live (estimate)",
        unit: "bytes",
    },
];
const LOCKS: &[Weight] = &[Weight {
    title: "Lock time",
    unit: "ns",
}];

const PARKED: &[Weight] = &[Weight {
    title: "Parked time",
    unit: "ns",
}];

/// The charts of a profile: what it does not hold has none.
pub(super) fn charts(profile: &Profile) -> Charts {
    let mut reader = Reader {
        profile,
        names: HashMap::new(),
        methods: vec![None; profile.methods.len()],
    };
    // The root's name comes first also when all are sorted.
    reader.name(ALL.to_owned());
    let mut charts = Vec::new();
    charts.extend(profile.cpu.as_ref().map(|cpu| reader.cpu(cpu)));
    charts.extend(reader.allocations());
    charts.extend(reader.locks());
    charts.extend(reader.parked());
    let (names, ranks) = sorted(reader.names);
    for chart in &mut charts {
        for frame in chart.stacks.iter_mut().flat_map(|stack| &mut stack.frames) {
            *frame = place(*frame)
                .and_then(|at| ranks.get(at).copied())
                .unwrap_or(0);
        }
        chart.tidy();
    }
    Charts { names, charts }
}

impl Chart {
    /// Sorts the stacks and adds up those that are the same.
    fn tidy(&mut self) {
        self.stacks.sort_unstable();
        self.stacks.dedup_by(|next, kept| {
            let same = next.frames == kept.frames;
            if same {
                for (sum, value) in kept.values.iter_mut().zip(&next.values) {
                    *sum = sum.saturating_add(*value);
                }
            }
            same
        });
        self.stacks
            .retain(|stack| stack.values.iter().any(|value| *value > 0));
    }
}

/// Reads a profile, and numbers the names it meets.
struct Reader<'a> {
    profile: &'a Profile,
    names: HashMap<String, u32>,
    /// The names of the profile's methods.
    methods: Vec<Option<u32>>,
}

impl Reader<'_> {
    fn name(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        *self.names.entry(name).or_insert(next)
    }

    fn method(&mut self, method: MethodRef) -> u32 {
        let slot = place(method.0);
        if let Some(Some(known)) = slot.and_then(|at| self.methods.get(at)) {
            return *known;
        }
        let name = self.name(self.profile.method_name(method));
        if let Some(place) = slot.and_then(|at| self.methods.get_mut(at)) {
            *place = Some(name);
        }
        name
    }

    /// A trace from its thread down to what is on top of it.
    fn stack(&mut self, trace: u32, top: Option<String>, values: Vec<u64>) -> Stack {
        let mut frames = Vec::new();
        if let Some(trace) = self.profile.trace(trace) {
            frames.reserve(trace.frames.len() + 2);
            if let Some(thread) = self.profile.thread(trace.thread) {
                let name = format!("[{}]", thread.name);
                frames.push(self.name(name));
            }
            for frame in trace.frames.iter().rev() {
                let method = self.method(frame.method);
                frames.push(method);
            }
        }
        if let Some(top) = top {
            frames.push(self.name(top));
        }
        Stack { frames, values }
    }

    fn entries(&mut self, entries: &[CpuEntry], value: fn(&CpuEntry) -> u64) -> Vec<Stack> {
        entries
            .iter()
            .map(|entry| self.stack(entry.trace, None, vec![value(entry)]))
            .collect()
    }

    fn cpu(&mut self, cpu: &Cpu) -> Chart {
        let (weights, stacks) = match cpu {
            Cpu::Samples(entries) => (SAMPLES, self.entries(entries, |entry| entry.count)),
            Cpu::Times(entries) => (TIMES, self.entries(entries, |entry| entry.nanos)),
            Cpu::Old(calls) => {
                let stacks = calls.iter().map(|call| Stack {
                    frames: call
                        .caller
                        .into_iter()
                        .chain([call.callee])
                        .map(|method| self.method(method))
                        .collect(),
                    values: vec![call.nanos],
                });
                (TIMES, stacks.collect())
            }
        };
        Chart {
            kind: "cpu",
            weights,
            variance_units: Vec::new(),
            stacks,
        }
    }

    fn allocations(&mut self) -> Option<Chart> {
        let sites = self.profile.sites.as_ref()?;
        let variance_units = variance_units(sites);
        let stacks = sites.iter().map(|site| {
            let top = format!("new {}", in_java(&self.profile.site_name(site.kind)));
            let mut values = vec![
                site.allocated.bytes,
                site.allocated.objects,
                site.live.bytes,
            ];
            let variances = variances(site).into_iter().zip(&variance_units);
            values.extend(variances.map(|(variance, unit)| rounded(variance / unit)));
            self.stack(site.trace, Some(top), values)
        });
        let stacks = stacks.collect();
        let exact = variance_units.is_empty();
        Some(Chart {
            kind: "allocations",
            weights: if exact { ALLOCATIONS } else { ESTIMATES },
            variance_units,
            stacks,
        })
    }

    fn locks(&mut self) -> Option<Chart> {
        let locks = self.profile.locks.as_ref()?;
        let stacks = locks.iter().map(|lock| {
            let name = match &lock.monitor {
                Monitor::Java(class, _) => in_java(self.profile.class_name(*class)),
                Monitor::Raw(name, _) => format!("\"{name}\" (raw)"),
            };
            self.stack(lock.trace, Some(format!("lock {name}")), vec![lock.nanos])
        });
        Some(Chart {
            kind: "locks",
            weights: LOCKS,
            variance_units: Vec::new(),
            stacks: stacks.collect(),
        })
    }

    fn parked(&mut self) -> Option<Chart> {
        let parks = self.profile.parked.as_ref()?;
        // A program that parks nobody has nothing to draw.
        parks.iter().find(|park| park.nanos > 0)?;
        let stacks = parks.iter().map(|park| {
            let blocker = in_java(self.profile.blocker_name(park));
            self.stack(
                park.trace,
                Some(format!("park {blocker}{}", park.mark())),
                vec![park.nanos],
            )
        });
        Some(Chart {
            kind: "parked",
            weights: PARKED,
            variance_units: Vec::new(),
            stacks: stacks.collect(),
        })
    }
}

/// Of what is drawn of a site.
fn variances(site: &Site) -> [f64; 3] {
    let Some(Estimates { live, allocated }) = site.estimates else {
        return [0.0; 3];
    };
    let (objects, bytes) = allocated.variances();
    [bytes, objects, live.variances().1]
}

/// Units in which a sum of all variances has seven digits: more than anybody can read of its root.
/// None if nothing is estimated.
fn variance_units(sites: &[Site]) -> Vec<f64> {
    const ALL: f64 = 1e7;
    if sites.iter().all(|site| site.estimates.is_none()) {
        return Vec::new();
    }
    let mut sums = [0.0; 3];
    for site in sites {
        for (sum, variance) in sums.iter_mut().zip(variances(site)) {
            *sum += variance;
        }
    }
    let units = sums.into_iter();
    units
        .map(|sum| if sum > 0.0 { sum / ALL } else { 1.0 })
        .collect()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "of seven digits, and not negative"
)]
fn rounded(number: f64) -> u64 {
    number.round() as u64
}

/// The names in order, and for each number its place there.
fn sorted(names: HashMap<String, u32>) -> (Vec<String>, Vec<u32>) {
    let mut ranks = vec![0; names.len()];
    let mut order: Vec<(String, u32)> = names.into_iter().collect();
    order.sort_unstable();
    for (rank, (_, number)) in (0..).zip(&order) {
        if let Some(slot) = place(*number).and_then(|at| ranks.get_mut(at)) {
            *slot = rank;
        }
    }
    let names = order.into_iter().map(|(name, _)| name).collect();
    (names, ranks)
}

fn place(number: u32) -> Option<usize> {
    usize::try_from(number).ok()
}
