//! Files and words as nobody writes them, for everything of `xrun` that reads: it ends by itself, soon, with an
//! exit code of its own and within bounds.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use xrun_tests::jdk::{not_run, why_not_here};
use xrun_tests::long_run::{Random, amount, seed, spoil_block, tell};
use xrun_tests::run::CLEARED;
use xrun_tests::{fixture, product, workspace};

use super::words::WORDS;

/// How long any of them may take, on a machine with much else to do.
const SOON: Duration = Duration::from_secs(60);
/// KB of addresses that each may have.
const ROOM: &str = "4000000";

/// A kind of file, and what reads it: `FILE` is the spoilt one, `GOOD` as it was.
struct Kind {
    name: &'static str,
    good: Vec<PathBuf>,
    readers: &'static [&'static str],
}

const RECORDING: &[&str] = &[
    "trace dump FILE",
    "trace dump --json FILE",
    "trace stats FILE",
    "trace stats --json FILE",
    "trace filter --force --event CLASS_LOAD -o part.rec FILE",
    "trace diff FILE GOOD",
    "trace diff --all --whole GOOD FILE",
    "trace export --force --parquet tables FILE",
    "report FILE",
    "report --force --html page.html FILE",
    "report --force --skeleton port FILE",
    "compare --format json GOOD FILE",
    "compare --strict FILE",
    "replay --agent TRACE FILE",
    "replay --arenas two-space --agent TRACE FILE",
];

const PROFILE: &[&str] = &[
    "merge --force -o all.html FILE GOOD",
    "merge --force -o all.json FILE",
    "merge --force -o all.pb.gz FILE",
    "merge --force -o all.collapsed GOOD FILE",
    "diff GOOD FILE",
    "diff --force -o diff.html FILE GOOD",
];

const LIBRARY: &[&str] = &[
    "doctor FILE",
    "doctor --jvmpi FILE",
    "--print java -agentpath:FILE -Xrunfoo Main",
    "--print --jvmpi FILE java -Xrunfoo Main",
];

const SETTINGS: &[&str] = &[
    "--profile FILE --print java -Xrunjvmpi_trace:a=b Main",
    "--profile FILE --print -Xrunjvmpi_trace:a=b java Main",
];

const SUPPRESSIONS: &[&str] =
    &["replay --suppress FILE --findings found.json --force --agent TRACE RECORDING"];

const ARGUMENTS: &[&str] = &[
    "--print java @FILE -Xrunfoo Main",
    "--print java -XX:Flags=FILE @FILE",
];

fn recordings() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(workspace().join("tests/recordings")).unwrap();
    let paths = folder.flatten().map(|entry| entry.path());
    let mut found: Vec<_> = paths
        .filter(|path| path.extension() == Some(OsStr::new("rec")))
        .collect();
    found.sort();
    assert!(found.len() >= 5, "{found:?}");
    found
}

/// Profiles in all formats, made of HPROF's text.
fn profiles(folder: &Path) -> Vec<PathBuf> {
    let golden = workspace().join("tests/golden");
    let text = folder.join("text.txt");
    std::fs::copy(golden.join("Golden.hprof.txt"), &text).unwrap();
    let collapsed = folder.join("some.collapsed");
    let stacks = "(HPROF for xrun 0.1.0);(CPU samples, samples);(every 10 ms);(1 on red) 0\n\
        [main];a.Main.main;a.Main.work 12\n[main];a.Main.main 1\n[other];b.C$D.run;java.lang.Object.wait 7\n";
    std::fs::write(&collapsed, stacks).unwrap();
    let mut made = vec![text, collapsed.clone()];
    for name in ["some.json", "some.pb.gz"] {
        let path = folder.join(name);
        let merged = Command::new(product::xrun())
            .arg("merge")
            .arg("-o")
            .args([&path, &collapsed])
            .output();
        let merged = merged.unwrap();
        assert!(merged.status.success(), "{merged:?}");
        made.push(path);
    }
    made
}

fn kinds(folder: &Path) -> Vec<Kind> {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        vec![path]
    };
    let kind = |name, good, readers| Kind {
        name,
        good,
        readers,
    };
    let settings = "# Some.\n[[agent]]\nname = \"jvmpi_t*\"\noptions = \"a=b\"\nset = [\"log=info\", \"cpu-time=wall\"]\n\
        symptom = \"it does\"\n";
    let known = "alloc-unknown -- known since 2003\nmonitor-order THREAD_START -- so it is\n";
    let words = "-Xmx64m\n\"-Dname=a \\\"b\\\" c\"\n# comment\n-cp a:b\n-Xrunhprof:cpu=samples,depth=4 \\\n-Xincgc\n";
    vec![
        kind("recording", recordings(), RECORDING),
        kind("profile", profiles(folder), PROFILE),
        kind(
            "library",
            vec![product::agent("counter"), product::agent("trace")],
            LIBRARY,
        ),
        kind("settings", file("agents.toml", settings), SETTINGS),
        kind("suppressions", file("known.txt", known), SUPPRESSIONS),
        kind("arguments", file("words.args", words), ARGUMENTS),
    ]
}

/// `xrun` with these words, and bounds.
fn xrun(folder: &Path, path: &str, words: &[&OsStr]) -> Result<Output, String> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$0\"; ulimit -c 0; exec \"$@\"", ROOM]);
    command.arg(product::xrun()).args(words);
    for name in CLEARED {
        command.env_remove(name);
    }
    command
        .env("PATH", path)
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::null());
    let from = Instant::now();
    let out = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = out.map_err(|error| error.to_string())?;
    let pid = child.id();
    // Its pipes are read while it runs.
    let (sender, ended) = std::sync::mpsc::channel();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stderr, &mut text);
        text
    });
    let waiting = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stdout, &mut text);
        let status = child.wait();
        let _ = sender.send(());
        (status, text)
    });
    if ended.recv_timeout(SOON).is_err() {
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        // What it has started itself may hold its pipes for longer: then it is waited for no more.
        let _ = ended.recv_timeout(SOON);
        return Err(format!("still running after {:?}", from.elapsed()));
    }
    let (status, stdout) = waiting.join().unwrap();
    Ok(Output {
        status: status.map_err(|error| error.to_string())?,
        stdout,
        stderr: errors.join().unwrap(),
    })
}

/// What is wrong with how it ended.
fn wrong(ended: Result<Output, String>) -> Option<String> {
    let ended = match ended {
        Ok(ended) => ended,
        Err(why) => return Some(why),
    };
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    let short: String = said.chars().take(2000).collect();
    if let Some(signal) = ended.status.signal() {
        return Some(format!("signal {signal}: {short}"));
    }
    let is_bad = ended.status.code() == Some(101)
        || said.contains("panicked")
        || said.contains("internal error");
    is_bad.then(|| format!("{}: {short}", ended.status))
}

#[derive(Default)]
struct Tried {
    runs: u64,
    failed: Vec<String>,
}

fn try_all(folder: &Path, kind: &Kind, number: u64, tried: &mut Tried) {
    let random = &mut Random::of(number);
    let good = random.of_these(&kind.good).clone();
    let mut bytes = std::fs::read(&good).unwrap();
    if kind.name == "recording" && number.is_multiple_of(2) {
        spoil_block(random, &mut bytes);
    } else {
        random.spoil(&mut bytes);
    }
    // The name says the format of profiles.
    let spoilt = folder.join(format!("spoilt-{}", good.file_name().unwrap().display()));
    std::fs::write(&spoilt, &bytes).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let (trace, any) = (product::agent("trace"), recordings());
    for reader in kind.readers {
        let words: Vec<_> = reader
            .split(' ')
            .map(|word| match word {
                "FILE" => spoilt.clone().into_os_string(),
                "GOOD" => good.clone().into_os_string(),
                "TRACE" => format!("{}:file=trace.txt", trace.display()).into(),
                "RECORDING" => any[0].clone().into_os_string(),
                word if word.contains("FILE") => {
                    word.replace("FILE", &spoilt.to_string_lossy()).into()
                }
                word => word.into(),
            })
            .collect();
        let words: Vec<&OsStr> = words.iter().map(|word| word.as_os_str()).collect();
        tried.runs += 1;
        if let Some(why) = wrong(xrun(folder, &path, &words)) {
            let kept = fixture::unique("hostile").join(spoilt.file_name().unwrap());
            std::fs::copy(&spoilt, &kept).unwrap();
            tried.failed.push(format!(
                "{} {number}: xrun {reader}: {why} ({})",
                kind.name,
                kept.display()
            ));
        }
    }
    let _ = std::fs::remove_dir_all(folder.join("tables"));
    let _ = std::fs::remove_dir_all(folder.join("port"));
}

fn end(tried: Tried) {
    tell(None, tried.runs, &format!("{} failed", tried.failed.len()));
    assert!(tried.failed.is_empty(), "{}", tried.failed.join("\n"));
}

fn each_kind(names: &[&str]) {
    if let Some(why) = why_not_here() {
        return not_run("xrun", why);
    }
    let folder = fixture::unique("hostile");
    let mut tried = Tried::default();
    let wanted = amount(30);
    let mut kinds = kinds(&folder);
    kinds.retain(|kind| names.contains(&kind.name));
    for number in seed().. {
        if tried.runs >= wanted {
            break;
        }
        for kind in &kinds {
            try_all(&folder, kind, number, &mut tried);
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    end(tried);
}

#[test]
fn spoilt_recordings() {
    each_kind(&["recording"]);
}

#[test]
fn spoilt_profiles() {
    each_kind(&["profile"]);
}

#[test]
fn spoilt_libraries_settings_and_words() {
    each_kind(&["library", "settings", "suppressions", "arguments"]);
}

/// Words of command lines: those there are, cut and mixed, and others.
#[test]
fn spoilt_command_lines() {
    if let Some(why) = why_not_here() {
        return not_run("xrun", why);
    }
    let folder = fixture::unique("hostile");
    let mut tried = Tried::default();
    for number in seed()..seed() + amount(60) {
        let random = &mut Random::of(number);
        let mut words: Vec<Vec<u8>> = Vec::new();
        for _ in 0..1 + random.below(7) {
            let mut word = random.of_these(WORDS).as_bytes().to_vec();
            if random.below(4) == 0 {
                word.extend(random.of_these(WORDS).bytes());
            }
            if random.below(3) == 0 {
                random.spoil(&mut word);
            }
            // Nothing outside of the folder is named.
            word.retain(|byte| !matches!(byte, 0 | b'/'));
            if word != b".." {
                words.push(word);
            }
        }
        // There is nothing on PATH that could be run.
        let words: Vec<&OsStr> = words.iter().map(|word| OsStr::from_bytes(word)).collect();
        tried.runs += 1;
        if let Some(why) = wrong(xrun(&folder, "", &words)) {
            tried
                .failed
                .push(format!("{number}: xrun {words:?}: {why}"));
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    end(tried);
}
