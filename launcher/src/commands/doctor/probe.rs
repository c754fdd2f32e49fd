//! Tries to load an agent's library, in a process of its own: xrun runs itself
//! with a hidden first word, so that foreign start-up code cannot harm doctor.
//!
//! The VM's library is loaded first and made visible, as java does, because
//! agents use what it exports. The VM binds lazily, so a library whose functions
//! are not all there still loads, and ends the VM at the first call of one. A VM with a C library of its
//! own, newer than this system's, cannot be had in here: then its table of symbols says what it has.
//!
//! # Safety
//!
//! `dlopen` runs the library's initialisers. They can do anything to the probing
//! process, which does nothing afterwards but report and end.
#![allow(unsafe_code, reason = "dlopen has no safe interface")]

use std::collections::HashSet;
use std::ffi::{CStr, CString, OsStr, OsString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr::NonNull;
use std::time::Duration;

use super::child;
use crate::base::say;
use crate::libraries::elf::{Symbols, defined_by};
use crate::libraries::executable_stacks;
use crate::libraries::linker_needs;

/// The hidden first word.
const WORD: &str = "--probe-library";
/// Begins every line of the answer; the library may print, too.
const MARK: &str = "xrun-probe: ";
const LIMIT: Duration = Duration::from_secs(10);

/// What came of loading a library.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// With all its symbols.
    Loads,
    /// Lazily; these symbols are nowhere.
    Lacks(Vec<String>),
    /// Not at all; the dynamic linker's message.
    Fails(String),
    /// The probing process died or hung.
    Crashes(String),
}

/// What the probing process has found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    /// Why the VM's own library was not there, if it was missed; the dynamic linker's message.
    pub(crate) without_vm: Option<String>,
}

/// Has a library loaded by another process.
pub(crate) fn ask(libjvm: Option<&Path>, library: &Path) -> Found {
    let command = std::env::current_exe().map(|exe| {
        let mut command = Command::new(exe);
        command
            .arg(WORD)
            .arg(libjvm.unwrap_or(Path::new("")))
            .arg(library);
        let own = Path::new(command.get_program()).to_owned();
        executable_stacks::allow(&mut command, library, &own);
        command
    });
    match command.and_then(|mut command| child::run(&mut command, LIMIT)) {
        Ok(outcome) => Found {
            verdict: verdict(&outcome.stdout)
                .unwrap_or_else(|| Verdict::Crashes(outcome.complaint())),
            without_vm: without_vm(&outcome.stdout),
        },
        Err(error) => Found {
            verdict: Verdict::Crashes(error.to_string()),
            without_vm: None,
        },
    }
}

fn without_vm(text: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(MARK));
    lines
        .find_map(|line| line.strip_prefix("without "))
        .map(str::to_owned)
}

/// Reads the answer of [`run`].
fn verdict(text: &str) -> Option<Verdict> {
    let mut lacking = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(MARK)) {
        match line.split_once(' ') {
            Some(("lacks", symbol)) => lacking.push(symbol.to_owned()),
            Some(("fails", why)) => return Some(Verdict::Fails(why.to_owned())),
            _ if line == "loads" && lacking.is_empty() => return Some(Verdict::Loads),
            _ if line == "loads" => return Some(Verdict::Lacks(lacking)),
            _ => {}
        }
    }
    None
}

/// The probing process's task.
pub(crate) struct Job {
    libjvm: Option<PathBuf>,
    library: PathBuf,
}

/// The task, if this process is one to probe.
pub(crate) fn requested(words: &[OsString]) -> Option<Job> {
    let [word, libjvm, library] = words else {
        return None;
    };
    (word == WORD).then(|| Job {
        libjvm: (!libjvm.is_empty()).then(|| libjvm.into()),
        library: library.into(),
    })
}

/// Does the task, and ends the process without running foreign exit code.
pub(crate) fn run(job: &Job) -> ExitCode {
    let mut lines = String::from("\n");
    let mut line = |text: &str| {
        lines.push_str(MARK);
        lines.push_str(&text.replace('\n', " "));
        lines.push('\n');
    };
    let vm = job.libjvm.as_deref();
    let opened = vm.map(|libjvm| open(libjvm, libc::RTLD_NOW | libc::RTLD_GLOBAL));
    if let (Some(libjvm), Some(Ok(_))) = (vm, &opened) {
        open_of_jdk(libjvm, &job.library);
    }
    let now = open(&job.library, libc::RTLD_NOW);
    let mut of_vm = HashSet::new();
    if let (Err(_), Some(libjvm), Some(Err(why))) = (&now, vm, opened) {
        line(&format!("without {why}"));
        of_vm = defined_by(libjvm);
    }
    let lazy = now.clone().or_else(|_| open(&job.library, libc::RTLD_LAZY));
    match lazy {
        Err(why) => line(&format!("fails {why}")),
        Ok(handle) => {
            if let Err(why) = now {
                let mut lacking = lacking(handle, &job.library);
                if lacking.is_empty() {
                    // A library that it needs lacks something.
                    lacking.push(why);
                }
                lacking.retain(|lack| !of_vm.contains(symbol_in(lack)));
                for symbol in &lacking {
                    line(&format!("lacks {symbol}"));
                }
            }
            line("loads");
        }
    }
    // Doctor waits at the other end.
    let _ = say::out(lines.as_bytes());
    // SAFETY: ends the process at once; the answer is written and flushed.
    unsafe { libc::_exit(0) }
}

/// Opens what of the JDK's libraries an agent names: a VM has them, too.
fn open_of_jdk(libjvm: &Path, library: &Path) {
    // `lib/server/libjvm.so`
    let Some(folder) = libjvm.parent().and_then(Path::parent) else {
        return;
    };
    for name in linker_needs::of(library).unwrap_or_default().of_jdk() {
        let _ = open(&folder.join(name), libc::RTLD_LAZY | libc::RTLD_GLOBAL);
    }
}

/// The symbol that is meant: itself, or what the dynamic linker's sentence names.
fn symbol_in(lack: &str) -> &str {
    let named = lack.split_once("undefined symbol: ");
    // A version may follow.
    named.map_or(lack, |(_, name)| {
        name.split([',', ' ']).next().unwrap_or(name)
    })
}

/// The symbols that the library needs and nobody has.
fn lacking(handle: NonNull<c_void>, library: &Path) -> Vec<String> {
    let needed = Symbols::of(library).map(|symbols| symbols.undefined);
    let mut needed = needed.unwrap_or_default();
    needed.retain(|symbol| {
        CString::new(&**symbol)
            .is_ok_and(|name| !exists(handle.as_ptr(), &name) && !exists(libc::RTLD_DEFAULT, &name))
    });
    needed
}

fn exists(scope: *mut c_void, name: &CStr) -> bool {
    // SAFETY: `scope` is RTLD_DEFAULT or a handle from dlopen that is never
    // closed; the address is compared, not used.
    !unsafe { libc::dlsym(scope, name.as_ptr()) }.is_null()
}

fn open(library: &Path, flags: c_int) -> Result<NonNull<c_void>, String> {
    let name = CString::new(OsStr::as_bytes(library.as_os_str())).map_err(|e| e.to_string())?;
    // SAFETY: `name` is a C string; see the module's doc about initialisers.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    NonNull::new(handle).ok_or_else(last_error)
}

fn last_error() -> String {
    // SAFETY: one thread, so the message stays until the next dl call.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "unknown error of the dynamic linker".to_owned();
    }
    // SAFETY: not null (checked above), a C string by dlerror's contract.
    unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        assert_eq!(verdict("noise\nxrun-probe: loads\n"), Some(Verdict::Loads));
        assert_eq!(
            verdict("xrun-probe: lacks a\nxrun-probe: lacks b\nxrun-probe: loads\n"),
            Some(Verdict::Lacks(vec!["a".into(), "b".into()]))
        );
        assert_eq!(
            verdict("\nxrun-probe: fails no such file\n"),
            Some(Verdict::Fails("no such file".into()))
        );
        assert_eq!(verdict("xrun-probe: lacks a\n"), None);
        assert_eq!(verdict("loads"), None);
        let text = "xrun-probe: without a: b\nxrun-probe: loads\n";
        assert_eq!(verdict(text), Some(Verdict::Loads));
        assert_eq!(without_vm(text).as_deref(), Some("a: b"));
        for lack in [
            "JVM_Halt",
            "/l/libb.so: undefined symbol: JVM_Halt",
            "/l/libb.so: undefined symbol: JVM_Halt, version SUNWprivate_1.1",
        ] {
            assert_eq!(symbol_in(lack), "JVM_Halt");
        }
    }

    #[test]
    fn request() {
        let words = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
        assert!(requested(&words(&[WORD, "", "/x"])).is_some_and(|job| job.libjvm.is_none()));
        assert!(requested(&words(&["java", WORD, "/x"])).is_none());
        assert!(requested(&words(&[WORD, "/x"])).is_none());
    }
}
