//! Findings as JSON. Its shape is described in docs/findings.md and has a version.

use serde::Serialize;
use std::collections::BTreeMap;

use agent_check::Severity;

use super::model::{Ended, Finding, Rule, Suite};

/// How a file of ours begins.
pub(super) const BEGIN: &str = "{\n  \"format\": \"xrun-findings\"";

#[derive(Serialize)]
struct File<'s> {
    format: &'static str,
    version: u32,
    errors: usize,
    warnings: usize,
    suppressed: usize,
    runs: Vec<Run<'s>>,
}

#[derive(Serialize)]
struct Run<'s> {
    job: &'s str,
    about: BTreeMap<&'s str, &'s str>,
    #[serde(flatten)]
    ended: &'s Ended,
    rules: &'s [Rule],
    findings: &'s [Finding],
}

/// The text, which ends with a newline.
#[must_use]
pub fn json(suites: &[Suite]) -> String {
    let open = |severity| {
        suites
            .iter()
            .map(|suite| suite.open(severity).count())
            .sum()
    };
    let findings = suites.iter().flat_map(|suite| &suite.findings);
    let file = File {
        format: "xrun-findings",
        version: 1,
        errors: open(Severity::Error),
        warnings: open(Severity::Warning),
        suppressed: findings.filter(|it| it.suppressed.is_some()).count(),
        runs: suites
            .iter()
            .map(|suite| Run {
                job: &suite.job,
                about: suite
                    .about
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .collect(),
                ended: &suite.ended,
                rules: &suite.rules,
                findings: &suite.findings,
            })
            .collect(),
    };
    // Nothing of it can fail: there are no maps with other keys than texts.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}
