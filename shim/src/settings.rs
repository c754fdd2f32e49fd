//! The shim's own options: from JVMPI_OPTIONS, then from the agent-path string.

use event_translate::agent_spec::{self, AgentPath, AgentSpec};
use event_translate::options::Options;

use crate::{log, observe, state};

/// Reads both sources and puts the options into force; the agent to start, if
/// one is named. A malformed or unknown option costs one line each.
pub(crate) fn read(agent_path: Option<&str>) -> Option<AgentSpec> {
    let environment = std::env::var("JVMPI_OPTIONS").unwrap_or_default();
    let environment = agent_spec::parse_settings(&environment);
    let path = agent_spec::parse_agent_path(agent_path.unwrap_or_default());
    let mut options = Options::default();
    let mut complaints = Vec::new();
    for source in [&environment, &path] {
        apply(&mut options, source, &mut complaints);
    }
    let file = options
        .log_file
        .as_deref()
        .map(|path| event_translate::options::expand_percent_p(path, std::process::id()));
    log::configure(options.log, file.as_deref());
    for complaint in complaints {
        log::warning!("{complaint}");
    }
    let written = [&environment, &path].map(|source| &source.settings);
    let written = written.into_iter().flatten();
    let written: Vec<String> = written
        .filter(|(key, _)| !key.starts_with("trace"))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    observe::start(&options, &written.join(","));
    state::set_options(options);
    path.agent.or(environment.agent)
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
