//! `xrun replay`: a recording, played into an agent without a JVM.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use ::replay::{DIFFERENCES, Difference, NOT_REACHED, Outcome, Terminal};
use arena_models::Kind;
use findings::{Ended, Finding, Rule, Severity, Suite};
use recording_format::jvmti::Definition;
use recording_format::{NO_END, Recording, Subject};
use terminal_text::raw_text;

use crate::base::progress::{self, Busy};
use crate::base::say::{self, Failure};
use crate::command_line::agent::XrunOption;
use crate::command_line::description;
use crate::command_line::request::Globals;
use crate::libraries::elf::Target;
use crate::libraries::find::{Search, file_of};
use crate::run::context::Context;
use crate::run::findings_file::Wish;

/// What is done, in files of findings.
const JOB: &str = "replay";
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
            if let Some(wish) = wish {
                let about = vec![("recording".to_owned(), name.to_string())];
                wish.write_failure(JOB, about, &failure);
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
    let lost = lost(recording.problems());
    let outcome = replay::replay(recording, &library, options, arenas, terminal);
    drop(busy);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        // Of an agent that did not start nothing is known.
        Err(why) => {
            let failure = Failure::agent(why);
            if let Some(wish) = wish {
                wish.write_failure(JOB, about, &failure);
            }
            return Err(failure);
        }
    };
    if lost.is_none() && !outcome.has_end {
        say::warn(&format!("{name}: {NO_END}"));
    }
    let mut suite = suite(about, &outcome, lost);
    if let Some(mut wish) = wish {
        wish.apply(std::slice::from_mut(&mut suite));
        suite.ended.exit_code = code_of(&suite);
        wish.write(std::slice::from_ref(&suite))?;
    }
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
    let library = find(globals, agent.map_or(&*recorded, |agent| &agent.name))?;
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

/// Why not all could be played, in one line, if the file has not all that was recorded.
fn lost(problems: &[String]) -> Option<String> {
    let (first, others) = problems.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    Some(format!(
        "not all that was recorded could be played: {first}{others}"
    ))
}

/// What it ends with, by what is not known.
fn code_of(suite: &Suite) -> i32 {
    let open: Vec<&str> = suite.open(Severity::Error).map(|it| &*it.rule).collect();
    // With what is lost go answers: what the agent did otherwise may be for that.
    if open.contains(&NOT_REACHED) || suite.ended.problem.is_some() {
        NOT_TO_THE_END
    } else if !open.is_empty() {
        NOT_EXACT
    } else {
        0
    }
}

/// What was found, for programs.
fn suite(about: Vec<(String, String)>, outcome: &Outcome, lost: Option<String>) -> Suite {
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
    Suite {
        job: JOB.to_owned(),
        about,
        rules: DIFFERENCES.map(rule).into(),
        findings: outcome.differences.iter().map(finding).collect(),
        ended: Ended {
            exit_code: 0,
            problem: lost,
        },
        is_once_each: false,
    }
}

/// A path as it is; a name where `xrun java` would look for it, but for the JDK, and then where the linker does.
fn find(globals: &Globals, name: &OsStr) -> Result<PathBuf, Failure> {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    let context = Context::new(globals)?;
    let search = Search {
        // It is played in this process.
        host32: None,
        ..context.search(Vec::new(), Target::OWN)
    };
    Ok(look(search, name))
}

/// That of a file may be of one that lies here.
fn look(mut search: Search, name: &OsStr) -> PathBuf {
    let file = if name.as_bytes().ends_with(b".so") {
        search.agents.push(PathBuf::from("."));
        name.to_owned()
    } else {
        file_of(name)
    };
    match search.find_file(&file) {
        Ok(found) => found.path,
        // The linker says what is wrong with the first one that is there.
        Err(missing) => {
            let unfit = missing.unfit.into_iter().next();
            unfit.map_or(file.into(), |(path, _)| path)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::test_folder::Folder;

    #[test]
    fn what_is_lost_is_said_by_the_exit_code() {
        let code = |lost: &[&str], kinds: &[&'static str]| {
            let lost: Vec<String> = lost.iter().map(|&line| line.to_owned()).collect();
            let differences = kinds.iter().map(|&kind| Difference { kind, count: 1 });
            let outcome = Outcome {
                summary: String::new(),
                differences: differences.collect(),
                has_end: true,
            };
            let suite = suite(Vec::new(), &outcome, super::lost(&lost));
            (code_of(&suite), suite.ended.problem)
        };
        assert_eq!(code(&[], &[]), (0, None));
        let whole = "not all that was recorded could be played: block 1 is damaged (and 1 more)";
        let lost = ["block 1 is damaged", "block 2 is damaged"];
        assert_eq!(code(&lost, &[]), (4, Some(whole.to_owned())));
        assert_eq!(code(&lost, &["left-out"]).0, 4);
        assert_eq!(code(&[], &[NOT_REACHED, "left-out"]).0, 4);
    }

    #[test]
    fn agents_are_where_those_of_runs_are() {
        let folder = Folder::new("replay-search");
        let content = std::fs::read(folder.library("libmodel.so", &["JVM_OnLoad"])).unwrap();
        let search = || Search {
            boot: Vec::new(),
            agents: vec![folder.path("agents")],
            library_path: vec![folder.path("ld")],
            own: Some(folder.path("own")),
            system: |_| Vec::new(),
            target: Target::OWN,
            host32: None,
        };
        let looked = |name: &str| look(search(), OsStr::new(name));
        assert_eq!(looked("foo"), Path::new("libfoo.so"));
        let other = folder.file("own/libfoo.so", b"of another machine");
        assert_eq!(looked("foo"), other);
        for place in ["own", "ld", "agents"] {
            let path = folder.file(&format!("{place}/libfoo.so"), &content);
            assert_eq!(looked("foo"), path);
            assert_eq!(looked("libfoo.so"), path);
        }
    }
}
