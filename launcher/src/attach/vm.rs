//! What a HotSpot VM tells of itself without being asked: the libraries it has mapped, and its
//! performance memory, a file.

use std::path::{Path, PathBuf};

use native_layout::perf_data;

use super::process::Process;
use super::system::reading;
use super::trouble::Trouble;
use crate::agent::SHIM_FILE;
use crate::jdk::Jdk;
use crate::say::Failure;

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
        let shim = called(SHIM_FILE);
        Ok(Self {
            counters: counters(&process),
            process,
            libjvm,
            shim,
        })
    }

    fn counter(&self, name: &str) -> Option<&str> {
        let found = self.counters.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// `17.0.15`, as far as it is known.
    pub(crate) fn version(&self) -> Option<String> {
        let told = self.counter("java.property.java.version");
        told.map(str::to_owned)
            .or_else(|| self.jdk().and_then(|jdk| jdk.version()))
    }

    /// Main class or jar, and its arguments; else how the process was started.
    pub(crate) fn program(&self) -> String {
        match self.counter("sun.rt.javaCommand") {
            Some(command) if !command.is_empty() => command.to_owned(),
            _ => self.process.command().join(" "),
        }
    }

    /// The JDK that it runs from, by names of our own mount namespace.
    pub(crate) fn jdk(&self) -> Option<Jdk> {
        // HOME/lib/server/libjvm.so
        let home = self.libjvm.ancestors().nth(3)?;
        Jdk::at(&self.process.path(home))
    }

    /// Where the VM looks for libraries first, by the name it has there.
    pub(crate) fn boot_folder(&self) -> Option<&Path> {
        self.libjvm.ancestors().nth(2)
    }

    /// The VM's own library, by a name of ours.
    pub(crate) fn libjvm(&self) -> PathBuf {
        self.process.path(&self.libjvm)
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

fn is_j9(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("libj9vm") || name.starts_with("libj9jit"))
}

/// Text counters. The folder is called after the user, whose name here may be another one than
/// there.
fn counters(process: &Process) -> Vec<(String, String)> {
    let Ok(folders) = std::fs::read_dir(process.path(Path::new("/tmp"))) else {
        return Vec::new();
    };
    let folders = folders.flatten().filter(|folder| {
        folder
            .file_name()
            .to_string_lossy()
            .starts_with("hsperfdata_")
    });
    let mut files = folders.map(|folder| folder.path().join(process.pid_inside.to_string()));
    files
        .find_map(|file| {
            let memory = own_file(process, &file)?;
            let counters = perf_data::texts(&memory);
            (!counters.is_empty()).then_some(counters)
        })
        .unwrap_or_default()
}

/// What is in a file if it is its user's, and no larger than such files are.
fn own_file(process: &Process, path: &Path) -> Option<Vec<u8>> {
    use std::io::Read as _;
    use std::os::unix::fs::MetadataExt;
    const LARGEST: u64 = 1 << 24;
    let file = process.acting(|| reading().open(path)).ok()?;
    let data = file.metadata().ok()?;
    let mut bytes = Vec::new();
    if data.is_file() && data.uid() == process.uid && data.len() <= LARGEST {
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    }
    Some(bytes)
}
