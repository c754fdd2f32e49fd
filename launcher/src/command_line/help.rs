//! `xrun help`, completions and pages of the manual: the description, written out.

use std::ffi::OsString;
use std::io::IsTerminal;

use clap_complete::{Shell, generate};

use super::description;
use crate::base::say::{self, Failure};

/// What `xrun WORD… --help` says; in colours on a terminal only.
pub(crate) fn help(path: &[OsString]) -> Result<(), Failure> {
    let text = description::at(path)?.render_help();
    let coloured = std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let text = if coloured {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    say::out(text.as_bytes())
}

/// What a shell reads to complete xrun's words.
pub(crate) fn completions(words: &[OsString]) -> Result<(), Failure> {
    let matches = description::read(&["completions"], words)?;
    let shell = match matches.get_one::<String>("SHELL").map(|name| &**name) {
        Some("zsh") => Shell::Zsh,
        Some("fish") => Shell::Fish,
        _ => Shell::Bash,
    };
    let mut text = Vec::new();
    generate(shell, &mut description::xrun(), "xrun", &mut text);
    say::out(&text)
}

/// A page of the manual, for `man -l -`.
pub(crate) fn man(path: &[OsString]) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(description::at(path)?)
        .render(&mut text)
        .map_err(|error| Failure::xrun(format!("man: {error}")))?;
    say::out(&text)
}
