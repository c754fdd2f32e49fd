//! The table of events and functions names the tests that prove each row: they
//! exist, and no row that claims to work goes without.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use event_translate::table::{EVENTS, FUNCTIONS, Mark};
use matrix::jdks;
use matrix::jdks::{DEALT_OUT, ON_EACH_COLLECTOR};
use matrix::virtual_threads::SHOWN_BY;
use xrun_tests::collector::COLLECTORS;

/// The names of all test functions of this crate, as `file::function`; of a test in a folder
/// `folder::function` for its mod.rs, and `folder::file::function`.
fn tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    add_tests(&folder, "", &mut names);
    names
}

fn add_tests(folder: &Path, before: &str, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            add_tests(&path, &format!("{before}{stem}::"), names);
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let module = match &*stem {
            "mod" => before.to_owned(),
            stem => format!("{before}{stem}::"),
        };
        let source = std::fs::read_to_string(&path).unwrap();
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            if line.trim() != "#[test]" {
                continue;
            }
            // Attributes may stand between.
            let name = lines
                .by_ref()
                .find_map(|line| line.trim().strip_prefix("fn "))
                .and_then(|rest| rest.split('(').next())
                .unwrap_or_else(|| panic!("{}: #[test] without a function", path.display()));
            names.insert(format!("{module}{name}"));
        }
    }
}

/// A file of tests that `main.rs` does not name would never run.
#[test]
fn each_test_is_in_this_program() {
    let program = std::env::current_exe().unwrap();
    let listed = Command::new(program).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    assert_eq!(listed.map(str::to_owned).collect::<BTreeSet<_>>(), tests());
}

/// The lists of tests name such as there are: what `./check --arm` runs, what takes long, and what runs or cannot run
/// in a JVM of 32 bits, where a name may be that of a module.
#[test]
fn lists_of_tests_name_tests() {
    let tests = tests();
    let for_arm = include_str!("../arm_tests.txt").lines();
    let for_arm = for_arm.filter(|line| !line.starts_with('#'));
    let for_arm = for_arm.filter_map(|line| line.split_whitespace().last());
    let long = include_str!("../long_tests.txt").lines();
    let long = long.filter_map(|line| line.split_whitespace().nth(1));
    let missing: Vec<_> = for_arm
        .chain(long)
        .filter(|&name| !tests.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let for_i386 = include_str!("../i386_tests.txt").lines();
    let for_i386 = for_i386.filter(|line| !line.starts_with('#') && !line.is_empty());
    let missing: Vec<_> = for_i386
        .filter(|line| match line.strip_prefix("- ") {
            None => !tests.contains(*line),
            Some(rest) => {
                let name = rest.split(' ').next().unwrap_or_default();
                let module = format!("{name}::");
                !tests.contains(name) && !tests.iter().any(|test| test.starts_with(&module))
            }
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Each row's name, mark and tests.
fn rows() -> Vec<(&'static str, Mark, &'static [&'static str])> {
    let events = EVENTS.iter().map(|row| (row.name, row.mark, row.tested_by));
    let functions = FUNCTIONS
        .iter()
        .map(|row| (row.name, row.mark, row.tested_by));
    events.chain(functions).collect()
}

#[test]
fn tests_named_in_the_table_exist() {
    let tests = tests();
    assert!(
        tests.contains("matrix::tests_named_in_the_table_exist"),
        "{tests:?}"
    );
    let rows = rows().into_iter().map(|(name, _, named)| (name, named));
    let missing: Vec<String> = rows
        .chain(SHOWN_BY)
        .flat_map(|(name, named)| named.iter().map(move |test| (name, test)))
        .filter(|(_, test)| !tests.contains(**test))
        .map(|(name, test)| format!("{name}: {test}"))
        .collect();
    assert!(
        missing.is_empty(),
        "no such tests: {missing:#?}\nthere are: {tests:#?}"
    );
}

/// Each stands in the table of what virtual threads have.
#[test]
fn tests_of_virtual_threads_are_named() {
    let named = SHOWN_BY.iter().flat_map(|(_, tests)| *tests);
    let named: BTreeSet<_> = named.map(|test| (*test).to_owned()).collect();
    let mut all = tests();
    all.retain(|name| name.contains("virtual_") && !name.starts_with("matrix::"));
    assert_eq!(named, all);
}

/// MATRIX.md says on which collectors tests run.
#[test]
fn tests_run_on_the_collectors_they_are_said_to() {
    let body_of = |file: &str, name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let source = std::fs::read_to_string(folder.join(file).with_extension("rs")).unwrap();
        let start = source.find(&format!("fn {name}(")).expect(name);
        let rest = &source[start..];
        rest[..rest.find("\n}\n").expect("an end")].to_owned()
    };
    for (tests, call) in [
        (&ON_EACH_COLLECTOR[..], "each_collector("),
        (&DEALT_OUT[..], "rotated("),
    ] {
        for test in tests {
            let (file, name) = test.split_once("::").expect("a file and a test");
            let body = body_of(file, name);
            let helped = body.contains("models(") && body_of(file, "models").contains(call);
            assert!(helped || body.contains(call), "{test}: no {call}");
        }
    }
    for (collector, name) in COLLECTORS.iter().zip(jdks::COLLECTORS) {
        assert_eq!(collector.name, name);
    }
}

#[test]
fn what_works_is_tested() {
    let rows = rows();
    assert_eq!(rows.len(), 37 + 28);
    let untested: Vec<&str> = rows
        .iter()
        .filter(|(_, mark, tests)| mark.works() && tests.is_empty())
        .map(|(name, ..)| *name)
        .collect();
    assert!(
        untested.is_empty(),
        "rows that claim to work, without a test: {untested:?}"
    );
}
