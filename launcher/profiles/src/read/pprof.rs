//! profile.proto, HPROF's or any other's.

use profile_formats::SITES_ARE_ESTIMATES;
use profile_formats::pprof::{self, Profile};
use rustc_hash::FxHashMap;

use crate::part::{Part, Process, Series};
use crate::write::{ESTIMATED, ESTIMATES};

pub(super) fn read(bytes: &[u8], process: Process) -> Result<Part, String> {
    let file = pprof::read(bytes)?;
    let profile = &file.profile;
    if profile.sample_type.is_empty() {
        return Err(super::UNKNOWN.to_owned());
    }
    let text = |at: i64| {
        let at = usize::try_from(at).ok();
        at.and_then(|at| profile.string_table.get(at))
            .map_or("", |text| text)
    };
    let mut part = Part::default();
    let types = profile.sample_type.iter();
    let types: Vec<(&str, &str)> = types.map(|it| (text(it.r#type), text(it.unit))).collect();
    // Comments may be anything: names of programs, say.
    let estimated = profile.comment.iter().any(|&comment| {
        text(comment) == ESTIMATES || text(comment).starts_with(SITES_ARE_ESTIMATES)
    });
    let positive = |number: i64| u64::try_from(number).ok().filter(|&number| number > 0);
    if types.contains(&("samples", "count")) {
        // Others sample by cycles, by bytes.
        let nanos = match profile.period_type.as_ref().map_or("", |it| text(it.unit)) {
            "nanoseconds" => Some(1),
            "microseconds" => Some(1_000),
            "milliseconds" => Some(1_000_000),
            _ => None,
        };
        let period = positive(profile.period).zip(nanos);
        part.interval = period.and_then(|(period, nanos)| period.checked_mul(nanos));
    }
    let is_timed = part.interval.is_some();
    let series = types.iter().map(|&one| series(one, is_timed, estimated));
    let series: Vec<Option<u32>> = series.map(|one| one.map(|one| part.series(one))).collect();
    part.time = positive(profile.time_nanos).map(|began| {
        let length = positive(profile.duration_nanos).unwrap_or(0);
        (began, began.saturating_add(length))
    });
    let mut processes: FxHashMap<[i64; 2], u32> = FxHashMap::default();
    let methods = methods(profile, |name| part.name(text(name)));
    for sample in file.samples() {
        let sample = sample?;
        let label = |key: &str| {
            let found = sample.label.iter().find(|label| text(label.key) == key);
            found.map_or(0, |label| label.str)
        };
        let whose = ["process", "host"].map(label);
        let whose = *processes.entry(whose).or_insert_with(|| {
            part.process(match whose.map(text) {
                ["", _] => process.clone(),
                [name, host] => Process {
                    name: name.to_owned(),
                    host: host.to_owned(),
                },
            })
        });
        let mut node = match text(label("thread")) {
            "" => 0,
            thread => part.called(0, &format!("[{thread}]")),
        };
        for place in sample.location_id.iter().rev() {
            for &name in methods.get(place).into_iter().flatten().rev() {
                node = part.child(node, name);
            }
        }
        for (series, &value) in series.iter().zip(&sample.value) {
            let value = u64::try_from(value).map_err(|_| {
                "numbers below 0: it is the difference of two profiles; merge those that it was made of"
            })?;
            if let Some(series) = *series {
                part.add(series, whose, node, value);
            }
        }
    }
    if part.processes.is_empty() {
        part.process(process);
    }
    Ok(part)
}

/// What a type of sample is called here; none of what others say as well: samples that are timed say `cpu`.
fn series((kind, unit): (&str, &str), is_timed: bool, estimated: bool) -> Option<Series> {
    if let Some(kind @ ("alloc_space" | "alloc_objects" | "inuse_space" | "inuse_objects")) =
        kind.strip_suffix(ESTIMATED)
        && !estimated
    {
        return series((kind, unit), is_timed, true);
    }
    let [allocated, allocations, live, live_objects] = Series::allocations(estimated);
    Some(match (kind, unit) {
        ("samples", "count") => Series::samples(),
        // The samples times the interval.
        ("cpu", "nanoseconds") if is_timed => return None,
        ("cpu" | "cpu_time", "nanoseconds") => Series::cpu_time(),
        // How often: of what has its time as well.
        ("calls" | "contentions" | "parks", "count") => return None,
        ("alloc_space", "bytes") => allocated,
        ("alloc_objects", "count") => allocations,
        ("inuse_space", "bytes") => live,
        ("inuse_objects", "count") => live_objects,
        ("delay", "nanoseconds") => Series::lock_time(),
        ("parked", "nanoseconds") => Series::parked_time(),
        (kind, "nanoseconds") => Series::titled(kind, "ns"),
        (kind, unit) => Series::titled(kind, unit),
    })
}

/// By id of a location: the methods there, the innermost first.
fn methods(profile: &Profile, mut name: impl FnMut(i64) -> u32) -> FxHashMap<u64, Vec<u32>> {
    let functions = profile.function.iter().map(|it| (it.id, name(it.name)));
    let functions: FxHashMap<u64, u32> = functions.collect();
    let unknown = name(0);
    let method = |id: u64| functions.get(&id).copied().unwrap_or(unknown);
    let locations = profile.location.iter().map(|it| {
        let lines = it.line.iter().map(|line| method(line.function_id));
        (it.id, lines.collect())
    });
    locations.collect()
}
