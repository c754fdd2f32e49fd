//! Counts of a recording.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt::Write as _;

use recording_format::{NO_END, Recording, Space, Subject, What};
use terminal_text::printable::printable;

use crate::names::Names;
use crate::text::put_quoted;

/// What was counted of one event or function.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    times: u64,
    requested: u64,
    /// Of those whose end was recorded with its time.
    nanos: u64,
    timed: u64,
}

/// An event or a call, and which environment's it is: 0 of the agent that speaks JVMPI.
type Whose = (u32, Subject);

/// Of a whole recording.
struct Counts {
    counts: BTreeMap<Whose, Count>,
    environments: BTreeMap<u32, String>,
    /// Events, calls and the name of each.
    threads: BTreeMap<u32, (u64, u64, Option<String>)>,
    /// Nanoseconds from the first record to the last.
    last: u64,
    /// The VM's end is in it.
    has_end: bool,
}

fn counted(recording: &Recording<'_>) -> Counts {
    let mut counts: BTreeMap<Whose, Count> = BTreeMap::new();
    let mut threads: BTreeMap<u32, (u64, u64, Option<String>)> = BTreeMap::new();
    let mut open: BTreeMap<u32, Vec<(Whose, u64)>> = BTreeMap::new();
    let mut names = Names::default();
    let (mut last, mut has_end) = (0, false);
    let Ok(()) = recording.items().each::<Infallible>(|item| {
        names.learn(&item.what);
        // Names are in parts of a recording, too, from before it.
        if matches!(item.what, What::Defined { .. }) {
            return Ok(());
        }
        last = last.max(item.nanos);
        has_end |= item.what.is_the_vms_end();
        let subject = item.what.subject();
        let of = match item.what {
            What::JvmtiEvent { environment, .. } | What::JvmtiCall { environment, .. } => {
                (environment, subject)
            }
            What::Event { .. }
            | What::Call { .. }
            | What::Run { .. }
            | What::Unsent { .. }
            | What::Defined { .. }
            | What::Leave { .. } => (0, subject),
        };
        let stack = open.entry(item.thread).or_default();
        let (events, calls, name) = threads.entry(item.thread).or_default();
        match &item.what {
            What::Event { requested, env, .. } => {
                *events += 1;
                if name.is_none() {
                    *name = names.of(Space::Env, *env).map(str::to_owned);
                }
                let count = counts.entry(of).or_default();
                count.times += 1;
                count.requested += u64::from(*requested);
            }
            What::JvmtiEvent { env, .. } => {
                *events += 1;
                if name.is_none() {
                    *name = names.of(Space::Env, *env).map(str::to_owned);
                }
                counts.entry(of).or_default().times += 1;
            }
            What::Call { .. } | What::JvmtiCall { .. } => {
                *calls += 1;
                counts.entry(of).or_default().times += 1;
            }
            What::Run { .. } => counts.entry(of).or_default().times += 1,
            What::Unsent { .. } | What::Defined { .. } => {}
            What::Leave { .. } => {
                if let Some(place) = stack.iter().rposition(|((_, open), _)| *open == subject)
                    && let Some(&(of, begin)) = stack.get(place)
                {
                    stack.truncate(place);
                    let count = counts.entry(of).or_default();
                    count.nanos += item.nanos.saturating_sub(begin);
                    count.timed += 1;
                }
            }
        }
        if item.what.is_open() {
            stack.push((of, item.nanos));
        }
        Ok(())
    });
    let mut environments = names.environments().clone();
    // A part of a recording may lack what says whose they are.
    for (number, _) in counts.keys().filter(|(number, _)| *number != 0) {
        environments
            .entry(*number)
            .or_insert_with(|| "?".to_owned());
    }
    Counts {
        counts,
        environments,
        threads,
        last,
        has_end,
    }
}

/// How often each event came and each function was called, and on which threads; text
/// that ends with a newline.
#[must_use]
pub fn stats(recording: &Recording<'_>) -> String {
    let Counts {
        counts,
        environments,
        threads,
        last,
        has_end,
    } = counted(recording);
    let header = &recording.header;
    let mut text = String::new();
    let or_unknown = |text: &str| {
        if text.is_empty() {
            "?".to_owned()
        } else {
            printable(text).into_owned()
        }
    };
    let _ = writeln!(text, "libjvmpi {}", or_unknown(&header.shim));
    let vm = if header.vm.is_empty() && !environments.is_empty() {
        "? (it ended before it was up: an agent refused to start, or an option is wrong; what is said without xrun?)".to_owned()
    } else {
        or_unknown(&header.vm)
    };
    let _ = writeln!(text, "vm       {vm}");
    let ports: BTreeSet<&str> = environments.values().map(String::as_str).collect();
    let agent = if header.agent.is_empty() && !ports.is_empty() {
        let ports = ports.into_iter().map(printable).collect::<Vec<_>>();
        format!("{} (JVMTI)", ports.join(", "))
    } else {
        or_unknown(&header.agent)
    };
    let _ = writeln!(text, "agent    {agent}");
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
    if !has_end {
        let _ = writeln!(text, "end      {NO_END}");
    }
    let agents =
        std::iter::once((0, String::new())).chain(environments.iter().map(|(&number, agent)| {
            (
                number,
                format!(" of {} (JVMTI environment {number})", printable(agent)),
            )
        }));
    for (environment, agent) in agents {
        for (title, events) in [("events", true), ("calls", false)] {
            let of_kind = |subject: &Subject| is_event(*subject) == events;
            let mut found = counts
                .iter()
                .filter(|((of, subject), _)| *of == environment && of_kind(subject))
                .peekable();
            // Who speaks JVMTI only has no other part.
            if environment == 0 && found.peek().is_none() && !environments.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n{title}{agent}");
            for ((_, subject), count) in found {
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

/// The same as one line of JSON.
#[must_use]
pub fn stats_json(recording: &Recording<'_>) -> String {
    let found = counted(recording);
    let header = &recording.header;
    let of_kind = |environment: u32, events: bool| {
        let rows = found.counts.iter();
        let rows =
            rows.filter(|((of, subject), _)| *of == environment && is_event(*subject) == events);
        let row = |((_, subject), count): (&(u32, Subject), &Count)| {
            format!(
                "\"{subject}\":{{\"times\":{},\"requested\":{},\"timed\":{},\"nanos\":{}}}",
                count.times, count.requested, count.timed, count.nanos
            )
        };
        rows.map(row).collect::<Vec<_>>().join(",")
    };
    let environment = |(number, agent): (&u32, &String)| {
        format!(
            "{{\"number\":{number},\"agent\":{},\"events\":{{{}}},\"calls\":{{{}}}}}",
            string(agent),
            of_kind(*number, true),
            of_kind(*number, false)
        )
    };
    let thread = |(number, (events, calls, name)): (&u32, &(u64, u64, Option<String>))| {
        let name = name.as_deref().map_or("null".to_owned(), string);
        format!("{{\"number\":{number},\"name\":{name},\"events\":{events},\"calls\":{calls}}}")
    };
    format!(
        "{{\"libjvmpi\":{},\"vm\":{},\"agent\":{},\"options\":{},\"pid\":{},\"command\":{},\"nanos\":{},\"ended\":{},\"events\":{{{}}},\"calls\":{{{}}},\"environments\":[{}],\"threads\":[{}]}}\n",
        string(&header.shim),
        string(&header.vm),
        string(&header.agent),
        header.options.as_deref().map_or("null".to_owned(), string),
        header.pid,
        string(&header.command),
        found.last,
        found.has_end,
        of_kind(0, true),
        of_kind(0, false),
        found
            .environments
            .iter()
            .map(environment)
            .collect::<Vec<_>>()
            .join(","),
        found
            .threads
            .iter()
            .map(thread)
            .collect::<Vec<_>>()
            .join(",")
    )
}

const fn is_event(subject: Subject) -> bool {
    matches!(subject, Subject::Event(_) | Subject::JvmtiEvent(_))
}

fn string(text: &str) -> String {
    let mut quoted = String::new();
    let _ = put_quoted(&mut quoted, text.as_bytes());
    quoted
}
