//! What is to become of each `-Xrun` option.
//!
//! Decided one after the other, because JVMPI knows one agent per VM.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::context::Context;
use crate::base::say::Failure;
use crate::command_line::agent::{self, XrunOption};
use crate::command_line::quote;
use crate::java::java_command::{Origin, VmOption};
use crate::libraries::elf::{AgentKind, Symbols, Target};
use crate::libraries::find::{Found, Missing, Place, Search};
use crate::libraries::library_path::Additions;
use crate::libraries::needed_libraries;

/// What is said of a folder, behind its name.
const IS_CLOSED: &str = " is not put on LD_LIBRARY_PATH";

/// What the JDK and whatever it starts are linked with, and agents were shipped with.
const OF_THE_SYSTEM: [&str; 7] = [
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "libz.so.1",
    "libc.so.6",
    "libm.so.6",
    "libpthread.so.0",
    "libdl.so.2",
];

/// What is to become of an `-Xrun` option.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The VM deals with it as it stands.
    Stays,
    /// This option stands for it.
    Becomes(OsString),
}

/// The state of planning, while one `-Xrun` after the other is looked at.
pub(crate) struct Planner<'a> {
    pub(crate) context: &'a Context,
    pub(crate) search: Search,
    /// The JDK is known, so what is not found is not there.
    pub(crate) certain: bool,
    /// A shim is loaded already, with or without an agent.
    pub(crate) shim_there: bool,
    /// Something we made loads the shim together with its agent.
    pub(crate) converted: bool,
    /// There is one `-Xrun` that is not the debugger's.
    alone: bool,
    /// The JVMPI agent that came first.
    first: Option<XrunOption>,
    /// Libraries that the VM itself is to load.
    pub(crate) agents: Vec<PathBuf>,
    pub(crate) library_path: Additions,
    pub(crate) notes: Vec<String>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(
        context: &'a Context,
        options: &[VmOption],
        boot: Option<Vec<PathBuf>>,
        target: Option<Target>,
    ) -> Self {
        Self {
            context,
            certain: boot.is_some(),
            search: context.search(boot.unwrap_or_default(), target),
            shim_there: options.iter().any(|o| agent::loads_shim(&o.word)),
            converted: false,
            alone: options.iter().filter(|o| is_agent(&o.word)).count() == 1,
            first: None,
            agents: Vec::new(),
            library_path: Additions::default(),
            notes: Vec::new(),
        }
    }

    /// Decides about one that names an agent in either spelling; `None` of any other.
    pub(crate) fn decide_about(&mut self, option: &VmOption) -> Result<Option<Fate>, Failure> {
        if agent::loads_shim(&option.word) {
            self.meet_named(agent::named_to_shim(&option.word));
        }
        if let Some(xrun) = XrunOption::parse(&option.word) {
            self.decide(&xrun, &option.origin).map(Some)
        } else if let Some(xrun) = XrunOption::of_jvmti_spelling(&option.word) {
            self.decide_jvmti_spelling(&xrun, option).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Decides about an option that a java command line or its variables hold.
    fn decide(&mut self, xrun: &XrunOption, origin: &Origin) -> Result<Fate, Failure> {
        let Some(found) = self.look_up(xrun)? else {
            return Ok(Fate::Stays);
        };
        if matches!(found.kind, AgentKind::Jvmpi | AgentKind::WithShim) && !self.is_first(xrun) {
            return self.let_the_vm_find(&found, xrun);
        }
        self.shim_there |= found.kind == AgentKind::WithShim;
        if found.beside && !matches!(origin, Origin::Line(_)) {
            return Err(Failure::xrun(format!(
                "{}: {} is for 32 bits, and runs beside this VM only if it stands in the command line itself",
                xrun.to_word().display(),
                found.path.display()
            )));
        }
        if found.place.vm_looks_there() && !found.beside {
            return Ok(self.preferred(&found, xrun, origin));
        }
        match (origin, found.kind) {
            (Origin::Line(_), AgentKind::Jvmti | AgentKind::WithShim) => {
                Ok(Fate::Becomes(agent::jvmti_option(&found.path, xrun)?))
            }
            (Origin::Line(_), AgentKind::Jvmpi | AgentKind::Neither) if !self.shim_there => {
                self.convert(&found, xrun)
            }
            (Origin::File(file), _) => {
                self.notes.push(format!(
                    "{} stands in {}, which is left as it is; the folder of {} goes on LD_LIBRARY_PATH instead",
                    xrun.to_word().display(),
                    file.display(),
                    found.path.display()
                ));
                self.let_the_vm_find(&found, xrun)
            }
            (Origin::Line(_) | Origin::Variable(_), _) => self.let_the_vm_find(&found, xrun),
        }
    }

    /// Decides about `-agentlib:` and `-agentpath:`: of a JVMPI agent, as HPROF's was written
    /// since JDK 5, it is `-Xrun` in other words. JVMTI agents are none of our business.
    fn decide_jvmti_spelling(
        &mut self,
        xrun: &XrunOption,
        option: &VmOption,
    ) -> Result<Fate, Failure> {
        let word = option.word.display();
        let found = match self.search.find(&as_path(xrun, &option.word)) {
            Ok(found) => found,
            // The HPROF of a JDK that is gone, by its path.
            Err(_) if Path::new(&xrun.name).file_name() == Some(OsStr::new("libhprof.so")) => {
                match self.search.find(OsStr::new("hprof")) {
                    Ok(found) => found,
                    Err(_) => return Ok(Fate::Stays),
                }
            }
            Err(_) => return Ok(Fate::Stays),
        };
        if found.kind == AgentKind::WithShim {
            self.shim_there |= self.is_first(xrun);
        }
        let symbols = Symbols::of(&found.path);
        let is_jvmti = symbols
            .as_ref()
            .is_ok_and(|symbols| symbols.has_agent_on_load);
        if found.kind == AgentKind::Neither
            && symbols.is_ok()
            && !is_jvmti
            && needed_libraries::with_entry(&found.path).is_empty()
        {
            // Some VMs say so, some crash.
            self.notes.push(format!(
                "{word}: {} shows neither Agent_OnLoad (JVMTI) nor JVM_OnLoad (JVMPI), so no VM can start it: declare it JNIEXPORT",
                found.path.display()
            ));
        }
        if found.kind != AgentKind::Jvmpi || is_jvmti {
            return Ok(Fate::Stays);
        }
        self.meet(&found);
        let place = match &option.origin {
            Origin::Line(_) if !self.shim_there && self.is_first(xrun) => {
                if found.path.as_os_str() != xrun.name && xrun.name.as_bytes().contains(&b'/') {
                    self.notes
                        .push(format!("{word}: it is {} now", found.path.display()));
                }
                return self.convert(&found, xrun);
            }
            Origin::Line(_) => return Ok(Fate::Stays),
            Origin::File(file) => file.display().to_string(),
            Origin::Variable(name) => (*name).to_owned(),
        };
        self.notes.push(format!(
            "{word} stands in {place}, which is left as it is, and VMs take no JVMPI agent so; write -Xrun there, or put it on the command line"
        ));
        Ok(Fate::Stays)
    }

    /// Decides about an option that goes into `JAVA_TOOL_OPTIONS`, for JVMs that
    /// we do not know: wherever the library was found, its path is the safest.
    pub(crate) fn decide_for_variable(&mut self, xrun: &XrunOption) -> Result<Fate, Failure> {
        let Some(found) = self.look_up(xrun)? else {
            return Ok(Fate::Stays);
        };
        match found.kind {
            AgentKind::WithShim if !self.is_first(xrun) => self.let_the_vm_find(&found, xrun),
            AgentKind::Jvmti | AgentKind::WithShim => {
                self.shim_there |= found.kind == AgentKind::WithShim;
                Ok(Fate::Becomes(agent::jvmti_option(&found.path, xrun)?))
            }
            AgentKind::Jvmpi | AgentKind::Neither => {
                if self.is_first(xrun) && !self.shim_there {
                    self.convert(&found, xrun)
                } else {
                    self.let_the_vm_find(&found, xrun)
                }
            }
        }
    }

    /// Finds the library of an option. `None`: not our business.
    fn look_up(&mut self, xrun: &XrunOption) -> Result<Option<Found>, Failure> {
        if xrun.name == "jdwp" {
            return Ok(None);
        }
        if xrun.name == "jvmpi" {
            self.is_first(xrun);
            // The shim looks for the agent where the VM would.
            self.meet_named(xrun.options.as_deref().and_then(agent::named_in));
            let vm_finds_it = |found: Found| found.place.vm_looks_there();
            if !self.search.find(&xrun.name).is_ok_and(vm_finds_it)
                && let Some(folder) = self.context.shim.path.parent()
            {
                self.library_path.after(folder.to_owned());
            }
            return Ok(None);
        }
        match self.search.find(&xrun.name) {
            Ok(mut found) => {
                if found.kind == AgentKind::Neither {
                    self.notes
                        .push(as_front(xrun, &found.path).map_err(Failure::agent)?);
                    found.kind = AgentKind::Jvmpi;
                }
                self.meet(&found);
                Ok(Some(found))
            }
            Err(missing) if missing.unfit.is_empty() && !self.certain => Ok(None),
            Err(missing) => Err(why_missing(&self.search, xrun, &missing)),
        }
    }

    /// Notes an agent of JVMPI; false, and a line, for every one but the first.
    fn is_first(&mut self, xrun: &XrunOption) -> bool {
        let Some(first) = &self.first else {
            self.first = Some(xrun.clone());
            return true;
        };
        self.notes.push(format!(
            "JVMPI knows one agent per VM, and -Xrun{} comes first: -Xrun{} is left as it is; run it by itself",
            first.name.display(),
            xrun.name.display()
        ));
        false
    }

    /// What the VM could start by itself. It would do so before JNI finds a class of the program;
    /// the shim does it as late as hosts of the period. Of several the VM keeps the order.
    fn preferred(&mut self, found: &Found, xrun: &XrunOption, origin: &Origin) -> Fate {
        let ours = found.kind == AgentKind::Jvmpi && matches!(origin, Origin::Line(_));
        if !ours || self.shim_there || !self.alone {
            return Fate::Stays;
        }
        match self.context.shim.option_with_agent(&found.path, xrun) {
            Ok(option) => {
                self.converted = true;
                Fate::Becomes(option)
            }
            // Its path cannot be written there.
            Err(_) => Fate::Stays,
        }
    }

    fn convert(&mut self, found: &Found, xrun: &XrunOption) -> Result<Fate, Failure> {
        self.converted = true;
        // Its other parts (System.loadLibrary, dlopen, libraries that it is linked with) are found by the
        // environment only.
        if let Some(folder) = found.path.parent()
            && found.place == Place::Agents
            && Additions::can_name(folder)
            && self.may_open(
                folder,
                "further parts of the agent are found if they are elsewhere",
            )
        {
            self.library_path.after(folder.to_owned());
        }
        let option = self.context.shim.option_with_agent(&found.path, xrun)?;
        Ok(Fate::Becomes(option))
    }

    /// Leaves the option and makes the VM find its library.
    fn let_the_vm_find(&mut self, found: &Found, xrun: &XrunOption) -> Result<Fate, Failure> {
        let folder = found.path.parent().map(Path::to_owned).unwrap_or_default();
        match found.place {
            Place::OwnFolder => self.library_path.after(folder),
            Place::Path => {
                return Err(Failure::agent(format!(
                    "-Xrun{}: java takes no path there; write -Xrunfoo for libfoo.so, and name its folder with --agents",
                    xrun.name.display()
                )));
            }
            Place::Agents => self.library_path.before(folder),
            Place::JdkLib | Place::LibraryPath | Place::System => {}
        }
        Ok(Fate::Stays)
    }

    /// Notes what a VM is to load; one for 32 bits has a process of its own beside a VM of 64.
    fn meet(&mut self, found: &Found) {
        if !found.beside {
            self.agents.push(found.path.clone());
        }
    }

    /// The same of an agent that a shim looks for by itself.
    fn meet_named(&mut self, name: Option<String>) {
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return;
        };
        if let Ok(found) = self.search.find(OsStr::new(&name)) {
            self.meet(&found);
        }
        if !name.contains('/') {
            self.open_agents();
        }
    }

    /// The folders of `--agents`, for a shim that looks for its agent by name.
    fn open_agents(&mut self) {
        for folder in self.context.agents.clone() {
            if self.may_open(&folder, "name the agent in it by its path") {
                self.library_path.before(folder);
            }
        }
    }

    /// Whether a folder may be put on `LD_LIBRARY_PATH` of a java; `instead` ends the line that says why not.
    fn may_open(&mut self, folder: &Path, instead: &str) -> bool {
        let Some(name) = OF_THE_SYSTEM.iter().find(|name| folder.join(name).exists()) else {
            return true;
        };
        let note = format!(
            "{}{IS_CLOSED}, since java would take its {name}; {instead}",
            folder.display()
        );
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
        false
    }

    /// Lets an `-Xrun` that we cannot see find the libraries that we would find.
    pub(crate) fn open_folders(&mut self) {
        for folder in &self.context.agents {
            // Needed all the same.
            let closed = format!("{}{IS_CLOSED}", folder.display());
            self.notes.retain(|note| !note.starts_with(&closed));
            self.library_path.before(folder.clone());
        }
        if let Some(own) = self.context.own.clone().filter(|own| holds_libraries(own)) {
            self.library_path.after(own);
        }
    }
}

/// The line about a library without an entry point, which the dynamic linker may find in one that it needs:
/// the agent is in several then. The error says that it is none.
pub(crate) fn as_front(xrun: &XrunOption, library: &Path) -> Result<String, String> {
    let lacks = format!(
        "-Xrun{}: {} has neither JVM_OnLoad nor Agent_OnLoad",
        xrun.name.display(),
        library.display()
    );
    let parts = needed_libraries::with_entry(library);
    if parts.is_empty() {
        return Err(format!(
            "{lacks}, so it is no agent; name the agent's own library"
        ));
    }
    Ok(format!("{lacks}; they may be in {}", parts.join(", ")))
}

/// The line for an agent whose library is not there, or does not fit.
pub(crate) fn why_missing(search: &Search, xrun: &XrunOption, missing: &Missing) -> Failure {
    let name = xrun.name.display();
    if let Some((path, reason)) = missing.unfit.first() {
        let shown = quote::for_shell(path.as_os_str().as_bytes());
        return Failure::agent(format!(
            "-Xrun{name}: {} {reason}; get a library that fits, or run a java that does (xrun doctor {} says more)",
            path.display(),
            String::from_utf8_lossy(&shown)
        ));
    }
    if xrun.name.as_bytes().contains(&b'/') {
        return Failure::agent(format!("-Xrun{name}: no such file; check the path"));
    }
    let own = search.own.as_deref().unwrap_or(Path::new("xrun"));
    let boot = search.boot.first().map(|f| format!("{}, ", f.display()));
    let (there, meant) = search.others(&xrun.name);
    let meant = meant.map(|meant| format!("did you mean -Xrun{meant}? Or "));
    let there = (!there.is_empty()).then(|| format!(" (agents found: {})", there.join(", ")));
    Failure::agent(format!(
        "-Xrun{name}: no lib{name}.so in {}LD_LIBRARY_PATH, the system's library folders or {}; {}name its folder with --agents DIR{}",
        boot.unwrap_or_default(),
        own.display(),
        meant.unwrap_or_default(),
        there.unwrap_or_default()
    ))
}

/// `-agentpath:libfoo.so` names a file here, `-agentlib:foo` a library.
pub(crate) fn as_path(xrun: &XrunOption, word: &OsStr) -> OsString {
    let is_path = word.as_bytes().starts_with(b"-agentpath:");
    if is_path && !xrun.name.as_bytes().contains(&b'/') {
        return Path::new(".").join(&xrun.name).into_os_string();
    }
    xrun.name.clone()
}

fn is_agent(word: &OsStr) -> bool {
    XrunOption::parse(word).is_some_and(|xrun| xrun.name != "jdwp")
}

fn holds_libraries(folder: &Path) -> bool {
    let is_library = |name: OsString| {
        let name = name.as_bytes();
        name.starts_with(b"lib") && name.ends_with(b".so")
    };
    std::fs::read_dir(folder)
        .is_ok_and(|mut entries| entries.any(|e| e.is_ok_and(|e| is_library(e.file_name()))))
}
