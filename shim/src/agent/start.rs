//! Finding and starting an agent when the VM does not do it for us.

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt};
use std::os::unix::fs::{FileExt as _, MetadataExt};
use std::path::{Path, PathBuf};
use std::ptr;

use jvmpi_headers::jni::{JNI_OK, JavaVM};
use native_layout::elf_target::Target;
use native_layout::elf_wishes::Wishes;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use shim_options::agent_spec::{AgentSpec, short_name};
use terminal_text::raw_text;

use crate::agent::agent_call::{self, OnLoad};
use crate::agent::table;
use crate::base::{attach_report, life, log, observer};
use crate::model::thread::current::{self, Runs};
use crate::os::library::{self, Library};
use crate::os::stack_guards;
use crate::vm::hotspot::library_loader;
use crate::vm::jni::Jni;
use crate::vm::this_vm;

/// An agent that can be started.
pub(crate) struct Opened {
    on_load: OnLoad,
    spec: AgentSpec,
}

/// The agent of `-agentpath:libjvmpi.so=agent:options`, opened early so that a
/// missing one stops the VM as it does for -Xrun.
static OPENED: OnceCell<Opened> = OnceCell::new();

/// Starts the process of an agent that is not for this VM's width; what is called as its
/// JVM_OnLoad.
type Bridge = fn(&Path) -> Result<OnLoad, String>;

static BRIDGE: OnceCell<Bridge> = OnceCell::new();

/// What a 32-bit agent is started by.
pub(crate) fn set_bridge(bridge: Bridge) {
    let _ = BRIDGE.set(bridge);
}

/// When an agent is opened.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// In Agent_OnLoad or JVM_OnLoad.
    Starting,
    /// While Java code runs.
    Live,
}

/// An agent's code: in this process, or in one of its own.
enum Found {
    Here(Library),
    Beside(OnLoad),
}

/// The agent that we have started.
static STARTED: Mutex<Option<String>> = Mutex::new(None);

/// The agent of this VM, whoever has started it.
pub(crate) fn running() -> Option<String> {
    let started = STARTED.lock().clone();
    started.or_else(|| table::notify_event().map(|notify| name_of(notify as usize)))
}

/// What an agent that the VM has started is called: by the library that its NotifyEvent is in.
fn name_of(notify: usize) -> String {
    let file = library::file_of(notify);
    let is_own = |file: &Vec<u8>| {
        let own = library::own_path();
        own.is_some_and(|own| own.as_os_str().as_bytes() == file)
    };
    let file = file.filter(|file| !is_own(file));
    let name = file.map(|file| short_name(&raw_text::decode(&file)).to_owned());
    name.unwrap_or_else(|| "the agent of -Xrun".to_owned())
}

/// Whether there is one, or will be.
pub(crate) fn is_expected() -> bool {
    OPENED.get().is_some()
        || STARTED.lock().is_some()
        || table::notify_event().is_some()
        || is_loaded()
}

/// Whether the VM has one for -Xrun: all libraries of these are loaded before the first Agent_OnLoad is called, and called
/// behind the last (JVMTI facts 1). In a later life none comes so, and the first one's library is still there. What has both
/// entry points may be a JVMTI agent: started by -Xrun it shows itself when it is called.
fn is_loaded() -> bool {
    static LOADED: OnceCell<bool> = OnceCell::new();
    let look = || {
        let others = library::all_with(&[c"Agent_OnLoad"]);
        let is_other = |file: &[u8]| others.iter().any(|(other, _)| other == file);
        let mut found = library::all_with(&[c"JVM_OnLoad"]).into_iter();
        found.any(|(file, _)| !is_other(&file))
    };
    life::number() == 0 && *LOADED.get_or_init(look)
}

/// The start has failed after all.
pub(crate) fn forget() {
    *STARTED.lock() = None;
}

/// Opens the agent named on our own command line, if any; false if there is no
/// such agent.
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
    open(spec, When::Starting).is_some_and(|opened| OPENED.set(opened).is_ok())
}

/// Starts that agent. One that fails ends the VM as a failing -Xrun library does today.
///
/// # Phase
/// As late as hosts of the period did: JNI finds what the program's class path has, and
/// nothing that an agent can hear of has been told yet.
pub(crate) fn start_opened(vm: *mut JavaVM) {
    let Some(opened) = OPENED.get() else { return };
    if !opened.start(vm) {
        this_vm::advance(this_vm::Phase::Dead);
        crate::agent::process::end_as_failed_xrun(short_name(&opened.spec.name));
    }
}

impl Opened {
    /// Calls its JVM_OnLoad; whether that succeeds.
    pub(crate) fn start(&self, vm: *mut JavaVM) -> bool {
        observer::tell(|observer| observer.agent_starts(&self.spec));
        let options = self
            .spec
            .options
            .as_deref()
            .map(|options| CString::new(raw_text::encode(options)).unwrap_or_default());
        // The agent may write into its options (strtok) and keep pointers into them.
        let options = options.map_or(ptr::null_mut(), CString::into_raw);
        observer::tell(|observer| observer.run_begins(self.on_load as usize));
        current::set_runs(Runs::OnLoad);
        let result = agent_call::on_load(self.on_load, vm, options);
        current::set_runs(Runs::Nothing);
        observer::tell(|observer| observer.run_ends());
        // A class that it has looked for in vain is its own affair, not that of the VM, which
        // expects nothing of the kind from us.
        if let Some(jni) = Jni::of_this_thread()
            && jni.take_exception().is_some()
        {
            log::info!(
                "JVM_OnLoad of `{}` left an exception pending",
                self.spec.name
            );
        }
        let started = result == Some(JNI_OK);
        if started {
            *STARTED.lock() = Some(short_name(&self.spec.name).to_owned());
        }
        started
    }

    /// As it was named.
    pub(crate) fn name(&self) -> &str {
        &self.spec.name
    }
}

/// Opens an agent's library and looks for its entry point; one line if there is none.
pub(crate) fn open(spec: AgentSpec, when: When) -> Option<Opened> {
    if let Some(on_load) = agent_call::linked_entry() {
        return Some(Opened { on_load, spec });
    }
    let library = match find(&spec.name, when)? {
        Found::Here(library) => library,
        Found::Beside(on_load) => return Some(Opened { on_load, spec }),
    };
    if let Some(on_load) = agent_call::entry_of(library) {
        return Some(Opened { on_load, spec });
    }
    attach_report::trouble(attach_report::Trouble::Unfit);
    if library.is_jvmti_agent() {
        log::warning!(
            "`{0}` is a JVMTI agent, not a JVMPI one; load it with -agentpath or -agentlib:{0}, without us",
            spec.name
        );
    } else {
        log::warning!(
            "`{}` has no JVM_OnLoad: it is no JVMPI agent; name the agent's own library",
            spec.name
        );
    }
    None
}

fn find(name: &str, when: When) -> Option<Found> {
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
        if !bare && is_for_bridge(&candidate) {
            match BRIDGE.get().map(|bridge| bridge(&candidate)) {
                Some(Ok(on_load)) => return Some(Found::Beside(on_load)),
                Some(Err(reason)) => {
                    reasons.push(format!("{}: {reason}", candidate.display()));
                    continue;
                }
                None => {}
            }
        }
        match load(&candidate, when) {
            Ok(library) => return Some(Found::Here(library)),
            Err(reason) => reasons.push(reason),
        }
    }
    let none = || {
        "no such file; give its path, or put its folder on LD_LIBRARY_PATH; `xrun doctor` tells more"
            .to_owned()
    };
    let reason = reasons.into_iter().next().unwrap_or_else(none);
    log::warning!("agent library `{name}` cannot be loaded: {reason}");
    None
}

/// Opens a library. In a later life one that is there already gets variables of its own: a copy.
fn load(path: &Path, when: When) -> Result<Library, String> {
    let open = || Library::open(path).map_err(|said| why_not(path, said));
    if life::number() > 0 && library::is_loaded(path) {
        return library::open_copy(path).map_err(|said| why_not(path, said));
    }
    let file = fs::File::open(path);
    let wishes = file
        .ok()
        .and_then(|file| Wishes::of(|into, at| drop(file.read_at(into, at))));
    let wishes = wishes.unwrap_or_default();
    open_of_jdk(&wishes);
    let Some(jni) = Jni::of_this_thread() else {
        // Agent_OnLoad: no thread's stack has guards yet.
        return open();
    };
    if !wishes.executable_stacks() {
        return open();
    }
    match when {
        // JVM_OnLoad: of the threads with guards there is this one.
        When::Starting => stack_guards::restored_after(open),
        When::Live if library_loader::load(jni, path) => open(),
        When::Live => Err(format!(
            "{} wants an executable stack, which takes the guards off the stacks of threads that run, and this VM \
             cannot put them back; start it with the program, or take the mark off a copy (patchelf --clear-execstack)",
            path.display()
        )),
    }
}

/// Opens what of the JDK's libraries an agent needs: the VM does so later, and the linker finds only what is open
/// unless the program that has started the VM says where they are, as `java` does.
fn open_of_jdk(wishes: &Wishes) {
    let Some(folder) = library::folder_of_jdk() else {
        return;
    };
    for name in wishes.of_jdk() {
        if let Err(said) = Library::open(&folder.join(name)) {
            log::info!("{said}");
        }
    }
}

/// Why a library cannot be opened, and what to do. The linker's own words do not say that it is
/// built for another machine.
fn why_not(path: &Path, said: String) -> String {
    match (target_of(path), Target::OWN) {
        (Some(its), Some(own)) if its != own => format!(
            "{} is for {its}, this VM for {own}; get the agent built for {own}, or run a VM for {its}",
            path.display()
        ),
        // By its bare name it was looked for, and is not there.
        _ if said.starts_with(&format!("{}: cannot open", path.display())) => format!(
            "{said}; give its path, or put its folder on LD_LIBRARY_PATH; `xrun doctor` tells more"
        ),
        _ => format!("{said}; `xrun doctor {}` says what to do", path.display()),
    }
}

/// Whether an agent is to have a process of its own.
fn is_for_bridge(path: &Path) -> bool {
    let its = target_of(path);
    its.zip(Target::OWN)
        .is_some_and(|(its, own)| its.runs_beside(own))
}

/// What a file is built for; `None` if it is no library.
fn target_of(path: &Path) -> Option<Target> {
    let mut head = [0; Target::HEAD];
    fs::File::open(path).ok()?.read_exact(&mut head).ok()?;
    Target::from_head(&head)
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
    found.extend(library_path().iter().map(|folder| folder.join(&file)));
    found.push(PathBuf::from(&file));
    if let Some(folder) = library::own_path().as_deref().and_then(Path::parent) {
        found.push(folder.join(&file));
    }
    found
}

/// The folders that are named. An empty name is none: for the dynamic linker it may mean the
/// current folder, which is then the linker's to search, as it is without us.
fn library_path() -> Vec<PathBuf> {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    folders(&path)
}

fn folders(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .collect()
}

fn java_home() -> Option<PathBuf> {
    if let Some(home) = this_vm::jvmti().and_then(|jvmti| jvmti.system_property(c"java.home")) {
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
    let name = short_name(own.to_str()?).to_owned();
    if name == "jvmpi" {
        return None;
    }
    Some(AgentSpec {
        name,
        options: options.map(str::to_owned),
    })
}

/// When an agent is linked with us into one library: that agent, whose options all of them are.
pub(crate) fn linked(options: Option<&str>) -> Option<AgentSpec> {
    agent_call::linked_entry()?;
    let own = library::own_path().unwrap_or_default();
    Some(AgentSpec {
        name: short_name(&own.to_string_lossy()).to_owned(),
        options: options.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{Target, candidates, folders, target_of};

    /// `libfoo.so` of the current folder is nobody's agent.
    #[test]
    fn the_current_folder_is_searched_only_if_it_is_named() {
        for unnamed in ["", ":", "::"] {
            assert!(folders(OsStr::new(unnamed)).is_empty(), "{unnamed:?}");
        }
        let named = [std::path::Path::new("/a"), std::path::Path::new(".")];
        assert_eq!(folders(OsStr::new(":/a::.")), named);
    }

    #[test]
    fn what_we_are_built_for_is_what_our_file_says() {
        let own = target_of(&std::env::current_exe().unwrap());
        assert!(own.is_some() && own == Target::OWN, "{own:?}");
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
