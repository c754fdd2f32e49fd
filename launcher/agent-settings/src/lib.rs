//! Settings that particular agents need: built-in rows, habits that can be chosen by name,
//! and the file format for more.
//!
//! ```toml
//! [[agent]]
//! name = "foo"                 # -Xrunfoo, libfoo.so; foo* for all that begin so
//! options = "monitor=y"        # only if this is among its options (may be left out)
//! set = ["cpu-time=wall"]      # options of libjvmpi.so
//! symptom = "what is wrong without"
//! ```
//!
//! Other keys are refused, by their line.
#![forbid(unsafe_code)]

use std::ops::Range;

use serde::Deserialize;
use toml::de::DeTable;

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentRow {
    /// The agent's name, perhaps with `*` at its end.
    pub name: String,
    /// A word that must be among its options; empty for any.
    pub options: String,
    /// `key=value` for the shim.
    pub set: Vec<String>,
    /// What is wrong without.
    pub symptom: String,
}

/// The built-in rows, in the format of the file.
pub const BUILT_IN: &str = r#"
[[agent]]
name = "hprof"
options = "monitor=y"
set = ["cpu-time=wall"]
symptom = "MONITOR TIME shows 0 ms for every monitor: it takes GetCurrentThreadCpuTime for a clock that goes on while a thread waits, as Classic's did"

[[agent]]
name = "jcov*"
set = ["instructions=on"]
symptom = "it gives up at start when INSTRUCTION_START cannot be enabled"

[[agent]]
name = "adaptj*"
set = ["instructions=on"]
symptom = "branches and bytecodes are missing from its trace: INSTRUCTION_START cannot be enabled"

[[agent]]
name = "starj*"
set = ["instructions=on"]
symptom = "branches and bytecodes are missing from its trace: INSTRUCTION_START cannot be enabled"

[[agent]]
name = "jvmpi_oprofile"
set = ["class-names=slashes"]
symptom = "methods appear as Ljava.lang.String; in reports: it makes signatures of class names and expects slashes"
"#;

/// Habits of the period that no agent is known by name for: `--profile NAME` chooses one.
/// The symptom says by what to tell it.
pub const HABITS: &str = r#"
[[agent]]
name = "slashes"
set = ["class-names=slashes"]
symptom = "classes are not found by their names, or appear as Ljava.lang.String;: it expects java/lang/String, as Classic had it"

[[agent]]
name = "wall-clock"
set = ["cpu-time=wall"]
symptom = "waiting takes no time in its profile: it takes GetCurrentThreadCpuTime for a clock that goes on while a thread waits, as Classic's did"

[[agent]]
name = "is-default"
set = ["instructions=on", "lookupswitch=is-default"]
symptom = "each lookupswitch seems to take its default branch: it reads is_default, as the specification has it, where the headers of agents that use it have pairs_total"

[[agent]]
name = "renumbered-ids"
set = ["arenas=generational", "ids=renumber"]
symptom = "it waits for OBJECT_MOVE, which never comes: on its host an object had another id after each collection that moved it"

[[agent]]
name = "own-thread-data"
set = ["virtual-threads=carriers"]
symptom = "what it says of virtual threads is mixed up, or they take much memory: it keeps its data of threads in pthread storage or __thread, or makes a heavy record for each"
"#;

/// The habit of this name, as a row that fits every agent.
#[must_use]
pub fn habit(name: &str) -> Option<AgentRow> {
    let mut row = habits().into_iter().find(|row| row.name == name)?;
    row.name = "*".to_owned();
    Some(row)
}

/// All habits.
#[must_use]
pub fn habits() -> Vec<AgentRow> {
    parse(HABITS).unwrap_or_default()
}

impl AgentRow {
    /// Whether the row is about this agent, started with these options.
    #[must_use]
    pub fn fits(&self, name: &str, options: &str) -> bool {
        let named = match self.name.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == self.name,
        };
        let mut words = options.split([',', ' ', ':']);
        named && (self.options.is_empty() || words.any(|word| word == self.options))
    }
}

/// The built-in rows.
#[must_use]
pub fn built_in() -> Vec<AgentRow> {
    parse(BUILT_IN).unwrap_or_default()
}

/// A file.
#[derive(Deserialize)]
struct File {
    #[serde(default, rename = "agent")]
    rows: Vec<AgentRow>,
}

/// Reads a file.
///
/// # Errors
/// The line, and what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<AgentRow>, String> {
    let wrong = |error: toml::de::Error| in_line(text, error.span(), error.message());
    let table = DeTable::parse(text).map_err(wrong)?;
    if let Some(key) = table.get_ref().keys().find(|key| *key.get_ref() != "agent") {
        let what = format!("[[agent]] is missing before `{}`", key.get_ref());
        return Err(in_line(text, Some(key.span()), &what));
    }
    let File { rows } = toml::from_str(text).map_err(wrong)?;
    match rows
        .iter()
        .find(|row| row.name.is_empty() || row.symptom.is_empty())
    {
        Some(row) if row.name.is_empty() => Err("an [[agent]] without a name".to_owned()),
        Some(row) => Err(format!("agent `{}`: say the symptom", row.name)),
        None => Ok(rows),
    }
}

/// What is wrong, in one line, with the number of its own.
fn in_line(text: &str, place: Option<Range<usize>>, what: &str) -> String {
    let what = what.replace('\n', ", ");
    match place.and_then(|place| text.get(..place.start)) {
        Some(before) => format!("line {}: {what}", before.matches('\n').count() + 1),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shim_options::Options;

    #[test]
    fn built_in_rows_are_good() {
        let mut rows = parse(BUILT_IN).expect("well-formed");
        rows.extend(parse(HABITS).expect("well-formed"));
        assert!(rows.len() >= 9);
        for row in rows {
            assert!(
                !row.set.is_empty() && row.symptom.len() > 20,
                "{}",
                row.name
            );
            for setting in &row.set {
                let (key, value) = setting.split_once('=').expect("key=value");
                assert_eq!(Options::default().apply(key, value), Ok(()), "{setting}");
            }
        }
    }

    #[test]
    fn rows_fit_names_and_options() {
        let rows = built_in();
        let found = |name, options| rows.iter().filter(|row| row.fits(name, options)).count();
        assert_eq!(found("hprof", "cpu=times,monitor=y"), 1);
        assert_eq!(found("hprof", "monitor=n"), 0);
        assert_eq!(found("hprof2", "monitor=y"), 0);
        assert_eq!(found("jcov", ""), 1);
        assert_eq!(found("jcov2", ""), 1);
    }

    #[test]
    fn habits_fit_every_agent() {
        for row in habits() {
            let row = habit(&row.name).expect("it is one of them");
            assert!(row.fits("foo", "") && row.fits("hprof", "cpu=times"));
        }
        assert_eq!(habit("agents.toml"), None);
    }

    #[test]
    fn files_are_read() {
        let rows = parse(
            "# mine\n\n[[agent]] # one\nname = \"a#b\"\nset = [\"x=1\", # first\n  \"y=2\"]\nsymptom = \"say \\\"x\\\"\"\n",
        );
        let row = AgentRow {
            name: "a#b".to_owned(),
            options: String::new(),
            set: vec!["x=1".to_owned(), "y=2".to_owned()],
            symptom: "say \"x\"".to_owned(),
        };
        assert_eq!(rows, Ok(vec![row]));
        assert_eq!(parse(""), Ok(Vec::new()));
        let rows = parse("agent = [{ name = 'a', symptom = \"\"\"b\nc\"\"\" }]");
        assert!(rows.is_ok_and(|rows| rows.iter().all(|row| row.symptom == "b\nc")));
    }

    #[test]
    fn wrong_files_are_told() {
        for (text, part) in [
            ("name = \"x\"", "line 1: [[agent]]"),
            ("[[agent]]\nname", "line 2: key with no value"),
            (
                "[[agent]]\nname = x",
                "line 2: string values must be quoted",
            ),
            (
                "[[agent]]\nname = 3",
                "line 2: invalid type: integer `3`, expected a string",
            ),
            (
                "[[agent]]\nset = [x]",
                "line 2: string values must be quoted",
            ),
            ("[[agent]]\nset = [\"x\"", "line 2: unclosed array"),
            ("[[agent]]\nfoo = \"x\"", "line 2: unknown field `foo`"),
            ("[[agent]]\nname = \"x\"", "symptom"),
            ("[[agent]]\n", "without a name"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
