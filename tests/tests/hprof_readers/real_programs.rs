//! Every mode in every format on programs that people run: they do what they do without, and
//! what is written is read to its end and names them.

use std::fmt::Write as _;

use serde_json::Value;
use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, MATRIX, each_jdk, not_run};
use xrun_tests::product;
use xrun_tests::programs::{Program, program};
use xrun_tests::run::{Java, Run};

use super::binary;

const FORMATS: [&str; 5] = ["a", "b", "collapsed", "json", "flame"];

const MODES: [&str; 7] = [
    "heap=sites",
    "heap=dump",
    "heap=all",
    "cpu=samples,interval=1",
    "cpu=times",
    "cpu=old",
    "monitor=y",
];

/// The cells, ordered so that whoever gets a part of them gets some of each mode and format.
fn cells() -> Vec<(&'static str, &'static str)> {
    let number = MODES.len() * FORMATS.len();
    let all = (0..number).map(|at| (MODES[at % MODES.len()], FORMATS[at % FORMATS.len()]));
    let refused = |format| match format {
        "a" => &[][..],
        "b" => &["cpu=times", "cpu=old", "monitor=y"],
        _ => &["heap=dump", "heap=all"],
    };
    all.filter(|(mode, format)| !refused(*format).contains(mode))
        .collect()
}

/// A class that every profile of the program with these options has to name.
fn witness(name: &str, mode: &str) -> Option<&'static str> {
    match (name, mode) {
        (_, "monitor=y") => None,
        ("javac", _) => Some("com.sun.tools.javac."),
        ("fop", _) => Some("org.apache.fop."),
        _ => Some("org.h2."),
    }
}

fn each(number: usize, name: &str) {
    product::hprof();
    each_jdk(|jdk| {
        let place = MATRIX.iter().position(|row| row.major == jdk.major);
        // Two of them, others for each program and JDK, but for the long form.
        let mine = (4 * number + place.unwrap_or(0)) % 16;
        let wanted = cells().into_iter().enumerate();
        let wanted = wanted.filter(|(at, _)| xrun_tests::long() || at % 16 == mine);
        let plain = match run(jdk, name, None) {
            Ok((plain, _)) => plain.exits(0),
            Err(missing) => return not_run(&format!("JDK {}", jdk.major), missing),
        };
        let mut wrong = String::new();
        for (_, (mode, format)) in wanted {
            if std::panic::catch_unwind(|| try_cell(jdk, name, mode, format, &plain)).is_err() {
                let _ = writeln!(wrong, "{mode},format={format}");
            }
        }
        assert!(wrong.is_empty(), "{jdk}, {name}:\n{wrong}");
    });
}

type Files = &'static [&'static str];

/// The program with HPROF and these options, or without; and what it leaves.
fn run(jdk: &Jdk, name: &str, options: Option<String>) -> Result<(Run, Files), &'static str> {
    let java = match options {
        None => Java::of(jdk),
        Some(options) => Java::with_shim(jdk).arg(format!("-Xrunhprof:{options}")),
    };
    let Program { words, files } = program(name, jdk, java.folder())?;
    Ok((java.limit(300).args(words).run(), files))
}

fn try_cell(jdk: &Jdk, name: &str, mode: &str, format: &str, plain: &Run) {
    let options = format!("{mode},format={format},cutoff=0,file=profile");
    let (run, files) = run(jdk, name, Some(options)).expect("it was there");
    let run = run.exits(0);
    assert_eq!(run.stdout, plain.stdout, "{run}");
    for file in files {
        assert!(
            run.bytes(file) == plain.bytes(file),
            "{file} differs: {run}"
        );
    }
    let said = run.stderr.lines().filter(|line| line.starts_with("xrun"));
    assert_eq!(said.count(), 0, "{run}");
    check_profile(&run, format, witness(name, mode));
}

fn check_profile(run: &Run, format: &str, witness: Option<&str>) {
    let named = match format {
        "b" => {
            let binary = binary::read(&run.bytes("profile"));
            let slashes = witness.map(|name| name.replace('.', "/"));
            slashes.is_none_or(|name| binary.strings.values().any(|one| one.contains(&name)))
        }
        _ => {
            let text = run.file("profile");
            let read = match format {
                "a" => hprof_ascii::read(&text)
                    .map(drop)
                    .or_else(|error| hprof_ascii::read_old(&text).map(drop).map_err(|_| error)),
                "json" => serde_json::from_str::<Value>(&text)
                    .map(drop)
                    .map_err(|error| error.to_string()),
                "flame" => page_data(&text).map(drop),
                _ => stacks(&text),
            };
            read.unwrap_or_else(|error| panic!("{error}\n{run}"));
            witness.is_none_or(|name| text.contains(name))
        }
    };
    assert!(named, "{witness:?} is not named: {run}");
}

/// The data that a page with flame graphs carries.
pub(super) fn page_data(page: &str) -> Result<Value, String> {
    let data = page
        .split_once("id=\"data\">")
        .and_then(|(_, rest)| rest.split_once("</script"));
    let (data, _) = data.ok_or("no data in the page")?;
    serde_json::from_str(data).map_err(|error| error.to_string())
}

fn stacks(text: &str) -> Result<(), String> {
    for line in text.lines() {
        let weight = line
            .rsplit_once(' ')
            .and_then(|(_, weight)| weight.parse::<u64>().ok());
        weight.ok_or_else(|| line.to_owned())?;
    }
    Ok(())
}

#[test]
fn every_cell_is_there() {
    let cells = cells();
    assert_eq!(cells.len(), 7 * 5 - 3 - 3 * 2);
    assert!((1..cells.len()).all(|at| !cells[..at].contains(&cells[at])));
}

#[test]
fn of_javac() {
    each(0, "javac");
}

#[test]
fn of_fop() {
    each(1, "fop");
}

#[test]
fn of_h2() {
    each(2, "h2");
}
