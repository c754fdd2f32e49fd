//! Sets the faults of `tests/mutants` into a copy of the workspace, one after the other, and
//! says whether the tests that each names notice it.
//!
//!     cargo run -p xrun-tests --example mutants [NAME…]        (`./check --mutants` does)
//!
//! The copy lies in `target/mutants/tree`, what is built of it beside that. Only files that
//! differ are written, so one fault builds one crate and what depends on it. They are set in the
//! order of the files that they stand in: to take one back builds no crate that the next one does not.
//!
//! What was as expected is written to `target/mutants/verdicts.txt`, and not tried again while
//! the sources stay as they are: a list that was stopped goes on. All else is tried again.
//!
//! Longer than most by what is done to one copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::Instant;

use xrun_tests::faults::record::{self, Record};
use xrun_tests::faults::{self, Fault, Source};
use xrun_tests::{target, workspace};

type Result<T, E = String> = std::result::Result<T, E>;

/// No build and no call of `cargo test` takes as long on a busy machine: a fault that makes
/// the product hang ends here.
const MINUTES: &str = "20m";

/// So many calls of `cargo test` are run as one where there is no fault.
const TOGETHER: usize = 12;

/// The product as fast as it can be built: what is asked is whether tests see a fault. Many
/// small parts: one line builds few of them again.
const BUILT_FAST: [(&str, &str); 6] = [
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "true"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(names: Vec<String>) -> Result<bool> {
    let faults = chosen(names)?;
    let (copy, mut record) = Copy::make()?;
    let sources = faults::product_sources()?;
    let (known, mut faults): (Vec<Fault>, Vec<Fault>) = faults
        .into_iter()
        .partition(|fault| record.verdict(&record::subject(fault)).is_some());
    faults.sort_by_cached_key(|fault| fault.place(&sources).ok().map(|source| &source.path));
    for fault in &known {
        let verdict = record.verdict(&record::subject(fault));
        println!("as before: {} {}", fault.name, verdict.unwrap_or_default());
    }
    let all = known.len() + faults.len();
    let mut good = known.len();
    let without = without_faults(&copy, &faults, &mut record)?;
    for fault in &faults {
        let from = Instant::now();
        let verdict = match &without[&call(fault)] {
            Verdict::Nothing => one(&copy, fault, &sources)?,
            already => Verdict::NotApplied(format!("without the fault: {}", already.text())),
        };
        if verdict.good(fault) {
            good += 1;
            record.add(&record::subject(fault), verdict.text())?;
        }
        println!(
            "{:<16} {} ({}) {} s",
            verdict.text(),
            fault.name,
            fault.says.what,
            from.elapsed().as_secs()
        );
        if let Verdict::Caught(test) = &verdict {
            println!("{:<16} by {test}", "");
        }
        match (&fault.says.equivalent, &verdict) {
            (Some(why), Verdict::Nothing) => println!("{:<16} expected: {why}", ""),
            (Some(_), Verdict::Caught(_)) => println!("{:<16} but called equivalent", ""),
            _ => {}
        }
    }
    println!("{good} of {all} faults as expected");
    Ok(good == all)
}

fn chosen(names: Vec<String>) -> Result<Vec<Fault>> {
    let mut faults = faults::all()?;
    if let Some(name) = names
        .iter()
        .find(|name| faults.iter().all(|fault| fault.name != **name))
    {
        return Err(format!("there is no tests/mutants/{name}.toml"));
    }
    faults.retain(|fault| names.is_empty() || names.contains(&fault.name));
    Ok(faults)
}

/// What came of the tests of one fault.
enum Verdict {
    /// This test failed.
    Caught(String),
    /// All of them passed.
    Nothing,
    /// They could not be asked.
    NotApplied(String),
}

impl Verdict {
    fn text(&self) -> &str {
        match self {
            Self::Caught(_) => "caught",
            Self::Nothing => "SURVIVED",
            Self::NotApplied(why) => why,
        }
    }

    fn good(&self, fault: &Fault) -> bool {
        match self {
            Self::Caught(_) => fault.says.equivalent.is_none(),
            Self::Nothing => fault.says.equivalent.is_some(),
            Self::NotApplied(_) => false,
        }
    }
}

/// The JDKs and the calls of cargo that a fault asks for.
type Call = (String, Vec<String>);

fn call(fault: &Fault) -> Call {
    (fault.says.jdks.clone(), fault.says.tests.clone())
}

/// The same tests on the product as it is: one that fails here would catch everything, and
/// one that is not there nothing.
fn without_faults(
    copy: &Copy,
    faults: &[Fault],
    record: &mut Record,
) -> Result<BTreeMap<Call, Verdict>> {
    let mut asked: BTreeMap<Call, &Fault> = BTreeMap::new();
    for fault in faults {
        asked.entry(call(fault)).or_insert(fault);
    }
    let subject = |call: &Call| format!("{call:?}");
    let mut passed: BTreeSet<Call> = asked
        .keys()
        .filter(|call| record.verdict(&subject(call)).is_some())
        .cloned()
        .collect();
    let to_ask: Vec<&Call> = asked
        .keys()
        .filter(|call| !passed.contains(*call))
        .collect();
    for some in to_ask.chunk_by(|one, next| one.0 == next.0) {
        for (number, some) in some.chunks(TOGETHER).enumerate() {
            for call in copy.together(some, &format!("together-{}-{number}", some[0].0))? {
                record.add(&subject(call), "passes without a fault")?;
                passed.insert(call.clone());
            }
        }
    }
    let mut all = BTreeMap::new();
    for (call, fault) in asked {
        let verdict = if passed.contains(&call) {
            Verdict::Nothing
        } else {
            match copy.tests(fault, &format!("without-{}", fault.name))? {
                Verdict::Caught(test) => Verdict::NotApplied(format!("`{test}` fails")),
                Verdict::Nothing => {
                    record.add(&subject(&call), "passes without a fault")?;
                    Verdict::Nothing
                }
                not_applied @ Verdict::NotApplied(_) => not_applied,
            }
        };
        if let Verdict::NotApplied(why) = &verdict {
            println!("without faults: {why}");
        }
        all.insert(call, verdict);
    }
    Ok(all)
}

/// What is behind `-p xrun-tests --test integration` in each of the calls, if all are such ones.
fn filters(call: &Call) -> Option<Vec<&str>> {
    let filter = |test| str::strip_prefix(test, "-p xrun-tests --test integration ");
    let filters: Option<Vec<&str>> = call.1.iter().map(|test| filter(test)).collect();
    filters.filter(|all| all.iter().all(|filter| !filter.contains(' ')))
}

fn one(copy: &Copy, fault: &Fault, sources: &[Source]) -> Result<Verdict> {
    let source = match fault.place(sources) {
        Ok(source) => source,
        Err(why) => return Ok(Verdict::NotApplied(why)),
    };
    let path = copy.tree.join(&source.path);
    let faulty = source.text.replace(&fault.says.find, &fault.says.replace);
    write(&path, faulty.as_bytes())?;
    let verdict = twice(copy, fault);
    write(&path, source.text.as_bytes())?;
    verdict
}

/// What the tests of a fault that is set say. A test that fails now and then whatever the product is like
/// would notice anything: what is noticed once has to be noticed again.
fn twice(copy: &Copy, fault: &Fault) -> Result<Verdict> {
    let first = copy.tests(fault, &fault.name)?;
    let Verdict::Caught(test) = &first else {
        return Ok(first);
    };
    match copy.tests(fault, &format!("{}-again", fault.name))? {
        Verdict::Nothing => Ok(Verdict::NotApplied(format!(
            "`{test}` failed once of two runs"
        ))),
        again => Ok(again),
    }
}

/// A copy of the workspace that is built by itself.
struct Copy {
    folder: PathBuf,
    tree: PathBuf,
}

impl Copy {
    /// With what is known of the same sources.
    fn make() -> Result<(Self, Record)> {
        let folder = target().join("mutants");
        let tree = folder.join("tree");
        fs::create_dir_all(&tree).map_err(|error| format!("{}: {error}", tree.display()))?;
        let wanted = faults::files(workspace(), &|_| true)?;
        for gone in faults::files(&tree, &|_| true)? {
            if !wanted.contains(&gone) {
                let gone = tree.join(gone);
                fs::remove_file(&gone).map_err(|error| format!("{}: {error}", gone.display()))?;
            }
        }
        for path in &wanted {
            refresh(&workspace().join(path), &tree.join(path))?;
        }
        let record = Record::open(folder.join("verdicts.txt"), &tree, &wanted)?;
        Ok((Self { folder, tree }, record))
    }

    /// Runs the tests of many calls at once, and says which of these have passed for certain:
    /// of each filter tests were run, on a JDK, and none failed. The others are to be asked singly.
    fn together<'a>(&self, calls: &[&'a Call], name: &str) -> Result<Vec<&'a Call>> {
        let calls: Vec<(&Call, Vec<&str>)> = calls
            .iter()
            .filter_map(|call| Some((*call, filters(call)?)))
            .collect();
        let Some(((jdks, _), _)) = calls.first() else {
            return Ok(Vec::new());
        };
        let mut words = vec!["test", "-p", "xrun-tests", "--test", "integration", "--"];
        words.extend(calls.iter().flat_map(|(_, filters)| filters));
        let mut said = Vec::new();
        let built = self.cargo(&["build", "--release"], jdks, &mut said)?;
        if !built.status.success() {
            return Ok(Vec::new());
        }
        drop(fs::remove_file(self.passed()));
        let output = self.cargo(&words, jdks, &mut said)?;
        write(&self.folder.join(format!("{name}.log")), &said)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        // 101: some failed.
        let has_ended = matches!(output.status.code(), Some(0 | 101));
        let Some(results) = results(&stdout).filter(|_| has_ended) else {
            return Ok(Vec::new());
        };
        let on_a_jdk = fs::read_to_string(self.passed()).unwrap_or_default();
        let has_passed = |filter: &&str| {
            let its = results.iter().filter(|(test, _)| test.contains(filter));
            let its: Vec<&str> = its.map(|(_, result)| *result).collect();
            !its.is_empty() && its.iter().all(|it| *it == "ok") && on_a_jdk.contains(filter)
        };
        let mut calls = calls;
        calls.retain(|(_, filters)| filters.iter().all(has_passed));
        Ok(calls.into_iter().map(|(call, _)| call).collect())
    }

    /// Where tests say on which JDK they have passed.
    fn passed(&self) -> PathBuf {
        self.folder.join("target/xrun-tests/passed.txt")
    }

    /// Builds and runs the tests of a fault until one fails. What they say goes to a file.
    fn tests(&self, fault: &Fault, name: &str) -> Result<Verdict> {
        let log = self.folder.join(format!("{name}.log"));
        let mut said = Vec::new();
        let verdict = self.tests_into(fault, &mut said);
        write(&log, &said)?;
        verdict
    }

    fn tests_into(&self, fault: &Fault, said: &mut Vec<u8>) -> Result<Verdict> {
        let jdks = &fault.says.jdks;
        let product = fault
            .says
            .tests
            .iter()
            .any(|test| test.contains("xrun-tests"));
        if product
            && !self
                .cargo(&["build", "--release"], jdks, said)?
                .status
                .success()
        {
            return Ok(Verdict::NotApplied("does not build".to_owned()));
        }
        for test in &fault.says.tests {
            let words: Vec<&str> = test.split_whitespace().collect();
            let build = [&["test", "--no-run"], cargo_words(&words)].concat();
            if !self.cargo(&build, jdks, said)?.status.success() {
                return Ok(Verdict::NotApplied("does not build".to_owned()));
            }
            let run = [&["test"], &words[..]].concat();
            drop(fs::remove_file(self.passed()));
            let output = self.cargo(&run, jdks, said)?;
            if !output.status.success() {
                return Ok(Verdict::Caught(test.clone()));
            }
            if !ran_some(&String::from_utf8_lossy(&output.stdout)) {
                return Ok(Verdict::NotApplied(format!("`{test}` runs no test")));
            }
            let is_of_jdks = String::from_utf8_lossy(&output.stderr).contains("not run: ");
            if is_of_jdks && !self.passed().exists() {
                return Ok(Verdict::NotApplied(format!(
                    "`{test}` runs on none of JDK {jdks}"
                )));
            }
        }
        Ok(Verdict::Nothing)
    }

    fn cargo(&self, words: &[&str], only: &str, said: &mut Vec<u8>) -> Result<Output> {
        let mut command = Command::new("timeout");
        command.args(["-k", "10", MINUTES, "cargo"]).args(words);
        command
            .current_dir(&self.tree)
            .envs(BUILT_FAST)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("XRUN_ONLY", only)
            .env("XRUN_JDKS", homes());
        let output = command
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        said.extend(format!("== cargo {}\n", words.join(" ")).bytes());
        said.extend(&output.stdout);
        said.extend(&output.stderr);
        Ok(output)
    }
}

/// The words for cargo itself: those behind `--` are for the tests.
fn cargo_words<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let end = words.iter().position(|word| *word == "--");
    &words[..end.unwrap_or(words.len())]
}

/// What the harness says of each test, if it came to its end and nothing is missing or between its lines.
fn results(stdout: &str) -> Option<Vec<(&str, &str)>> {
    let results: Vec<(&str, &str)> = stdout
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "))
        .collect();
    let mut ends = stdout
        .lines()
        .filter_map(|line| line.strip_prefix("test result: "));
    let (_, counts) = ends.next()?.split_once(". ")?;
    let of = |what| {
        let mut counts = counts.split("; ");
        counts.find_map(|count| count.strip_suffix(what)?.parse::<usize>().ok())
    };
    let all = of(" passed")? + of(" failed")? + of(" ignored")?;
    (ends.next().is_none() && all == results.len()).then_some(results)
}

/// Whether the harness reports at least one test that passed.
fn ran_some(stdout: &str) -> bool {
    stdout
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .any(|counts| !counts.starts_with("0 passed"))
}

/// The copy has no JDKs of its own: the workspace's, before those that the user named.
fn homes() -> std::ffi::OsString {
    let ours = workspace().join(".jdks");
    let theirs = std::env::var_os("XRUN_JDKS").unwrap_or_default();
    let list = std::iter::once(ours).chain(std::env::split_paths(&theirs));
    std::env::join_paths(list).unwrap_or_default()
}

/// Makes `copy` what `original` is. A file that is the same already keeps its time.
fn refresh(original: &Path, copy: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", original.display());
    if fs::read(original).map_err(failed)? == fs::read(copy).unwrap_or_default() && copy.exists() {
        return Ok(());
    }
    if let Some(folder) = copy.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::copy(original, copy).map(drop).map_err(failed)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
