//! One run of a Java program, with a time limit.
//! Longer than most: what a run is started with, how it is watched and what it leaves is asked for by most tests, in
//! one chain of calls.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::jdk::Jdk;
use crate::{cross, fixture, is_i386, product};

/// Variables that would change what a JVM does.
pub const CLEARED: [&str; 8] = [
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CLASSPATH",
    "JVMPI_OPTIONS",
];

/// A Java program about to be run. It gets a folder of its own as current
/// directory, which is kept if the test fails.
#[derive(Debug)]
pub struct Java {
    program: PathBuf,
    words: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    libraries: Vec<PathBuf>,
    limit: Duration,
    folder: Folder,
}

/// The current directory of a run.
#[derive(Debug)]
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

impl Java {
    /// `java` of this JDK, with the product's folder on LD_LIBRARY_PATH so that
    /// `-Xrun` finds its agents.
    pub fn of(jdk: &Jdk) -> Self {
        Self {
            program: jdk.java(),
            words: vec!["-Xmx512m".into()],
            variables: Vec::new(),
            libraries: vec![product::folder()],
            limit: Duration::from_secs(60),
            folder: Folder(fixture::unique("run")),
        }
    }

    /// The same with the library under test as `-agentpath`.
    pub fn with_shim(jdk: &Jdk) -> Self {
        Self::of(jdk).arg(agent_path(&product::shim(), ""))
    }

    /// The same with a helper of `agents/` as `-Xrun` agent, which the program
    /// also loads for its native methods (see `java/Native.java`).
    pub fn with_helper(jdk: &Jdk, name: &str, options: &str) -> Self {
        let library = fixture::native(name);
        let colon = if options.is_empty() { "" } else { ":" };
        Self::with_shim(jdk)
            .natives(jdk, &library)
            .library(&library)
            .arg(format!("-Xrun{name}{colon}{options}"))
    }

    /// With objects as large as on older JDKs, which have no smaller headers.
    pub fn with_usual_headers(self, jdk: &Jdk) -> Self {
        if jdk.major >= 27 {
            self.arg("-XX:-UseCompactObjectHeaders")
        } else {
            self
        }
    }

    /// The library of class `Native`'s native methods.
    pub fn natives(self, jdk: &Jdk, library: &Path) -> Self {
        let this = self.arg(format!("-Dagent={}", library.display()));
        // The flag came with the warning that it silences.
        if jdk.major >= 24 {
            this.arg("--enable-native-access=ALL-UNNAMED")
        } else {
            this
        }
    }

    /// Another program in front: `xrun`.
    pub fn through(mut self, program: &Path) -> Self {
        let java = std::mem::replace(&mut self.program, program.to_owned());
        self.words.insert(0, java.into());
        self
    }

    /// Words in front of all others: the program's own, before the command that it runs.
    pub fn before(mut self, words: &[&str]) -> Self {
        self.words.splice(0..0, words.iter().map(Into::into));
        self
    }

    /// The command as arguments of a line of shell, which has it as `"$@"`.
    pub fn shell(mut self, line: &str) -> Self {
        let java = std::mem::replace(&mut self.program, "sh".into());
        self.words
            .splice(0..0, ["-c".into(), line.into(), "sh".into(), java.into()]);
        self
    }

    /// One more word of the command line.
    pub fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.words.push(word.as_ref().to_owned());
        self
    }

    /// More words.
    pub fn args<W: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.words
            .extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    /// The class of the tests' programs to run, and its arguments: the end of the
    /// command line.
    pub fn main(self, words: &str) -> Self {
        self.main_in(&fixture::classes(), words)
    }

    /// The same of a class in another folder.
    pub fn main_in(self, classes: &Path, words: &str) -> Self {
        self.arg("-cp").arg(classes).args(words.split_whitespace())
    }

    /// A program that loads this JDK's libjvm, in front.
    pub fn embedded_by(self, jdk: &Jdk, program: &Path) -> Self {
        let this = self.through(program);
        match jdk.own_loader() {
            Some(loader) => this.library(&loader).through(&loader),
            None => this,
        }
    }

    /// A variable of the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables
            .push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Puts the folder of a library first on LD_LIBRARY_PATH.
    pub fn library(mut self, library: &Path) -> Self {
        self.libraries.insert(
            0,
            library.parent().expect("a path with a folder").to_owned(),
        );
        self
    }

    /// Nothing on LD_LIBRARY_PATH.
    pub fn no_libraries(mut self) -> Self {
        self.libraries.clear();
        self
    }

    /// How long it may take.
    pub fn limit(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// A file in the run's folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// If it hangs.
    pub fn run(self) -> Run {
        self.start().finish()
    }

    /// Starts it.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(self) -> Running {
        let libraries = std::env::join_paths(&self.libraries).expect("no colons in paths");
        let mut command = command(&self.program, &libraries);
        command
            .args(&self.words)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(&self.folder.0);
        Running::start(command, self.limit, self.folder)
    }
}

/// Runs any other command to its end.
///
/// # Panics
/// If it cannot be started, or takes longer.
pub fn output(command: Command, seconds: u64) -> Run {
    let folder = Folder(fixture::unique("run"));
    Running::start(command, Duration::from_secs(seconds), folder).finish()
}

/// This program with the signals that we ignore, under `nohup` say, back at their defaults:
/// JDK 11 warns of them under -Xcheck:jni. With these folders on LD_LIBRARY_PATH, which may have a C library that no other
/// program runs with.
fn command(program: &Path, libraries: &OsStr) -> Command {
    const HUP_INT_QUIT_TERM: u64 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 15;
    let are_default = signals("self", "SigIgn").unwrap_or(0) & HUP_INT_QUIT_TERM == 0;
    let mut command = Command::new(if are_default {
        program
    } else {
        Path::new("env")
    });
    for name in CLEARED {
        command.env_remove(name);
    }
    if are_default {
        if !libraries.is_empty() {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        return command;
    }
    command.arg("--default-signal");
    if !libraries.is_empty() {
        let mut word = OsString::from("LD_LIBRARY_PATH=");
        word.push(libraries);
        command.arg(word);
    }
    command.arg(program);
    command
}

fn describe(command: &Command) -> String {
    let mut text = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            let _ = write!(
                text,
                "{}={} ",
                name.to_string_lossy(),
                value.to_string_lossy()
            );
        }
    }
    let _ = write!(text, "{}", command.get_program().to_string_lossy());
    for word in command.get_args() {
        let _ = write!(text, " {}", word.to_string_lossy());
    }
    text
}

/// `-agentpath:LIBRARY=OPTIONS`, without the `=` if there are none.
pub fn agent_path(library: &Path, options: &str) -> String {
    let equals = if options.is_empty() { "" } else { "=" };
    format!("-agentpath:{}{equals}{options}", library.display())
}

/// What a program writes to one of its streams.
#[derive(Debug)]
struct Stream {
    text: Arc<Mutex<Vec<u8>>>,
    lines: Receiver<String>,
    reader: JoinHandle<()>,
}

impl Stream {
    fn read(from: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let (sender, lines) = mpsc::channel();
        let copy = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut line = Vec::new();
            while matches!(from.read_until(b'\n', &mut line), Ok(1..)) {
                copy.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(&line);
                let _ = sender.send(String::from_utf8_lossy(&line).trim_end().to_owned());
                line.clear();
            }
        });
        Self {
            text,
            lines,
            reader,
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned()
    }

    fn finish(self) -> String {
        let text = Arc::clone(&self.text);
        // A grandchild may hold the pipe open: it is not waited for.
        let start = Instant::now();
        while !self.reader.is_finished() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let bytes = text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A child and whatever it has started: a process group of its own, which ends with the test.
#[derive(Debug)]
struct Group(Child);

impl Group {
    fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("a child of ours")
    }

    fn kill(&mut self) {
        if self.ended().is_none() {
            let _ = kill("KILL", &format!("-{}", self.0.id()));
            let _ = self.0.wait();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How much longer what another processor is made of by a program may take.
const SLOWER: u32 = 20;

/// That somebody waits for a program.
#[derive(Debug)]
pub(crate) struct Wait {
    asked: Instant,
    looked: Instant,
    /// What its threads had waited for processors at the first look.
    before: Option<Waits>,
}

impl Wait {
    const A_WHILE: Duration = Duration::from_millis(500);

    /// From now on.
    pub(crate) fn begins() -> Self {
        let now = Instant::now();
        Self {
            asked: now,
            looked: now,
            before: None,
        }
    }
}

/// Whether the time of a program is over that has taken so long, has been waited for so long, and meanwhile has itself
/// waited so long for a processor. What the test did before it waited may have taken all of the limit on a machine with
/// much else to do, and the program gets fewer processors there: neither is a hang. One that hangs may have
/// threads that wait for processors, too, so that counts for some times the limit only.
fn is_late(limit: Duration, took: Duration, asked: Duration, waited: Duration) -> bool {
    const AT_LEAST: Duration = Duration::from_secs(20);
    const AT_MOST: u32 = 3;
    let waited = waited.min(asked);
    asked > AT_MOST * limit
        || took.saturating_sub(waited) > limit && asked - waited > limit.min(AT_LEAST)
}

/// A program that is running.
#[derive(Debug)]
pub struct Running {
    child: Group,
    command: String,
    stdout: Stream,
    stderr: Stream,
    limit: Duration,
    started: Instant,
    folder: Folder,
}

impl Running {
    fn start(mut command: Command, limit: Duration, folder: Folder) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let text = describe(&command);
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let stdout = Stream::read(child.stdout.take().expect("piped"));
        let stderr = Stream::read(child.stderr.take().expect("piped"));
        Self {
            child: Group(child),
            command: text,
            stdout,
            stderr,
            limit: if cross().is_some() && !is_i386() {
                limit * SLOWER
            } else {
                limit
            },
            started: Instant::now(),
            folder,
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Waits for a line of stdout that holds `text`.
    ///
    /// # Panics
    /// If the program ends or takes too long without.
    pub fn wait_for_line(&mut self, text: &str) -> String {
        self.wait_for(|running| &running.stdout, text)
    }

    /// The same of stderr.
    ///
    /// # Panics
    /// If the program ends or takes too long without.
    pub fn wait_for_warning(&mut self, text: &str) -> String {
        self.wait_for(|running| &running.stderr, text)
    }

    fn wait_for(&mut self, stream: fn(&Self) -> &Stream, text: &str) -> String {
        let mut wait = Wait::begins();
        loop {
            match stream(self).lines.recv_timeout(Wait::A_WHILE) {
                Ok(line) if line.contains(text) => return line,
                Ok(_) | Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.assert_in_time(&mut wait, &format!("no line with `{text}`"));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    self.ended(&format!("a line with `{text}`"))
                }
            }
        }
    }

    /// Waits, while it runs, until `look` finds something; `what` that is.
    ///
    /// # Panics
    /// If the program ends or takes too long without.
    pub fn until<T>(&mut self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let mut wait = Wait::begins();
        loop {
            let has_ended = self.has_ended();
            if let Some(found) = look() {
                return found;
            }
            if has_ended {
                self.ended(what);
            }
            self.assert_in_time(&mut wait, &format!("no {what}"));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether the process has come to its end.
    pub fn has_ended(&mut self) -> bool {
        self.child.ended().is_some()
    }

    /// Sends it a signal, `QUIT` say; that one when the VM is ready for it: before, it would
    /// end the program.
    ///
    /// # Panics
    /// If that takes too long.
    pub fn signal(&mut self, name: &str) {
        const QUIT: u64 = 1 << 3;
        let pid = self.pid().to_string();
        let mut wait = Wait::begins();
        let ready = || signals(&pid, "SigCgt").is_none_or(|caught| caught & QUIT != 0);
        while name == "QUIT" && !ready() {
            if self.child.ended().is_some() {
                self.ended("a handler of QUIT");
            }
            self.assert_in_time(&mut wait, "no handler of QUIT");
            std::thread::sleep(Duration::from_millis(2));
        }
        signal(self.pid(), name);
    }

    /// Sends it to the program and all that it has started, as a terminal does.
    pub fn signal_group(&self, name: &str) {
        assert!(kill(name, &format!("-{}", self.pid())), "kill -s {name}");
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// A line of its `/proc/PID/status`, by what stands before the colon.
    pub fn status(&self, key: &str) -> Option<String> {
        status(&self.pid().to_string(), key)
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// If it hangs; the message has the threads' stacks, as far as the VM still
    /// prints them.
    pub fn finish(mut self) -> Run {
        let mut wait = Wait::begins();
        let status = loop {
            if let Some(status) = self.child.ended() {
                break status;
            }
            self.assert_in_time(&mut wait, "still running");
            std::thread::sleep(Duration::from_millis(3));
        };
        Run {
            status,
            command: self.command,
            stdout: self.stdout.finish(),
            stderr: self.stderr.finish(),
            took: self.started.elapsed(),
            folder: self.folder,
        }
    }

    /// For whoever waits for it, as often as he likes: it is looked at twice a second.
    ///
    /// # Panics
    /// If its time is over.
    pub(crate) fn assert_in_time(&mut self, wait: &mut Wait, why: &str) {
        if wait.looked.elapsed() < Wait::A_WHILE {
            return;
        }
        wait.looked = Instant::now();
        let pid = self.pid();
        let before = wait.before.get_or_insert_with(|| waits(pid));
        let took = self.started.elapsed();
        let asked = wait.asked.elapsed();
        let is_late = |waited| is_late(self.limit, took, asked, waited);
        if is_late(Duration::ZERO) && is_late(longest(before, &waits(pid))) {
            self.hangs(why);
        }
    }

    fn ended(&mut self, without: &str) -> ! {
        self.child.kill();
        panic!(
            "{}: ended without {without}\nstdout: {}\nstderr: {}",
            self.command,
            self.stdout.text(),
            self.stderr.text()
        )
    }

    /// Ends a run that takes too long.
    fn hangs(&mut self, why: &str) -> ! {
        let threads = threads_of(self.pid());
        // As jstack does; the answer goes to the program's stdout.
        signal(self.pid(), "QUIT");
        std::thread::sleep(Duration::from_secs(2));
        self.child.kill();
        std::thread::sleep(Duration::from_millis(100));
        panic!(
            "{}\nhangs: {why} after {:?}\nthreads:\n{threads}stdout, with the stacks if the VM still prints them:\n{}\nstderr:\n{}",
            self.command,
            self.started.elapsed(),
            self.stdout.text(),
            self.stderr.text()
        )
    }
}

fn signal(pid: u32, name: &str) {
    assert!(kill(name, &pid.to_string()), "kill -s {name} {pid}");
}

/// Sends a signal to a process, or to a group of them: `-PID`.
fn kill(name: &str, whom: &str) -> bool {
    // `kill` is a builtin of every shell, but a package of its own otherwise.
    let status = Command::new("sh")
        .args(["-c", "kill -s \"$0\" -- \"$1\"", name, whom])
        .status();
    status.is_ok_and(|status| status.success())
}

fn status(pid: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    text.lines()
        .find_map(|line| Some(line.strip_prefix(key)?.strip_prefix(':')?.trim().to_owned()))
}

/// A mask of signals: `SigCgt` are those that the process has handlers for.
fn signals(pid: &str, key: &str) -> Option<u64> {
    u64::from_str_radix(&status(pid, key)?, 16)
        .ok()
        // Signal 1 is bit 0.
        .map(|mask| mask << 1)
}

/// How long each thread could run and did not, so far.
type Waits = HashMap<PathBuf, Duration>;

/// That of the threads of a process group.
fn waits(group: u32) -> Waits {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = processes.filter(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // Behind the name: state, parent, group.
        let behind = stat.rsplit(')').next().unwrap_or_default();
        behind.split_whitespace().nth(2) == Some(&group.to_string())
    });
    let tasks = own.flat_map(|process| std::fs::read_dir(process.path().join("task")));
    let waited = tasks.flatten().flatten().filter_map(|task| {
        // Nanoseconds that it ran, those that it waited, and how often it did.
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let waited = text.split(' ').nth(1)?.parse().ok()?;
        Some((task.path(), Duration::from_nanos(waited)))
    });
    waited.collect()
}

/// That of the thread which has waited longest since: what many waited at once is not longer for that.
fn longest(before: &Waits, now: &Waits) -> Duration {
    let since = now.iter().map(|(thread, waited)| {
        let before = before.get(thread).copied().unwrap_or_default();
        waited.saturating_sub(before)
    });
    since.max().unwrap_or_default()
}

/// Each thread's name, state and place in the kernel.
fn threads_of(pid: u32) -> String {
    let mut text = String::new();
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return text;
    };
    for task in tasks.flatten().map(|task| task.path()) {
        let read = |name: &str| std::fs::read_to_string(task.join(name)).unwrap_or_default();
        let of_thread = format!(
            "{pid}/task/{}",
            task.file_name().unwrap_or_default().display()
        );
        let state = status(&of_thread, "State").unwrap_or_default();
        let _ = writeln!(
            text,
            "  {} {state} {} {}",
            read("comm").trim(),
            read("wchan").trim(),
            read("syscall").trim()
        );
    }
    text
}

/// A program that has ended.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub status: ExitStatus,
    /// How it was started.
    pub command: String,
    /// What it wrote.
    pub stdout: String,
    /// What it wrote.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
    folder: Folder,
}

impl Run {
    /// Its exit code; -signal if one ended it.
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .unwrap_or_else(|| -self.status.signal().unwrap_or(0))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// A file that it left in its folder; empty if there is none.
    pub fn file(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.bytes(name)).into_owned()
    }

    /// What lies in the run's folder.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder.0).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    /// The same, byte for byte.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.0.join(name)).unwrap_or_default()
    }

    /// Asserts the exit code, and that the VM did not crash.
    ///
    /// # Panics
    /// If it does not hold.
    pub fn exits(self, code: i32) -> Self {
        let this = self.no_crash();
        assert_eq!(this.code(), code, "{this}");
        this
    }

    /// Asserts that there is no crash report.
    ///
    /// # Panics
    /// If there is one; the message has its head.
    pub fn no_crash(self) -> Self {
        let entries = std::fs::read_dir(&self.folder.0).expect("the run's folder");
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with("hs_err") {
                let report = std::fs::read_to_string(entry.path()).unwrap_or_default();
                let head: String = report.lines().take(80).collect::<Vec<_>>().join("\n");
                panic!("{self}\ncrash report:\n{head}");
            }
        }
        self
    }

    /// Asserts stdout.
    ///
    /// # Panics
    /// If it differs.
    pub fn says(self, stdout: &str) -> Self {
        assert_eq!(self.stdout, stdout, "{self}");
        self
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const ROOM: usize = 20_000;
        let cut = |text: &str| {
            let from = text.len().saturating_sub(ROOM);
            text.char_indices()
                .find(|&(at, _)| at >= from)
                .map_or("", |(at, _)| &text[at..])
                .to_owned()
        };
        write!(
            out,
            "{}\nended with {} after {:?}\nstdout:\n{}\nstderr:\n{}",
            self.command,
            self.status,
            self.took,
            cut(&self.stdout),
            cut(&self.stderr)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(line: &str, limit: Duration) -> Running {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        Running::start(command, limit, Folder(fixture::unique("run")))
    }

    #[test]
    fn what_the_test_did_meanwhile_is_no_hang() {
        let limit = Duration::from_millis(1000);
        let mut slow = running("sleep 1.5; echo here; sleep 0.5", limit);
        std::thread::sleep(Duration::from_millis(1300));
        slow.wait_for_line("here");
        assert_eq!(slow.finish().code(), 0);
    }

    #[test]
    fn who_waits_for_a_processor_has_longer_but_not_forever() {
        let late = |took, asked, waited| {
            is_late(
                Duration::from_secs(60),
                Duration::from_secs(took),
                Duration::from_secs(asked),
                Duration::from_secs(waited),
            )
        };
        assert!(late(61, 61, 0));
        // The test did something else meanwhile.
        assert!(!late(500, 20, 0));
        assert!(late(500, 21, 0));
        assert!(!late(500, 30, 25));
        // It got no processor.
        assert!(!late(100, 100, 50));
        assert!(late(100, 100, 30));
        assert!(!late(180, 180, 180));
        assert!(late(181, 181, 181));
        assert!(!late(61, 61, 1000));
    }

    #[test]
    fn what_many_waited_at_once_counts_once_and_since_then() {
        let waits = |all: &[(&str, u64)]| -> Waits {
            let all = all.iter();
            all.map(|&(thread, seconds)| (thread.into(), Duration::from_secs(seconds)))
                .collect()
        };
        let before = waits(&[("a", 100), ("b", 7), ("gone", 50)]);
        let now = waits(&[("a", 101), ("b", 10), ("new", 2)]);
        assert_eq!(longest(&before, &now), Duration::from_secs(3));
        assert_eq!(longest(&before, &Waits::new()), Duration::ZERO);
        let mut sleeps = running("exec sleep 100", Duration::from_secs(60));
        assert!(!super::waits(sleeps.pid()).is_empty());
        sleeps.child.kill();
    }

    #[test]
    #[should_panic(expected = "hangs: still running")]
    fn who_sleeps_hangs() {
        running("exec sleep 100", Duration::from_millis(200)).finish();
    }
}
