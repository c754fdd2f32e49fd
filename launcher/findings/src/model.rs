//! Rules that were held against a run, and what was found.

use agent_check::Severity;
use serde::{Serialize, Serializer};

fn severity<S: Serializer>(severity: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(severity.word())
}

/// A rule that was looked after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// In plain words.
    pub name: String,
    /// How bad breaking it is.
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
}

/// Where in an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file of its library.
    pub library: Option<String>,
    /// How far from the library's beginning.
    pub offset: Option<u64>,
    /// The function, and how far from its beginning.
    pub function: Option<String>,
    /// How far from the function's beginning.
    pub distance: Option<u64>,
    /// The source file, if there is debug information.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u32>,
}

impl Place {
    /// The source file and line, or what else is known.
    #[must_use]
    pub fn text(&self) -> String {
        let binary = self.binary();
        match (self.source(), binary) {
            (Some(source), Some(binary)) => format!("{source} ({binary})"),
            (Some(source), None) => source,
            (None, binary) => binary.unwrap_or_else(|| "an unknown place".to_owned()),
        }
    }

    /// `foo.c:12`
    #[must_use]
    pub fn source(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.clone(),
        })
    }

    fn binary(&self) -> Option<String> {
        let library = self.library.as_deref().map(last_name);
        let hex = |number: Option<u64>| number.map(|it| format!("+{it:#x}")).unwrap_or_default();
        match (library, &self.function) {
            (Some(library), Some(function)) => {
                Some(format!("{library}: {function}{}", hex(self.distance)))
            }
            (Some(library), None) => Some(format!("{library}: {}", hex(self.offset))),
            (None, function) => function.clone(),
        }
    }

    /// Whether a person means this place: a library, a function, a source file or a line in it.
    /// Files may be named by the last parts of their paths.
    #[must_use]
    pub fn is(&self, named: &str) -> bool {
        let ends = |path: &str| {
            let before = path.strip_suffix(named);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let source = self.source();
        let files = [
            self.library.as_deref(),
            self.file.as_deref(),
            source.as_deref(),
        ];
        self.function.as_deref() == Some(named) || files.into_iter().flatten().any(ends)
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A rule was broken at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The id of the rule.
    pub rule: String,
    /// How bad it is.
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
    /// What was found, the first time.
    pub text: String,
    /// How often.
    pub count: u64,
    /// Where.
    pub place: Option<Place>,
    /// Why it is no trouble, if somebody has said so.
    pub suppressed: Option<String>,
}

impl Finding {
    /// One line: `error [stale-id] text (3 times, at foo.c:12)`.
    #[must_use]
    pub fn line(&self) -> String {
        let times = match self.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        let at = self
            .place
            .as_ref()
            .map(|place| format!(", at {}", place.text()));
        format!(
            "{} [{}] {} ({times}{})",
            self.severity.word(),
            self.rule,
            self.text,
            at.unwrap_or_default()
        )
    }
}

/// How what was looked at came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// The program's exit code; with a signal, that of shells, 128 and the signal's number.
    pub exit_code: i32,
    /// What kept it from being looked at to its end, if anything did.
    pub problem: Option<String>,
}

/// One run that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suite {
    /// What has looked: `check`, `replay`.
    pub job: String,
    /// The agent, the VM and the like, by their names.
    pub about: Vec<(String, String)>,
    /// All rules that were looked after, broken or not.
    pub rules: Vec<Rule>,
    /// What was found, errors first.
    pub findings: Vec<Finding>,
    /// How it ended.
    pub ended: Ended,
    /// A rule is broken once or not at all, by all that was found together: a test has the same
    /// name each time, whatever is found.
    #[serde(skip)]
    pub is_once_each: bool,
}

impl Suite {
    /// Findings of this severity that nobody has suppressed.
    pub fn open(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        let all = self.findings.iter();
        all.filter(move |it| it.severity == severity && it.suppressed.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_by_their_names() {
        let place = Place {
            library: Some("/opt/lib/libfoo.so".to_owned()),
            function: Some("resolve".to_owned()),
            distance: Some(44),
            file: Some("/src/agent/foo.c".to_owned()),
            line: Some(12),
            ..Place::default()
        };
        assert_eq!(
            place.text(),
            "/src/agent/foo.c:12 (libfoo.so: resolve+0x2c)"
        );
        for named in [
            "libfoo.so",
            "resolve",
            "foo.c",
            "agent/foo.c",
            "foo.c:12",
            "/src/agent/foo.c:12",
        ] {
            assert!(place.is(named), "{named}");
        }
        for named in ["foo.so", "foo.c:1", "foo.c:2", "resolv", "o.c", ""] {
            assert!(!place.is(named), "{named}");
        }
        assert_eq!(Place::default().text(), "an unknown place");
    }
}
