//! xrun's own command line.
//!
//! Written by hand because of `-Xrunfoo:opts`, and because everything after the
//! command word belongs to the command, whatever it looks like.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::agent::XrunOption;
use crate::attach;
use crate::output::{Kind, may_replace};
use crate::request::{Action, Globals, Invocation, RunCommand, Source};
use crate::say::Failure;
use crate::shim_option;
use crate::trace;

/// What a word turned out to be.
enum Taken {
    /// A global flag, now in [`Globals`].
    Flag,
    /// `--help` or `--version`: nothing else counts.
    Only(Action),
    /// Something else.
    Word(OsString),
}

/// Reads the words after `xrun`.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Invocation, Failure> {
    let mut globals = Globals::default();
    let mut xruns = Vec::new();
    let mut words = words.into_iter();
    let command = loop {
        let Some(word) = words.next() else {
            return Err(Failure::xrun(
                "no command given; put xrun before the old command line: xrun java -Xrunfoo:opts Main (xrun --help says more)",
            ));
        };
        match globals.take(word, &mut words)? {
            Taken::Flag => {}
            Taken::Only(action) => return Ok(Invocation { globals, action }),
            Taken::Word(word) if word == "--" => break words.next(),
            Taken::Word(word) if word == "doctor" => {
                let action = doctor(&mut globals, xruns, words)?;
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if word == "report" => {
                let action = report(&mut globals, xruns, words)?;
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if word == "replay" => {
                let words: Vec<OsString> = words.collect();
                let action = match wants_help(&words) {
                    true => Action::Help,
                    false => Action::Replay(words),
                };
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if attach::is_command(&word) => {
                let words: Vec<OsString> =
                    xruns.iter().map(XrunOption::to_word).chain(words).collect();
                let action = match wants_help(&words) {
                    true => Action::Help,
                    false => Action::Attach(word, words),
                };
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) if word == "--force" && globals.recording.is_some() => {
                globals.force = true;
            }
            Taken::Word(word) if word == "trace" => match words.next() {
                Some(job) if trace::is_job(&job) => {
                    let words: Vec<OsString> = std::iter::once(job).chain(words).collect();
                    let action = match wants_help(&words) {
                        true => Action::Help,
                        false => Action::Trace(words),
                    };
                    return Ok(Invocation { globals, action });
                }
                Some(flag) if flag == "--help" || flag == "-h" => {
                    let action = Action::Help;
                    return Ok(Invocation { globals, action });
                }
                Some(flag) if flag == "-o" => {
                    let file = file_of_trace(words.next())?;
                    globals.settings.push(trace_to(&file)?);
                    globals.settings.push(trace_since());
                    globals.recording = Some(file);
                }
                _ => {
                    return Err(Failure::xrun(
                        "trace: -o FILE and a command, or dump, stats, filter or diff (xrun --help says more)",
                    ));
                }
            },
            Taken::Word(word) => match XrunOption::parse(&word) {
                Some(xrun) => xruns.push(xrun),
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                None => break Some(word),
            },
        }
    };
    let Some(command) = command else {
        return Err(Failure::xrun("no command after --; name the one to run"));
    };
    if let Some(file) = &globals.recording {
        may_replace(file, Kind::Recording, globals.force)?;
        if globals.force {
            globals.settings.push("trace-force=on".into());
        }
    }
    let words = std::iter::once(command).chain(words).collect();
    Ok(Invocation {
        globals,
        action: Action::Run(RunCommand { xruns, words }),
    })
}

/// Flags behind a sub-command that reads its own words.
pub(crate) fn take_flags(globals: &mut Globals, words: Vec<OsString>) -> Result<(), Failure> {
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if let Taken::Word(word) = globals.take(word, &mut words)? {
            return Err(unknown(&word));
        }
    }
    Ok(())
}

/// Reads what follows `doctor`.
fn doctor(
    globals: &mut Globals,
    mut agents: Vec<XrunOption>,
    mut words: impl Iterator<Item = OsString>,
) -> Result<Action, Failure> {
    while let Some(word) = words.next() {
        match globals.take(word, &mut words)? {
            Taken::Flag => {}
            Taken::Only(action) => return Ok(action),
            Taken::Word(word) => match XrunOption::parse(&word) {
                Some(xrun) => agents.push(xrun),
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                // A path may have a colon in it; a name never has.
                None => agents.push(XrunOption {
                    name: file_as_path(word),
                    options: None,
                }),
            },
        }
    }
    if agents.len() > 1 {
        return Err(Failure::xrun("doctor looks at one agent at a time"));
    }
    Ok(Action::Doctor(agents.pop()))
}

/// Reads what follows `report`: a file that is there, or a command.
fn report(
    globals: &mut Globals,
    mut xruns: Vec<XrunOption>,
    mut words: impl Iterator<Item = OsString>,
) -> Result<Action, Failure> {
    let nothing =
        || Failure::xrun("report: name a recording (xrun trace -o FILE …), or a command to run");
    let mut html = None;
    loop {
        let word = words.next().ok_or_else(nothing)?;
        let command = match globals.take(word, &mut words)? {
            Taken::Flag => continue,
            Taken::Only(action) => return Ok(action),
            Taken::Word(word) if word == "--force" => {
                globals.force = true;
                continue;
            }
            Taken::Word(word) if word == "--html" => {
                let file = words.next().filter(|file| !file.is_empty());
                html = Some(
                    file.ok_or_else(|| Failure::xrun("--html needs a file after it"))?
                        .into(),
                );
                continue;
            }
            Taken::Word(word) if word == "--" => words.next().ok_or_else(nothing)?,
            Taken::Word(word) => match XrunOption::parse(&word) {
                Some(xrun) => {
                    xruns.push(xrun);
                    continue;
                }
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                None => word,
            },
        };
        let rest: Vec<OsString> = words.collect();
        if rest.is_empty() && xruns.is_empty() && is_missing_file(&command) {
            return Err(Failure::xrun(format!(
                "{}: no such file",
                command.display()
            )));
        }
        let source = if rest.is_empty() && xruns.is_empty() && is_data(&command) {
            Source::File(command.into())
        } else {
            let words = std::iter::once(command).chain(rest).collect();
            Source::Command(RunCommand { xruns, words })
        };
        return Ok(Action::Report(source, html));
    }
}

/// Whether a word is a file that is there and no program.
fn is_data(word: &OsStr) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(word)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 == 0)
}

/// Whether a word is meant as a file, and there is none.
fn is_missing_file(word: &OsStr) -> bool {
    let is_file = word.as_bytes().contains(&b'/') || word.as_bytes().ends_with(b".rec");
    is_file && std::fs::symlink_metadata(word).is_err()
}

/// Whether somebody asks what there is.
fn wants_help(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--help" || word == "-h")
}

/// `libfoo.so` without a folder is meant as a file when it lies here.
fn file_as_path(word: OsString) -> OsString {
    if word.as_bytes().ends_with(b".so") && !word.as_bytes().contains(&b'/') {
        let mut path = OsString::from("./");
        path.push(word);
        return path;
    }
    word
}

impl Globals {
    fn take(
        &mut self,
        word: OsString,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<Taken, Failure> {
        match word.to_str() {
            Some("--print") => self.print = true,
            Some("--check") => self.settings.push("check=on".into()),
            Some("--check=fail") => self.settings.push("check=fail".into()),
            Some("--no-settings") => self.no_settings = true,
            Some("--help" | "-h") => return Ok(Taken::Only(Action::Help)),
            Some("--version" | "-V") => return Ok(Taken::Only(Action::Version)),
            _ => {
                let Some((flag, value)) = valued(&word, rest)? else {
                    return Ok(Taken::Word(word));
                };
                match flag {
                    Valued::Agents => self.agents.push(value.into()),
                    Valued::Jvmpi => self.jvmpi = Some(value.into()),
                    Valued::Profile => self.profiles.push(value.into()),
                    Valued::Set => self.settings.push(shim_option::checked(value)?),
                    Valued::Include => self.settings.push(prefixes("include", &value)?),
                    Valued::Exclude => self.settings.push(prefixes("exclude", &value)?),
                }
            }
        }
        Ok(Taken::Flag)
    }
}

/// Flags with a value, `--flag VALUE` or `--flag=VALUE`.
#[derive(Clone, Copy)]
enum Valued {
    Agents,
    Jvmpi,
    Profile,
    Set,
    Include,
    Exclude,
}

/// `--include com.acme.` is `--set include=com.acme.`
fn prefixes(key: &str, value: &OsStr) -> Result<OsString, Failure> {
    let mut word = OsString::from(key);
    word.push("=");
    word.push(value);
    shim_option::checked(word)
}

fn valued(
    word: &OsStr,
    rest: &mut impl Iterator<Item = OsString>,
) -> Result<Option<(Valued, OsString)>, Failure> {
    for (name, flag, what) in [
        ("--agents", Valued::Agents, "a folder"),
        ("--jvmpi", Valued::Jvmpi, "a file"),
        ("--profile", Valued::Profile, "a file or a habit"),
        ("--set", Valued::Set, "key=value"),
        ("--include", Valued::Include, "the beginning of class names"),
        ("--exclude", Valued::Exclude, "the beginning of class names"),
    ] {
        let Some(tail) = word.as_bytes().strip_prefix(name.as_bytes()) else {
            continue;
        };
        let value = match tail {
            [] => rest.next(),
            [b'=', value @ ..] => Some(OsStr::from_bytes(value).to_owned()),
            _ => continue,
        };
        return match value.filter(|value| !value.is_empty()) {
            Some(value) => Ok(Some((flag, value))),
            None => Err(Failure::xrun(format!("{name} needs {what} after it"))),
        };
    }
    Ok(None)
}

fn file_of_trace(file: Option<OsString>) -> Result<PathBuf, Failure> {
    let file = file.filter(|file| !file.is_empty());
    let file = file.ok_or_else(|| Failure::xrun("trace -o needs a file after it"))?;
    Ok(file.into())
}

/// `trace -o FILE` is `--set trace=FILE`, whatever folder the command goes to.
fn trace_to(file: &Path) -> Result<OsString, Failure> {
    let mut word = OsString::from("trace=");
    word.push(std::path::absolute(file).unwrap_or(file.into()));
    shim_option::checked(word)
}

/// One process of the command does not write over the recording of another one.
fn trace_since() -> OsString {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("trace-since={}", now.unwrap_or_default().as_nanos()).into()
}

fn unknown(word: &OsStr) -> Failure {
    Failure::xrun(format!(
        "{}: no flag of xrun; options of java go after java (xrun java {0} …), xrun's own are in xrun --help",
        word.display()
    ))
}

#[cfg(test)]
mod tests;
