//! `xrun compare`: whether a port to JVMTI has seen what the agent that speaks JVMPI saw.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use comparison::rules::RULES;
use comparison::{Comparison, Observed, Wish, Wrong};
use findings::{Severity, Suite};
use migration::html;
use recording_file::RecordingFile;

use crate::base::output::{self, Kind, may_replace};
use crate::base::progress::Busy;
use crate::base::say::{self, Failure};
use crate::command_line::description;
use crate::command_line::request::Globals;
use crate::run::findings_file;

/// The exit code of a port that has not seen the same.
const DIFFERS: u8 = 3;

/// How verdicts are written.
enum Format {
    Text,
    Json,
    Junit,
}

/// Does it.
pub(crate) fn run(globals: &Globals, words: &[OsString]) -> Result<ExitCode, Failure> {
    let found = description::read(&["compare"], words)?;
    let all = |name: &str| found.get_many::<OsString>(name).into_iter().flatten();
    let last = |name: &str| all(name).last();
    let force = found.get_flag("force");
    let file = |name: &str, of_all: &Option<PathBuf>| {
        let own = last(name).map(PathBuf::from);
        own.or_else(|| of_all.clone())
    };
    // `--format` is that of stdout here.
    let to = Globals {
        findings: file("findings", &globals.findings),
        suppress: file("suppress", &globals.suppress),
        force: force || globals.force,
        ..Globals::default()
    };
    if let Some(path) = &to.findings
        && findings::Format::of_file(&path.to_string_lossy()).is_none()
    {
        return Err(Failure::xrun(format!(
            "compare: --findings {}: FILE.json or FILE.xml (--format is that of stdout)",
            path.display()
        )));
    }
    let rules: Vec<String> = RULES.iter().map(|rule| rule.id()).collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let known = findings_file::Wish::of(&to, &rules)?;
    let format = match last("format")
        .or(globals.format.as_ref())
        .map(|word| word.to_string_lossy())
    {
        None => Format::Text,
        Some(word) if word == "text" => Format::Text,
        Some(word) if word == "json" => Format::Json,
        Some(word) if word == "junit" => Format::Junit,
        Some(word) => {
            return Err(Failure::xrun(format!(
                "compare: --format {word}: there are text, json and junit"
            )));
        }
    };
    let page = last("out").map(output::filled_in).transpose()?;
    if let Some(page) = &page {
        may_replace(page, Kind::Page, force)?;
    }
    let agent = last("agent").map(|name| name.to_string_lossy().into_owned());
    let files: Vec<&Path> = all("FILES").map(Path::new).collect();
    let busy = Busy::with("compare".to_owned());
    let wish = Wish {
        agent: agent.as_deref(),
        force,
        strict: found.get_flag("strict"),
    };
    let comparison = match compared(&files, wish) {
        Ok(comparison) => comparison,
        Err(failure) => {
            if let Some(known) = &known {
                known.write_failure("compare", Vec::new(), &failure);
            }
            return Err(failure);
        }
    };
    if let Some(page) = &page {
        let markdown = comparison::markdown(&comparison);
        output::write(page, html::page(&markdown).as_bytes())?;
    }
    drop(busy);
    let mut suite = comparison::suite(&comparison);
    if let Some(mut known) = known {
        known.apply(std::slice::from_mut(&mut suite));
        suite.ended.exit_code = code_of(&suite).into();
        known.write(std::slice::from_ref(&suite))?;
    }
    let text = match format {
        Format::Text => comparison::text(&comparison),
        Format::Json => comparison::json(&comparison),
        Format::Junit => findings::junit(std::slice::from_ref(&suite)),
    };
    say::out(text.as_bytes())?;
    for finding in &suite.findings {
        if let Some(reason) = &finding.suppressed {
            say::warn(&format!("{} is known to differ: {reason}", finding.rule));
        }
    }
    Ok(ExitCode::from(code_of(&suite)))
}

/// What it ends with, by what is not known.
fn code_of(suite: &Suite) -> u8 {
    match suite.open(Severity::Error).next() {
        Some(_) => DIFFERS,
        None => 0,
    }
}

fn compared(files: &[&Path], wish: Wish<'_>) -> Result<Comparison, Failure> {
    let mut observed = Vec::new();
    for file in files {
        observed.push(read(file)?);
    }
    let Some((first, rest)) = observed.split_first() else {
        return Err(Failure::xrun("compare: which recordings?"));
    };
    let wrong = |wrong: Wrong| {
        let (file, cut_off) = match wrong {
            Wrong::NoOld => (files.first(), first.cut_off()),
            Wrong::NoPort => (files.last(), rest.first().unwrap_or(first).cut_off()),
            Wrong::Ports(_) | Wrong::NoSuchPort(_) => (files.last(), None),
            Wrong::Programs(..) => (None, None),
        };
        let file = file.map_or("compare".to_owned(), |file| file.display().to_string());
        let cut_off = cut_off.map_or(String::new(), |why| format!(" (it was cut off: {why})"));
        Failure::xrun(format!("{file}: {wrong}{cut_off}"))
    };
    comparison::compare(first, rest.first(), wish).map_err(wrong)
}

/// What of a recording counts; what was wrong with it stands in the notes of the comparison.
fn read(path: &Path) -> Result<Observed, Failure> {
    let wrong = |what: &str| Failure::xrun(format!("{}: {what}", path.display()));
    let file = File::open(path).and_then(RecordingFile::new);
    let file = file.map_err(|error| wrong(&error.to_string()))?;
    let recording = file
        .recording()
        .map_err(|error| wrong(&error.to_string()))?;
    Ok(Observed::of(&recording))
}
