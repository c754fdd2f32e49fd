//! profile.proto, HPROF's or any other's.

use profile_formats::pprof::{self, Profile, Sample};

use crate::part::{Part, Process, Series};

/// How the comments begin by which HPROF, and a merged profile, says that its allocations are such.
const ESTIMATES: [&str; 2] = ["Sites are estimates", "allocations are estimates"];

pub(super) fn read(bytes: &[u8], process: Process) -> Result<Part, String> {
    let profile = pprof::read(bytes)?;
    if profile.sample_type.is_empty() {
        return Err(super::UNKNOWN.to_owned());
    }
    let text = |at: i64| {
        let at = usize::try_from(at).ok();
        at.and_then(|at| profile.string_table.get(at))
            .map_or("", |text| text)
    };
    let mut part = Part::default();
    let types: Vec<(&str, &str)> = profile
        .sample_type
        .iter()
        .map(|it| (text(it.r#type), text(it.unit)))
        .collect();
    let estimated = profile
        .comment
        .iter()
        .any(|&it| ESTIMATES.iter().any(|begins| text(it).starts_with(begins)));
    let series = types.iter().map(|&one| series(one, &types, estimated));
    let series: Vec<Option<usize>> = series.map(|one| one.map(|one| part.series(one))).collect();
    if types.iter().any(|&(kind, _)| kind == "samples") {
        part.interval = u64::try_from(profile.period)
            .ok()
            .filter(|&period| period > 0);
    }
    let functions = names(&profile);
    for sample in &profile.sample {
        let label = |key: &str| {
            let found = sample.label.iter().find(|label| text(label.key) == key);
            found.map_or("", |label| text(label.str))
        };
        let whose = match label("process") {
            "" => process.clone(),
            name => Process {
                name: name.to_owned(),
                host: label("host").to_owned(),
            },
        };
        let whose = part.process(whose);
        let mut frames = Vec::new();
        if !label("thread").is_empty() {
            frames.push(part.name(&format!("[{}]", label("thread"))));
        }
        frames.extend(stack(sample, &functions).map(|name| part.name(text(name))));
        for (series, &value) in series.iter().zip(&sample.value) {
            if let Some(series) = *series {
                part.add(
                    series,
                    whose,
                    frames.clone(),
                    u64::try_from(value).unwrap_or(0),
                );
            }
        }
    }
    if part.processes.is_empty() {
        part.process(process);
    }
    Ok(part)
}

/// What a type of sample is called here; none of what others say as well.
fn series((kind, unit): (&str, &str), all: &[(&str, &str)], estimated: bool) -> Option<Series> {
    let has = |kind: &str| all.iter().any(|&(known, _)| known == kind);
    let [allocated, allocations, live, live_objects] = Series::allocations(estimated);
    Some(match (kind, unit) {
        ("samples", "count") => Series::samples(),
        // The samples times the interval.
        ("cpu", "nanoseconds") if has("samples") => return None,
        ("cpu" | "cpu_time", "nanoseconds") => Series::cpu_time(),
        // How often: of what has its time as well.
        ("calls" | "contentions" | "parks", "count") => return None,
        ("alloc_space", "bytes") => allocated,
        ("alloc_objects", "count") => allocations,
        ("inuse_space", "bytes") => live,
        ("inuse_objects", "count") => live_objects,
        ("delay", "nanoseconds") => Series::lock_time(),
        ("parked", "nanoseconds") => Series::parked_time(),
        (kind, "nanoseconds") => Series::new("stacks", kind, "ns"),
        (kind, unit) => Series::new("stacks", kind, unit),
    })
}

/// By id of a location: the functions there, the innermost first.
fn names(profile: &Profile) -> rustc_hash::FxHashMap<u64, Vec<i64>> {
    let functions = profile.function.iter().map(|it| (it.id, it.name));
    let functions: rustc_hash::FxHashMap<u64, i64> = functions.collect();
    let name = |id: u64| functions.get(&id).copied().unwrap_or(0);
    let locations = profile.location.iter();
    locations
        .map(|it| {
            (
                it.id,
                it.line.iter().map(|line| name(line.function_id)).collect(),
            )
        })
        .collect()
}

/// The root first.
fn stack<'a>(
    sample: &'a Sample,
    names: &'a rustc_hash::FxHashMap<u64, Vec<i64>>,
) -> impl Iterator<Item = i64> + 'a {
    let places = sample.location_id.iter().rev();
    places.flat_map(|id| names.get(id).into_iter().flatten().rev().copied())
}
