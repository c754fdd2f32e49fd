//! Compares two recordings after their ids have been replaced by names.
//!
//! Compared is what a program makes happen: for each of its threads, by name, the
//! sequence of events and of the calls in their handlers. What differs from run to run
//! by itself is left out unless `all` is wanted: the VM's own threads and classes,
//! objects and collections, compiled code, contention, the agent's own threads, times. What
//! the agent does about these is compared by [`habits`](crate::habits), if VM and program
//! are the same; how much was left out is said.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use recording_format::{Item, Recording, Space, Subject, Value, What};
use terminal_text::printable::printable;

use crate::comparable::describe;
use crate::habits::Habits;
use crate::names::Names;
use crate::text::line;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// What the user should know beside, a line each: other options, another VM.
    pub notes: Vec<String>,
    /// The first difference, some lines that end with a newline.
    pub difference: Option<String>,
}

/// The first difference of two recordings.
#[must_use]
pub fn diff(a: &Recording<'_>, b: &Recording<'_>, all: bool) -> Diff {
    let mut found = Diff::default();
    for (what, a, b) in [
        ("agent", &a.header.agent, &b.header.agent),
        ("VM", &a.header.vm, &b.header.vm),
        ("settings", &a.header.settings, &b.header.settings),
    ] {
        if a != b {
            found.notes.push(format!("another {what}: {a} and {b}"));
        }
    }
    if a.header.options != b.header.options {
        found.notes.push("the agent had other options".to_owned());
    }
    let (one, two) = (Story::of(a, all), Story::of(b, all));
    found.difference = first_difference(&one, &two).map(|place| place.describe(a, b, all));
    let habits = [a, b].map(Habits::of);
    let program = [a, b].map(|recording| program(&recording.header.command));
    let [before, after] = &program;
    if found.difference.is_none() && a.header.vm == b.header.vm && before == after {
        let [before, after] = &habits;
        found.difference = before.difference(after);
    }
    let [before, after] = &habits;
    found
        .notes
        .extend(left_out([(&one, before), (&two, after)]));
    found
}

/// A command without what names agents and files of ours.
fn program(command: &str) -> Vec<&str> {
    let words = command.split_whitespace();
    let is_agents = |word: &&str| word.starts_with("-Xrun") || word.starts_with("-agent");
    words.filter(|word| !is_agents(word)).collect()
}

/// What was not compared record by record, in one line.
fn left_out(both: [(&Story, &Habits); 2]) -> Option<String> {
    let mut left: BTreeMap<Subject, u64> = BTreeMap::new();
    for (story, habits) in both {
        for (subject, count) in &habits.all {
            let compared = story.compared.get(subject).copied().unwrap_or(0);
            if *count > compared {
                *left.entry(*subject).or_default() += count - compared;
            }
        }
    }
    let mut parts = Vec::new();
    for (what, events) in [("events", true), ("calls", false)] {
        let of = left.iter().filter(|(subject, _)| {
            matches!(subject, Subject::Event(_) | Subject::JvmtiEvent(_)) == events
        });
        let (subjects, counts): (Vec<&Subject>, Vec<u64>) = of.unzip();
        if !subjects.is_empty() {
            let names: Vec<String> = subjects.iter().map(ToString::to_string).collect();
            let count: u64 = counts.iter().sum();
            parts.push(format!("{count} {what} ({})", names.join(", ")));
        }
    }
    (!parts.is_empty()).then(|| {
        let parts = parts.join(" and ");
        format!("not compared one by one, in both together: {parts}; --all does")
    })
}

/// Where two stories part.
struct Place {
    thread: String,
    at: usize,
    /// When, in each of them; none if it is over there.
    nanos: [Option<u64>; 2],
}

impl Place {
    fn describe(&self, a: &Recording<'_>, b: &Recording<'_>, all: bool) -> String {
        let mut text = format!(
            "thread {}, record {}:\n",
            printable(&self.thread),
            self.at + 1
        );
        for ((mark, recording), nanos) in [('-', a), ('+', b)].into_iter().zip(self.nanos) {
            match nanos.and_then(|_| Story::record(recording, all, &self.thread, self.at)) {
                Some((plain, whole)) => {
                    let _ = writeln!(text, "{mark} {}", printable(&plain));
                    let _ = writeln!(text, "{mark}   ({})", printable(&whole));
                }
                None => {
                    let _ = writeln!(text, "{mark} (nothing more)");
                }
            }
        }
        text
    }
}

fn first_difference(a: &Story, b: &Story) -> Option<Place> {
    let mut first: Option<Place> = None;
    let names = a.threads.keys().chain(b.threads.keys());
    for name in names {
        let none = Vec::new();
        let [one, two] = [a, b].map(|story| story.threads.get(name).unwrap_or(&none));
        let same = one.iter().zip(two).take_while(|((a, _), (b, _))| a == b);
        let at = same.count();
        let nanos = [one, two].map(|lines| lines.get(at).map(|(_, nanos)| *nanos));
        if nanos == [None, None] {
            continue;
        }
        // The one that happened first, in either.
        let key = |place: &Place| place.nanos.into_iter().flatten().min();
        let place = Place {
            thread: name.clone(),
            at,
            nanos,
        };
        if first.as_ref().is_none_or(|first| key(&place) < key(first)) {
            first = Some(place);
        }
    }
    first
}

/// What happened on each thread: a hash for each record that counts, and when it was.
struct Story {
    threads: BTreeMap<String, Vec<(u64, u64)>>,
    /// How many of each event and function are among them.
    compared: BTreeMap<Subject, u64>,
}

impl Story {
    fn of(recording: &Recording<'_>, all: bool) -> Self {
        let mut numbers: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        let mut counts: BTreeMap<u32, BTreeMap<Subject, u64>> = BTreeMap::new();
        let names = walk(recording, all, |item, text| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            let lines = numbers.entry(item.thread).or_default();
            lines.push((hasher.finish(), item.nanos));
            if let What::Event { .. }
            | What::Call { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. } = item.what
            {
                let counts = counts.entry(item.thread).or_default();
                *counts.entry(item.what.subject()).or_default() += 1;
            }
        });
        let mut threads = BTreeMap::new();
        for (number, lines) in numbers {
            if let Some(name) = names.get(&number) {
                threads.insert(name.clone(), lines);
            }
        }
        let mut compared = BTreeMap::new();
        let of_compared = counts
            .into_iter()
            .filter(|(thread, _)| names.contains_key(thread));
        for (subject, count) in of_compared.flat_map(|(_, counts)| counts) {
            *compared.entry(subject).or_default() += count;
        }
        Self { threads, compared }
    }

    /// The record that comes at this place of a thread: normalised, and as it is.
    fn record(
        recording: &Recording<'_>,
        all: bool,
        thread: &str,
        at: usize,
    ) -> Option<(String, String)> {
        let names = walk(recording, all, |_, _| {});
        let (number, _) = names.iter().find(|(_, name)| *name == thread)?;
        let (mut count, mut found) = (0, None);
        walk(recording, all, |item, text| {
            if item.thread == *number {
                if count == at {
                    found = Some((text.to_owned(), line(item, 0)));
                }
                count += 1;
            }
        });
        found
    }
}

/// What the walk knows of a thread of the recording.
#[derive(Default)]
struct State {
    name: Option<String>,
    is_programs: bool,
    open: Vec<(Subject, bool)>,
}

/// Calls `sink` with each record that counts; the threads that are compared, by name.
fn walk(
    recording: &Recording<'_>,
    all: bool,
    mut sink: impl FnMut(&Item<'_>, &str),
) -> BTreeMap<u32, String> {
    let mut names = Names::default();
    let mut threads: BTreeMap<u32, State> = BTreeMap::new();
    let mut text = String::new();
    for item in recording.items() {
        names.learn(&item.what);
        let thread = threads.entry(item.thread).or_default();
        if let What::Event { env, .. } | What::JvmtiEvent { env, .. } = item.what
            && thread.name.is_none()
            && let Some(name) = names.of(Space::Env, env)
        {
            thread.name = Some(name.to_owned());
            thread.is_programs = names.group(env) != Some("system");
        }
        let subject = item.what.subject();
        let counts = if let What::Leave { .. } = item.what {
            match thread.open.iter().rposition(|(open, _)| *open == subject) {
                Some(place) => {
                    let counted = thread.open.get(place).is_some_and(|(_, counts)| *counts);
                    thread.open.truncate(place);
                    counted
                        && item
                            .what
                            .results()
                            .is_some_and(|(fields, _)| !fields.is_empty())
                }
                None => false,
            }
        } else {
            let inside = thread.open.last().is_none_or(|(_, counts)| *counts);
            let counts = all || inside && matters(&item.what, &names);
            if item.what.is_open() {
                thread.open.push((subject, counts));
            }
            counts
        };
        if counts {
            text.clear();
            describe(&mut text, &item.what, &names);
            sink(&item, &text);
        }
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut compared = BTreeMap::new();
    for (number, state) in threads {
        let Some(name) = state.name.filter(|_| all || state.is_programs) else {
            continue;
        };
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times > 1 {
            format!("{name} ({times})")
        } else {
            name
        };
        compared.insert(number, name);
    }
    compared
}

// JVMTI's numbers.
const THREAD_START: u8 = 52;
const THREAD_END: u8 = 53;
const CLASS_LOAD: u8 = 55;
const CLASS_PREPARE: u8 = 56;
const METHOD_ENTRY: u8 = 65;
const METHOD_EXIT: u8 = 66;

/// Whether a record counts when not all do.
fn matters(what: &What<'_>, names: &Names) -> bool {
    match what {
        What::Event { number, values, .. } => {
            let id = |place: usize| values.get(place).and_then(Value::id).unwrap_or(0);
            match number {
                1..=3 => names.of(Space::Method, id(0)).is_some_and(is_programs),
                33 => values.get(1).and_then(Value::bytes) != Some(b"system"),
                42 => {
                    let name = values.first().and_then(Value::bytes).unwrap_or_default();
                    is_programs(&String::from_utf8_lossy(name))
                }
                34 | 44..=47 => true,
                _ => false,
            }
        }
        // What an agent asks for again and again until it has it differs each time.
        What::Call { slot, .. } => !matches!(slot, 8..=17 | 19 | 20),
        What::JvmtiEvent { number, values, .. } => {
            let id = |place: usize| values.get(place).and_then(Value::id).unwrap_or(0);
            let named = |space, place| names.of(space, id(place)).is_some_and(is_programs);
            match *number {
                METHOD_ENTRY | METHOD_EXIT => named(Space::Method, 0),
                CLASS_LOAD | CLASS_PREPARE => named(Space::Class, 0),
                THREAD_START | THREAD_END => true,
                _ => false,
            }
        }
        // Asked for again and again, as above; and raw monitors, memory, local storage.
        What::JvmtiCall { number, .. } => !matches!(
            number,
            5 | 6 | 17 | 33..=37 | 46 | 47 | 92 | 93 | 102 | 103 | 147 | 148
        ),
        What::Unsent { .. } | What::Defined { .. } => false,
        What::Run { .. } | What::Leave { .. } => true,
    }
}

/// Whether a class is no part of the JDK.
fn is_programs(name: &str) -> bool {
    const JDK: [&str; 6] = ["java", "javax", "jdk", "sun", "com.sun", "com/sun"];
    const PRIMITIVES: [&str; 9] = [
        "boolean", "byte", "char", "short", "int", "long", "float", "double", "void",
    ];
    let is_below = |package: &&str| {
        let rest = name.strip_prefix(*package);
        rest.is_some_and(|rest| rest.starts_with(['.', '/']))
    };
    let is_array = name.starts_with('[') || name.ends_with("[]");
    !is_array && !PRIMITIVES.contains(&name) && !JDK.iter().any(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_jdk_are_told_by_their_names() {
        for name in [
            "java.lang.Object",
            "jdk/internal/Foo",
            "int",
            "[I",
            "sun.misc.Unsafe",
        ] {
            assert!(!is_programs(name), "{name}");
        }
        for name in ["Main", "javacard.Foo", "com.sunrise.Foo", "org.x.Y"] {
            assert!(is_programs(name), "{name}");
        }
    }
}
