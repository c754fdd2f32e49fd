//! Words and small files that people write: options of the shim, settings of agents, findings that are known, and
//! counts of what an agent uses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shim_options::Options;
use shim_options::agent_spec::{parse_agent_path, parse_settings, short_name};

fn apply(settings: &[(String, String)]) {
    let mut options = Options::default();
    for (key, value) in settings {
        let _ = options.apply(key, value);
        let _ = options.apply_for_agent(key, value);
        let _ = options.value_for_agent(key);
    }
    let _ = options.without_effect();
    let _ = (options.classes.included(), options.classes.excluded());
    let _ = options.classes.takes(b"java.lang.String");
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for path in [parse_agent_path(&text), parse_settings(&text)] {
        apply(&path.settings);
        if let Some(agent) = &path.agent {
            let _ = short_name(&agent.name);
        }
    }
    if let Ok(rows) = agent_settings::parse(&text) {
        for row in rows {
            let _ = row.fits("foo", &row.options);
        }
    }
    let _ = findings::Suppressions::read(&text, &["alloc-unknown", "monitor-order"]);
    if let Ok((usage, about)) = agent_usage::Usage::read(&text) {
        let about: Vec<_> = about
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        let again = usage.write(&about);
        assert!(agent_usage::Usage::read(&again).is_ok());
    }
});
