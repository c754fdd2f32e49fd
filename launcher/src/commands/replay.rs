//! `xrun replay`: a recording, played into an agent without a JVM.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::replay::{DIFFERENCES, Difference, NOT_REACHED, Outcome, Terminal};
use arena_models::Kind;
use findings::{Ended, Finding, Rule, Severity, Suite};
use recording_format::jvmti::Definition;
use recording_format::{Recording, Subject};
use terminal_text::raw_text;

use crate::base::progress::{self, Busy};
use crate::base::say::{self, Failure};
use crate::command_line::agent::XrunOption;
use crate::command_line::description;
use crate::command_line::request::Globals;
use crate::run::findings_file::Wish;

/// What a recording of an agent of JVMTI has.
const ENVIRONMENT: Subject = Subject::Definition(Definition::Environment);
/// Exit code: the agent did something else than in the recording.
const NOT_EXACT: i32 = 3;
/// Exit code: not all that was recorded could be played.
const NOT_TO_THE_END: i32 = 4;

/// Does what the words after `replay` say.
pub(crate) fn run(globals: &Globals, words: &[OsString]) -> Result<ExitCode, Failure> {
    let matches = description::read(&["replay"], words)?;
    let last = |name: &str| matches.get_many::<OsString>(name).and_then(Iterator::last);
    let missing = || {
        Failure::xrun(
            "--agent needs an agent after it: foo or /path/to/libfoo.so, and perhaps :options",
        )
    };
    let agent = last("agent").map(|word| XrunOption::from_tail(word).ok_or_else(missing));
    let arenas = last("arenas").map(|word| kind(word.to_str()));
    let mut globals = globals.clone();
    let folders = matches.get_many::<OsString>("agents").into_iter().flatten();
    globals.agents.extend(folders.map(PathBuf::from));
    globals.force |= matches.get_flag("force");
    globals.findings = last("findings").map(PathBuf::from).or(globals.findings);
    globals.format = last("format").cloned().or(globals.format);
    globals.suppress = last("suppress").map(PathBuf::from).or(globals.suppress);
    let file = last("FILE").cloned().unwrap_or_default();
    play(
        &globals,
        &file,
        agent.transpose()?.as_ref(),
        arenas.transpose()?,
    )
}

/// The collector that is named behind --arenas.
fn kind(name: Option<&str>) -> Result<Kind, Failure> {
    name.and_then(Kind::from_name).ok_or_else(|| {
        let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        Failure::xrun(format!(
            "--arenas needs a model after it: {}",
            known.join(", ")
        ))
    })
}

fn play(
    globals: &Globals,
    file: &OsStr,
    agent: Option<&XrunOption>,
    arenas: Option<Kind>,
) -> Result<ExitCode, Failure> {
    let name = file.display();
    let wish = Wish::of(globals, &DIFFERENCES.map(|(kind, _)| kind))?;
    let (recording, library) = match opened(globals, file, agent) {
        Ok(both) => both,
        Err(failure) => {
            // What an earlier replay has found is not what this one has.
            if let Some(wish) = wish {
                let about = vec![("recording".to_owned(), name.to_string())];
                let mut suite = suite(about, &Err(failure.text.clone()));
                suite.ended.exit_code = failure.code.into();
                if let Err(other) = wish.write(std::slice::from_ref(&suite)) {
                    say::warn(&other.text);
                }
            }
            return Err(failure);
        }
    };
    // Named without options it gets those that were recorded.
    let options = agent.and_then(|agent| agent.options.as_deref());
    let options = options.map(|options| Some(raw_text::decode(options.as_bytes())));
    let mut about = Vec::new();
    for (name, value) in [
        ("agent", library.display().to_string()),
        ("recording", name.to_string()),
        ("VM", recording.header.vm.clone()),
        (
            "written by",
            format!("xrun {} replay", description::VERSION),
        ),
    ] {
        about.push((name.to_owned(), value));
    }
    let busy = Busy::with(format!("replay of {name}"));
    let terminal = Terminal {
        make_room: progress::end,
        say: say::warn,
    };
    let outcome = replay::replay(recording, &library, options, arenas, terminal);
    drop(busy);
    let mut suite = suite(about, &outcome);
    if let Some(mut wish) = wish {
        wish.apply(std::slice::from_mut(&mut suite));
        if outcome.is_ok() {
            suite.ended.exit_code = code_of(&suite);
        }
        wish.write(std::slice::from_ref(&suite))?;
    }
    let outcome = outcome.map_err(Failure::agent)?;
    say::warn(&format!("replay: {}", outcome.summary));
    replay::exit(code_of(&suite))
}

/// The recording, and the library to play it into.
fn opened(
    globals: &Globals,
    file: &OsStr,
    agent: Option<&XrunOption>,
) -> Result<(Recording<'static>, PathBuf), Failure> {
    let name = file.display();
    let recording = std::fs::File::open(file)
        .map_err(|error| error.to_string())
        .and_then(replay::open)
        .map_err(|error| Failure::xrun(format!("{name}: {error}")))?;
    for problem in recording.problems() {
        say::warn(&format!("{name}: {problem}"));
    }
    let recorded = OsString::from(&recording.header.agent);
    let library = find(globals, agent.map_or(&*recorded, |agent| &agent.name));
    if !library.as_os_str().is_empty() {
        return Ok((recording, library));
    }
    let is_jvmtis = recording
        .items()
        .any(|item| item.what.subject() == ENVIRONMENT);
    Err(Failure::xrun(if is_jvmtis {
        format!(
            "{name}: of an agent of JVMTI, which a replay has no VM for: `xrun trace stats` and `xrun compare` read it"
        )
    } else {
        format!(
            "{name}: which agent of JVMPI was recorded is unknown, if there was one; name one with --agent"
        )
    }))
}

/// What it ends with, by what is not known.
fn code_of(suite: &Suite) -> i32 {
    let open: Vec<&str> = suite.open(Severity::Error).map(|it| &*it.rule).collect();
    if open.contains(&NOT_REACHED) {
        NOT_TO_THE_END
    } else if open.is_empty() {
        0
    } else {
        NOT_EXACT
    }
}

/// What was found, for programs.
fn suite(about: Vec<(String, String)>, outcome: &Result<Outcome, String>) -> Suite {
    let rule = |(id, name): (&str, &str)| Rule {
        id: id.to_owned(),
        name: name.to_owned(),
        severity: Severity::Error,
    };
    let finding = |difference: &Difference| {
        let words = DIFFERENCES
            .iter()
            .find(|(kind, _)| *kind == difference.kind);
        Finding {
            rule: difference.kind.to_owned(),
            severity: Severity::Error,
            text: words.map_or("", |(_, words)| words).to_owned(),
            count: difference.count,
            place: None,
            suppressed: None,
        }
    };
    let found = outcome.iter().flat_map(|outcome| &outcome.differences);
    Suite {
        job: "replay".to_owned(),
        about,
        // Of an agent that did not start nothing is known.
        rules: outcome.iter().flat_map(|_| DIFFERENCES.map(rule)).collect(),
        findings: found.map(finding).collect(),
        ended: Ended {
            exit_code: i32::from(outcome.is_err()),
            problem: outcome.as_ref().err().cloned(),
        },
        is_once_each: false,
    }
}

/// A path as it is; a name where xrun looks for agents, and then where the linker does.
fn find(globals: &Globals, name: &OsStr) -> PathBuf {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return PathBuf::from(name);
    }
    let mut file = OsString::from(name);
    if !name.as_bytes().ends_with(b".so") {
        file = OsString::from("lib");
        file.push(name);
        file.push(".so");
    }
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let folders = globals.agents.iter().cloned();
    let here = name
        .as_bytes()
        .ends_with(b".so")
        .then(|| PathBuf::from("."));
    let mut places = folders
        .chain(here)
        .chain(own)
        .map(|folder| folder.join(&file));
    places.find(|place| place.exists()).unwrap_or(file.into())
}
