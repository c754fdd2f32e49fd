//! `xrun`: makes old `java -Xrunagent:options` command lines work on today's JVMs.
//!
//! Folders from the bottom to the top; a file knows its own folder and those before it, never one behind it
//! (`tests/layers.rs`), and the `mod.rs` of each says what is in it.
//!
//! | folder | what lives there |
//! |---|---|
//! | `base` | what everybody uses: lines on stdout and stderr, files that are written, progress |
//! | `command_line` | xrun's own words: read, understood, described |
//! | `libraries` | shared libraries: what is in them, and where they are found |
//! | `java` | commands that start a java, its JDK, options of other times |
//! | `run` | a command with the shim in its JVMs: what is run instead of it |
//! | `commands` | doctor, trace, replay and the other subcommands |

mod base;
mod command_line;
mod commands;
mod java;
mod libraries;
mod run;

use std::ffi::OsString;
use std::process::ExitCode;

use base::say::{self, Failure};
use command_line::request::Action;
use command_line::{args, description, help};
use commands::{attach, compare, diff, doctor, merge, replay, report, trace};
use run::findings_run;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(job) = doctor::probe::requested(&words) {
        return doctor::probe::run(&job);
    }
    run(words).unwrap_or_else(|failure| {
        say::warn(&failure.text);
        ExitCode::from(failure.code)
    })
}

fn run(words: Vec<OsString>) -> Result<ExitCode, Failure> {
    let invocation = args::parse(words)?;
    match invocation.action {
        Action::Help(path) => help::help(&path)?,
        Action::Completions(words) => help::completions(&words)?,
        Action::Man(path) => help::man(&path)?,
        Action::Version => say::out(format!("xrun {}\n", description::VERSION).as_bytes())?,
        Action::Doctor(agent) => return doctor::run(&invocation.globals, agent.as_ref()),
        Action::Trace(job, words) => return trace::run(job, &words),
        Action::Report(source, to) => {
            return report::run(&invocation.globals, &source, &to);
        }
        Action::Attach(asked) => return attach::attach(&invocation.globals, &asked),
        Action::Detach(words) => return attach::detach(&words),
        Action::Ps(words) => attach::ps(&words)?,
        Action::Merge(words) => return merge::run(&words),
        Action::Diff(words) => return diff::run(&words),
        Action::Compare(words) => return compare::run(&invocation.globals, &words),
        Action::Replay(words) => return replay::run(&invocation.globals, &words),
        Action::Run(command) => return findings_run::run(&invocation.globals, &command),
    }
    Ok(ExitCode::SUCCESS)
}
