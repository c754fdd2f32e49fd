//! What stands in one file.

use rustc_hash::FxHashMap;

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

    /// Estimates are told from what was counted.
    pub(crate) fn allocations(estimated: bool) -> [Self; 4] {
        let mark = if estimated { " (estimate)" } else { "" };
        [
            ("Allocated", "bytes"),
            ("Allocations", "objects"),
            ("Live", "bytes"),
            ("Live objects", "objects"),
        ]
        .map(|(title, unit)| Self::new("allocations", &format!("{title}{mark}"), unit))
    }
}

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
#[derive(Clone, Debug)]
pub struct Entry {
    /// Of [`Part::series`].
    pub series: usize,
    /// Of [`Part::processes`].
    pub process: usize,
    /// Names, the root's first.
    pub frames: Vec<u32>,
    /// How much of it.
    pub value: u64,
}

/// All that a file says.
#[derive(Debug, Default)]
pub struct Part {
    /// Nanoseconds between two samples, if it says.
    pub interval: Option<u64>,
    /// What is counted.
    pub series: Vec<Series>,
    /// Who was.
    pub processes: Vec<Process>,
    /// Of frames.
    pub names: Vec<String>,
    /// Stacks with their numbers.
    pub entries: Vec<Entry>,
    numbers: FxHashMap<String, u32>,
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
            self.numbers.insert(name.to_owned(), number);
            return number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The place of a series.
    pub(crate) fn series(&mut self, series: Series) -> usize {
        let known = self.series.iter().position(|known| *known == series);
        known.unwrap_or_else(|| {
            self.series.push(series);
            self.series.len() - 1
        })
    }

    /// The place of a process.
    pub(crate) fn process(&mut self, process: Process) -> usize {
        let known = self.processes.iter().position(|known| *known == process);
        known.unwrap_or_else(|| {
            self.processes.push(process);
            self.processes.len() - 1
        })
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

    pub(crate) fn add(&mut self, series: usize, process: usize, frames: Vec<u32>, value: u64) {
        if value > 0 {
            self.entries.push(Entry {
                series,
                process,
                frames,
                value,
            });
        }
    }
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
