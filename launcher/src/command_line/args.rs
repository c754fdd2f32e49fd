//! xrun's own command line.
//!
//! Written by hand because of `-Xrunfoo:opts`, and because everything after the
//! command word belongs to the command, whatever it looks like.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::mem::take;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use terminal_text::nearest::did_you_mean;

use super::agent::XrunOption;
use super::attach_words;
use super::description;
use super::flags::{Taken, unknown, unknown_to, useless};
use super::request::{Action, Globals, Invocation, ReportTo, RunCommand, Source, TRACE_JOBS};
use super::shim_option;
use crate::base::output::{Kind, may_replace};
use crate::base::say::Failure;

/// Reads the words after `xrun`.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Invocation, Failure> {
    let invocation = understood(words)?;
    refuse_ignored(&invocation)?;
    Ok(invocation)
}

fn understood(words: Vec<OsString>) -> Result<Invocation, Failure> {
    let mut globals = Globals::default();
    let mut xruns = Vec::new();
    let mut words = words.into_iter();
    let command = loop {
        let Some(word) = words.next() else {
            return Err(Failure::xrun(
                "no command given; put xrun before the old command line: xrun java -Xrunfoo:opts Main (xrun --help says more)",
            ));
        };
        let word = match globals.take(word, &mut words)? {
            Taken::Flag => continue,
            Taken::Help => {
                // Of `xrun trace -o FILE --help` as well.
                let path = globals.recording.iter().map(|_| "trace".into()).collect();
                let action = Action::Help(path);
                return Ok(Invocation { globals, action });
            }
            Taken::Version => {
                let action = Action::Version;
                return Ok(Invocation { globals, action });
            }
            Taken::Word(word) => word,
        };
        let action = match word.to_str() {
            Some("--") => break words.next(),
            Some("doctor") => doctor(&mut globals, take(&mut xruns), words)?,
            Some("report") => report(&mut globals, take(&mut xruns), words)?,
            Some("replay") => {
                let words = words.collect();
                helped(&["replay"], words, Action::Replay)
            }
            Some("merge") => helped(&["merge"], words.collect(), Action::Merge),
            Some("diff") => helped(&["diff"], words.collect(), Action::Diff),
            Some("compare") => helped(&["compare"], words.collect(), Action::Compare),
            Some("completions") => {
                let words = words.collect();
                helped(&["completions"], words, Action::Completions)
            }
            Some("help") => helped(&["help"], words.collect(), Action::Help),
            Some("man") => helped(&["man"], words.collect(), Action::Man),
            Some("attach") => attach_words::attach(&mut globals, take(&mut xruns), words)?,
            Some("detach") => helped(&["detach"], words.collect(), Action::Detach),
            Some("ps") => helped(&["ps"], words.collect(), Action::Ps),
            Some("--force") if globals.recording.is_some() || globals.findings.is_some() => {
                globals.force = true;
                continue;
            }
            Some("trace") => match trace(&mut globals, &mut words)? {
                Some(action) => action,
                None => continue,
            },
            _ => match XrunOption::in_any_spelling(&word) {
                Some(xrun) => {
                    xruns.push(xrun);
                    continue;
                }
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                None => break Some(word),
            },
        };
        if !xruns.is_empty() {
            globals.given.insert("-Xrun");
        }
        return Ok(Invocation { globals, action });
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

/// Reads what follows `trace`: a job, or `-o FILE`, behind which the command comes.
fn trace(
    globals: &mut Globals,
    words: &mut impl Iterator<Item = OsString>,
) -> Result<Option<Action>, Failure> {
    let Some(word) = words.next() else {
        return Err(Failure::xrun(
            "trace: -o FILE and a command, or dump, stats, filter, diff or export (xrun help trace says more)",
        ));
    };
    if let Some(job) = TRACE_JOBS.into_iter().find(|job| word == *job) {
        let path = ["trace", job];
        return Ok(Some(helped(&path, words.collect(), |words| {
            Action::Trace(job, words)
        })));
    }
    if is_help(&word) {
        return Ok(Some(Action::Help(vec!["trace".into()])));
    }
    if word != "-o" {
        let word = word.to_string_lossy();
        let meant = did_you_mean(&word, TRACE_JOBS);
        return Err(Failure::xrun(format!(
            "trace {word}?{meant} -o FILE and a command, or dump, stats, filter, diff or export (xrun help trace says more)"
        )));
    }
    let file = path_behind("trace -o", "a file", words.next())?;
    globals.settings.push(trace_to(&file)?);
    globals.settings.push(trace_since());
    globals.recording = Some(file);
    globals.given.insert("trace -o");
    Ok(None)
}

/// What is asked, or what there is.
fn helped(path: &[&str], words: Vec<OsString>, action: impl Fn(Vec<OsString>) -> Action) -> Action {
    if words.iter().any(|word| is_help(word)) {
        return Action::Help(path.iter().map(OsString::from).collect());
    }
    action(words)
}

/// Flags that do nothing for what is to be done are no slip to be passed over.
fn refuse_ignored(invocation: &Invocation) -> Result<(), Failure> {
    let (what, known) = match &invocation.action {
        Action::Run(_) | Action::Help(_) | Action::Version => return Ok(()),
        Action::Report(Source::Command(_), _) => ("report", description::flags_of(&["report"])),
        // What was run is in the file.
        Action::Report(Source::File(_), _) => ("report of a recording", Vec::new()),
        Action::Attach(_) => ("attach", description::flags_of(&["attach"])),
        // Scripts name it for attach and detach alike.
        Action::Detach(_) => ("detach", vec!["--agents".to_owned()]),
        Action::Ps(_) => ("ps", Vec::new()),
        Action::Doctor(_) => ("doctor", description::flags_of(&["doctor"])),
        Action::Merge(_) => ("merge", description::flags_of(&["merge"])),
        Action::Diff(_) => ("diff", description::flags_of(&["diff"])),
        Action::Compare(_) => ("compare", description::flags_of(&["compare"])),
        Action::Replay(_) => ("replay", description::flags_of(&["replay"])),
        Action::Trace(job, _) => (*job, description::flags_of(&["trace", job])),
        Action::Completions(_) => ("completions", Vec::new()),
        Action::Man(_) => ("man", Vec::new()),
    };
    let mut given = invocation.globals.given.iter();
    match given.find(|flag| !known.iter().any(|known| known == *flag)) {
        Some(flag) => Err(useless(flag, what)),
        None => Ok(()),
    }
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
            Taken::Help => return Ok(Action::Help(vec!["doctor".into()])),
            Taken::Version => return Ok(Action::Version),
            Taken::Word(word) => match XrunOption::in_any_spelling(&word) {
                Some(xrun) => agents.push(xrun),
                None if word.as_bytes().starts_with(b"-") => {
                    return Err(unknown_to("doctor", &word));
                }
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

/// Reads what follows `report`: a file that is there, which flags may follow, or a command.
fn report(
    globals: &mut Globals,
    mut xruns: Vec<XrunOption>,
    words: impl Iterator<Item = OsString>,
) -> Result<Action, Failure> {
    let nothing =
        || Failure::xrun("report: name a recording (xrun trace -o FILE …), or a command to run");
    let mut to = ReportTo::default();
    let mut words = words.collect::<Vec<_>>().into_iter();
    let mut recording = None;
    loop {
        let Some(word) = words.next() else {
            let source = Source::File(recording.ok_or_else(nothing)?);
            return match xruns.is_empty() {
                true => Ok(Action::Report(source, to)),
                false => Err(useless("-Xrun", "report of a recording")),
            };
        };
        let command = match globals.take(word, &mut words)? {
            Taken::Flag => continue,
            Taken::Help => return Ok(Action::Help(vec!["report".into()])),
            Taken::Version => return Ok(Action::Version),
            Taken::Word(word) if word == "--force" => {
                globals.force = true;
                continue;
            }
            Taken::Word(word) if word == "--html" => {
                to.html = Some(path_behind("--html", "a file", words.next())?);
                continue;
            }
            Taken::Word(word) if word == "--skeleton" => {
                to.skeleton = Some(path_behind("--skeleton", "a folder", words.next())?);
                continue;
            }
            Taken::Word(word) if word == "--" => words.next().ok_or_else(nothing)?,
            Taken::Word(word) => match XrunOption::in_any_spelling(&word) {
                Some(xrun) => {
                    xruns.push(xrun);
                    continue;
                }
                None if word.as_bytes().starts_with(b"-") => return Err(unknown(&word)),
                None => word,
            },
        };
        if let Some(recording) = recording {
            return Err(Failure::xrun(format!(
                "report: {} behind {}: one recording at a time, and no command with it",
                command.display(),
                recording.display()
            )));
        }
        let behind = words.as_slice().first();
        let is_flag = |word: &OsString| word.as_bytes().starts_with(b"--") || is_help(word);
        if xruns.is_empty() && behind.is_none_or(is_flag) && is_reported(&command) {
            recording = Some(PathBuf::from(command));
            continue;
        }
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
        return Ok(Action::Report(source, to));
    }
}

/// Whether a word is a file that begins as those do that reports are made of.
fn is_reported(word: &OsStr) -> bool {
    const HEAD: u64 = 64;
    let mut head = Vec::new();
    let is_file = std::fs::metadata(word).is_ok_and(|data| data.is_file());
    let file = is_file.then(|| File::open(word).ok()).flatten();
    let read = file.map(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_some_and(|read| read.is_ok())
        && (recording_format::is_one(&head) || agent_usage::is_one(&head))
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
fn is_help(word: &OsStr) -> bool {
    word == "--help" || word == "-h"
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

/// The value of a flag.
fn path_behind(flag: &str, what: &str, path: Option<OsString>) -> Result<PathBuf, Failure> {
    let path = path.filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| Failure::xrun(format!("{flag} needs {what} after it")))?;
    Ok(path.into())
}

/// `trace -o FILE` is `--set trace=FILE`, whatever folder the command goes to.
fn trace_to(file: &Path) -> Result<OsString, Failure> {
    let path = std::path::absolute(file).unwrap_or(file.into());
    if path.as_os_str().as_bytes().contains(&b',') {
        return Err(Failure::xrun(format!(
            "-o {}: the path of a recording cannot have ',' in it",
            path.display()
        )));
    }
    let mut word = OsString::from("trace=");
    word.push(path);
    shim_option::checked(word)
}

/// One process of the command does not write over the recording of another one.
fn trace_since() -> OsString {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("trace-since={}", now.unwrap_or_default().as_nanos()).into()
}

#[cfg(test)]
mod tests;
