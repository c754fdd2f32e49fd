//! Counts of objects: what a program says that it made and holds, what the agent
//! `check` counted, what the VM's own histogram shows.
//!
//! Names are those of [`plain`]: `Outer$Inner`, `int[]`, `Outer$Inner[][]`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::field;

/// The same name for a class however it is written: `[[LA$B;`, `[LA$B;[]` and
/// `A$B[][]` are one.
pub fn plain(name: &str) -> String {
    let mut name = name.replace('/', ".");
    let mut dimensions = 0;
    while let Some(shorter) = name.strip_suffix("[]") {
        name = shorter.to_owned();
        dimensions += 1;
    }
    let element = name.trim_start_matches('[');
    let descriptor = name.len() > element.len();
    dimensions += name.len() - element.len();
    let element = match element {
        _ if !descriptor => element,
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        class => class
            .strip_prefix('L')
            .and_then(|class| class.strip_suffix(';'))
            .unwrap_or(class),
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

/// What a program says on its stdout.
#[derive(Debug, Default, Clone)]
pub struct Said {
    /// `COUNT NAME N`: so many were made. `NAME*` stands for all that begin so.
    pub made: BTreeMap<String, u64>,
    /// `ATLEAST NAME N`: so many were made, and the JDK makes more.
    pub at_least: BTreeMap<String, u64>,
    /// `LIVE NAME N`: so many are reachable.
    pub live: BTreeMap<String, u64>,
}

impl Said {
    /// Reads the lines; others are none of its business.
    pub fn read(stdout: &str) -> Self {
        let mut said = Self::default();
        for line in stdout.lines() {
            let mut words = line.split(' ');
            let (Some(kind), Some(name), Some(number), None) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                continue;
            };
            let map = match kind {
                "COUNT" => &mut said.made,
                "ATLEAST" => &mut said.at_least,
                "LIVE" => &mut said.live,
                _ => continue,
            };
            if let Ok(number) = number.parse() {
                map.insert(name.to_owned(), number);
            }
        }
        said
    }
}

/// A `CLASS` line of the agent's report.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// OBJECT_ALLOC.
    pub allocs: u64,
    /// OBJECT_FREE.
    pub frees: u64,
    /// What is left.
    pub live: u64,
}

/// The report of the agent `check`.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// `check: N violations`; none if the report has no such line.
    pub violations: Option<u64>,
    /// By [`plain`] name; classes of one name are added up.
    pub classes: BTreeMap<String, Tally>,
    text: String,
}

impl Judgement {
    /// Reads a report.
    pub fn read(text: &str) -> Self {
        let mut classes: BTreeMap<String, Tally> = BTreeMap::new();
        for line in text.lines() {
            let Some(line) = line.strip_prefix("CLASS ") else {
                continue;
            };
            let Some((name, numbers)) = line.split_once(" allocs=") else {
                continue;
            };
            let numbers = format!("allocs={numbers}");
            let number = |key| field(&numbers, key).and_then(|text| text.parse().ok());
            let tally = classes.entry(plain(name)).or_default();
            tally.allocs += number("allocs").unwrap_or(0);
            tally.frees += number("frees").unwrap_or(0);
            tally.live += number("live").unwrap_or(0);
        }
        let violations = text.lines().find_map(|line| {
            let number = line
                .strip_prefix("check: ")?
                .strip_suffix(" violations")
                .or_else(|| line.strip_prefix("check: ")?.strip_suffix(" violation"))?;
            number.parse().ok()
        });
        Self {
            violations,
            classes,
            text: text.to_owned(),
        }
    }

    /// `key=N` in the line that begins with this word; 0 if there is none.
    pub fn number(&self, line: &str, key: &str) -> u64 {
        self.text
            .lines()
            .filter(|text| text.split([' ', ':', '=']).next() == Some(line))
            .find_map(|text| field(text, key)?.parse().ok())
            .unwrap_or(0)
    }

    /// The report without its lines for classes.
    pub fn head(&self) -> String {
        let mut head = String::new();
        for line in self.text.lines().filter(|line| !line.starts_with("CLASS ")) {
            let _ = writeln!(head, "{line}");
        }
        head
    }

    /// The sum of all classes of this name, or that begin so if it ends in `*`.
    pub fn of(&self, name: &str) -> Tally {
        let mut sum = Tally::default();
        let prefix = name.strip_suffix('*');
        for (own, tally) in &self.classes {
            if prefix.map_or(own == name, |prefix| own.starts_with(prefix)) {
                sum.allocs += tally.allocs;
                sum.frees += tally.frees;
                sum.live += tally.live;
            }
        }
        sum
    }

    /// Where the agent's counts of allocations are not the program's.
    pub fn miscounted(&self, said: &Said) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, made) in &said.made {
            let seen = self.of(name).allocs;
            if seen != *made {
                wrong.push(format!("{name}: {seen} of {made} OBJECT_ALLOC"));
            }
        }
        for (name, least) in &said.at_least {
            let seen = self.of(name).allocs;
            if seen < *least {
                wrong.push(format!("{name}: {seen} of at least {least} OBJECT_ALLOC"));
            }
        }
        wrong
    }

    /// Where what is left for the agent is not what is.
    pub fn misjudged_live(&self, live: &BTreeMap<String, u64>) -> Vec<String> {
        live.iter()
            .filter_map(|(name, live)| {
                let tally = self.of(name);
                (tally.live != *live).then(|| {
                    format!(
                        "{name}: {} live, not {live} (allocs={} frees={})",
                        tally.live, tally.allocs, tally.frees
                    )
                })
            })
            .collect()
    }
}

/// `jcmd PID GC.class_histogram`, of the classes whose names begin so.
pub fn histogram(text: &str, prefix: &str) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [number, instances, _bytes, name, ..] = words[..]
            && number.ends_with(':')
            && let Ok(instances) = instances.parse::<u64>()
        {
            let name = plain(name);
            if name.starts_with(prefix) {
                *found.entry(name).or_default() += instances;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Said, Tally, histogram, plain};

    #[test]
    fn names_have_one_form() {
        for (name, expected) in [
            ("A$B", "A$B"),
            ("A$B[]", "A$B[]"),
            ("[LA$B;", "A$B[]"),
            ("[LA$B;[]", "A$B[][]"),
            ("[[La/b/C;", "a.b.C[][]"),
            ("[I", "int[]"),
            ("[[J[]", "long[][][]"),
            ("int[]", "int[]"),
            ("I", "I"),
            ("LIVE", "LIVE"),
            ("A$$Lambda$14.0x0000[]", "A$$Lambda$14.0x0000[]"),
        ] {
            assert_eq!(plain(name), expected, "{name}");
        }
    }

    #[test]
    fn reports_are_read_and_compared() {
        let text = "check: 2 violations\n\
            objects alloc=10 free=4 live=6\n\
            brackets=7 empty=2\n\
            classes load=3 unload=1\n\
            CLASS A$B allocs=5 bytes=80 frees=2 live=3 livebytes=48\n\
            CLASS [LA$B;[] allocs=1 bytes=16 frees=1 live=0 livebytes=0\n\
            CLASS A$Lambda$1/0x1 allocs=2 bytes=32 frees=0 live=2 livebytes=32\n\
            CLASS A$Lambda$2/0x1 allocs=2 bytes=32 frees=1 live=1 livebytes=32\n";
        let judgement = Judgement::read(text);
        assert_eq!(judgement.violations, Some(2));
        assert_eq!(judgement.number("objects", "free"), 4);
        assert_eq!(judgement.number("classes", "unload"), 1);
        assert_eq!(judgement.number("brackets", "brackets"), 7);
        assert_eq!(judgement.number("classes", "no"), 0);
        assert!(!judgement.head().contains("CLASS"));
        let tally = Tally {
            allocs: 5,
            frees: 2,
            live: 3,
        };
        assert_eq!(judgement.of("A$B"), tally);
        let said = Said::read(
            "x\nCOUNT A$B 5\nCOUNT A$B[][] 2\nCOUNT A$Lambda* 4\nATLEAST A$B 6\nLIVE A$B 4\n",
        );
        assert_eq!(
            judgement.miscounted(&said),
            [
                "A$B[][]: 1 of 2 OBJECT_ALLOC",
                "A$B: 5 of at least 6 OBJECT_ALLOC"
            ]
        );
        assert_eq!(
            judgement.misjudged_live(&said.live),
            ["A$B: 3 live, not 4 (allocs=5 frees=2)"]
        );
        assert_eq!(Judgement::read("").violations, None);
    }

    #[test]
    fn histograms_are_read() {
        let text = "49872:\n num     #instances         #bytes  class name (module)\n\
            -------------------------------------------------------\n   \
            1:          3000          72000  LiveSet$Kept\n   \
            2:            30           3600  [LLiveSet$Element;\n   \
            3:          7000          90000  [B (java.base@17)\nTotal 1 2\n";
        let found = histogram(text, "LiveSet$");
        assert_eq!(found.len(), 2);
        assert_eq!(found["LiveSet$Kept"], 3000);
        assert_eq!(found["LiveSet$Element[]"], 30);
    }
}
