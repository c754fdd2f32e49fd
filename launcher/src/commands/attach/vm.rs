//! What a HotSpot VM tells of itself without being asked: the libraries it has mapped, and its
//! performance memory, a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use native_layout::perf_data;

use super::inside::our_name;
use super::process::Process;
use super::trouble::Trouble;
use crate::base::say::Failure;
use crate::command_line::agent::SHIM_FILE;
use crate::java::jdk;
use crate::libraries::elf::{Target, target_of};

/// A process that is a VM.
#[derive(Debug)]
pub(crate) struct Vm {
    pub(crate) process: Process,
    libjvm: PathBuf,
    /// The shim that it has loaded, under the name it has it by.
    pub(crate) shim: Option<PathBuf>,
    /// Text counters of the performance memory, if it has one.
    counters: Vec<(String, String)>,
}

impl Vm {
    /// Looks whether there is one in this process.
    pub(crate) fn of(process: Process) -> Result<Self, Failure> {
        let files = process.mapped()?;
        let called = |name: &str| {
            let file = files.iter().find(|file| file.ends_with(name));
            file.cloned()
        };
        let pid = process.pid;
        if files.iter().any(|file| is_j9(file)) {
            return Err(Trouble::NoVm.because(format!("{pid}: an OpenJ9 VM; xrun knows HotSpot's")));
        }
        let Some(libjvm) = called("libjvm.so") else {
            return Err(Trouble::NoVm.because(format!("{pid}: not a JVM; xrun ps lists them")));
        };
        if files.iter().any(|file| is_musl(file)) {
            return Err(Trouble::NoVm.because(format!(
                "{pid}: a VM for musl (Alpine), which loads no libraries for glibc; run the program in an image with glibc"
            )));
        }
        let shim = called(SHIM_FILE);
        Ok(Self {
            counters: counters(&process),
            process,
            libjvm,
            shim,
        })
    }

    /// Why nothing can be attached to it, if it is of a time before ours.
    pub(crate) fn too_old(&self) -> Option<String> {
        let version = self.version().filter(|it| jdk::is_too_old(it))?;
        Some(format!("Java {version}; libjvmpi.so needs 11 or later"))
    }

    fn counter(&self, name: &str) -> Option<&str> {
        let found = self.counters.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// `17.0.15`, as far as it is known.
    pub(crate) fn version(&self) -> Option<String> {
        let told = self.counter("java.property.java.version");
        told.map(str::to_owned).or_else(|| {
            // HOME/lib/server/libjvm.so
            let home = self.libjvm.ancestors().nth(3)?;
            let release = self.process.open(&home.join("release")).ok()?;
            jdk::version_in_release(&String::from_utf8_lossy(&start_of(release)?))
        })
    }

    /// Main class or jar, and its arguments; else how the process was started.
    pub(crate) fn program(&self) -> String {
        match self.counter("sun.rt.javaCommand") {
            Some(command) if !command.is_empty() => command.to_owned(),
            _ => self.process.command().join(" "),
        }
    }

    /// Where the VM looks for libraries first, by the name it has there.
    pub(crate) fn boot_folder(&self) -> Option<&Path> {
        self.libjvm.ancestors().nth(2)
    }

    /// The library of this name there, by the name that the VM has for it.
    pub(crate) fn boot_library(&self, file: &OsStr) -> Option<(PathBuf, File)> {
        let name = self.boot_folder()?.join(file);
        let held = self.process.open(&name).ok()?;
        Some((name, held))
    }

    /// What libraries have to be built for.
    pub(crate) fn target(&self) -> Option<Target> {
        let libjvm = self.process.open(&self.libjvm).ok()?;
        target_of(&our_name(&libjvm)).ok()
    }

    /// Why it would not answer, if that is known without asking. A VM that does not answer
    /// prints a thread dump instead.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        const DISABLED: &str = "was started with -XX:+DisableAttachMechanism; start it without";
        // Its first place is whether it can be attached to.
        if let Some(can) = self.counter("sun.rt.jvmCapabilities") {
            return can.starts_with('0').then_some(DISABLED);
        }
        let variables = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"];
        let variables = self.process.variables(&variables);
        let given = variables.iter().flat_map(|value| value.split_whitespace());
        let command = self.process.command();
        let mut words = given.chain(command.iter().map(String::as_str));
        let last = words.rfind(|word| word.ends_with("DisableAttachMechanism"));
        last.is_some_and(|word| word.starts_with("-XX:+"))
            .then_some(DISABLED)
    }
}

/// Whether it is musl, which is its own loader.
fn is_musl(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("ld-musl-") || name.starts_with("libc.musl-"))
}

fn is_j9(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("libj9vm") || name.starts_with("libj9jit"))
}

/// Text counters. The folder is called after the user, whose name here may be another one than
/// there.
fn counters(process: &Process) -> Vec<(String, String)> {
    const TMP: &str = "/tmp";
    let names = process
        .folder(TMP)
        .and_then(|tmp| process.acting(|| std::fs::read_dir(tmp.join(""))));
    let names = names.into_iter().flatten().flatten();
    let mut folders = names
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().starts_with("hsperfdata_"));
    let file = |folder| {
        Path::new(TMP)
            .join(folder)
            .join(process.pid_inside.to_string())
    };
    folders
        .find_map(|folder| {
            let memory = own_file(process, &file(folder))?;
            let counters = perf_data::texts(&memory);
            (!counters.is_empty()).then_some(counters)
        })
        .unwrap_or_default()
}

/// What is in a file if it is its user's.
fn own_file(process: &Process, name: &Path) -> Option<Vec<u8>> {
    let file = process.open(name).ok()?;
    let is_its = file.metadata().ok()?.uid() == process.uid;
    is_its.then(|| start_of(file)).flatten()
}

/// More is in no file that is read here.
fn start_of(file: File) -> Option<Vec<u8>> {
    const LARGEST: u64 = 1 << 24;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
