//! Settings of particular agents: built-in rows, `~/.config/xrun/agents.toml`, `--profile`
//! with a file or the name of a habit.
//!
//! Later rows win over earlier ones, and `--set` over all. An agent that came with xrun
//! needs none of the built-in ones, though it is called like one that does.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use agent_settings::AgentRow;
use shim_options::agent_spec::short_name;

use crate::agent::XrunOption;
use crate::request::{Globals, RunCommand};
use crate::say::Failure;
use crate::setting::Setting;
use crate::shim_option;

/// What the rows say of the agents of a command: settings, and a line for each row.
pub(crate) fn settings_for(
    globals: &Globals,
    command: &RunCommand,
    setting: &Setting,
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
    }) = agent(command)
    else {
        return Ok((settings, notes));
    };
    let own: Vec<PathBuf> = own_file()
        .filter(|path| path.is_file())
        .into_iter()
        .collect();
    let mut rows = if came_with_us(setting, &name, &library) {
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
fn came_with_us(setting: &Setting, name: &str, library: &OsStr) -> bool {
    /// Of those that built-in rows are about.
    const OURS: [&str; 1] = ["hprof"];
    if !OURS.contains(&name) {
        return false;
    }
    let found = setting.search(Vec::new(), None).find(library);
    let path = found.ok().and_then(|found| found.path.canonicalize().ok());
    path.is_some_and(|path| setting.own.is_some() && path.parent() == setting.own.as_deref())
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
fn agent(command: &RunCommand) -> Option<Named> {
    let words = command
        .words
        .iter()
        .filter_map(|word| XrunOption::parse(word));
    let variables = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"]
        .iter()
        .filter_map(std::env::var_os);
    let variables: Vec<XrunOption> = variables
        .flat_map(|value| {
            let text = value.to_string_lossy().into_owned();
            text.split_whitespace()
                .filter_map(|word| XrunOption::parse(OsStr::new(word)))
                .collect::<Vec<_>>()
        })
        .collect();
    let all = command.xruns.iter().cloned().chain(words).chain(variables);
    let mut agents = all.filter(|xrun| xrun.name != "jdwp");
    let first = agents.next()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Option<(String, String)> {
        agent(&RunCommand {
            xruns: Vec::new(),
            words: words.iter().map(OsString::from).collect(),
        })
        .map(|named| (named.name, named.options))
    }

    #[test]
    fn agents_are_found_in_commands() {
        let foo = |options: &str| Some(("foo".to_owned(), options.to_owned()));
        assert_eq!(of(&["java", "-Xrunfoo:a=b,c", "Main"]), foo("a=b,c"));
        assert_eq!(of(&["java", "-Xrunjdwp:x", "-Xrunfoo"]), foo(""));
        assert_eq!(of(&["java", "-Xrun/x/libfoo.so:a"]), foo("a"));
        assert_eq!(of(&["java", "-Xrunjvmpi:foo:a:b"]), foo("a:b"));
        assert_eq!(of(&["java", "Main"]), None);
    }
}
