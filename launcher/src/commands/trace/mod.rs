//! `xrun trace dump|stats|filter|diff|export`: what stands in recordings.
//!
//! `xrun trace -o FILE COMMAND` is no business of this module: it runs the command with
//! the option `trace=FILE` ([`crate::command_line::args`]).

mod choose;
mod export;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use recording_file::RecordingFile;
use recording_format::{Recording, What, Writer};
use trace_views::{Diff, Wish, diff};

use crate::base::output::{self, Kind, may_replace};
use crate::base::progress::Busy;
use crate::base::say::{self, Failure};
use choose::{Choice, Chooser};

/// The exit code of `diff` where there was nothing to compare.
const NOTHING_COMPARED: u8 = 4;

/// Does the job that the words name.
pub(crate) fn run(job: &str, words: &[OsString]) -> Result<ExitCode, Failure> {
    let choice = Choice::parse(job, words)?;
    // What dump writes is progress enough, and may go to the same terminal.
    let _busy = (job != "dump").then(|| Busy::with(format!("trace {job}")));
    match (job, choice.files.as_slice()) {
        ("dump", [file]) => with_recording(file, |recording| dump(recording, &choice)),
        ("stats", [file]) => with_recording(file, |recording| {
            let text = match choice.json {
                true => trace_views::stats_json(recording),
                false => trace_views::stats(recording),
            };
            say::out(text.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }),
        ("filter", [file]) => with_recording(file, |recording| filter(recording, &choice)),
        ("diff", [a, b]) => {
            with_recording(a, |a| with_recording(b, |b| compare(a, b, choice.wish)))
        }
        ("export", _) => export::export(&choice),
        _ => Err(Failure::xrun(format!("trace {job}: which recording?"))),
    }
}

/// Reads a recording; what is wrong with it costs a line each, not its use.
pub(crate) fn with_recording<T>(
    path: &OsStr,
    body: impl FnOnce(&Recording<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let name = path.display();
    let file = File::open(path).and_then(RecordingFile::new);
    let file = file.map_err(|error| Failure::xrun(format!("{name}: {error}")))?;
    let recording = file.recording();
    let recording = recording.map_err(|error| Failure::xrun(format!("{name}: {error}")))?;
    for problem in recording.problems() {
        say::warn(&format!("{name}: {problem}"));
    }
    body(&recording)
}

fn dump(recording: &Recording<'_>, choice: &Choice) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut chooser = Chooser::new(choice);
    for item in recording.items() {
        let Some(depth) = chooser.depth(&item) else {
            continue;
        };
        let line = if choice.json {
            trace_views::json(&item, depth)
        } else {
            trace_views::line(&item, depth)
        };
        let result = writeln!(out, "{line}");
        if result.is_err() {
            return say::written(result).map(|()| ExitCode::SUCCESS);
        }
    }
    say::written(out.flush()).map(|()| ExitCode::SUCCESS)
}

fn filter(recording: &Recording<'_>, choice: &Choice) -> Result<ExitCode, Failure> {
    let Some(path) = &choice.out else {
        return Err(Failure::xrun("trace filter needs -o OUT"));
    };
    let path = output::filled_in(path)?;
    may_replace(&path, Kind::Recording, choice.force)?;
    let mut writer = Writer::new(&recording.header);
    for thread in recording.threads() {
        writer.thread(thread.number, thread.tid);
    }
    let mut chooser = Chooser::new(choice);
    for item in recording.items() {
        // What ids and environments are called is wanted by whatever part has them.
        let is_name = matches!(item.what, What::Defined { .. });
        if chooser.depth(&item).is_some() || is_name {
            writer.add(&item);
        }
    }
    output::write(&path, &writer.finish())?;
    Ok(ExitCode::SUCCESS)
}

fn compare(a: &Recording<'_>, b: &Recording<'_>, wish: Wish) -> Result<ExitCode, Failure> {
    let found = diff(a, b, wish);
    for line in &found.notes {
        say::warn(line);
    }
    let (text, code) = verdict(&found);
    say::out(text.as_bytes())?;
    Ok(ExitCode::from(code))
}

/// What is said of it, and the exit code.
fn verdict(found: &Diff) -> (Cow<'_, str>, u8) {
    match (&found.difference, found.compared) {
        (Some(text), _) => (text.into(), 1),
        (None, 0) => (
            "nothing to compare: there is nothing that both have to have\n".into(),
            NOTHING_COMPARED,
        ),
        (None, compared) => (
            format!("same: {compared} events and calls compared\n").into(),
            0,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// README's table has these.
    #[test]
    fn that_nothing_was_compared_is_not_that_they_are_the_same() {
        let found = |difference: Option<&str>, compared: u64| Diff {
            difference: difference.map(str::to_owned),
            compared,
            ..Diff::default()
        };
        let said = |difference, compared| {
            let found = found(difference, compared);
            let (text, code) = verdict(&found);
            (text.into_owned(), code)
        };
        let (text, code) = said(None, 0);
        assert!(text.starts_with("nothing to compare"), "{text}");
        assert_eq!(code, 4);
        assert_eq!(said(None, 7).1, 0);
        // What an agent does in handlers that are not compared one by one may differ all the same.
        assert_eq!(said(Some("habits\n"), 0), ("habits\n".to_owned(), 1));
    }
}
