//! A recording being made: its file, and what its header says of the run.
//!
//! # Threads
//! Any, known to the VM or not.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use recording_format::{Header, command_line};
use shim_options::Options;
use shim_options::agent_spec::AgentSpec;
use terminal_text::raw_text;

use crate::base::{log, output_name};
use crate::observe::trace_file::TraceFile;
use crate::os::{library, ticks};

static ON: AtomicBool = AtomicBool::new(false);
static TRACE: OnceCell<Trace> = OnceCell::new();

/// What all threads share.
pub(crate) struct Trace {
    pub(crate) file: TraceFile,
    path: PathBuf,
    /// The process whose recording it is.
    pid: u32,
    header: Mutex<Header>,
    /// When recording began.
    pub(crate) begin: u64,
    /// How many have recorded something.
    pub(crate) threads: AtomicU32,
}

/// Whether events and calls are recorded.
#[inline]
pub(crate) fn is_on() -> bool {
    // Relaxed: a switch; what is behind it has its own lock.
    ON.load(Ordering::Relaxed)
}

/// The recording, if this process has begun it. A child that it has forked has the same memory and
/// the same file, and would write over what the parent records.
pub(crate) fn own() -> Option<&'static Trace> {
    TRACE.get().filter(|trace| trace.pid == std::process::id())
}

/// Begins, if the options want it; whether they do.
pub(crate) fn start(options: &Options, settings: &str) -> bool {
    let Some(path) = &options.trace else {
        return false;
    };
    if TRACE.get().is_some() {
        // A second start after one that failed: the recording goes on.
        ON.store(true, Ordering::Release);
        return true;
    }
    ticks::choose();
    let path = output_name::filled_in("trace", path);
    let Some((file, path)) = create(path, options) else {
        return false;
    };
    let begin = ticks::nanos();
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let arguments = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words: Vec<String> = words_of(&arguments).map(raw_text::decode).collect();
    let agent = agent_of_variables_or(&words).unwrap_or(AgentSpec {
        name: String::new(),
        options: None,
    });
    let header = Header {
        pid: std::process::id(),
        started: since_1970.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(0)),
        first_tick: ticks::now(),
        shim: env!("CARGO_PKG_VERSION").to_owned(),
        vm: String::new(),
        agent: agent.name,
        options: agent.options,
        settings: settings.to_owned(),
        command: command_line::joined(words.iter().map(String::as_str)),
    };
    file.with_header(|page| header.encode(page));
    let trace = Trace {
        file,
        path,
        pid: header.pid,
        header: Mutex::new(header),
        begin,
        threads: AtomicU32::new(0),
    };
    let begun = TRACE.set(trace).is_ok();
    ON.store(begun, Ordering::Release);
    begun
}

/// The file; another one, and a line, when a process records into this one, or has since then.
fn create(path: PathBuf, options: &Options) -> Option<(TraceFile, PathBuf)> {
    let force = options.trace_force;
    let since = options.trace_since;
    let since = since.map(|nanos| UNIX_EPOCH + Duration::from_nanos(nanos));
    let error = match TraceFile::create(&path, since, force) {
        Ok(file) => return Some((file, path)),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::WouldBlock | ErrorKind::AlreadyExists
            ) =>
        {
            let mut own = path.clone().into_os_string();
            own.push(format!(".{}", std::process::id()));
            let own = PathBuf::from(own);
            let now = error.kind() == ErrorKind::WouldBlock;
            let records = if now { "records" } else { "has recorded" };
            log::warning!(
                "trace={}: another process {records} there; this one does in {}",
                path.display(),
                own.display()
            );
            match TraceFile::create(&own, None, force) {
                Ok(file) => return Some((file, own)),
                Err(error) => error,
            }
        }
        Err(error) => error,
    };
    log::warning!("trace={}: {error}; nothing is recorded", path.display());
    None
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|&byte| byte == 0)
        .filter(|word| !word.is_empty())
}

/// The agent that the VM loads, by the options that it reads.
fn agent_of_variables_or(words: &[String]) -> Option<AgentSpec> {
    const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];
    let variables: Vec<String> = VARIABLES
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .collect();
    let of_variables = variables.iter().flat_map(|value| value.split_whitespace());
    let mut all = words.iter().map(String::as_str).chain(of_variables);
    let found = all.find_map(|word| {
        let spec = word.strip_prefix("-Xrun")?;
        (!spec.starts_with("jdwp") && !spec.starts_with("jvmpi:")).then_some(spec)
    })?;
    let (name, options) = match found.split_once(':') {
        Some((name, options)) => (name, Some(options)),
        None => (found, None),
    };
    Some(AgentSpec {
        name: name.to_owned(),
        options: options.map(str::to_owned),
    })
}

/// The disk is full, or so: the program goes on, recording does not.
#[cold]
pub(crate) fn stop(trace: &Trace, why: &std::io::Error) {
    if ON.swap(false, Ordering::AcqRel) {
        log::warning!(
            "trace={}: {why}; recording stops here, the program goes on",
            trace.path.display()
        );
    }
}

/// Adds to the header what is known by now.
fn describe(change: impl FnOnce(&mut Header)) {
    if let Some(trace) = own() {
        let mut header = trace.header.lock();
        change(&mut header);
        trace.file.with_header(|page| header.encode(page));
    }
}

/// The agent's start has failed.
pub(crate) fn abandon() {
    ON.store(false, Ordering::Release);
}

/// The VM's name and version are known.
pub(crate) fn vm_is(name: &str) {
    describe(|header| name.clone_into(&mut header.vm));
}

/// The first call tells where the agent's library lies.
pub(crate) fn name_agent(caller: usize) {
    static NAMED: AtomicBool = AtomicBool::new(false);
    if NAMED.load(Ordering::Relaxed) || NAMED.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(file) = library::file_of(caller) {
        describe(|header| header.agent = raw_text::decode(&file));
    }
}

/// We start an agent with these options.
pub(crate) fn agent_starts(spec: &AgentSpec) {
    describe(|header| {
        header.agent.clone_from(&spec.name);
        header.options.clone_from(&spec.options);
    });
}
