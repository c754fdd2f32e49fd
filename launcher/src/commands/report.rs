//! `xrun report`: what an agent uses of JVMPI, and what it takes to move it to JVMTI.
//!
//! From a recording, from counts that a run has left, or by running a command.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use agent_usage::Usage;
use event_translate::table::FUNCTIONS;
use migration::Subject;
use own_files::Folder;
use recording_file::RecordingFile;

use crate::base::output::{self, Kind, may_replace};
use crate::base::progress::Busy;
use crate::base::say::{self, Failure};
use crate::command_line::request::{Globals, ReportTo, RunCommand, Source};
use crate::command_line::shim_option;
use crate::run::exec;
use crate::run::launch;

/// Agent, VM and the like, as (key, value).
type AboutRun = Vec<(String, String)>;

/// Makes the report: Markdown on stdout, or a page and a skeleton as `to` says.
pub(crate) fn run(globals: &Globals, source: &Source, to: &ReportTo) -> Result<ExitCode, Failure> {
    let html = to.html.as_ref().map(output::filled_in).transpose()?;
    if let Some(path) = &html {
        may_replace(path, Kind::Page, globals.force)?;
    }
    let skeleton = to.skeleton.as_ref().map(output::filled_in).transpose()?;
    if let Some(folder) = &skeleton {
        for name in migration::SKELETON_FILES {
            may_replace(&folder.join(name), Kind::Skeleton, globals.force)?;
        }
    }
    let make_folder = || skeleton.as_deref().map_or(Ok(()), make_folder);
    let ((usage, about), code) = match source {
        Source::File(path) => {
            let _busy = Busy::with(format!("report of {}", path.display()));
            let found = read(path)?;
            make_folder()?;
            (found, ExitCode::SUCCESS)
        }
        Source::Command(command) => count(globals, command, make_folder)?,
    };
    let subject = Subject {
        usage: &usage,
        about: &about,
    };
    let report = migration::markdown(&subject);
    match &html {
        None if skeleton.is_none() => say::out(report.as_bytes())?,
        None => {}
        Some(path) => output::write(path, migration::html::page(&report).as_bytes())?,
    }
    if let Some(folder) = &skeleton {
        for file in migration::skeleton(&subject) {
            output::write(&folder.join(file.name), file.text.as_bytes())?;
        }
    }
    Ok(code)
}

/// Makes the folder of a skeleton.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let name = folder.display();
        Failure::xrun(if folder.is_file() {
            format!("{name} is a file: --skeleton takes a folder, which is made if there is none")
        } else {
            format!("{name}: {error}")
        })
    })
}

/// Runs a command and counts what its agent uses; that, and the command's exit code. Its
/// stdout becomes stderr: stdout is the report's. `ready` is what has to go well before it is run.
fn count(
    globals: &Globals,
    command: &RunCommand,
    ready: impl FnOnce() -> Result<(), Failure>,
) -> Result<((Usage, AboutRun), ExitCode), Failure> {
    let trouble = |what: &str, error: std::io::Error| Failure::xrun(format!("{what}: {error}"));
    // Nobody else's: what JVMs write there is read, and others may neither see nor make it.
    let folder = Folder::new(&shim_option::temporary_folder(), "xrun-report-")
        .map_err(|error| trouble("no temporary folder", error))?;
    let mut globals = globals.clone();
    let mut setting = OsString::from("usage=");
    setting.push(folder.path());
    setting.push("/%p");
    globals.settings.push(shim_option::checked(setting)?);
    let (program, plan) = launch::plan(&globals, command)?;
    ready()?;
    let stderr = std::io::stderr()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|error| trouble("stderr", error))?;
    let environment = plan.environment.iter().map(|(name, value)| (*name, value));
    let status = exec::wait_for_command(&program, &plan.words, environment, Stdio::from(stderr));
    let found = found_in(folder.path());
    drop(folder);
    let status = status?;
    if !status.success() {
        say::warn(&format!(
            "the command has failed ({status}); the report is of what it did until then"
        ));
    }
    // As shells have it for a command that a signal has ended.
    let signal = || status.signal().map_or(1, |signal| 128 + signal);
    let code = status.code().unwrap_or_else(signal);
    let code = ExitCode::from(u8::try_from(code).unwrap_or(1));
    found.map(|found| (found, code)).ok_or_else(|| {
        Failure::agent("no JVM of this command had a JVMPI agent that used anything: is -Xrunfoo there? (xrun doctor says more)")
    })
}

/// The counts of the JVM whose agent did most.
fn found_in(folder: &Path) -> Option<(Usage, AboutRun)> {
    let files = std::fs::read_dir(folder).ok()?;
    let mut found: Vec<(u64, (Usage, AboutRun))> = files
        .flatten()
        .filter_map(|file| {
            let text = std::fs::read_to_string(file.path()).ok()?;
            let counted = Usage::read(&text).ok()?;
            let calls = FUNCTIONS
                .iter()
                .flat_map(|row| counted.0.calls(row.function));
            Some((calls.sum(), counted))
        })
        .filter(|(calls, _)| *calls > 0)
        .collect();
    if found.len() > 1 {
        say::warn(&format!(
            "{} JVMs had an agent; the report is of the one that did most",
            found.len()
        ));
    }
    found.sort_by_key(|(calls, _)| *calls);
    found.pop().map(|(_, counted)| counted)
}

fn read(path: &Path) -> Result<(Usage, AboutRun), Failure> {
    let wrong = |what: &str| Failure::xrun(format!("{}: {what}", path.display()));
    let file = File::open(path).and_then(RecordingFile::new);
    let file = file.map_err(|error| wrong(&error.to_string()))?;
    if let Ok(text) = std::str::from_utf8(&file)
        && agent_usage::is_one(text.as_bytes())
    {
        return Usage::read(text).map_err(|what| wrong(&what));
    }
    let recording = file.recording().map_err(|what| wrong(&what.to_string()))?;
    for problem in recording.problems() {
        say::warn(&format!("{}: {problem}", path.display()));
    }
    let found = migration::of_recording(&recording);
    let calls = FUNCTIONS.iter().flat_map(|row| found.0.calls(row.function));
    if recording.header.agent.is_empty() && calls.sum::<u64>() == 0 {
        return Err(wrong(
            "no agent that speaks JVMPI is in it; record the old one (xrun trace -o FILE java -Xrunfoo …)",
        ));
    }
    Ok(found)
}
