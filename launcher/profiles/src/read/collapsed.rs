//! A line per stack, its number at the end. HPROF's begin with a stack of weight 0, which says
//! what is counted.

use super::{CUT_OFF, UNKNOWN};
use crate::part::{Part, Process, Series};

pub(super) fn read(text: &str, process: Process) -> Result<Part, String> {
    let mut part = Part::default();
    let mut series = Series::new("stacks", "Stacks", "");
    let mut process = process;
    // As soon as both are known.
    let mut known = None;
    let is_hprof = text.starts_with("(HPROF ") || text.starts_with("(xrun ");
    for (at, line) in text.lines().enumerate() {
        if line.is_empty() {
            continue;
        }
        let found = line.rsplit_once(' ');
        let found = found.and_then(|(stack, value)| Some((stack, value.parse::<u64>().ok()?)));
        let Some((stack, value)) = found else {
            return Err(match at {
                0 => UNKNOWN.to_owned(),
                _ if text.lines().nth(at + 1).is_none() => CUT_OFF.to_owned(),
                _ => format!("line {} has no number at its end: it is not merged", at + 1),
            });
        };
        if at == 0 && is_hprof && value == 0 {
            said(stack, &mut part, &mut series, &mut process);
            continue;
        }
        let (series, process) = *known
            .get_or_insert_with(|| (part.series(series.clone()), part.process(process.clone())));
        let frames = stack.split(';').filter(|_| stack != "<empty>");
        let node = frames.fold(0, |caller, frame| part.called(caller, frame));
        part.add(series, process, node, value);
    }
    if !text.ends_with('\n') {
        return Err(CUT_OFF.to_owned());
    }
    part.series(series);
    part.process(process);
    Ok(part)
}

/// `(HPROF for xrun 0.1.0);(CPU samples, samples);(every 10 ms);(4711 on host)`
fn said(stack: &str, part: &mut Part, series: &mut Series, process: &mut Process) {
    for fact in stack.split(';').skip(1) {
        let fact = fact.trim_start_matches('(').trim_end_matches(')');
        if let Some(interval) = fact.strip_prefix("every ") {
            let (number, scale) = match interval.strip_suffix(" ns") {
                Some(nanos) => (nanos, 1),
                None => (interval.trim_end_matches(" ms"), 1_000_000),
            };
            let nanos = number
                .parse::<u64>()
                .ok()
                .and_then(|it| it.checked_mul(scale));
            part.interval = nanos.filter(|nanos| *nanos > 0);
        } else if let Some((title, unit)) = fact.rsplit_once(", ") {
            *series = Series::titled(title, unit);
        } else if fact.contains(" on ") {
            *process = Process::named(fact);
        }
    }
}
