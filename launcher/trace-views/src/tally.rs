//! Counts of two recordings side by side: by event, class, method and thread.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use recording_format::{Space, Type, What};
use terminal_text::printable::printable;

use crate::names::Names;
use crate::scrubbed::scrubbed;

/// Events by what they name, and all by their threads.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    classes: HashMap<String, u64>,
    methods: HashMap<String, u64>,
    threads: BTreeMap<String, u64>,
}

impl Tally {
    /// A record that is compared.
    pub(crate) fn note(&mut self, what: &What<'_>, names: &Names) {
        let (What::Event { .. } | What::JvmtiEvent { .. }) = what else {
            return;
        };
        let (fields, values) = what.values();
        for (field, value) in fields.iter().zip(values) {
            let (counts, space) = match field.kind {
                Type::Id(space @ Space::Method) => (&mut self.methods, space),
                Type::Id(space @ Space::Class) => (&mut self.classes, space),
                Type::Id(
                    Space::Env
                    | Space::Object
                    | Space::Reference
                    | Space::Monitor
                    | Space::Address
                    | Space::Field,
                )
                | Type::Int
                | Type::Event
                | Type::JvmtiEvent
                | Type::Text
                | Type::Bytes
                | Type::List(_) => continue,
            };
            if let Some(name) = value.id().and_then(|id| names.of(space, id)) {
                add(counts, name, 1);
            }
        }
    }

    /// So many events and calls were on a thread.
    pub(crate) fn note_thread(&mut self, name: &str, count: u64) {
        *self.threads.entry(scrubbed(name)).or_default() += count;
    }

    /// A thread is called otherwise.
    pub(crate) fn rename_thread(&mut self, from: &str, to: &str) {
        if let Some(count) = self.threads.remove(&scrubbed(from)) {
            self.note_thread(to, count);
        }
    }

    /// What was counted apart.
    pub(crate) fn add(&mut self, other: Self) {
        for (counts, others) in [
            (&mut self.classes, other.classes),
            (&mut self.methods, other.methods),
        ] {
            for (name, count) in others {
                *counts.entry(name).or_default() += count;
            }
        }
        for (name, count) in other.threads {
            *self.threads.entry(name).or_default() += count;
        }
    }

    /// Of the classes, also by their methods.
    fn by_class(&self) -> HashMap<&str, u64> {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for (name, count) in &self.classes {
            *counts.entry(name).or_default() += count;
        }
        for (name, count) in &self.methods {
            let (path, _) = name.split_once('(').unwrap_or((name, ""));
            let (class, _) = path.rsplit_once('.').unwrap_or((path, ""));
            *counts.entry(class).or_default() += count;
        }
        counts
    }
}

fn add(counts: &mut HashMap<String, u64>, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(known) => *known += count,
        None => {
            counts.insert(name.to_owned(), count);
        }
    }
}

/// One line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) counts: [u64; 2],
    /// What is to be known beside.
    pub(crate) note: &'static str,
}

/// Rows of one kind that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) of: &'static str,
    /// Most different first; those with a note behind the others.
    pub(crate) rows: Vec<Row>,
}

impl Table {
    pub(crate) fn new(of: &'static str, rows: impl IntoIterator<Item = Row>) -> Self {
        let different = |row: &Row| row.counts.first() != row.counts.last();
        let mut rows: Vec<Row> = rows.into_iter().filter(different).collect();
        let by =
            |Row {
                 counts: [a, b],
                 note,
                 ..
             }: &Row| { (!note.is_empty(), std::cmp::Reverse(a.abs_diff(*b))) };
        rows.sort_by(|a, b| by(a).cmp(&by(b)).then_with(|| a.name.cmp(&b.name)));
        Self { of, rows }
    }
}

/// By class, method and thread.
pub(crate) fn tables([a, b]: [&Tally; 2]) -> [Table; 3] {
    let owned = |tally: &Tally| {
        let counts = tally.by_class().into_iter();
        counts
            .map(|(name, count)| (name.to_owned(), count))
            .collect()
    };
    let classes: [HashMap<String, u64>; 2] = [owned(a), owned(b)];
    let threads = |tally: &Tally| tally.threads.clone().into_iter().collect();
    [
        Table::new("class", rows(classes)),
        Table::new("method", rows([a, b].map(|tally| tally.methods.clone()))),
        Table::new("thread", rows([threads(a), threads(b)])),
    ]
}

fn rows([a, mut b]: [HashMap<String, u64>; 2]) -> Vec<Row> {
    let mut rows = Vec::new();
    let row = |name, counts| Row {
        name,
        counts,
        note: "",
    };
    for (name, count) in a {
        let other = b.remove(&name).unwrap_or(0);
        rows.push(row(name, [count, other]));
    }
    rows.extend(b.into_iter().map(|(name, count)| row(name, [0, count])));
    rows
}

/// The tables, and what only one of the two has; of each at most so many lines. `cut` makes a
/// line as long as is wanted.
pub(crate) fn put(text: &mut String, tables: &[Table], most: usize, cut: impl Fn(&str) -> String) {
    let only = |row: &Row| row.counts.contains(&0);
    for table in tables {
        let rows: Vec<&Row> = table.rows.iter().filter(|row| !only(row)).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "{:>12} {:>12} {:>12}  by {}",
            "A", "B", "B - A", table.of
        );
        for Row {
            name,
            counts: [a, b],
            note,
        } in rows.iter().take(most)
        {
            let sign = if b > a { '+' } else { '-' };
            let change = format!("{sign}{}", a.abs_diff(*b));
            let line = format!("{a:>12} {b:>12} {change:>12}  {}{note}", printable(name));
            let _ = writeln!(text, "{}", cut(&line));
        }
        put_rest(text, rows.len(), most);
        text.push('\n');
    }
    for (side, letter) in ["A", "B"].into_iter().enumerate() {
        let of_side = |row: &&Row| row.counts.get(side).is_some_and(|count| *count > 0);
        for table in tables {
            let rows = table.rows.iter().filter(|row| only(row));
            let rows: Vec<&Row> = rows.filter(of_side).collect();
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{letter:>12}  only in {letter}, by {}", table.of);
            for Row {
                name,
                counts: [a, b],
                note,
            } in rows.iter().take(most)
            {
                let line = format!("{:>12}  {}{note}", a + b, printable(name));
                let _ = writeln!(text, "{}", cut(&line));
            }
            put_rest(text, rows.len(), most);
            text.push('\n');
        }
    }
}

fn put_rest(text: &mut String, count: usize, most: usize) {
    if count > most {
        let _ = writeln!(
            text,
            "{:>12}  and {} more; --whole shows them",
            "",
            count - most
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, counts: [u64; 2]) -> Row {
        Row {
            name: name.to_owned(),
            counts,
            note: "",
        }
    }

    #[test]
    fn what_differs_most_comes_first_and_what_one_has_alone_last() {
        let rows = [
            row("same", [7, 7]),
            row("less", [9, 5]),
            row("a", [1, 2]),
            row("more", [3, 1000]),
            row("old", [4, 0]),
            row("new", [0, 6]),
        ];
        let mut text = String::new();
        put(&mut text, &[Table::new("class", rows)], 2, str::to_owned);
        assert_eq!(
            text,
            "           A            B        B - A  by class\n           \
                        3         1000         +997  more\n           \
                        9            5           -4  less\n              \
                           and 1 more; --whole shows them\n\n           \
                        A  only in A, by class\n           4  old\n\n           \
                        B  only in B, by class\n           6  new\n\n"
        );
    }

    #[test]
    fn methods_count_for_their_classes() {
        let mut tally = Tally::default();
        add(&mut tally.methods, "a.B.c(La.D;)V", 2);
        add(&mut tally.methods, "a.B.<init>()V", 1);
        add(&mut tally.classes, "a.B", 4);
        assert_eq!(tally.by_class(), HashMap::from([("a.B", 7)]));
    }
}
