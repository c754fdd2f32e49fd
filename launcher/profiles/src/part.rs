//! What stands in one file.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::children::Children;
use crate::node::{Node, ROOT, number};

/// Numbers of one meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Series {
    /// `cpu`, `allocations`, `locks`, `parked`, or `stacks` if nobody says.
    pub kind: String,
    /// For people.
    pub title: String,
    /// `samples`, `ns`, `bytes`, `objects`, or what a file says.
    pub unit: String,
}

impl Series {
    /// One of these names.
    #[must_use]
    pub fn new(kind: &str, title: &str, unit: &str) -> Self {
        let [kind, title, unit] = [kind, title, unit].map(str::to_owned);
        Self { kind, title, unit }
    }

    pub(crate) fn samples() -> Self {
        Self::new("cpu", "CPU samples", "samples")
    }

    pub(crate) fn cpu_time() -> Self {
        Self::new("cpu", "CPU time", "ns")
    }

    pub(crate) fn lock_time() -> Self {
        Self::new("locks", "Lock time", "ns")
    }

    pub(crate) fn parked_time() -> Self {
        Self::new("parked", "Parked time", "ns")
    }

    /// One that is known by its title.
    pub(crate) fn titled(title: &str, unit: &str) -> Self {
        let kind = match title {
            title if title.starts_with("CPU") => "cpu",
            title if title.starts_with("Alloc") || title.starts_with("Live") => "allocations",
            "Lock time" | "Waiting" => "locks",
            "Parked time" => "parked",
            _ => "stacks",
        };
        Self::new(kind, title, unit)
    }

    /// Estimates are told from what was counted.
    pub(crate) fn allocations(estimated: bool) -> [Self; 4] {
        let mark = if estimated { ESTIMATE } else { "" };
        [
            ("Allocated", "bytes"),
            ("Allocations", "objects"),
            ("Live", "bytes"),
            ("Live objects", "objects"),
        ]
        .map(|(title, unit)| Self::new("allocations", &format!("{title}{mark}"), unit))
    }

    pub(crate) fn is_allocations(&self) -> bool {
        self.kind == "allocations"
    }

    pub(crate) fn is_estimated(&self) -> bool {
        self.title.ends_with(ESTIMATE)
    }
}

/// What titles of estimates end with.
pub(crate) const ESTIMATE: &str = " (estimate)";

/// Whose a number is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its id, or the name of its file.
    pub name: String,
    /// Where it ran; empty if unknown.
    pub host: String,
}

impl Process {
    /// `4711 on host`, or whatever else it is.
    pub(crate) fn named(text: &str) -> Self {
        let (name, host) = text.split_once(" on ").unwrap_or((text, ""));
        Self {
            name: name.to_owned(),
            host: host.to_owned(),
        }
    }
}

/// One number.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Of [`Part::series`].
    pub series: u32,
    /// Of [`Part::processes`].
    pub process: u32,
    /// Of [`Part::nodes`].
    pub node: u32,
    /// How much of it.
    pub value: u64,
}

/// All that a file says.
#[derive(Debug)]
pub struct Part {
    /// Nanoseconds between two samples, if it says.
    pub interval: Option<u64>,
    /// From when on and until when, in nanoseconds since 1970, if it says.
    pub time: Option<(u64, u64)>,
    /// What is counted.
    pub series: Vec<Series>,
    /// Who was.
    pub processes: Vec<Process>,
    /// Of frames.
    pub names: Vec<Arc<str>>,
    /// Frames under their callers; the root first, which is none.
    pub nodes: Vec<Node>,
    /// Stacks with their numbers.
    pub entries: Vec<Entry>,
    numbers: FxHashMap<Arc<str>, u32>,
    children: Children,
}

impl Default for Part {
    fn default() -> Self {
        Self {
            interval: None,
            time: None,
            series: Vec::new(),
            processes: Vec::new(),
            names: Vec::new(),
            nodes: vec![ROOT],
            entries: Vec::new(),
            numbers: FxHashMap::default(),
            children: Children::of(&[ROOT]),
        }
    }
}

impl Part {
    /// The number of a name. The addresses of hidden classes, which are others in each process, are
    /// left out: `a.B$$Lambda/0x00007f2c34000a00.run` is `a.B$$Lambda.run`.
    pub(crate) fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let plain = without_address(name);
        if plain != name {
            let number = self.name(&plain);
            self.numbers.insert(name.into(), number);
            return number;
        }
        let new = number(self.names.len());
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, new);
        new
    }

    /// The frame of this name under a caller.
    pub(crate) fn child(&mut self, parent: u32, name: u32) -> u32 {
        self.children.child(&mut self.nodes, Node { parent, name })
    }

    /// The same by name.
    pub(crate) fn called(&mut self, parent: u32, name: &str) -> u32 {
        let name = self.name(name);
        self.child(parent, name)
    }

    /// The place of a series.
    pub(crate) fn series(&mut self, series: Series) -> u32 {
        place_in(&mut self.series, series)
    }

    /// The place of a process.
    pub(crate) fn process(&mut self, process: Process) -> u32 {
        place_in(&mut self.processes, process)
    }

    /// All of it is one process's, whoever's it was, and of whatever interval: one of two that are compared.
    pub fn be_side(&mut self, name: &str) {
        self.interval = None;
        self.processes = vec![Process {
            name: name.to_owned(),
            host: String::new(),
        }];
        for entry in &mut self.entries {
            entry.process = 0;
        }
    }

    pub(crate) fn add(&mut self, series: u32, process: u32, node: u32, value: u64) {
        if value > 0 {
            self.entries.push(Entry {
                series,
                process,
                node,
                value,
            });
        }
    }
}

/// Where it is among those, at their end if it was not there.
fn place_in<T: PartialEq>(all: &mut Vec<T>, one: T) -> u32 {
    let known = all.iter().position(|known| *known == one);
    number(known.unwrap_or_else(|| {
        all.push(one);
        all.len() - 1
    }))
}

fn without_address(name: &str) -> String {
    let Some((before, after)) = name.split_once("/0x") else {
        return name.to_owned();
    };
    let rest = after.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
    // Until JDK 20 they were numbered as well: a.B$$Lambda$14/0x0000000840064840.
    let numbered = before.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let before = numbered
        .strip_suffix("$$Lambda$")
        .map_or(before.to_owned(), |class| format!("{class}$$Lambda"));
    before + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_classes_of_all_processes_have_one_name() {
        for (name, plain) in [
            ("a.B$$Lambda/0x00007f2c34000a00.run", "a.B$$Lambda.run"),
            ("a.B$$Lambda$14/0x0000000840064840.run", "a.B$$Lambda.run"),
            ("a.LambdaForm$MH/0x0800.invoke", "a.LambdaForm$MH.invoke"),
            ("a.B.c", "a.B.c"),
        ] {
            assert_eq!(without_address(name), plain);
        }
    }
}
