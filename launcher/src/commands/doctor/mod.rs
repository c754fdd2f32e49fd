//! `xrun doctor [AGENT]`: what is right, what is wrong, what to do.
//!
//! Foreign code is loaded only in other processes: the VM's, and [`probe`]'s.
//!
//! | file | job |
//! |---|---|
//! | `mod` | what is looked at, one after the other: java, the shim, variables, an agent |
//! | `java` | which java there is, and whether it is one for us |
//! | `agent` | whether an agent's library is there and can be loaded |
//! | `probe` | loads it in a process of its own |
//! | `old_binary` | has the dynamic linker look at one of another width; what is old about it |
//! | `symbols` | what the symbols say that it wants of others |
//! | `advice` | what to do about what the dynamic linker says |
//! | `child` | runs a command to its end or to a time limit |
//! | `report` | the lines of the report |

mod advice;
mod agent;
mod child;
mod java;
mod old_binary;
pub(crate) mod probe;
mod report;
mod symbols;

use std::process::ExitCode;

use crate::base::say::Failure;
use crate::command_line::agent::{XrunOption, loads_shim};
use crate::command_line::request::Globals;
use crate::java::java_command::{VARIABLES_AFTER, VARIABLES_BEFORE, options_of_variable};
use crate::run::context::Context;
use java::Java;
use report::Report;

/// Looks at everything and prints a line for each thing; 0 if all is well.
pub(crate) fn run(globals: &Globals, agent: Option<&XrunOption>) -> Result<ExitCode, Failure> {
    let context = Context::new(globals)?;
    let mut report = Report::default();
    let javas = java::examine(&context, &mut report);
    shim(&context, &javas, &mut report);
    variables(&context, &mut report);
    match agent {
        Some(xrun) => agent::examine(&context, javas.first(), xrun, &mut report),
        None => agent::list(&context, javas.first(), &mut report),
    }
    report.exit_code()
}

/// Is the shim there, and does each VM load it?
fn shim(context: &Context, javas: &[Java], report: &mut Report) {
    if let Some((what, todo)) = context.shim_trouble() {
        return report.problem(&what, todo);
    }
    let option = match context.shim.option() {
        Ok(option) => option,
        Err(failure) => return report.problem(&failure.text, "use a copy of it elsewhere"),
    };
    let path = context.shim.path.display();
    for java in javas {
        let target = java.jdk.as_ref().and_then(crate::java::jdk::Jdk::target);
        if let Some((what, todo)) = context.shim_misfit(target) {
            report.problem(&what, todo);
            continue;
        }
        let name = java.path.display();
        match java.runs_with(&option) {
            Ok(()) => report.ok(&format!("{path} loads into {name}")),
            Err(said) => report.problem(
                &format!("{path} does not load into {name}: {said}"),
                "build libjvmpi.so on this machine (cargo build --release), or name another with --jvmpi FILE",
            ),
        }
    }
    if javas.is_empty() {
        report.ok(&format!("{path} is there (no java to try it with)"));
    }
}

/// Says what option variables already do to every java.
fn variables(context: &Context, report: &mut Report) {
    for &name in VARIABLES_BEFORE.iter().chain(VARIABLES_AFTER) {
        let Some(value) = context.variable(name) else {
            continue;
        };
        let options = options_of_variable(name, value);
        if options.iter().any(|option| loads_shim(&option.word)) {
            report.ok(&format!(
                "{name} already loads libjvmpi.so; xrun will not add it again"
            ));
        }
        for xrun in options.iter().filter_map(|o| XrunOption::parse(&o.word)) {
            report.ok(&format!(
                "{name} has {} for every java",
                xrun.to_word().display()
            ));
        }
    }
}
