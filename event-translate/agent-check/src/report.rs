//! What a run found, as a file that `xrun --check` reads: a line for each thing, its words between
//! tabs.

use std::fmt::Write as _;

use super::rules::{Rule, RuleSet};

const HEAD: &str = "jvmpi check 1";

/// Where code lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodePlace {
    /// The file of its library.
    pub library: String,
    /// How far from the library's beginning.
    pub offset: u64,
    /// The symbol before it, and how far from that.
    pub symbol: Option<(String, u64)>,
}

impl CodePlace {
    /// `libfoo.so: symbol+0x12`
    #[must_use]
    pub fn text(&self) -> String {
        let file = self.library.rsplit('/').next().unwrap_or_default();
        match &self.symbol {
            Some((name, distance)) => format!("{file}: {name}+{distance:#x}"),
            None if file.is_empty() => format!("{:#x}", self.offset),
            None => format!("{file}: +{:#x}", self.offset),
        }
    }
}

/// What was found of one rule at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rule.
    pub rule: Rule,
    /// How often.
    pub count: u64,
    /// What, the first time.
    pub text: String,
    /// Where the call returns to, or which handler it is.
    pub place: Option<CodePlace>,
}

/// How the name begins of xrun's own folder for reports, which is gone when xrun has ended, and
/// which other users cannot look into.
pub const FOLDER: &str = "xrun-check-";

/// Of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The agent, the VM and the like, by their names.
    pub about: Vec<(String, String)>,
    /// Rules that were not checked.
    pub suppressed: RuleSet,
    /// Errors first.
    pub found: Vec<Found>,
    /// How long handlers took, a line each; none if all were fast.
    pub durations: Vec<String>,
}

impl Report {
    /// The file.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = format!("{HEAD}\n");
        let mut line = |words: &[&str]| {
            for (place, word) in words.iter().enumerate() {
                if place > 0 {
                    text.push('\t');
                }
                escape(&mut text, word);
            }
            text.push('\n');
        };
        for (name, value) in &self.about {
            line(&["about", name, value]);
        }
        for rule in Rule::ALL {
            if self.suppressed.contains(rule) {
                line(&["suppressed", rule.row().id]);
            }
        }
        for found in &self.found {
            let count = found.count.to_string();
            let mut words = vec!["found", found.rule.row().id, &count, &found.text];
            let (offset, distance);
            if let Some(place) = &found.place {
                offset = place.offset.to_string();
                words.extend([place.library.as_str(), &offset]);
                if let Some((name, far)) = &place.symbol {
                    distance = far.to_string();
                    words.extend([name.as_str(), &distance]);
                }
            }
            line(&words);
        }
        for duration in &self.durations {
            line(&["durations", duration]);
        }
        text
    }

    /// Reads such a file; none if it is another one, or not whole.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.strip_prefix(HEAD)?.strip_prefix('\n')?.lines();
        let mut report = Self::default();
        lines.try_for_each(|line| {
            let words: Vec<String> = line.split('\t').map(plain).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            report.read_line(&words)
        })?;
        Some(report)
    }

    fn read_line(&mut self, words: &[&str]) -> Option<()> {
        match words {
            ["about", name, value] => {
                self.about.push(((*name).to_owned(), (*value).to_owned()));
            }
            ["suppressed", id] => {
                self.suppressed.insert(Rule::from_id(id)?);
            }
            ["found", id, count, text, place @ ..] => self.found.push(Found {
                rule: Rule::from_id(id)?,
                count: count.parse().ok()?,
                text: (*text).to_owned(),
                place: read_place(place)?,
            }),
            ["durations", line] => self.durations.push((*line).to_owned()),
            _ => return None,
        }
        Some(())
    }
}

fn read_place(words: &[&str]) -> Option<Option<CodePlace>> {
    let (library, offset, symbol) = match words {
        [] => return Some(None),
        [library, offset] => (library, offset, None),
        [library, offset, name, far] => (
            library,
            offset,
            Some(((*name).to_owned(), far.parse().ok()?)),
        ),
        _ => return None,
    };
    Some(Some(CodePlace {
        library: (*library).to_owned(),
        offset: offset.parse().ok()?,
        symbol,
    }))
}

fn escape(text: &mut String, word: &str) {
    for letter in word.chars() {
        let _ = match letter {
            '\\' => text.write_str("\\\\"),
            '\t' => text.write_str("\\t"),
            '\n' => text.write_str("\\n"),
            '\r' => text.write_str("\\r"),
            _ => text.write_char(letter),
        };
    }
}

fn plain(word: &str) -> String {
    let mut text = String::new();
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            _ => letter,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut report = Report {
            about: vec![("agent".to_owned(), "/a b/libfoo.so".to_owned())],
            durations: vec!["handlers of CLASS_LOAD: more: 1".to_owned()],
            ..Report::default()
        };
        report.suppressed.insert(Rule::LockOrder);
        let place = |symbol: Option<(&str, u64)>| CodePlace {
            library: "/lib/libfoo.so".to_owned(),
            offset: 4660,
            symbol: symbol.map(|(name, far)| (name.to_owned(), far)),
        };
        for place in [None, Some(place(None)), Some(place(Some(("f", 0))))] {
            report.found.push(Found {
                rule: Rule::StaleId,
                count: 3,
                text: "a\ttab, a\nline and \\n".to_owned(),
                place,
            });
        }
        let text = report.write();
        assert_eq!(Report::read(&text), Some(report));
        assert_eq!(Report::read(&text.replace("stale-id", "stale")), None);
        assert_eq!(Report::read("jvmpi usage 1\n"), None);
    }

    #[test]
    fn places_are_named_by_what_is_known() {
        let mut place = CodePlace {
            library: "/lib/libfoo.so".to_owned(),
            offset: 0x1234,
            symbol: Some(("f".to_owned(), 18)),
        };
        assert_eq!(place.text(), "libfoo.so: f+0x12");
        place.symbol = None;
        assert_eq!(place.text(), "libfoo.so: +0x1234");
        place.library.clear();
        assert_eq!(place.text(), "0x1234");
    }
}
