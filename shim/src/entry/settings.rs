//! The shim's own options: from JVMPI_OPTIONS, then from the agent-path string.

use shim_options::Options;
use shim_options::agent_spec;
use shim_options::agent_spec::{AgentPath, AgentSpec};

use crate::agent::start;
use crate::base::{config, log};
use crate::observe::observers;

/// What both sources say.
pub(crate) struct Read {
    options: Options,
    /// One line each.
    complaints: Vec<String>,
    written: Vec<String>,
    /// The settings on our own command line.
    on_line: usize,
    /// The agent to start, if one is named.
    pub(crate) agent: Option<AgentSpec>,
}

/// Reads the options that the VM was started with and puts them into force; the agent to start,
/// if one is named. Of two command lines that name us the first one counts.
pub(crate) fn read(agent_path: Option<&str>) -> Option<AgentSpec> {
    let read = parse(agent_path);
    if !config::has_options() {
        return read.into_force();
    }
    if read.on_line > 0 {
        log::warning!(
            "libjvmpi.so is named twice, and the first options count; not read: `{}`; name it once, \
             or put them into JVMPI_OPTIONS",
            agent_path.unwrap_or_default()
        );
    }
    read.agent
}

/// Reads both sources; nothing is in force yet. With an agent in our own library only the
/// environment is ours.
pub(crate) fn parse(agent_path: Option<&str>) -> Read {
    let linked = start::linked(agent_path);
    let agent_path = agent_path.filter(|_| linked.is_none());
    let environment = std::env::var("JVMPI_OPTIONS").unwrap_or_default();
    let environment = agent_spec::parse_settings(&environment);
    let path = agent_spec::parse_agent_path(agent_path.unwrap_or_default());
    let mut options = Options::default();
    let mut complaints = Vec::new();
    for source in [&environment, &path] {
        apply(&mut options, source, &mut complaints);
    }
    let meant = agent_path.and_then(|text| agent_spec::meant_as_agent(text, Options::is_known));
    if let Some((name, spec)) = meant {
        complaints.push(format!("if {name} is an agent: libjvmpi.so={spec}"));
    }
    complaints.extend(options.without_effect());
    let written = [&environment, &path].map(|source| &source.settings);
    let written = written.into_iter().flatten();
    let written = written
        .filter(|(key, _)| !key.starts_with("trace"))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    Read {
        options,
        complaints,
        written,
        on_line: path.settings.len() + path.malformed.len(),
        agent: linked.or(path.agent).or(environment.agent),
    }
}

impl Read {
    /// Whether our own command line says anything but which agent.
    pub(crate) fn has_settings(&self) -> bool {
        self.on_line > 0
    }

    /// A recording says that it was begun in a program that ran.
    pub(crate) fn comes_late(&mut self) {
        self.written.push("attached=on".to_owned());
    }

    /// From now on. A malformed or unknown option costs one line each.
    pub(crate) fn into_force(self) -> Option<AgentSpec> {
        let file = self.options.log_file.as_deref().map(own_files::file_name);
        log::configure(self.options.log, file.as_ref().map(|file| &*file.name));
        for variable in file.iter().flat_map(|file| &file.unset) {
            log::warning!("%x{{{variable}}} in log-file= is not set: nothing stands there");
        }
        for complaint in self.complaints {
            log::warning!("{complaint}");
        }
        observers::start(&self.options, &self.written.join(","));
        config::set_options(self.options);
        self.agent
    }
}

fn apply(options: &mut Options, source: &AgentPath, complaints: &mut Vec<String>) {
    for (key, value) in &source.settings {
        if let Err(complaint) = options.apply(key, value) {
            complaints.push(complaint);
        }
    }
    for word in &source.malformed {
        complaints.push(format!(
            "option `{word}` is not of the form name=value; ignored"
        ));
    }
}
