//! Findings as JUnit XML: a test suite for each run, a test for each rule that was kept, and one
//! for each finding, since readers show one failure of a test.

use std::fmt::Write as _;

use super::model::{Finding, Place, Rule, Suite};

/// How a file of ours begins.
pub(super) const BEGIN: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"xrun\"";

#[derive(Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of(suite: &Suite) -> Self {
        let skipped = suite.findings.iter().filter(|it| it.suppressed.is_some());
        let skipped = skipped.count();
        Self {
            // That it ran to its end is one, too.
            tests: 1 + kept(suite).count() + suite.findings.len(),
            failures: suite.findings.len() - skipped,
            errors: usize::from(suite.ended.problem.is_some()),
            skipped,
        }
    }

    fn attributes(self) -> String {
        let Self {
            tests,
            failures,
            errors,
            skipped,
        } = self;
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\""
        )
    }
}

/// Rules that nothing broke.
fn kept(suite: &Suite) -> impl Iterator<Item = &Rule> {
    let is_kept = |rule: &&Rule| suite.findings.iter().all(|it| it.rule != rule.id);
    suite.rules.iter().filter(is_kept)
}

/// The text, which ends with a newline.
#[must_use]
pub fn junit(suites: &[Suite]) -> String {
    let all = suites.iter().map(Counts::of);
    let all = all.fold(Counts::default(), |a, b| Counts {
        tests: a.tests + b.tests,
        failures: a.failures + b.failures,
        errors: a.errors + b.errors,
        skipped: a.skipped + b.skipped,
    });
    // Suites with these attributes have no `skipped`.
    let Counts {
        tests,
        failures,
        errors,
        ..
    } = all;
    let mut text =
        format!("{BEGIN} tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n");
    for suite in suites {
        put_suite(&mut text, suite);
    }
    text.push_str("</testsuites>\n");
    text
}

fn put_suite(text: &mut String, suite: &Suite) {
    let class = format!("xrun.{}", suite.job);
    let counts = Counts::of(suite).attributes();
    let _ = writeln!(
        text,
        "  <testsuite name=\"{}\" {counts} time=\"0\">",
        xml(&class)
    );
    text.push_str("    <properties>\n");
    let code = suite.ended.exit_code.to_string();
    let about = suite
        .about
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in about.chain([("exit code", code.as_str())]) {
        let (name, value) = (xml(name), xml(value));
        let _ = writeln!(text, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    text.push_str("    </properties>\n");
    let begin = |name: &str| {
        let (class, name) = (xml(&class), xml(name));
        format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\"")
    };
    let run = begin("the run");
    let _ = match &suite.ended.problem {
        None => writeln!(text, "{run}/>"),
        Some(problem) => writeln!(
            text,
            "{run}>\n      <error message=\"{0}\" type=\"run\">{0}</error>\n    </testcase>",
            xml(problem)
        ),
    };
    for rule in kept(suite) {
        let _ = writeln!(text, "{}/>", begin(&name_of_rule(rule)));
    }
    for finding in &suite.findings {
        put_finding(text, &begin(&name_of(suite, finding)), finding);
    }
    text.push_str("  </testsuite>\n");
}

fn name_of_rule(rule: &Rule) -> String {
    format!("{}: {}", rule.id, rule.name)
}

/// With its place, or with what was found. Where the source is known, the name stays the same when
/// the agent is built anew.
fn name_of(suite: &Suite, finding: &Finding) -> String {
    let rule = suite.rules.iter().find(|rule| rule.id == finding.rule);
    if let (true, Some(rule)) = (suite.is_once_each, rule) {
        return name_of_rule(rule);
    }
    let at = |place: &Place| place.source().unwrap_or_else(|| place.text());
    match &finding.place {
        Some(place) => format!("{} at {}", finding.rule, at(place)),
        None => format!("{}: {}", finding.rule, finding.text),
    }
}

fn put_finding(text: &mut String, begin: &str, finding: &Finding) {
    let mut at = String::new();
    if let Some(place) = &finding.place {
        if let Some(file) = &place.file {
            let _ = write!(at, " file=\"{}\"", xml(file));
        }
        if let Some(line) = place.line {
            let _ = write!(at, " line=\"{line}\"");
        }
    }
    let (line, severity) = (xml(&finding.line()), finding.severity.word());
    let inner = match &finding.suppressed {
        Some(reason) => format!("<skipped message=\"{}\"/>", xml(reason)),
        None => format!(
            "<failure message=\"{}\" type=\"{severity}\">{line}</failure>",
            xml(&finding.text)
        ),
    };
    let _ = writeln!(text, "{begin}{at}>\n      {inner}\n    </testcase>");
}

/// As it can stand in an attribute and between tags; what XML has no place for is replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_breaks_the_file() {
        assert_eq!(
            xml("a<b>&\"c\"\n\u{1}é"),
            "a&lt;b&gt;&amp;&quot;c&quot;&#10;\u{fffd}é"
        );
    }
}
