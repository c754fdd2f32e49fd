//! Counts of a recording.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recording_format::{Recording, Space, Subject, What};
use terminal_text::printable::printable;

use crate::names::Names;

/// What was counted of one event or function.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    times: u64,
    requested: u64,
    /// Of those whose end was recorded with its time.
    nanos: u64,
    timed: u64,
}

/// How often each event came and each function was called, and on which threads; text
/// that ends with a newline.
#[must_use]
pub fn stats(recording: &Recording<'_>) -> String {
    let mut counts: BTreeMap<Subject, Count> = BTreeMap::new();
    let mut threads: BTreeMap<u32, (u64, u64, Option<String>)> = BTreeMap::new();
    let mut open: BTreeMap<u32, Vec<(Subject, u64)>> = BTreeMap::new();
    let mut names = Names::default();
    let mut last = 0;
    for item in recording.items() {
        names.learn(&item.what);
        last = last.max(item.nanos);
        let subject = item.what.subject();
        let stack = open.entry(item.thread).or_default();
        let (events, calls, name) = threads.entry(item.thread).or_default();
        match &item.what {
            What::Event {
                requested, env: of, ..
            } => {
                *events += 1;
                if name.is_none() {
                    *name = names.of(Space::Env, *of).map(str::to_owned);
                }
                let count = counts.entry(subject).or_default();
                count.times += 1;
                count.requested += u64::from(*requested);
            }
            What::Call { .. } => {
                *calls += 1;
                counts.entry(subject).or_default().times += 1;
            }
            What::Run { .. } => counts.entry(subject).or_default().times += 1,
            What::Unsent { .. } => {}
            What::Leave { .. } => {
                if let Some(place) = stack.iter().rposition(|(open, _)| *open == subject) {
                    let begin = stack.get(place).map_or(item.nanos, |(_, begin)| *begin);
                    stack.truncate(place);
                    let count = counts.entry(subject).or_default();
                    count.nanos += item.nanos.saturating_sub(begin);
                    count.timed += 1;
                }
            }
        }
        if item.what.is_open() {
            stack.push((subject, item.nanos));
        }
    }
    let header = &recording.header;
    let mut text = String::new();
    let or_unknown = |text: &str| {
        if text.is_empty() {
            "?".to_owned()
        } else {
            printable(text).into_owned()
        }
    };
    let _ = writeln!(text, "vm       {}", or_unknown(&header.vm));
    let _ = writeln!(text, "agent    {}", or_unknown(&header.agent));
    let _ = writeln!(
        text,
        "options  {}",
        printable(header.options.as_deref().unwrap_or("(none)"))
    );
    let command = printable(&header.command);
    let _ = writeln!(text, "process  {}: {command}", header.pid);
    let _ = writeln!(
        text,
        "seconds  {:.3}",
        std::time::Duration::from_nanos(last).as_secs_f64()
    );
    for (title, is_event) in [("events", true), ("calls", false)] {
        let _ = writeln!(text, "\n{title}");
        let of_kind = |subject: &Subject| matches!(subject, Subject::Event(_)) == is_event;
        for (subject, count) in counts.iter().filter(|(subject, _)| of_kind(subject)) {
            let _ = write!(text, "{:>12}  {subject}", count.times);
            if count.requested > 0 {
                let _ = write!(text, " ({} requested)", count.requested);
            }
            if let Some(mean) = count.nanos.checked_div(count.timed) {
                let _ = write!(text, " ({} timed, {mean} ns each)", count.timed);
            }
            text.push('\n');
        }
    }
    text.push_str("\nthreads\n");
    for (number, (events, calls, name)) in threads {
        let name = printable(name.as_deref().unwrap_or("?"));
        let _ = writeln!(
            text,
            "{events:>12}  events, {calls} calls on t{number} {name}"
        );
    }
    text
}
