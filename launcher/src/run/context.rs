//! What a run and doctor both start from: flags, environment, shim, search.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::base::say::Failure;
use crate::command_line::agent::{SHIM_FILE, Shim};
use crate::command_line::request::Globals;
use crate::java::jdk::{self, Jdk};
use crate::java::program;
use crate::libraries::elf::{Target, target_of};
use crate::libraries::find::{self, Search};

/// Everything outside the command line that decides what is run.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) shim: Shim,
    /// Folders of `--agents`, absolute.
    pub(crate) agents: Vec<PathBuf>,
    /// xrun's own folder, links followed.
    pub(crate) own: Option<PathBuf>,
    pub(crate) environment: HashMap<OsString, OsString>,
    /// `--keep-options`.
    pub(crate) keep_options: bool,
}

impl Context {
    /// From the flags and the process's environment.
    pub(crate) fn new(globals: &Globals) -> Result<Self, Failure> {
        let own = std::env::current_exe()
            .and_then(|exe| exe.canonicalize())
            .ok()
            .and_then(|exe| exe.parent().map(Path::to_owned));
        let agents =
            globals.agents.iter().map(|folder| {
                folder.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
                Failure::xrun(format!(
                    "--agents {}: no such folder; name the one that holds the agent's library",
                    folder.display()
                ))
            })
            });
        Ok(Self {
            agents: agents.collect::<Result<_, _>>()?,
            shim: Shim {
                path: shim_path(globals, own.as_deref()),
                settings: globals.settings.clone(),
            },
            own,
            environment: std::env::vars_os().collect(),
            keep_options: globals.keep_options,
        })
    }

    /// The value of an environment variable; an empty one is none.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let value = self.environment.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }

    /// Why the shim cannot be used at all, and what to do.
    pub(crate) fn shim_trouble(&self) -> Option<(String, &'static str)> {
        let path = &self.shim.path;
        if !path.is_file() {
            let what = format!("{SHIM_FILE} not found: there is no {}", path.display());
            return Some((
                what,
                "build it (cargo build --release) and keep it beside xrun, or name it with --jvmpi FILE",
            ));
        }
        let reason = target_of(path).err()?;
        let what = format!("{} {reason}", path.display());
        Some((what, "build it again, or name another with --jvmpi FILE"))
    }

    /// Why this VM cannot load the shim, and what to do.
    pub(crate) fn shim_misfit(&self, vm: Option<Target>) -> Option<(String, &'static str)> {
        let (shim, vm) = (target_of(&self.shim.path).ok()?, vm?);
        if shim == vm {
            return None;
        }
        let path = self.shim.path.display();
        Some((
            format!("{path} is built for {shim}, but the VM is {vm}"),
            "use a java of the same kind, or name a libjvmpi.so built for this VM with --jvmpi FILE",
        ))
    }

    /// The search for agents of a VM. `target` is what that VM loads.
    pub(crate) fn search(&self, boot: Vec<PathBuf>, target: Option<Target>) -> Search {
        Search {
            boot,
            agents: self.agents.clone(),
            library_path: find::folders_of(self.variable("LD_LIBRARY_PATH")),
            own: self.own.clone(),
            system: find::system_libraries,
            host32: self.shim.path.parent().and_then(lanes::program),
            target,
        }
    }

    /// The java that PATH names.
    pub(crate) fn java_on_path(&self) -> Option<PathBuf> {
        program::locate(OsStr::new("java"), self.variable("PATH")).ok()
    }

    /// The java in `JAVA_HOME`.
    pub(crate) fn java_in_home(&self) -> Option<PathBuf> {
        jdk::java_of_home(self.variable("JAVA_HOME"))
    }

    /// The java that a script most probably starts: `JAVA_HOME`'s, else PATH's.
    pub(crate) fn likely_java(&self) -> Option<PathBuf> {
        self.java_in_home().or_else(|| self.java_on_path())
    }

    /// The JDK that it is of.
    pub(crate) fn likely_jdk(&self) -> Option<Jdk> {
        Jdk::of_program(&self.likely_java()?)
    }
}

/// The file of `--jvmpi`, or the one beside xrun; absolute, because the command
/// may change its folder before it starts java.
fn shim_path(globals: &Globals, own: Option<&Path>) -> PathBuf {
    let path = match (&globals.jvmpi, own) {
        (Some(path), _) => path.clone(),
        (None, Some(own)) => own.join(SHIM_FILE),
        (None, None) => PathBuf::from(SHIM_FILE),
    };
    std::path::absolute(&path).unwrap_or(path)
}
