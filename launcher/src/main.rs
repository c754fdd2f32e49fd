//! `xrun`: makes old `java -Xrunagent:options` command lines work on today's JVMs.
//!
//! | file | job |
//! |---|---|
//! | `args` | reads xrun's own command line |
//! | `flags` | the flags that count for every subcommand, as they come |
//! | `description` | the command line, described once |
//! | `description_parts` | what that is put together from |
//! | `description_compare` | the description of `xrun compare` |
//! | `help` | `--help`, completions, the manual |
//! | `request` | what xrun is asked to do |
//! | `shim_option` | options of the shim, checked |
//! | `java_command` | what of a java command line is for the VM |
//! | `quote` | how shells and JVMs quote |
//! | `agent` | `-Xrun` options and the `-agentpath` options made of them |
//! | `program` | commands on PATH, and which of them are java |
//! | `jdk` | the JDK around a java: its library folder, VM and version |
//! | `elf` | what a library is built for, what it exports |
//! | `segments` | a library's symbols, where it has no section headers |
//! | `wishes` | what a file asks of the dynamic linker |
//! | `parts` | agents in several libraries |
//! | `executable_stacks` | agents that want one, where the C library refuses them |
//! | `find` | which file is meant by `-Xrunfoo` |
//! | `setting` | what a run and doctor both look at: flags, shim, environment |
//! | `plan` | the command and environment to run instead |
//! | `planner` | what is to become of each `-Xrun` |
//! | `drops_environment` | commands that start a program without what xrun sets |
//! | `old_options` | what VMs of today do not take any more, and what stands for it |
//! | `boot_class_path` | `-Xbootclasspath/p` as options that VMs of today take |
//! | `script` | old options in the text of a script, which is not changed |
//! | `library_path` | folders put on `LD_LIBRARY_PATH` |
//! | `output` | files that xrun writes, and what it does not write over |
//! | `launch` | runs or prints the plan |
//! | `exec` | becomes the command, or waits for it |
//! | `checked` | runs a command and writes what is found of its agents |
//! | `source_lines` | files and lines of code in libraries |
//! | `doctor` | says what is wrong, and what to do |
//! | `trace` | recordings: text, counts, parts, differences |
//! | `compare` | whether a port to JVMTI has seen what the old agent saw |
//! | `merge` | profiles of many processes, made one |
//! | `diff` | what has become more and less between two |
//! | `replay` | a recording, played into an agent without a JVM |
//! | `attach` | agents in VMs that are running |
//! | `progress` | what takes its time, on terminals |
//! | `report` | what an agent uses, and what JVMTI has for it |
//! | `profile` | settings of particular agents |
//! | `say` | whole lines on stdout and stderr |

mod agent;
mod args;
mod attach;
mod boot_class_path;
mod checked;
mod compare;
mod description;
mod description_compare;
mod description_parts;
mod diff;
mod doctor;
mod drops_environment;
mod elf;
mod exec;
mod executable_stacks;
mod find;
mod flags;
mod help;
mod java_command;
mod jdk;
mod launch;
mod library_path;
mod merge;
mod old_options;
mod output;
mod parts;
mod plan;
mod planner;
mod profile;
mod program;
mod progress;
mod quote;
mod replay;
mod report;
mod request;
mod say;
mod script;
mod segments;
mod setting;
mod shim_option;
mod source_lines;
mod trace;
mod wishes;

use std::ffi::OsString;
use std::process::ExitCode;

use request::Action;
use say::Failure;

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
        Action::Run(command) => return checked::run(&invocation.globals, &command),
    }
    Ok(ExitCode::SUCCESS)
}
