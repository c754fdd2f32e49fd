//! What was found: counted for each rule and place, described once.

use super::report::{CodePlace, Found};
use super::rules::{RULES, Rule, RuleSet, Severity};

/// Places that are listed for one rule; what is found elsewhere is only counted.
const PLACES: usize = 8;

#[derive(Debug)]
struct Place {
    caller: usize,
    count: u64,
    text: String,
}

#[derive(Debug, Default)]
struct Of {
    count: u64,
    places: Vec<Place>,
}

/// All that was found so far.
#[derive(Debug)]
pub struct Findings {
    suppressed: RuleSet,
    rules: Vec<Of>,
}

impl Findings {
    /// None yet.
    #[must_use]
    pub fn new(suppressed: RuleSet) -> Self {
        Self {
            suppressed,
            rules: RULES.iter().map(|_| Of::default()).collect(),
        }
    }

    /// A rule was broken by the code that `caller` lies in.
    pub fn note(&mut self, rule: Rule, caller: usize, text: impl FnOnce() -> String) {
        let Some(of) = self.rules.get_mut(rule as usize) else {
            return;
        };
        if self.suppressed.contains(rule) {
            return;
        }
        of.count += 1;
        if let Some(place) = of.places.iter_mut().find(|place| place.caller == caller) {
            place.count += 1;
        } else if of.places.len() < PLACES {
            of.places.push(Place {
                caller,
                count: 1,
                text: text(),
            });
        }
    }

    /// How many rules of this severity were broken.
    #[must_use]
    pub fn broken(&self, severity: Severity) -> usize {
        let broken = RULES.iter().zip(&self.rules);
        broken
            .filter(|(row, of)| row.severity == severity && of.count > 0)
            .count()
    }

    /// What was found of each rule and place, errors first; `place` says where an address is.
    pub fn found(&self, place: impl Fn(usize) -> CodePlace) -> Vec<Found> {
        let mut all = Vec::new();
        for severity in [Severity::Error, Severity::Warning] {
            let of_severity = RULES.iter().zip(&self.rules);
            let of_severity = of_severity.filter(|(row, _)| row.severity == severity);
            for (row, of) in of_severity {
                all.extend(of.places.iter().map(|found| Found {
                    rule: row.rule,
                    count: found.count,
                    text: found.text.clone(),
                    place: (found.caller != 0).then(|| place(found.caller)),
                }));
                let told: u64 = of.places.iter().map(|place| place.count).sum();
                if of.count > told {
                    all.push(Found {
                        rule: row.rule,
                        count: of.count - told,
                        text: "at other places".to_owned(),
                        place: None,
                    });
                }
            }
        }
        all
    }

    #[cfg(test)]
    pub(crate) fn lines(&self) -> Vec<String> {
        let place = |caller: usize| CodePlace {
            library: "x".to_owned(),
            offset: caller as u64,
            symbol: None,
        };
        self.found(place).iter().map(Found::line).collect()
    }

    /// Rules that are left out.
    #[must_use]
    pub const fn suppressed(&self) -> RuleSet {
        self.suppressed
    }

    /// The last line.
    #[must_use]
    pub fn summary(&self) -> String {
        let errors = self.broken(Severity::Error);
        let warnings = self.broken(Severity::Warning);
        if errors + warnings == 0 {
            return "nothing found".to_owned();
        }
        let all: u64 = self.rules.iter().map(|of| of.count).sum();
        let rules = |count, word| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        format!(
            "{} and {} ({} in all); CHECKS.md explains the rules, check-suppress=RULE+RULE silences them",
            rules(errors, "error"),
            rules(warnings, "warning"),
            times(all)
        )
    }
}

impl Found {
    /// One line.
    #[must_use]
    pub fn line(&self) -> String {
        let row = self.rule.row();
        let (word, id, name) = (row.severity.word(), row.id, row.name);
        let at = self
            .place
            .as_ref()
            .map(|place| format!(", at {}", place.text()));
        let (text, count, at) = (&self.text, times(self.count), at.unwrap_or_default());
        format!("{word} [{id}] {name}: {text} ({count}{at})")
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_once_counted_often() {
        let mut findings = Findings::new(RuleSet::default());
        assert_eq!(findings.summary(), "nothing found");
        for text in ["first", "second"] {
            findings.note(Rule::StaleId, 16, || text.to_owned());
        }
        findings.note(Rule::LockOrder, 0, || "a, b".to_owned());
        let lines = findings.lines();
        assert_eq!(
            lines,
            [
                "error [stale-id] stale id: first (2 times, at x: +0x10)",
                "warning [lock-order] lock-order cycle: a, b (once)",
            ]
        );
        assert_eq!(findings.broken(Severity::Error), 1);
        assert!(
            findings
                .summary()
                .starts_with("1 error and 1 warning (3 times in all)")
        );
    }

    #[test]
    fn many_places_are_only_counted() {
        let mut findings = Findings::new(RuleSet::default());
        for caller in 1..=20 {
            findings.note(Rule::UnknownId, caller, String::new);
        }
        let lines = findings.lines();
        assert_eq!(lines.len(), PLACES + 1);
        assert!(
            lines
                .last()
                .unwrap()
                .ends_with("at other places (12 times)")
        );
    }

    #[test]
    fn what_is_suppressed_is_not_found() {
        let mut suppressed = RuleSet::default();
        suppressed.insert(Rule::StaleId);
        let mut findings = Findings::new(suppressed);
        findings.note(Rule::StaleId, 1, String::new);
        assert!(findings.lines().is_empty());
        assert_eq!(findings.broken(Severity::Error), 0);
    }
}
