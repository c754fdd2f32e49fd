//! Settings of particular agents: built-in rows, `~/.config/xrun/agents.toml`, `--profile`
//! with a file or the name of a habit.
//!
//! Later rows win over earlier ones, and `--set` over all. An agent that came with xrun
//! needs none of the built-in ones, though it is called like one that does.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use agent_settings::AgentRow;
use shim_options::agent_spec::short_name;

use super::context::Context;
use super::planner;
use crate::base::say::Failure;
use crate::command_line::agent::XrunOption;
use crate::command_line::request::{Globals, RunCommand};
use crate::command_line::shim_option;
use crate::java::java_command::{self, VARIABLES_AFTER, VARIABLES_BEFORE};
use crate::java::program::{self, Kind};
use crate::libraries::elf::{AgentKind, Symbols};

/// What the rows say of the agents of a command: settings, and a line for each row.
pub(crate) fn settings_for(
    globals: &Globals,
    command: &RunCommand,
    context: &Context,
) -> Result<(Vec<OsString>, Vec<String>), Failure> {
    let (mut settings, mut notes) = (Vec::new(), Vec::new());
    if globals.no_settings {
        return Ok((settings, notes));
    }
    // What the command names has to be right, also if nobody needs it.
    let named = rows_of(&globals.profiles)?;
    let Some(Named {
        library,
        name,
        options,
    }) = agent(command, context)
    else {
        return Ok((settings, notes));
    };
    let own: Vec<PathBuf> = own_file()
        .filter(|path| path.is_file())
        .into_iter()
        .collect();
    let mut rows = if came_with_us(context, &name, &library) {
        Vec::new()
    } else {
        agent_settings::built_in()
    };
    rows.extend(rows_of(&own)?);
    rows.extend(named);
    for row in rows.iter().filter(|row| row.fits(&name, &options)) {
        let set = row.set.join(", ");
        notes.push(format!(
            "{set} for the agent {name} (without: {}); --no-settings leaves it out",
            row.symptom
        ));
        for setting in &row.set {
            settings.push(shim_option::checked(setting.into())?);
        }
    }
    Ok((settings, notes))
}

/// Whether the library that is meant is one of ours: of such a name, beside xrun. Others lie
/// there, too.
fn came_with_us(context: &Context, name: &str, library: &OsStr) -> bool {
    /// Of those that built-in rows are about.
    const OURS: [&str; 1] = ["hprof"];
    if !OURS.contains(&name) {
        return false;
    }
    let found = context.search(Vec::new(), None).find(library);
    let path = found.ok().and_then(|found| found.path.canonicalize().ok());
    path.is_some_and(|path| context.own.is_some() && path.parent() == context.own.as_deref())
}

fn rows_of(paths: &[PathBuf]) -> Result<Vec<AgentRow>, Failure> {
    let mut rows = Vec::new();
    for path in paths {
        if let Some(habit) = path.to_str().and_then(agent_settings::habit) {
            rows.push(habit);
            continue;
        }
        let wrong = |what: String| Failure::xrun(format!("{}: {what}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| {
            let habits = agent_settings::habits().into_iter().map(|habit| habit.name);
            let habits = habits.collect::<Vec<_>>().join(", ");
            wrong(format!("{error}; names that are no files: {habits}"))
        })?;
        rows.extend(agent_settings::parse(&text).map_err(wrong)?);
    }
    Ok(rows)
}

/// `$XDG_CONFIG_HOME/xrun/agents.toml`.
fn own_file() -> Option<PathBuf> {
    let folder = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("xrun").join("agents.toml"))
}

/// An agent that a command names.
#[derive(Debug)]
struct Named {
    /// As it is written: a name, or a path.
    library: OsString,
    /// `foo` of both.
    name: String,
    options: String,
}

/// The agent that a command names, and its options.
fn agent(command: &RunCommand, context: &Context) -> Option<Named> {
    let variables = VARIABLES_BEFORE.iter().chain(VARIABLES_AFTER);
    let variables = variables.filter_map(|name| {
        let value = context.variable(name)?;
        Some(java_command::options_of_variable(name, value))
    });
    let words = vm_words(&command.words, context);
    let words = words.chain(variables.flatten().map(|option| option.word));
    let named = words
        .filter_map(|word| XrunOption::parse(&word).or_else(|| of_jvmti_spelling(&word, context)));
    let mut agents = command.xruns.iter().cloned().chain(named);
    let first = agents.find(|xrun| xrun.name != "jdwp")?;
    let options = first
        .options
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    // -Xrunjvmpi:foo:options is agent foo.
    if first.name == "jvmpi" {
        let (name, options) = options.split_once(':').unwrap_or((&options, ""));
        return Some(Named {
            library: name.into(),
            name: short_name(name).to_owned(),
            options: options.to_owned(),
        });
    }
    Some(Named {
        name: short_name(&first.name.to_string_lossy()).to_owned(),
        library: first.name,
        options,
    })
}

/// What of a command line is for the VM: a java's options; of a tool of the JDK's what stands behind `-J`;
/// of anything else each word, for it may go on to a java.
fn vm_words(words: &[OsString], context: &Context) -> impl Iterator<Item = OsString> {
    let (name, rest) = words.split_first().unzip();
    let name = name.cloned().unwrap_or_default();
    let rest = rest.unwrap_or_default();
    let program = program::locate(&name, context.variable("PATH"));
    let is_java = program.map_or_else(
        |_| name == "java",
        |program| Kind::of(&program) == Kind::Java,
    );
    let options: Vec<OsString> = if is_java {
        let options = java_command::options_of_line(rest, &java_command::read_argument_file);
        options.into_iter().map(|option| option.word).collect()
    } else {
        let of_vm = |word: &OsString| {
            let behind_j = word.as_bytes().strip_prefix(b"-J");
            behind_j.map_or_else(|| word.clone(), |word| OsStr::from_bytes(word).to_owned())
        };
        rest.iter().map(of_vm).collect()
    };
    options.into_iter()
}

/// The agent of `-agentlib:` or `-agentpath:` if it is one of JVMPI, as HPROF's was written since JDK 5; what
/// can be both is a JVMTI agent there.
fn of_jvmti_spelling(word: &OsStr, context: &Context) -> Option<XrunOption> {
    let xrun = XrunOption::of_jvmti_spelling(word)?;
    let name = planner::as_path(&xrun, word);
    let found = context.search(Vec::new(), None).find(&name).ok()?;
    let is_jvmti = || Symbols::of(&found.path).is_ok_and(|symbols| symbols.has_agent_on_load);
    (found.kind == AgentKind::Jvmpi && !is_jvmti()).then_some(XrunOption { name, ..xrun })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Option<(String, String)> {
        let command = RunCommand {
            xruns: Vec::new(),
            words: words.iter().map(OsString::from).collect(),
        };
        let mut context = Context::new(&Globals::default()).ok()?;
        context.environment.clear();
        agent(&command, &context).map(|named| (named.name, named.options))
    }

    #[test]
    fn agents_are_found_in_commands() {
        let foo = |options: &str| Some(("foo".to_owned(), options.to_owned()));
        assert_eq!(of(&["java", "-Xrunfoo:a=b,c", "Main"]), foo("a=b,c"));
        assert_eq!(of(&["java", "-Xrunjdwp:x", "-Xrunfoo"]), foo(""));
        assert_eq!(of(&["java", "-Xrun/x/libfoo.so:a"]), foo("a"));
        assert_eq!(of(&["java", "-Xrunjvmpi:foo:a:b"]), foo("a:b"));
        assert_eq!(of(&["java", "Main"]), None);
        // The program's own words.
        assert_eq!(of(&["java", "Main", "-Xrunfoo:a"]), None);
        assert_eq!(of(&["javac", "-J-Xrunfoo:a=b,c", "A.java"]), foo("a=b,c"));
        assert_eq!(of(&["./run.sh", "-Xrunfoo:a"]), foo("a"));
    }
}
