//! Options that stood beside `-Xrun` and that VMs of today refuse, or do not obey, as what takes
//! their place.
//!
//! A VM that is given one of them ends before any agent is loaded. Left alone is what a VM still
//! takes with a warning of its own, and `-Djava.security.manager`, with a line: a program that was to
//! be confined does not run free because a word was left out.

mod table;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::java_command::{self, Origin, VARIABLES_BEFORE, VmOption};
use table::{G1, Instead, ROWS, Row, WithNone};

/// The end of each line of ours.
pub(crate) const KEEP: &str = "(--keep-options leaves it)";

/// The first JDK whose VM ends for `-Djava.security.manager`. What confines a program is never taken away.
const NOT_CONFINED: u32 = 24;

/// The oldest JDK that xrun runs on: what it does not take none takes.
const OLDEST: u32 = 11;

/// What became of one option.
#[derive(Debug, PartialEq, Eq)]
struct Replaced {
    words: Vec<OsString>,
    /// What is said of it.
    text: String,
}

/// Replaces in `args` what a VM of this version, unknown if `None`, does not take any more; a
/// line for each. What stands in `others` cannot be replaced, only told of.
pub(crate) fn replace(
    args: &mut Vec<OsString>,
    others: &[VmOption],
    version: Option<u32>,
) -> Vec<String> {
    let line = java_command::options_of_line(args, &java_command::read_argument_file);
    let has_collector = line
        .iter()
        .chain(others)
        .any(|it| names_collector(&it.word, version));
    let (mut edits, mut notes) = (Vec::new(), Vec::new());
    let (before, after): (Vec<_>, Vec<_>) = others.iter().partition(|option| is_read_first(option));
    // By whomever; in the order in which the VM reads them.
    let mut unlocked = None;
    for option in before.into_iter().chain(&line).chain(after) {
        if option.word == UNLOCKS {
            unlocked = Some(By::TheUser);
            continue;
        }
        let name = option.word.display();
        if is_refused_confinement(&option.word, version) {
            notes.push(format!(
                "{name}: no option since JDK {NOT_CONFINED}; it is left as it is, and the VM ends: \
                 no VM confines a program any more; run it on an older JDK, or without the option if it need not be confined"
            ));
            continue;
        }
        let Some(row) = row_of(&option.word, version) else {
            continue;
        };
        let is_locked = matches!(row.instead, Instead::Unlocked);
        if is_locked && unlocked == Some(By::TheUser) {
            continue;
        }
        let since = version_name(row.gone);
        let Replaced { mut words, text } = replaced(row, &option.word, has_collector);
        let place = match &option.origin {
            Origin::Line(index) => {
                notes.push(format!(
                    "{name}: no option since JDK {since}; {text} {KEEP}"
                ));
                if is_locked && unlocked.replace(By::Us).is_some() {
                    words.retain(|word| word != UNLOCKS);
                }
                edits.push((*index, words));
                continue;
            }
            Origin::File(file) => file.display().to_string(),
            Origin::Variable(name) => (*name).to_owned(),
        };
        notes.push(format!(
            "{name} stands in {place}, which is left as it is, and is no option since JDK {since}; in a java command line: {text}"
        ));
    }
    // From the end, so that what comes before keeps its place.
    for (index, words) in edits.into_iter().rev() {
        args.splice(index..=index, words);
    }
    notes
}

/// Who has unlocked what the VM keeps locked, in the words before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    TheUser,
    Us,
}

/// Whether it stands where the VM looks before it reads the command line.
fn is_read_first(option: &VmOption) -> bool {
    match &option.origin {
        Origin::Variable(name) => VARIABLES_BEFORE.contains(name),
        Origin::Line(_) | Origin::File(_) => false,
    }
}

/// Whether the VM ends because it is to confine the program.
fn is_refused_confinement(word: &OsStr, version: Option<u32>) -> bool {
    let rest = word.as_bytes().strip_prefix(b"-Djava.security.manager");
    let asks = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="));
    asks && rest != Some(b"=disallow") && version.is_some_and(|version| version >= NOT_CONFINED)
}

/// With it before them a VM passes over options that it does not know.
pub(crate) const FORGIVES: &str = "-XX:+IgnoreUnrecognizedVMOptions";
/// With it before them a VM takes those that it knows, but keeps locked.
pub(crate) const UNLOCKS: &str = "-XX:+UnlockDiagnosticVMOptions";

/// What a VM does with an option that it does not take as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not know it, and passes over it if told so by `FORGIVES`.
    Unknown,
    /// It takes it behind `UNLOCKS`; `FORGIVES` does not help.
    Locked,
    /// It knows it, and does not do what it says, whatever else is set.
    Known,
}

/// What a VM of this version does with an option, if it does not take it any more.
pub(crate) fn refusal(word: &OsStr, version: u32) -> Option<Refusal> {
    Some(match row_of(word, Some(version))?.instead {
        Instead::Unlocked => Refusal::Locked,
        Instead::Jars | Instead::BootPath | Instead::Without(..) => Refusal::Known,
        // A property is never unknown.
        Instead::Nothing(_) | Instead::Option(_) | Instead::Either(..) | Instead::Renamed(_) => {
            match word.as_bytes().starts_with(b"-D") {
                true => Refusal::Known,
                false => Refusal::Unknown,
            }
        }
    })
}

/// The row of an option that is gone in this version; in all of them, if it is unknown: a VM may obey the others.
fn row_of(word: &OsStr, version: Option<u32>) -> Option<&'static Row> {
    let version = version.unwrap_or(OLDEST);
    let is_gone = |row: &&Row| version >= row.gone;
    ROWS.iter()
        .filter(is_gone)
        .find(|row| row.names.split_whitespace().any(|name| fits(name, word)))
        .filter(|row| !matches!(row.instead, Instead::Without(gone, ..) if !parts_of(word).any(|part| is_of(part, gone))))
}

/// Whether a name of the table stands for this word.
fn fits(name: &str, word: &OsStr) -> bool {
    let mut word = word.as_bytes();
    let mut name = name.as_bytes();
    if let (Some(flag), Some(of_table)) = (word.strip_prefix(b"-XX:"), name.strip_prefix(b"-XX:")) {
        let flag = flag
            .strip_prefix(b"+")
            .or(flag.strip_prefix(b"-"))
            .unwrap_or(flag);
        word = flag.split(|&b| b == b'=').next().unwrap_or(flag);
        name = of_table;
    }
    match name.strip_suffix(b"*") {
        Some(beginning) => word.starts_with(beginning),
        None => word == name,
    }
}

/// Whether it asks for a collector that this VM has; it refuses two.
fn names_collector(word: &OsStr, version: Option<u32>) -> bool {
    let name = word.to_str().and_then(|word| word.strip_prefix("-XX:+Use"));
    match name.and_then(|name| name.strip_suffix("GC")) {
        Some("Serial" | "Parallel" | "ParallelOld" | "G1" | "Z" | "Shenandoah") => true,
        Some("ConcMarkSweep") => row_of(word, version).is_none(),
        _ => false,
    }
}

/// `has_collector`: another option asks for one.
fn replaced(row: &Row, word: &OsStr, has_collector: bool) -> Replaced {
    let is_off = word.as_bytes().starts_with(b"-XX:-") || word.as_bytes().ends_with(b"=0");
    let mut words = Vec::new();
    let instead = match row.instead {
        Instead::Option(_) if is_off => "left out".to_owned(),
        Instead::Option(G1) if has_collector => {
            "left out, as another collector is named".to_owned()
        }
        Instead::Nothing(why) => format!("left out, {why}"),
        Instead::Option(option) => stands_for_it(option.into(), &mut words),
        Instead::Either(on, off) => stands_for_it(if is_off { off } else { on }.into(), &mut words),
        Instead::Unlocked => {
            words.push(UNLOCKS.into());
            words.push(word.to_owned());
            format!("{UNLOCKS} stands before it")
        }
        Instead::Renamed(name) => stands_for_it(
            [name.as_bytes(), value(word).as_bytes()].concat(),
            &mut words,
        ),
        Instead::Without(gone, why, left) => without(word, gone, (why, left), &mut words),
        Instead::Jars => behind_the_jdk(&jars_in(value(word)), &mut words),
        Instead::BootPath => behind_the_jdk(&own_files(value(word)), &mut words),
    };
    Replaced {
        words,
        text: instead,
    }
}

/// `1.4` of 4.
fn version_name(version: u32) -> String {
    match version {
        ..5 => format!("1.{version}"),
        _ => version.to_string(),
    }
}

/// What stands behind the first `=` or `:`.
fn value(word: &OsStr) -> &OsStr {
    let word = word.as_bytes();
    let at = word.iter().position(|b| b"=:".contains(b));
    OsStr::from_bytes(at.and_then(|at| word.get(at + 1..)).unwrap_or_default())
}

/// The parts of `-XX:Name=part,part`.
fn parts_of(word: &OsStr) -> impl Iterator<Item = &[u8]> {
    let mut halves = word.as_bytes().splitn(2, |&b| b == b'=');
    halves
        .nth(1)
        .into_iter()
        .flat_map(|value| value.split(|&b| b == b','))
}

/// Whether a part, `name=value`, has one of these names.
fn is_of(part: &[u8], names: &str) -> bool {
    let name = part.split(|&b| b == b'=').next();
    names
        .split_whitespace()
        .any(|it| Some(it.as_bytes()) == name)
}

/// The option with what is left of its parts; of one with none `left` says what becomes. `why` is said
/// of the others.
fn without(
    word: &OsStr,
    gone: &str,
    (why, left): (&str, WithNone),
    words: &mut Vec<OsString>,
) -> String {
    let kept: Vec<&[u8]> = parts_of(word).filter(|part| !is_of(part, gone)).collect();
    let name = word.as_bytes().split(|&b| b == b'=').next();
    let name = name.unwrap_or_default();
    let whole = match (kept.is_empty(), left) {
        (true, WithNone::MeansNothing) => return format!("left out, {why}"),
        (true, WithNone::MeansItself) => name.to_owned(),
        (false, WithNone::MeansNothing | WithNone::MeansItself) => {
            [name, &kept.join(&b',')].join(&b'=')
        }
    };
    format!("{}, {why}", stands_for_it(whole, words))
}

fn stands_for_it(option: Vec<u8>, words: &mut Vec<OsString>) -> String {
    let option = OsString::from_vec(option);
    let said = format!("{} stands for it", option.display());
    words.push(option);
    said
}

/// `-Xbootclasspath/a` with these files, if there are any.
fn behind_the_jdk(files: &[PathBuf], words: &mut Vec<OsString>) -> String {
    if files.is_empty() {
        return "left out, nothing of the program's own is there".to_owned();
    }
    let names: Vec<&OsStr> = files.iter().map(|file| file.as_os_str()).collect();
    let mut word = OsString::from("-Xbootclasspath/a:");
    word.push(names.join(OsStr::new(":")));
    let said = format!(
        "{} stands for it, behind the JDK's own classes",
        word.display()
    );
    words.push(word);
    said
}

fn entries(path: &OsStr) -> impl Iterator<Item = &Path> {
    let entries = path.as_bytes().split(|&b| b == b':');
    entries
        .filter(|entry| !entry.is_empty())
        .map(|entry| Path::new(OsStr::from_bytes(entry)))
}

/// The jars in the folders of `-Djava.ext.dirs` and its like, but for a JDK's own: servers have folders of
/// the same names.
fn jars_in(path: &OsStr) -> Vec<PathBuf> {
    let is_jdks = |folder: &Path| {
        let is_named = folder.ends_with("lib/ext") || folder.ends_with("lib/endorsed");
        is_named
            && folder
                .parent()
                .is_some_and(|lib| lib.join("rt.jar").exists())
    };
    let mut jars = Vec::new();
    for folder in entries(path).filter(|folder| !is_jdks(folder)) {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = files
            .map(|file| file.path())
            .filter(|file| {
                file.extension()
                    .is_some_and(|end| end == "jar" || end == "zip")
            })
            .collect();
        found.sort();
        jars.extend(found);
    }
    jars
}

/// What of `-Xbootclasspath:` is there and none of a JDK's own files.
fn own_files(path: &OsStr) -> Vec<PathBuf> {
    let is_own = |file: &&Path| {
        let in_jdk =
            file.components().any(|part| part.as_os_str() == "jre") || file.ends_with("rt.jar");
        !in_jdk && file.exists()
    };
    entries(path).filter(is_own).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests;
