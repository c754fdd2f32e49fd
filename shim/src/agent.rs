//! Finding and starting an agent when the VM does not do it for us.

use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::ptr;

use event_translate::agent_spec::AgentSpec;
use event_translate::raw_text;
use jvmpi_headers::jni::{JNI_OK, JavaVM};
use once_cell::sync::OnceCell;

use crate::ffi::agent_call;
use crate::ffi::library::{self, Library};
use crate::{log, state, trace};

struct Opened {
    library: Library,
    spec: AgentSpec,
}

/// The agent of `-agentpath:libjvmpi.so=agent:options`, opened early so that a
/// missing one stops the VM as it does for -Xrun.
static OPENED: OnceCell<Opened> = OnceCell::new();

/// Opens the agent named on our own command line, if any; false if there is no
/// such library.
pub(crate) fn open_for_vm_start(spec: Option<AgentSpec>) -> bool {
    let Some(spec) = spec else { return true };
    if let Some(opened) = OPENED.get() {
        log::warning!(
            "JVMPI knows one agent per VM: `{}` is not started, `{}` is",
            spec.name,
            opened.spec.name
        );
        return true;
    }
    match open(&spec.name) {
        Some(library) => OPENED.set(Opened { library, spec }).is_ok(),
        None => false,
    }
}

/// Starts that agent, at the first moment JNI works. One that fails ends the VM
/// as a failing -Xrun library does today.
pub(crate) fn start_opened(vm: *mut JavaVM) {
    let Some(opened) = OPENED.get() else { return };
    if !run(opened.library, vm, &opened.spec) {
        state::advance(state::Phase::Dead);
        crate::ffi::process::end_as_failed_xrun(&base_name(&opened.spec.name));
    }
}

/// Opens and starts an agent; false, after one line, if it cannot be or fails.
pub(crate) fn start_now(vm: *mut JavaVM, spec: &AgentSpec) -> bool {
    open(&spec.name).is_some_and(|library| run(library, vm, spec))
}

fn run(library: Library, vm: *mut JavaVM, spec: &AgentSpec) -> bool {
    let Some(on_load) = library.jvm_on_load() else {
        if library.is_jvmti_agent() {
            log::warning!(
                "`{0}` is a JVMTI agent, not a JVMPI one; load it with -agentpath or -agentlib:{0}, without us",
                spec.name
            );
        } else {
            log::warning!("`{}` has no JVM_OnLoad: it is no JVMPI agent", spec.name);
        }
        return false;
    };
    trace::agent_starts(spec);
    let options = spec
        .options
        .as_deref()
        .map(|options| CString::new(raw_text::encode(options)).unwrap_or_default());
    // The agent may write into its options (strtok) and keep pointers into them.
    let options = options.map_or(ptr::null_mut(), CString::into_raw);
    if trace::is_on() {
        trace::run_begins(on_load as usize);
    }
    let result = agent_call::on_load(on_load, vm, options);
    if trace::is_on() {
        trace::run_ends();
    }
    result == Some(JNI_OK)
}

fn open(name: &str) -> Option<Library> {
    let mut reasons = Vec::new();
    for candidate in candidates(name) {
        // A bare name is the linker's to find, anything else must be there.
        let bare = candidate
            .parent()
            .is_none_or(|parent| parent.as_os_str().is_empty());
        if !bare && !candidate.exists() {
            continue;
        }
        if !bare && is_us(&candidate) {
            continue;
        }
        match Library::open(&candidate) {
            Ok(library) => return Some(library),
            Err(reason) => reasons.push(reason),
        }
    }
    let reason = reasons.first().map_or("no such file", String::as_str);
    let hint = if reason.contains("wrong ELF class") {
        "it is built for another word size than this VM: use a VM or an agent of the other kind"
    } else {
        "give its path, or put its folder on LD_LIBRARY_PATH; `xrun doctor` tells more"
    };
    log::warning!("agent library `{name}` cannot be loaded: {reason}; {hint}");
    None
}

/// Where an agent may lie, in the order of the VM's own search (JVMTI facts 16),
/// then our own folder.
fn candidates(name: &str) -> Vec<PathBuf> {
    if name.contains('/') {
        return vec![PathBuf::from(OsString::from_vec(raw_text::encode(name)))];
    }
    let file = if name.starts_with("lib") && name.contains(".so") {
        name.to_owned()
    } else {
        format!("lib{name}.so")
    };
    let mut found = Vec::new();
    if let Some(home) = java_home() {
        found.push(home.join("lib").join(&file));
    }
    found.extend(library_path().map(|folder| folder.join(&file)));
    found.push(PathBuf::from(&file));
    if let Some(folder) = library::own_path().as_deref().and_then(Path::parent) {
        found.push(folder.join(&file));
    }
    found
}

fn library_path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| {
            if folder.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                folder
            }
        })
        .collect::<Vec<_>>()
        .into_iter()
}

fn java_home() -> Option<PathBuf> {
    if let Some(home) = state::jvmti().and_then(|jvmti| jvmti.system_property(c"java.home")) {
        return Some(PathBuf::from(home.as_c_str().to_str().ok()?));
    }
    // HOME/bin/java, when there is no JVMTI yet.
    let java = fs::read_link("/proc/self/exe").ok()?;
    Some(java.parent()?.parent()?.to_owned())
}

/// Whether a file is this very library (a link to it included).
fn is_us(path: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    library::own_path()
        .is_some_and(|own| identity(&own).is_some() && identity(&own) == identity(path))
}

/// When this library was loaded under an agent's name: that agent, the real one,
/// which lies further down the search path.
pub(crate) fn behind_our_name(options: Option<&str>) -> Option<AgentSpec> {
    let own = library::own_path()?;
    let name = base_name(own.to_str()?);
    if name == "jvmpi" {
        return None;
    }
    Some(AgentSpec {
        name,
        options: options.map(str::to_owned),
    })
}

/// `foo` of `/some/where/libfoo.so`.
fn base_name(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split(".so").next().unwrap_or(file);
    stem.strip_prefix("lib")
        .filter(|_| file.contains(".so"))
        .unwrap_or(stem)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{base_name, candidates};

    #[test]
    fn names_and_paths() {
        assert_eq!(base_name("/opt/x/libhprof.so"), "hprof");
        assert_eq!(base_name("libhprof.so.1"), "hprof");
        assert_eq!(base_name("hprof"), "hprof");
        assert_eq!(base_name("library"), "library");
    }

    #[test]
    fn a_path_is_taken_as_it_is() {
        assert_eq!(candidates("/a/b.so"), [std::path::PathBuf::from("/a/b.so")]);
        assert!(
            candidates("foo")
                .iter()
                .all(|path| path.ends_with("libfoo.so"))
        );
    }
}
