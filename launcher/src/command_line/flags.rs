//! The flags that count for every subcommand, as they come.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use terminal_text::nearest::did_you_mean;

use super::description;
use super::request::Globals;
use super::shim_option;
use crate::base::say::Failure;

/// What a word turned out to be.
pub(crate) enum Taken {
    /// A global flag, now in [`Globals`].
    Flag,
    /// `--help`: nothing else counts.
    Help,
    /// `--version`, likewise.
    Version,
    /// Something else.
    Word(OsString),
}

impl Globals {
    /// Takes a flag, with its value out of `rest` if that is a word of its own.
    pub(crate) fn take(
        &mut self,
        word: OsString,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<Taken, Failure> {
        let flag = match word.to_str() {
            Some("--help" | "-h") => return Ok(Taken::Help),
            Some("--version" | "-V") => return Ok(Taken::Version),
            Some("--check=fail") => {
                self.settings.push("check=fail".into());
                "--check"
            }
            _ => match SWITCHES.into_iter().find(|(name, _)| word == *name) {
                Some((name, switch)) => {
                    match switch {
                        Switch::Print => self.print = true,
                        Switch::Check => self.settings.push("check=on".into()),
                        Switch::NoSettings => self.no_settings = true,
                        Switch::KeepOptions => self.keep_options = true,
                    }
                    name
                }
                None => match valued(&word, rest)? {
                    Some((name, flag, value)) => {
                        self.take_valued(flag, value)?;
                        name
                    }
                    None => return Ok(Taken::Word(word)),
                },
            },
        };
        self.given.insert(flag);
        Ok(Taken::Flag)
    }

    fn take_valued(&mut self, flag: Valued, value: OsString) -> Result<(), Failure> {
        match flag {
            Valued::Agents => self.agents.push(value.into()),
            Valued::Jvmpi => self.jvmpi = Some(value.into()),
            Valued::Profile => self.profiles.push(value.into()),
            Valued::Findings => self.findings = Some(value.into()),
            Valued::Format => self.format = Some(value),
            Valued::Suppress => self.suppress = Some(value.into()),
            Valued::Set => self.settings.push(shim_option::checked(value)?),
            Valued::Include => self.settings.push(prefixes("include", &value)?),
            Valued::Exclude => self.settings.push(prefixes("exclude", &value)?),
        }
        Ok(())
    }
}

/// Flags without a value.
#[derive(Clone, Copy)]
enum Switch {
    Print,
    Check,
    NoSettings,
    KeepOptions,
}

const SWITCHES: [(&str, Switch); 4] = [
    ("--print", Switch::Print),
    ("--check", Switch::Check),
    ("--no-settings", Switch::NoSettings),
    ("--keep-options", Switch::KeepOptions),
];

/// Flags with a value, `--flag VALUE` or `--flag=VALUE`.
#[derive(Clone, Copy)]
enum Valued {
    Agents,
    Jvmpi,
    Profile,
    Findings,
    Format,
    Suppress,
    Set,
    Include,
    Exclude,
}

/// With what each needs after it.
const VALUED: [(&str, Valued, &str); 9] = [
    ("--agents", Valued::Agents, "a folder"),
    ("--jvmpi", Valued::Jvmpi, "a file"),
    ("--profile", Valued::Profile, "a file or a habit"),
    ("--findings", Valued::Findings, "a file"),
    ("--format", Valued::Format, "json or junit"),
    ("--suppress", Valued::Suppress, "a file"),
    ("--set", Valued::Set, "key=value"),
    ("--include", Valued::Include, "the beginning of class names"),
    ("--exclude", Valued::Exclude, "the beginning of class names"),
];

/// All that are taken here, but for those that ask for words about xrun.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let valued = VALUED.iter().map(|(name, ..)| *name);
    SWITCHES.iter().map(|(name, _)| *name).chain(valued)
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
) -> Result<Option<(&'static str, Valued, OsString)>, Failure> {
    for (name, flag, what) in VALUED {
        let Some(tail) = word.as_bytes().strip_prefix(name.as_bytes()) else {
            continue;
        };
        let value = match tail {
            [] => rest.next(),
            [b'=', value @ ..] => Some(OsStr::from_bytes(value).to_owned()),
            _ => continue,
        };
        return match value.filter(|value| !value.is_empty()) {
            Some(value) => Ok(Some((name, flag, value))),
            None => Err(Failure::xrun(format!("{name} needs {what} after it"))),
        };
    }
    Ok(None)
}

/// A flag that `command` cannot obey.
pub(crate) fn useless(flag: &str, command: &str) -> Failure {
    Failure::xrun(format!("{flag}: {command} has no use for it"))
}

/// A flag that there is not.
pub(crate) fn unknown(word: &OsStr) -> Failure {
    let meant = nearest_flag(word, &[]);
    Failure::xrun(format!(
        "{}: no flag of xrun{meant}; options of java go after java (xrun java {0} …), xrun's own are in xrun --help",
        word.display()
    ))
}

/// A flag that `command` has not, which runs no java.
pub(crate) fn unknown_to(command: &str, word: &OsStr) -> Failure {
    let meant = nearest_flag(word, &[command]);
    Failure::xrun(format!(
        "{command}: {}: no flag of it{meant} (xrun help {command} says more)",
        word.display()
    ))
}

fn nearest_flag(word: &OsStr, command: &[&str]) -> String {
    let flag = word.to_string_lossy();
    let flag = flag.split('=').next().unwrap_or_default();
    let known = description::flags_of(command);
    did_you_mean(flag, known.iter().map(|known| &**known))
}
