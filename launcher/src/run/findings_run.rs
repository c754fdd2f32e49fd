//! `xrun --check` with `--findings` or `--suppress`, and `--check=fail` of a command other than java:
//! what JVMs find of their agents comes back in files, and is written for programs.
//!
//! xrun does not become the command then, but waits for it, hands signals on to it, and ends with
//! its exit code.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus, Stdio};

use std::os::unix::process::ExitStatusExt;

use agent_check::{CodePlace, Found, RULES, Report};
use findings::{Ended, Finding, Place, Rule, Severity, Suite};
use own_files::Folder;

use super::exec;
use super::findings_file::Wish;
use super::launch;
use crate::base::say::{self, Failure};
use crate::command_line::request::{Globals, RunCommand};
use crate::command_line::shim_option;
use crate::libraries::source_lines::SourceLines;

/// Exit code: errors were found.
const ERRORS: u8 = 3;
/// Exit code: no agent came.
const NO_AGENT: u8 = 4;

/// What is done, in files of findings.
const JOB: &str = "check";

const NO_REPORT: &str = "no report came of a JVM whose agent asked for JVMPI (one that still runs, was killed, or is another \
                         user's writes none)";

/// Runs a command: checked, if what is found is wanted in a file or some of it is known, or decides
/// about the exit code of a command that may start any number of JVMs.
pub(crate) fn run(globals: &Globals, command: &RunCommand) -> Result<ExitCode, Failure> {
    let rules = RULES.each_ref().map(|row| row.id);
    match Wish::of(globals, &rules)? {
        _ if globals.print => launch::run(globals, command),
        Some(wish) => run_checked(globals, command, wish),
        None if fails(globals) && !reports(globals) && !launch::is_java(globals, command)? => {
            run_checked(globals, command, Wish::default())
        }
        None => launch::run(globals, command),
    }
}

/// Whether errors are to be seen in the exit code.
fn fails(globals: &Globals) -> bool {
    let last = globals.settings.iter().rfind(|word| is_check(word));
    last.is_some_and(|word| word == "check=fail")
}

/// Whether findings have a place already, by a setting or by what JVMs read from the environment.
fn reports(globals: &Globals) -> bool {
    const SETTING: &str = "check-report=";
    let mut settings = globals.settings.iter();
    let variables = [
        "JVMPI_OPTIONS",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "_JAVA_OPTIONS",
    ];
    let mut values = variables.iter().filter_map(std::env::var_os);
    settings.any(|word| word.as_encoded_bytes().starts_with(SETTING.as_bytes()))
        || values.any(|value| value.to_string_lossy().contains(SETTING))
}

fn run_checked(
    globals: &Globals,
    command: &RunCommand,
    mut wish: Wish,
) -> Result<ExitCode, Failure> {
    let trouble = |what: &str, error: std::io::Error| Failure::xrun(format!("{what}: {error}"));
    let folder = Folder::new(
        &shim_option::temporary_folder(),
        agent_check::report::FOLDER,
    )
    .map_err(|error| trouble("no temporary folder", error))?;
    let mut globals = globals.clone();
    // What fails is said here, when it is known what is suppressed.
    let fails = fails(&globals);
    let needs_agent = fails || globals.settings.iter().any(is_trace);
    globals.settings.retain(|word| !is_check(word));
    globals.settings.push("check=on".into());
    let mut setting = std::ffi::OsString::from("check-report=");
    setting.push(folder.path());
    setting.push("/%p");
    globals.settings.push(shim_option::checked(setting)?);
    let status = launch::plan(&globals, command).and_then(|(program, plan)| {
        let environment = plan.environment.iter().map(|(name, value)| (*name, value));
        exec::wait_for_command(&program, &plan.words, environment, Stdio::inherit())
    });
    let status = match status {
        Ok(status) => status,
        Err(failure) => {
            wish.write_failure(JOB, Vec::new(), &failure);
            return Err(failure);
        }
    };
    let (code, problem) = ended(status);
    let reports = reports_in(folder.path());
    drop(folder);
    let mut lines = SourceLines::default();
    let mut suites: Vec<Suite> = reports
        .iter()
        .map(|report| suite(report, &mut lines, code))
        .collect();
    if suites.is_empty() {
        let why = problem.unwrap_or_else(|| NO_REPORT.to_owned());
        say::warn(&format!("check: nothing was checked: {why}"));
        suites.push(nothing_checked(code, why));
    }
    wish.apply(&mut suites);
    wish.write(&suites)?;
    for report in &reports {
        report
            .durations
            .iter()
            .for_each(|line| say::warn(&format!("check: {line}")));
    }
    if !reports.is_empty() {
        say_all(&suites);
    }
    let errors: usize = suites
        .iter()
        .map(|it| it.open(Severity::Error).count())
        .sum();
    Ok(ExitCode::from(match u8::try_from(code).unwrap_or(1) {
        0 if needs_agent && reports.is_empty() => NO_AGENT,
        0 if fails && errors > 0 => ERRORS,
        code => code,
    }))
}

/// What is said of a run in which no rule was held against anything, and why.
fn nothing_checked(exit_code: i32, why: String) -> Suite {
    let mut suite = suite(&Report::default(), &mut SourceLines::default(), exit_code);
    suite.rules.clear();
    suite.ended.problem = Some(why);
    suite
}

fn is_trace(word: &std::ffi::OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"trace=")
}

fn is_check(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"check=")
}

/// The exit code as shells have it, and what has kept the command from its end.
fn ended(status: ExitStatus) -> (i32, Option<String>) {
    match status.signal() {
        Some(signal) => (128 + signal, Some(format!("killed by signal {signal}"))),
        None => (status.code().unwrap_or(1), None),
    }
}

/// Those of all JVMs, by their process ids.
fn reports_in(folder: &Path) -> Vec<Report> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(u32, PathBuf)> = files
        .filter_map(|file| Some((file.file_name().to_str()?.parse().ok()?, file.path())))
        .collect();
    files.sort_unstable();
    let text = |(_, path): &(u32, PathBuf)| std::fs::read_to_string(path).ok();
    files
        .iter()
        .filter_map(text)
        .filter_map(|text| Report::read(&text))
        .collect()
}

fn suite(report: &Report, lines: &mut SourceLines, exit_code: i32) -> Suite {
    let checked = RULES
        .iter()
        .filter(|row| !report.suppressed.contains(row.rule));
    let finding = |found: &Found| {
        let row = found.rule.row();
        Finding {
            rule: row.id.to_owned(),
            severity: row.severity,
            text: format!("{}: {}", row.name, found.text),
            count: found.count,
            place: found.place.as_ref().map(|place| self::place(place, lines)),
            suppressed: None,
        }
    };
    Suite {
        job: JOB.to_owned(),
        about: report.about.clone(),
        rules: checked
            .map(|row| Rule {
                id: row.id.to_owned(),
                name: row.name.to_owned(),
                severity: row.severity,
            })
            .collect(),
        findings: report.found.iter().map(finding).collect(),
        ended: Ended {
            exit_code,
            problem: None,
        },
        is_once_each: false,
    }
}

fn place(place: &CodePlace, lines: &mut SourceLines) -> Place {
    let symbol = place.symbol.as_ref();
    // A call returns behind itself, perhaps into another line; a handler is where it begins.
    let is_begin = symbol.is_some_and(|(_, distance)| *distance == 0);
    let code = place.offset.saturating_sub(u64::from(!is_begin));
    let source = lines.of(&place.library, code);
    let (file, line) = source.map_or((None, None), |(file, line)| (Some(file), line));
    Place {
        library: (!place.library.is_empty()).then(|| place.library.clone()),
        offset: Some(place.offset),
        function: symbol.map(|(name, _)| name.clone()),
        distance: symbol.map(|(_, distance)| *distance),
        file,
        line,
    }
}

/// What is not suppressed, a line each, and how much there is.
fn say_all(suites: &[Suite]) {
    let of = |severity| suites.iter().flat_map(move |suite| suite.open(severity));
    let (errors, warnings) = (of(Severity::Error).count(), of(Severity::Warning).count());
    for finding in of(Severity::Error).chain(of(Severity::Warning)) {
        say::warn(&format!("check: {}", finding.line()));
    }
    let all = suites.iter().flat_map(|suite| &suite.findings);
    let suppressed = all.filter(|it| it.suppressed.is_some()).count();
    say::warn(&format!(
        "check: errors: {errors}, warnings: {warnings}, suppressed: {suppressed}; CHECKS.md explains the rules"
    ));
}
