//! `xrun trace export`: recordings as tables, which data engines read.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use recording_tables::{Counted, Place};

use super::choose::Choice;
use super::with_recording;
use crate::base::output::{self, Kind, may_replace};
use crate::base::say::{self, Failure};

/// Does it: what cannot be read, or has nothing for tables, costs a line; the others are exported.
pub(super) fn export(choice: &Choice) -> Result<ExitCode, Failure> {
    let Some(folder) = &choice.parquet else {
        return Err(Failure::xrun("trace export needs --parquet DIR"));
    };
    let folder = &output::filled_in(folder)?;
    let mut names = HashSet::new();
    let mut all = Counted::default();
    let (mut bad, mut lacking) = (0, 0);
    for file in &choice.files {
        let process = name_of(file, &mut names);
        match one(folder, file, &process, choice.force) {
            Ok(counted) => {
                all.events += counted.events;
                all.calls += counted.calls;
                if counted.events + counted.calls == 0 {
                    say::warn(&format!(
                        "{}: nothing that an agent of JVMPI's has heard or called is in it, and what others hear \
                         and call is in no table: xrun trace dump shows it",
                        file.display()
                    ));
                    lacking += 1;
                }
            }
            Err(failure) => {
                say::warn(&failure.text);
                bad += 1;
            }
        }
    }
    let whole = choice.files.len() - bad;
    if whole == 0 {
        return Err(Failure::xrun("trace export: no recording was exported"));
    }
    say::warn(&format!(
        "{}: {} events and {} calls of {whole} recording{}",
        folder.display(),
        all.events,
        all.calls,
        if whole == 1 { "" } else { "s" },
    ));
    Ok(if bad + lacking == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn one(folder: &Path, file: &OsString, process: &str, force: bool) -> Result<Counted, Failure> {
    let place = Place { folder, process };
    for path in place.files() {
        may_replace(&path, Kind::Table, force)?;
    }
    with_recording(file, |recording| {
        recording_tables::export(recording, &file.to_string_lossy(), place)
            .map_err(|error| Failure::xrun(error.to_string()))
    })
}

/// What a recording's process is called: its file's name without what stands at the end, in
/// letters that need no escape in a path; another one of that name gets a number.
fn name_of(file: &OsString, names: &mut HashSet<String>) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let plain = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' => letter,
        _ => '_',
    };
    let stem: String = stem.to_string_lossy().chars().map(plain).collect();
    let mut name = stem.clone();
    let mut number = 1;
    while !names.insert(name.clone()) {
        number += 1;
        name = format!("{stem}-{number}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_a_name_each() {
        let mut names = HashSet::new();
        let mut name = |file: &str| name_of(&file.into(), &mut names);
        assert_eq!(name("a/run-7.rec"), "run-7");
        assert_eq!(name("b/run-7.rec"), "run-7-2");
        assert_eq!(name("c/run-7.rec"), "run-7-3");
        assert_eq!(name("run-7-2.rec"), "run-7-2-2");
        assert_eq!(name("of h/a=b%.rec"), "a_b_");
    }
}
