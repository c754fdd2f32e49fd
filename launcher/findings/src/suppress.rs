//! A file of findings that are known: a line for each, `RULE [PLACE] -- REASON`.
//!
//! Lines that are empty or begin with `#` say nothing. A place is a library, a function, a source
//! file or a line in it ([`Place::is`](super::Place::is)); without one the rule is suppressed
//! wherever it is broken.

use terminal_text::nearest::did_you_mean;

use super::model::Suite;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    /// Of the file, from 1.
    line: usize,
    rule: String,
    place: Option<String>,
    reason: String,
    used: bool,
}

/// All of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions(Vec<Known>);

impl Suppressions {
    /// Reads it; `rules` are the ids that there are.
    ///
    /// # Errors
    /// What is wrong with the first line that is.
    pub fn read(text: &str, rules: &[&str]) -> Result<Self, String> {
        // Some editors begin files with it.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut all = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let number = index + 1;
            let known = known(line, rules).map_err(|what| format!("line {number}: {what}"))?;
            all.push(Known {
                line: number,
                ..known
            });
        }
        Ok(Self(all))
    }

    /// Marks what is known.
    pub fn apply(&mut self, suites: &mut [Suite]) {
        for finding in suites.iter_mut().flat_map(|suite| &mut suite.findings) {
            for known in &mut self.0 {
                let is_there = known.place.as_ref().is_none_or(|named| {
                    finding.place.as_ref().is_some_and(|place| place.is(named))
                });
                if known.rule == finding.rule && is_there {
                    known.used = true;
                    finding
                        .suppressed
                        .get_or_insert_with(|| known.reason.clone());
                }
            }
        }
    }

    /// Lines that nothing was found for, each in words.
    pub fn unused(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter(|known| !known.used).map(|known| {
            let place = known.place.as_ref().map(|place| format!(" {place}"));
            format!(
                "line {}: {}{}: nothing of it was found",
                known.line,
                known.rule,
                place.unwrap_or_default()
            )
        })
    }
}

fn known(line: &str, rules: &[&str]) -> Result<Known, String> {
    let (what, reason) = at_dashes(line)
        .filter(|(_, reason)| !reason.is_empty())
        .ok_or("no reason; write RULE [PLACE] -- REASON")?;
    let (rule, place) = match what.split_once(char::is_whitespace) {
        Some((rule, place)) => (rule, Some(place.trim().to_owned())),
        None => (what, None),
    };
    if !rules.contains(&rule) {
        let meant = did_you_mean(rule, rules.iter().copied());
        return Err(format!("{rule}: no such rule{meant}"));
    }
    Ok(Known {
        line: 0,
        rule: rule.to_owned(),
        place,
        reason: reason.to_owned(),
        used: false,
    })
}

/// What stands before and behind the first `--` with blanks or tabs around it.
fn at_dashes(line: &str) -> Option<(&str, &str)> {
    line.match_indices("--").find_map(|(at, dashes)| {
        let (what, rest) = line.split_at_checked(at)?;
        let reason = rest.strip_prefix(dashes)?;
        (what.ends_with(char::is_whitespace) && reason.starts_with(char::is_whitespace))
            .then(|| (what.trim(), reason.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_editors_are_read() {
        let rules = ["stale-id"];
        let read = |text: &str| Suppressions::read(text, &rules);
        let usual = read("stale-id foo--bar.c -- old\n");
        assert!(usual.is_ok(), "{usual:?}");
        for text in [
            "stale-id\tfoo--bar.c\t--\told\n",
            "stale-id   foo--bar.c   --   old\n",
            "stale-id foo--bar.c\t-- old\r\n",
            "\u{feff}stale-id foo--bar.c -- old\r\n",
        ] {
            assert_eq!(read(text), usual, "{text:?}");
        }
    }

    #[test]
    fn a_line_has_a_rule_and_a_reason() {
        let rules = ["stale-id", "lock-order"];
        let read = |text: &str| Suppressions::read(text, &rules);
        assert_eq!(read("# none\n\n"), Ok(Suppressions::default()));
        let known = read(" stale-id  foo.c:12 -- since 1.2 -- or so\nlock-order -- never").unwrap();
        let [first, second] = &known.0[..] else {
            panic!("{known:?}");
        };
        assert_eq!(first.place.as_deref(), Some("foo.c:12"));
        assert_eq!(first.reason, "since 1.2 -- or so");
        assert_eq!((second.place.as_deref(), second.line), (None, 2));
        for (text, what) in [
            (
                "stale-id",
                "line 1: no reason; write RULE [PLACE] -- REASON",
            ),
            (
                "#\nstale-id -- ",
                "line 2: no reason; write RULE [PLACE] -- REASON",
            ),
            (
                "stale-ids -- x",
                "line 1: stale-ids: no such rule; did you mean stale-id?",
            ),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.starts_with(what.split(';').next().unwrap()), "{said}");
        }
    }
}
