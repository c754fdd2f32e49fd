//! Monitor events as the agent `jvmpi_trace` writes them.

use std::collections::HashMap;

use crate::report::field;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonitorEvent {
    /// Its name, without `JVMPI_EVENT_`.
    pub kind: String,
    /// The object, by a number of its own; 0 for a sleep.
    pub object: usize,
    /// Milliseconds; -1 where the event has none.
    pub millis: i64,
}

/// What the trace agent is told, to write these events and the names of threads.
pub const EVENTS: &str = "noheader,none,+THREAD_START,+MONITOR_CONTENDED_ENTER,+MONITOR_CONTENDED_ENTERED,+MONITOR_CONTENDED_EXIT,+MONITOR_WAIT,+MONITOR_WAITED";

/// The monitor events of a trace, by the name of the thread that sent them.
#[must_use]
pub fn by_thread(trace: &str) -> HashMap<String, Vec<MonitorEvent>> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut objects: Vec<&str> = vec!["(nil)"];
    let mut events: HashMap<String, Vec<MonitorEvent>> = HashMap::new();
    for line in trace.lines() {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let kind = line.split(' ').next().unwrap_or_default();
        if kind == "THREAD_START"
            && let (Some(env), Some(name)) = (field(line, "tenv"), field(line, "name"))
        {
            names.insert(env, name);
        }
        if let Some(object) = field(line, "obj")
            && let Some(name) = field(line, "env").and_then(|env| names.get(env))
        {
            let number = objects.iter().position(|known| *known == object);
            let number = number.unwrap_or_else(|| {
                objects.push(object);
                objects.len() - 1
            });
            let events = events.entry((*name).to_owned()).or_default();
            events.push(MonitorEvent {
                kind: kind.to_owned(),
                object: number,
                millis: field(line, "timeout").map_or(-1, |text| text.parse().unwrap_or(-1)),
            });
        }
    }
    events
}
