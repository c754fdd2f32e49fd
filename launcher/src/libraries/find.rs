//! Which file is meant by `-Xrunfoo`.
//!
//! The VM looks into the JDK's library folder, then lets the dynamic linker
//! look (`LD_LIBRARY_PATH`, then the system's folders). xrun adds the folders
//! of `--agents`, which come after the JDK's because the VM would not leave a
//! library of its own aside, and its own folder, which comes after what the
//! user's environment names. As the linker does, a file that is built for
//! another machine is passed over and the search goes on.
//!
//! # References
//!
//! HotSpot's `lookup_agent_on_load` / `os::dll_locate_lib`; ld.so(8).

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::elf::{AgentKind, NoLibrary, Symbols, Target, target_of};
use crate::command_line::agent::SHIM_FILE;
use terminal_text::nearest::nearest;

/// Where a library was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The JDK's own library folder.
    JdkLib,
    /// A folder named by `--agents`.
    Agents,
    /// A folder on `LD_LIBRARY_PATH`.
    LibraryPath,
    /// The folder of xrun itself.
    OwnFolder,
    /// Known to the dynamic linker.
    System,
    /// Named by its path.
    Path,
}

impl Place {
    /// True when the VM finds the library without our help.
    pub(crate) fn vm_looks_there(self) -> bool {
        match self {
            Self::JdkLib | Self::LibraryPath | Self::System => true,
            Self::Agents | Self::OwnFolder | Self::Path => false,
        }
    }
}

/// A library that fits the VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) place: Place,
    pub(crate) kind: AgentKind,
    /// It is for 32 bits, and runs in a process of its own beside this VM.
    pub(crate) beside: bool,
}

/// Why no library was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Files of the right name that cannot be used, and why.
    pub(crate) unfit: Vec<(PathBuf, Unfit)>,
}

/// Why a file is nothing to the VM; what it says stands behind the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    Folder,
    NoLibrary(NoLibrary),
    /// Of another kind than the VM, and without the program that could run it beside that.
    BuiltFor {
        its: Target,
        vm: Target,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (its, vm) = match self {
            Self::Folder => return f.write_str("is a folder"),
            Self::NoLibrary(why) => return why.fmt(f),
            Self::BuiltFor { its, vm } => (*its, *vm),
        };
        write!(f, "is built for {its}, but the VM is {vm}")?;
        if its.runs_beside(vm) {
            let place = if vm.is_x86_64() {
                ""
            } else {
                " on a machine for x86"
            };
            write!(
                f,
                "; it can run beside this one in {}, which is not there: ./build-i386 in xrun's sources makes it{place}",
                lanes::PROGRAM
            )?;
        }
        Ok(())
    }
}

/// Where to look, and what for.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// The VM's `sun.boot.library.path`; empty if the JDK is not known.
    pub(crate) boot: Vec<PathBuf>,
    pub(crate) agents: Vec<PathBuf>,
    pub(crate) library_path: Vec<PathBuf>,
    pub(crate) own: Option<PathBuf>,
    /// The dynamic linker's cache and default folders: candidates for a file name.
    pub(crate) system: fn(&OsStr) -> Vec<PathBuf>,
    /// What the VM loads; `None` if it is not known.
    pub(crate) target: Option<Target>,
    /// The program in which agents of 32 bits run beside a VM of 64.
    pub(crate) host32: Option<PathBuf>,
}

impl Search {
    /// Finds `libNAME.so`, or the file itself if `name` is a path.
    pub(crate) fn find(&self, name: &OsStr) -> Result<Found, Missing> {
        if name.as_bytes().contains(&b'/') {
            let mut missing = Missing::default();
            let found = self.fit(Path::new(name), Place::Path, &mut missing);
            return found.ok_or(missing);
        }
        self.find_file(&file_of(name))
    }

    /// Finds a file of this name.
    pub(crate) fn find_file(&self, file: &OsStr) -> Result<Found, Missing> {
        let mut missing = Missing::default();
        self.candidates(file)
            .filter(|(_, path)| !self.is_shim_for_another(path))
            .find_map(|(place, path)| self.fit(&path, place, &mut missing))
            .map(|found| self.as_the_vm_sees_it(found, file))
            .ok_or(missing)
    }

    /// The agents that `-Xrun` would find, and which of them may be meant by a name that it does not: also by
    /// that of its file.
    pub(crate) fn others(&self, name: &OsStr) -> (Vec<String>, Option<String>) {
        let folders = self.agents.iter().chain(&self.library_path);
        let folders = folders.chain(&self.own);
        let there: Vec<String> = folders.flat_map(|it| agents_in(it, self.target)).collect();
        let name = name.to_string_lossy();
        let bare = name.strip_suffix(".so").unwrap_or(&name);
        let bare = bare.strip_prefix("lib").unwrap_or(bare);
        let names = || there.iter().map(|name| &**name);
        let meant = names().find(|it| *it == bare && *it != name);
        let meant = meant.or_else(|| nearest(&name, names())).map(str::to_owned);
        (there, meant)
    }

    fn candidates<'a>(&'a self, file: &'a OsStr) -> impl Iterator<Item = (Place, PathBuf)> + 'a {
        [
            (Place::JdkLib, &*self.boot),
            (Place::Agents, &*self.agents),
            (Place::LibraryPath, &*self.library_path),
            (Place::OwnFolder, self.own.as_slice()),
        ]
        .into_iter()
        .flat_map(move |(place, folders)| folders.iter().map(move |f| (place, f.join(file))))
        // Asked last: it costs a process.
        .chain(
            std::iter::once_with(move || (self.system)(file))
                .flatten()
                .map(|path| (Place::System, path)),
        )
    }

    /// A library that only we seem to find may lie where the VM looks, too.
    fn as_the_vm_sees_it(&self, found: Found, file: &OsStr) -> Found {
        let same = |folder: &PathBuf| {
            let other = folder.join(file).canonicalize();
            other.is_ok_and(|other| found.path.canonicalize().is_ok_and(|path| path == other))
        };
        let first = |folder: &&PathBuf| folder.join(file).exists();
        if !found.place.vm_looks_there() && self.library_path.iter().find(first).is_some_and(same) {
            return Found {
                place: Place::LibraryPath,
                ..found
            };
        }
        found
    }

    fn fit(&self, path: &Path, place: Place, missing: &mut Missing) -> Option<Found> {
        if !path.exists() {
            return None;
        }
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        match self.examine(&path) {
            Ok(kind) => Some(Found {
                beside: self.runs_beside(&path),
                path,
                place,
                kind,
            }),
            Err(reason) => {
                missing.unfit.push((path, reason));
                None
            }
        }
    }

    /// Whether this is the shim under an agent's name, which has it started before the agent where nothing
    /// else can be changed. xrun is there to start it, and looks for the agent itself.
    fn is_shim_for_another(&self, path: &Path) -> bool {
        let is_called_so = |path: &Path| path.file_name().is_some_and(|name| name == SHIM_FILE);
        if is_called_so(path) {
            return false;
        }
        let id = |path: &Path| path.metadata().ok().map(|data| (data.dev(), data.ino()));
        let shim = self.own.as_ref().and_then(|own| id(&own.join(SHIM_FILE)));
        path.canonicalize().is_ok_and(|path| is_called_so(&path))
            || shim.is_some_and(|shim| id(path) == Some(shim))
    }

    /// Whether a library runs in a process of its own beside the VM.
    fn runs_beside(&self, path: &Path) -> bool {
        let its = || target_of(path).ok();
        let can = |vm| its().is_some_and(|its| its.runs_beside(vm));
        self.host32.is_some() && self.target.is_some_and(can)
    }

    /// What a library is to the VM; the error says why it is nothing.
    pub(crate) fn examine(&self, path: &Path) -> Result<AgentKind, Unfit> {
        if path.is_dir() {
            return Err(Unfit::Folder);
        }
        let its = target_of(path).map_err(Unfit::NoLibrary)?;
        if let Some(vm) = self.target.filter(|vm| *vm != its)
            && !self.runs_beside(path)
        {
            return Err(Unfit::BuiltFor { its, vm });
        }
        let symbols = Symbols::of(path).map_err(Unfit::NoLibrary)?;
        Ok(symbols.kind)
    }
}

/// `libfoo.so` of `foo`.
pub(crate) fn file_of(name: &OsStr) -> OsString {
    let mut file = OsString::from("lib");
    file.push(name);
    file.push(".so");
    file
}

/// The folders of a `LD_LIBRARY_PATH`. An empty entry is the current folder.
pub(crate) fn folders_of(library_path: Option<&OsStr>) -> Vec<PathBuf> {
    let Some(value) = library_path.filter(|value| !value.is_empty()) else {
        return Vec::new();
    };
    value
        .as_bytes()
        .split(|b| b":;".contains(b))
        .map(|entry| if entry.is_empty() { b"." } else { entry })
        .map(|entry| PathBuf::from(OsStr::from_bytes(entry)))
        .collect()
}

/// What the dynamic linker knows under this name.
pub(crate) fn system_libraries(file: &OsStr) -> Vec<PathBuf> {
    let cache = Command::new("/sbin/ldconfig").arg("-p").output();
    let text = cache.map(|output| output.stdout).unwrap_or_default();
    let mut paths = in_linker_cache(&String::from_utf8_lossy(&text), file);
    paths.extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib"].map(|f| Path::new(f).join(file)));
    paths
}

/// Reads the output of `ldconfig -p`: lines `libm.so.6 (libc6,x86-64) => /lib/libm.so.6`.
fn in_linker_cache(text: &str, file: &OsStr) -> Vec<PathBuf> {
    text.lines()
        .filter_map(|line| line.trim_start().split_once(" ("))
        .filter(|(name, _)| *name == file)
        .filter_map(|(_, rest)| rest.split_once(" => "))
        .map(|(_, path)| PathBuf::from(path))
        .collect()
}

/// The JVMPI agents in a folder, by their short names, but for the shim; `target` is what the VM
/// loads.
pub(crate) fn agents_in(folder: &Path, target: Option<Target>) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name != SHIM_FILE))
        .filter_map(|path| Some((short_name(&path)?, path)))
        .filter(|(_, path)| target.is_none() || target_of(path).ok() == target)
        .filter(|(_, path)| Symbols::of(path).is_ok_and(|s| s.kind == AgentKind::Jvmpi))
        .map(|(name, _)| name)
        .collect();
    names.sort();
    names
}

/// `foo` of `libfoo.so`.
pub(crate) fn short_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    Some(name.strip_prefix("lib")?.strip_suffix(".so")?.to_owned())
}

#[cfg(test)]
mod tests;
