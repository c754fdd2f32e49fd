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

use recording_format::{Recording, Subject, command_line};
use terminal_text::printable::printable;

use crate::story::{Place, Story, differences};
use crate::tally::{self, Row, Table};

/// What is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Compare also what differs by itself.
    pub all: bool,
    /// Show all there is, and long lines as they are.
    pub whole: bool,
}

impl Wish {
    /// So many lines of one kind are shown.
    fn most(self) -> usize {
        if self.whole { usize::MAX } else { 10 }
    }

    fn cut(self, line: &str) -> String {
        const LONG: usize = 200;
        match line.char_indices().nth(LONG) {
            Some((end, _)) if !self.whole => {
                format!("{}… (--whole)", line.get(..end).unwrap_or_default())
            }
            _ => line.to_owned(),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// What the user should know beside, a line each: other options, another VM.
    pub notes: Vec<String>,
    /// What is different, some lines that end with a newline: counts, and where the threads
    /// begin to differ.
    pub difference: Option<String>,
    /// How many events and calls were compared, in the one that has more.
    pub compared: u64,
}

/// The differences of two recordings.
#[must_use]
pub fn diff(a: &Recording<'_>, b: &Recording<'_>, wish: Wish) -> Diff {
    let mut found = Diff::default();
    let settings = [a, b].map(|recording| settings(&recording.header.settings));
    let [one, two] = &settings;
    for (what, a, b) in [
        ("agent", &a.header.agent, &b.header.agent),
        ("VM", &a.header.vm, &b.header.vm),
        ("settings", one, two),
    ] {
        if a != b {
            let [a, b] = [a, b].map(|it| if it.is_empty() { "none" } else { it.as_str() });
            found.notes.push(format!("another {what}: {a} and {b}"));
        }
    }
    if a.header.options != b.header.options {
        found.notes.push("the agent had other options".to_owned());
    }
    let (mut one, mut two) = std::thread::scope(|scope| {
        let two = scope.spawn(|| Story::of(b, wish.all));
        let one = Story::of(a, wish.all);
        (one, two.join().unwrap_or_else(|_| Story::of(b, wish.all)))
    });
    one.learn_first(&two);
    two.learn_first(&one);
    let compared = |story: &Story| story.compared.values().sum::<u64>();
    found.compared = compared(&one).max(compared(&two));
    let (places, count) = differences([(a, &one), (b, &two)], wish.all, wish.most());
    let mut difference = String::new();
    for place in &places {
        put_place(&mut difference, place, wish);
    }
    if count > places.len() {
        let more = count - places.len();
        let _ = writeln!(difference, "and on {more} threads more; --whole shows them");
    }
    let program = [a, b].map(|recording| program(&recording.header.command));
    let [before, after] = &program;
    if places.is_empty() && a.header.vm == b.header.vm && before == after {
        difference = one.habits.difference(&two.habits).unwrap_or_default();
    }
    if !difference.is_empty() {
        let mut text = String::new();
        let by_event = Table::new("event and call", subjects([&one, &two]));
        let rest = tally::tables([&one.tally, &two.tally]);
        let tables: Vec<Table> = [by_event].into_iter().chain(rest).collect();
        tally::put(&mut text, &tables, wish.most(), |line| wish.cut(line));
        found.difference = Some(text + &difference);
    }
    found.notes.extend(left_out([&one, &two]));
    found
}

/// The shim's settings without what is of one process.
fn settings(settings: &str) -> String {
    let settings = settings.split(',');
    let kept: Vec<&str> = settings
        .filter(|setting| !setting.starts_with("agent-needed="))
        .collect();
    kept.join(",")
}

/// A command without what names agents and files of ours.
fn program(command: &str) -> Vec<String> {
    let is_agents = |word: &String| word.starts_with("-Xrun") || word.starts_with("-agent");
    let mut words = command_line::split(command);
    words.retain(|word| !is_agents(word));
    words
}

/// How often each event and each call was there: of those that are compared, and of the others.
fn subjects(both: [&Story; 2]) -> Vec<Row> {
    let mut counts: BTreeMap<(Subject, bool), [u64; 2]> = BTreeMap::new();
    for (side, story) in both.into_iter().enumerate() {
        for (subject, all) in &story.habits.all {
            let compared = story.compared.get(subject).copied().unwrap_or(0);
            for (is_compared, count) in [(true, compared), (false, all - compared)] {
                let row = counts.entry((*subject, is_compared)).or_default();
                if let Some(own) = row.get_mut(side) {
                    *own = count;
                }
            }
        }
    }
    let row = |((subject, is_compared), counts)| Row {
        name: format!("{subject}"),
        counts,
        note: match is_compared {
            true => "",
            false => " (not compared one by one)",
        },
    };
    counts.into_iter().map(row).collect()
}

/// What was not compared record by record, in one line.
fn left_out(both: [&Story; 2]) -> Option<String> {
    let mut left: BTreeMap<Subject, u64> = BTreeMap::new();
    for story in both {
        for (subject, count) in &story.habits.all {
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

fn put_place(text: &mut String, place: &Place, wish: Wish) {
    let thread = printable(&place.thread);
    let _ = writeln!(text, "thread {thread}, record {}:", place.at + 1);
    for (mark, lines) in ['-', '+'].into_iter().zip(&place.lines) {
        match lines {
            Some((plain, whole)) => {
                let _ = writeln!(text, "{mark} {}", wish.cut(&printable(plain)));
                let _ = writeln!(text, "{mark}   ({})", wish.cut(&printable(whole)));
            }
            None => {
                let _ = writeln!(text, "{mark} (nothing more)");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use recording_format::{Header, Item, Value, What, Writer};

    use crate::tally::{Tally, tables};

    use super::*;

    const CLASS_LOAD: i32 = 42;
    const THREAD_START: i64 = 33;

    fn enables(event: i64) -> What<'static> {
        What::Call {
            slot: 2,
            arguments: vec![Value::Int(event), Value::Id(0)],
            results: Some(vec![Value::Int(0)]),
        }
    }

    /// An agent that enables one event, and is told of these classes on two threads.
    fn recording(enabled: i64, classes: [&'static str; 3]) -> Vec<u8> {
        recording_until([enables(enabled)], classes, None)
    }

    /// The first thread has these records before, and one after.
    fn recording_until(
        before: impl IntoIterator<Item = What<'static>>,
        classes: [&'static str; 3],
        after: Option<What<'static>>,
    ) -> Vec<u8> {
        let mut writer = Writer::new(&Header::default());
        let mut add = |nanos: u64, thread: u32, what: What<'static>| {
            writer.add(&Item {
                nanos,
                thread,
                index: nanos,
                what,
            });
        };
        for record in before {
            add(1, 0, record);
        }
        for (nanos, (thread, class)) in (2..).zip([0, 0, 1].into_iter().zip(classes)) {
            let text = |text: &'static str| Value::Text(Some(text.as_bytes()));
            let none = || Value::List(Vec::new());
            let values = vec![
                text(class),
                text("X.java"),
                Value::Int(0),
                none(),
                none(),
                none(),
                Value::Id(nanos * 16),
            ];
            let loads = What::Event {
                number: CLASS_LOAD,
                requested: false,
                env: 0x10 + u64::from(thread),
                values,
                results: Some(vec![]),
            };
            add(nanos, thread, loads);
        }
        if let Some(record) = after {
            add(9, 0, record);
        }
        writer.finish()
    }

    /// Its JNIEnv is that of the classes on the first thread.
    fn main_starts() -> What<'static> {
        let text = |text: &'static str| Value::Text(Some(text.as_bytes()));
        let values = vec![
            text("main"),
            text("main"),
            text("system"),
            Value::Id(0x99),
            Value::Id(0x10),
        ];
        What::Event {
            number: 33,
            requested: false,
            env: 0x10,
            values,
            results: Some(vec![]),
        }
    }

    fn of(both: [&[u8]; 2]) -> Diff {
        let [a, b] = both.map(|bytes| Recording::read(bytes).unwrap());
        diff(&a, &b, Wish::default())
    }

    /// Without THREAD_START the first thread is compared, which becomes main; others nobody can tell apart.
    #[test]
    fn an_agent_that_hears_of_no_thread_is_compared_on_the_first() {
        let run = |classes| recording(CLASS_LOAD.into(), classes);
        let one = run(["Main", "Work", "Other"]);
        let same = of([&one, &run(["Main", "Work", "Another"])]);
        assert_eq!((same.difference, same.compared), (None, 3));
        let found = of([&one, &run(["Main", "Play", "Other"])]);
        let said = found.difference.unwrap();
        assert!(said.contains("only in B, by class"), "{said}");
        assert!(said.contains("(the first;"), "{said}");
        // Who enables it has a name for each that is compared.
        let nameless = recording(THREAD_START, ["Main", "Work", "Other"]);
        assert_eq!(of([&nameless, &nameless]).compared, 0);
    }

    /// Whether threads have names is known when one has got its own, or at the end.
    #[test]
    fn what_is_not_compared_is_in_no_table() {
        let first = || [enables(CLASS_LOAD.into())];
        let classes = ["Main", "Work", "Other"];
        let rows = |bytes: &[u8]| {
            let story = Story::of(&Recording::read(bytes).unwrap(), false);
            let [by_class, _, by_thread] = tables([&story.tally, &Tally::default()]);
            let names = |table: Table| table.rows.into_iter().map(|row| row.name).collect();
            let [classes, threads]: [Vec<String>; 2] = [by_class, by_thread].map(names);
            (classes, threads)
        };
        let none: [&str; 0] = [];
        let (classes_of, threads) = rows(&recording_until(
            first(),
            classes,
            Some(enables(THREAD_START)),
        ));
        assert_eq!(
            (classes_of, threads),
            (none.map(str::to_owned).to_vec(), vec![])
        );
        let (classes_of, threads) = rows(&recording_until(first(), classes, Some(main_starts())));
        assert_eq!(classes_of, ["Main", "Work"]);
        assert_eq!(threads, ["main"]);
    }

    /// The first of the one is what the other calls main.
    #[test]
    fn a_first_thread_without_a_name_is_that_of_the_other_recording() {
        let classes = ["Main", "Work", "Other"];
        let nameless = recording(CLASS_LOAD.into(), classes);
        let named = recording_until([enables(CLASS_LOAD.into()), main_starts()], classes, None);
        for both in [[&nameless[..], &named], [&named, &nameless]] {
            let said = of(both).difference.unwrap();
            assert!(!said.contains("(the first;"), "{said}");
            assert_eq!(said.matches("thread main, record 2:").count(), 1, "{said}");
        }
    }
}
