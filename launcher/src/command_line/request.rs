//! What xrun is asked to do, as its command line was understood.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::agent::XrunOption;

/// Flags that count for every subcommand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Globals {
    pub(crate) agents: Vec<PathBuf>,
    pub(crate) settings: Vec<OsString>,
    pub(crate) jvmpi: Option<PathBuf>,
    pub(crate) print: bool,
    /// Files of `--profile`.
    pub(crate) profiles: Vec<PathBuf>,
    pub(crate) no_settings: bool,
    /// Options of other times stay as they are.
    pub(crate) keep_options: bool,
    /// The file of `trace -o`.
    pub(crate) recording: Option<PathBuf>,
    /// `--force` of `trace -o`, `report --html` and `--skeleton`: what is there may be no file of ours.
    pub(crate) force: bool,
    /// The file of `--findings`.
    pub(crate) findings: Option<PathBuf>,
    /// The word after `--format`.
    pub(crate) format: Option<OsString>,
    /// The file of `--suppress`.
    pub(crate) suppress: Option<PathBuf>,
    /// The flags that were given, to refuse those that do nothing.
    pub(crate) given: BTreeSet<&'static str>,
}

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunCommand {
    /// Agents named before the command.
    pub(crate) xruns: Vec<XrunOption>,
    /// The command and its arguments; never empty.
    pub(crate) words: Vec<OsString>,
}

/// What a report is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A recording, or a file of `usage=`.
    File(PathBuf),
    /// A command to run.
    Command(RunCommand),
}

/// What a report is written to; Markdown on stdout if it is neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReportTo {
    /// A page.
    pub(crate) html: Option<PathBuf>,
    /// The folder of a JVMTI agent to begin with.
    pub(crate) skeleton: Option<PathBuf>,
}

/// What `xrun attach` is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attach {
    pub(crate) pid: i32,
    pub(crate) agent: XrunOption,
    /// After this long it is detached again.
    pub(crate) duration: Option<Duration>,
}

/// The jobs of `xrun trace`.
pub(crate) const TRACE_JOBS: [&str; 5] = ["dump", "stats", "filter", "diff", "export"];

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Run(RunCommand),
    Doctor(Option<XrunOption>),
    /// `trace dump` and the like, with the words behind them.
    Trace(&'static str, Vec<OsString>),
    /// What to report about, and what to write instead of Markdown.
    Report(Source, ReportTo),
    /// The words after `merge`.
    Merge(Vec<OsString>),
    /// The words after `diff`.
    Diff(Vec<OsString>),
    /// The words after `compare`.
    Compare(Vec<OsString>),
    /// The words after `replay`.
    Replay(Vec<OsString>),
    Attach(Attach),
    /// The words after `detach`.
    Detach(Vec<OsString>),
    /// The words after `ps`, of which there are none.
    Ps(Vec<OsString>),
    /// What is said of `xrun WORD…`.
    Help(Vec<OsString>),
    /// The words after `completions`.
    Completions(Vec<OsString>),
    /// The page of `xrun WORD…`.
    Man(Vec<OsString>),
    Version,
}

/// xrun's command line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) globals: Globals,
    pub(crate) action: Action,
}
