//! What comes out, as text, JSON and Markdown.
//!
//! Names are the program's and the port's: text and Markdown have them as they can be shown, JSON
//! and findings as they are.

use std::fmt::Write as _;

use findings::{Ended, Finding, Rule, Severity, Suite};
use terminal_text::printable::printable;
use trace_views::quoted;

use crate::comparison::Comparison;
use crate::verdict::{Difference, Outcome, Verdict};

/// Who has compared, for pages and programs.
const WRITER: &str = concat!("xrun ", env!("CARGO_PKG_VERSION"), " compare");

/// The verdict in a line: its word, and what it is about.
fn said(verdict: &Verdict) -> String {
    let word = verdict.outcome.word();
    let sentence = &verdict.sentence;
    match verdict.outcome {
        Outcome::Equal if sentence.is_empty() => word.to_owned(),
        Outcome::Equal | Outcome::NotCompared => format!("{word}: {sentence}"),
        Outcome::EqualBut => format!("{word} for {sentence}"),
        // These say it themselves.
        Outcome::Misses | Outcome::More => sentence.clone(),
        Outcome::Differs => format!("{word}: {sentence}"),
    }
}

/// How many nouns are equal, differ, and are not compared.
fn summary(comparison: &Comparison) -> String {
    let count = |wanted: fn(Outcome) -> bool| {
        let found = comparison.verdicts.iter().filter(|it| wanted(it.outcome));
        found.count()
    };
    let equal = count(|it| matches!(it, Outcome::Equal | Outcome::EqualBut));
    let differ = count(Outcome::is_difference);
    let not_compared = count(|it| it == Outcome::NotCompared);
    let unseen = comparison.verdicts.iter().filter(|it| it.unseen).count();
    let unseen = match unseen {
        0 => String::new(),
        unseen => format!(", of which the old agent has {unseen}"),
    };
    format!("{equal} equal, {differ} different, {not_compared} not compared{unseen}")
}

fn heading(comparison: &Comparison) -> String {
    let [old, new] = &comparison.agents;
    format!("{old} (JVMPI) and {new} (JVMTI): {}", summary(comparison))
}

/// Lines of text.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let mut text = format!("{}\n", printable(&heading(comparison)));
    for note in &comparison.notes {
        let _ = writeln!(text, "{}", printable(note));
    }
    text.push('\n');
    let names = comparison.verdicts.iter().map(|it| it.rule.name.len());
    let width = names.max().unwrap_or(0);
    for verdict in &comparison.verdicts {
        let (noun, said) = (verdict.rule.name, said(verdict));
        let _ = write!(text, "{noun:width$}  {}", printable(&said));
        if verdict.outcome != Outcome::NotCompared {
            let [old, new] = verdict.all;
            let _ = write!(text, " [{old}, {new}]");
        }
        text.push('\n');
        for difference in &verdict.differences {
            let Difference {
                what,
                name,
                old,
                new,
            } = difference;
            let what = match *what {
                "" => String::new(),
                what => format!(" ({what})"),
            };
            let name = printable(name);
            let _ = writeln!(text, "    {old:>10} {new:>10}  {name}{what}");
        }
        if verdict.left_out > 0 {
            let _ = writeln!(text, "    … and {} more", verdict.left_out);
        }
        for cause in &verdict.causes {
            let _ = writeln!(text, "    probably: {}", printable(cause));
        }
    }
    text
}

/// One JSON object.
#[must_use]
pub fn json(comparison: &Comparison) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("[{}]", texts.join(","))
    };
    let [old, new] = &comparison.agents;
    let mut json = format!(
        "{{\"format\":\"xrun-compare-1\",\"writer\":{},\"old\":{},\"new\":{},\"differs\":{},\"notes\":{},\"nouns\":[",
        quoted(WRITER),
        quoted(old),
        quoted(new),
        comparison.differs(),
        list(&comparison.notes)
    );
    for (place, verdict) in comparison.verdicts.iter().enumerate() {
        if place > 0 {
            json.push(',');
        }
        let differences = verdict.differences.iter().map(|it| {
            format!(
                "{{\"name\":{},\"what\":{},\"old\":{},\"new\":{}}}",
                quoted(&it.name),
                quoted(it.what),
                quoted(&it.old),
                quoted(&it.new)
            )
        });
        let differences: Vec<String> = differences.collect();
        let _ = write!(
            json,
            "{{\"noun\":{},\"verdict\":{},\"unseen\":{},\"sentence\":{},\"old\":{},\"new\":{},\"differences\":[{}],\"left_out\":{},\"causes\":{}}}",
            quoted(verdict.rule.name),
            quoted(verdict.outcome.word()),
            verdict.unseen,
            quoted(&said(verdict)),
            verdict.all[0],
            verdict.all[1],
            differences.join(","),
            verdict.left_out,
            list(&verdict.causes)
        );
    }
    json.push_str("]}\n");
    json
}

/// As findings: a rule for each noun that is compared, and a finding for each that differs.
#[must_use]
pub fn suite(comparison: &Comparison) -> Suite {
    let [old, new] = &comparison.agents;
    let about = [("old", &**old), ("new", new), ("written by", WRITER)];
    let about = about.map(|(name, of)| (name.to_owned(), of.to_owned()));
    let compared = comparison
        .verdicts
        .iter()
        .filter(|it| it.outcome != Outcome::NotCompared || comparison.is_failure(it));
    let rules = compared.clone().map(|verdict| Rule {
        id: verdict.rule.id(),
        name: verdict.rule.must.to_owned(),
        severity: Severity::Error,
    });
    let wrong = compared.filter(|it| comparison.is_failure(it));
    let findings = wrong.map(|verdict| {
        let mut text = said(verdict);
        for cause in &verdict.causes {
            let _ = write!(text, "; probably: {cause}");
        }
        Finding {
            rule: verdict.rule.id(),
            severity: Severity::Error,
            text,
            count: 1,
            place: None,
            suppressed: None,
        }
    });
    let exit_code = if comparison.differs() { 3 } else { 0 };
    Suite {
        job: "compare".to_owned(),
        about: about.into(),
        rules: rules.collect(),
        findings: findings.collect(),
        ended: Ended {
            exit_code,
            problem: None,
        },
        is_once_each: true,
    }
}

/// A cell of a table, whatever is in the names.
fn cell(text: &str) -> String {
    printable(text).replace('|', "\\|")
}

/// A page, before it is made HTML.
#[must_use]
pub fn markdown(comparison: &Comparison) -> String {
    let mut page = format!(
        "# Has the port seen it?\n\n{}\n\n",
        printable(&heading(comparison))
    );
    for note in &comparison.notes {
        let _ = writeln!(page, "- {}", printable(note));
    }
    let _ = writeln!(page, "- written by: {WRITER}");
    page.push_str("\n| noun | verdict | old | new |\n|---|---|---|---|\n");
    for verdict in &comparison.verdicts {
        let [old, new] = verdict
            .all
            .map(|count| match verdict.outcome == Outcome::NotCompared {
                true => String::new(),
                false => count.to_string(),
            });
        let (name, said) = (verdict.rule.name, cell(&said(verdict)));
        let _ = writeln!(page, "| {name} | {said} | {old} | {new} |");
    }
    for verdict in &comparison.verdicts {
        let (noun, said) = (verdict.rule.name, said(verdict));
        let _ = write!(page, "\n## {noun}\n\n{}.\n", printable(&said));
        for cause in &verdict.causes {
            let _ = write!(page, "\n**Probably:** {}.\n", printable(cause));
        }
        if !verdict.differences.is_empty() {
            page.push_str("\n| name | | old | new |\n|---|---|---|---|\n");
            for it in &verdict.differences {
                let name = cell(&it.name).replace('`', "'");
                let _ = writeln!(page, "| `{name}` | {} | {} | {} |", it.what, it.old, it.new);
            }
            if verdict.left_out > 0 {
                let _ = write!(page, "\n… and {} more.\n", verdict.left_out);
            }
        }
        let rule = verdict.rule;
        let parts = [
            ("Old", rule.sources[0]),
            ("New", rule.sources[1]),
            ("Counted by", rule.key),
            ("Has to be equal", rule.must),
            ("May differ", rule.may_differ),
            ("Cannot be compared", rule.cannot),
        ];
        page.push('\n');
        for (word, what) in parts {
            if !what.is_empty() {
                let _ = writeln!(page, "- {word}: {what}.");
            }
        }
    }
    page
}
