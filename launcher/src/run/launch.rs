//! Runs the plan, or prints it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use terminal_text::nearest::nearest;

use super::agent_settings;
use super::context::Context;
use super::exec;
use super::plan::Plan;
use crate::base::say::{self, Failure};
use crate::command_line::description;
use crate::command_line::quote;
use crate::command_line::request::{Globals, RunCommand, TRACE_JOBS};
use crate::java::program::{self, Kind};

/// Runs a command under the shim; returns only if that failed, or for `--print`.
pub(crate) fn run(globals: &Globals, command: &RunCommand) -> Result<ExitCode, Failure> {
    let (program, plan) = plan(globals, command)?;
    if globals.print {
        say::out(&printed(&plan))?;
        return Ok(ExitCode::SUCCESS);
    }
    let environment = plan.environment.iter().map(|(k, v)| (*k, v));
    Err(exec::become_command(&program, &plan.words, environment))
}

/// The program of a command, and what to run instead of it.
pub(crate) fn plan(globals: &Globals, command: &RunCommand) -> Result<(PathBuf, Plan), Failure> {
    let (mut settings, notes) =
        agent_settings::settings_for(globals, command, &Context::new(globals)?)?;
    let mut globals = globals.clone();
    // What the user says wins: the last one counts.
    settings.append(&mut globals.settings);
    globals.settings = settings;
    for note in &notes {
        say::warn(note);
    }
    let mut context = Context::new(&globals)?;
    let name = command.words.first().cloned().unwrap_or_default();
    let program = locate(&context, &name)?;
    if let Some((what, todo)) = context.shim_trouble() {
        return Err(Failure::xrun(format!("{what}; {todo}")));
    }
    if !globals.print && Kind::of(&program) == Kind::Java && waits_for_agent(&globals) {
        // It is this process that becomes the java.
        let word = format!("agent-needed={}", std::process::id());
        context.shim.settings.push(word.into());
    }
    let plan = Plan::make(&context, &program, command)?;
    for note in &plan.notes {
        say::warn(note);
    }
    Ok((program, plan))
}

/// Whether a command is java itself; an error if it is not there.
pub(crate) fn is_java(globals: &Globals, command: &RunCommand) -> Result<bool, Failure> {
    let name = command.words.first().cloned().unwrap_or_default();
    Ok(Kind::of(&locate(&Context::new(globals)?, &name)?) == Kind::Java)
}

fn locate(context: &Context, name: &OsStr) -> Result<PathBuf, Failure> {
    program::locate(name, context.variable("PATH")).map_err(|failure| {
        match context.java_in_home().filter(|_| name == "java") {
            Some(java) => Failure {
                text: format!("{} (JAVA_HOME has {})", failure.text, java.display()),
                ..failure
            },
            None => Failure {
                text: failure.text + &meant(name),
                ..failure
            },
        }
    })
}

/// A subcommand that is written like a command that is not there.
fn meant(name: &OsStr) -> String {
    let whole = description::xrun();
    let names = whole.get_subcommands().map(clap::Command::get_name);
    let jobs = TRACE_JOBS.map(|job| format!("trace {job}"));
    let job = jobs
        .iter()
        .find(|job| job.ends_with(&format!(" {}", name.display())));
    match job
        .map(|job| &**job)
        .or_else(|| nearest(&name.to_string_lossy(), names))
    {
        Some(name) => format!(" (did you mean xrun {name}?)"),
        None => String::new(),
    }
}

/// Whether a run without an agent has missed its purpose.
fn waits_for_agent(globals: &Globals) -> bool {
    let mut settings = globals.settings.iter().map(|word| word.as_bytes());
    settings.any(|word| word == b"check=fail" || word.starts_with(b"trace="))
}

/// `VAR=value … command args`, one line, to be pasted into a shell.
fn printed(plan: &Plan) -> Vec<u8> {
    let assignment = |(name, value): &(&str, OsString)| {
        let mut word = name.as_bytes().to_vec();
        word.push(b'=');
        word.extend(quote::for_shell(value.as_bytes()));
        word
    };
    let words = plan.words.iter().enumerate().map(|(index, word)| {
        let mut quoted = quote::for_shell(word.as_bytes());
        // A command named A=b would be read as an assignment.
        if index == 0 && quoted.contains(&b'=') && !quoted.starts_with(b"'") {
            quoted.insert(0, b'\'');
            quoted.push(b'\'');
        }
        quoted
    });
    let all: Vec<Vec<u8>> = plan
        .environment
        .iter()
        .map(assignment)
        .chain(words)
        .collect();
    let mut line = all.join(&b' ');
    line.push(b'\n');
    line
}
