//! Monitor events as the agent `jvmpi_trace` writes them.

use std::collections::HashMap;

use crate::jdk::Jdk;
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

/// What a trace says of one event: its line, and those of its stack.
struct Told<'trace> {
    lines: Vec<&'trace str>,
}

impl<'trace> Told<'trace> {
    /// All of a trace's; lines with a blank and no number in front belong to the event before them.
    fn all(trace: &'trace str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in trace.lines() {
            let goes_on = line.starts_with(' ')
                && !line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            match all.last_mut() {
                Some(told) if goes_on => told.lines.push(line),
                _ => all.push(Self { lines: vec![line] }),
            }
        }
        all
    }

    fn is(&self, kind: &str) -> bool {
        self.lines[0].split_whitespace().any(|word| word == kind)
    }

    /// The same monitor, at the same place of the program.
    fn is_where(&self, other: &Self) -> bool {
        let object = |told: &Self| field(told.lines[0], "obj").map(str::to_owned);
        object(self).is_some()
            && object(self) == object(other)
            && self.lines[1..] == other.lines[1..]
    }
}

/// A trace without what JDK 27 and later alone tell of, and how often they did: a thread that is notified
/// waits for its monitor as one that enters it does, which is a MONITOR_CONTENDED_ENTER and ENTERED
/// right behind its MONITOR_WAITED, in the same place, if somebody holds the monitor then (JVMTI facts 20).
/// Nothing else is taken out, and of older JDKs nothing.
#[must_use]
pub fn without_ways_back(jdk: &Jdk, trace: &str) -> (String, usize) {
    if jdk.major < 27 {
        return (trace.to_owned(), 0);
    }
    let mut told = Told::all(trace);
    let mut threads: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut taken = Vec::new();
    for (place, this) in told.iter().enumerate() {
        let Some(env) = field(this.lines[0], "env") else {
            continue;
        };
        let before = threads.entry(env).or_default();
        if let [.., waited, enter] = before[..]
            && told[waited].is("MONITOR_WAITED")
            && told[enter].is("MONITOR_CONTENDED_ENTER")
            && this.is("MONITOR_CONTENDED_ENTERED")
            && this.is_where(&told[enter])
            && this.is_where(&told[waited])
        {
            taken.extend([enter, place]);
        }
        before.push(place);
    }
    for &place in &taken {
        told[place].lines.clear();
    }
    let lines = told.iter().flat_map(|told| &told.lines);
    let text = lines.map(|line| format!("{line}\n")).collect();
    (text, taken.len() / 2)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Jdk, without_ways_back};

    fn jdk(major: u32) -> Jdk {
        Jdk {
            major,
            home: PathBuf::new(),
        }
    }

    const BEFORE: &str = "\
MONITOR_WAIT env=t1 obj=o2 timeout=0
    at line=126 method=m7 A.b()V
MONITOR_WAITED env=t1 obj=o2 timeout=3
    at line=126 method=m7 A.b()V
";
    const ENTER: &str = "\
MONITOR_CONTENDED_ENTER env=t1 obj=o2
    at line=126 method=m7 A.b()V
";
    const OTHER: &str = "THREAD_END env=t2\n";
    const ENTERED: &str = "\
MONITOR_CONTENDED_ENTERED env=t1 obj=o2
    at line=126 method=m7 A.b()V
";

    #[test]
    fn ways_back_are_those_behind_a_wait() {
        let whole = [BEFORE, ENTER, OTHER, ENTERED].concat();
        let without = [BEFORE, OTHER].concat();
        assert_eq!(without_ways_back(&jdk(27), &whole), (without, 1));
        assert_eq!(without_ways_back(&jdk(26), &whole), (whole.clone(), 0));
        let stays = |text: String| {
            assert_eq!(without_ways_back(&jdk(28), &text), (text.clone(), 0));
        };
        // One of the two; without the wait; elsewhere; of another monitor; of another thread.
        stays([BEFORE, ENTER, OTHER].concat());
        stays([BEFORE, ENTERED].concat());
        stays([ENTER, ENTERED].concat());
        stays(whole.replacen("126", "125", 2));
        stays([BEFORE, ENTER, &ENTERED.replace("o2", "o3")].concat());
        stays([BEFORE, &ENTER.replace("t1", "t2"), ENTERED].concat());
    }

    #[test]
    fn numbered_lines_are_lines() {
        let numbered =
            "   7 MONITOR_WAITED env=1 obj=2 timeout=3\n   8 MONITOR_CONTENDED_ENTER env=1 obj=2\n";
        let end = "   9 MONITOR_CONTENDED_ENTERED env=1 obj=2\n";
        let (text, count) = without_ways_back(&jdk(27), &(numbered.to_owned() + end));
        assert_eq!(
            (text.as_str(), count),
            ("   7 MONITOR_WAITED env=1 obj=2 timeout=3\n", 1)
        );
    }
}
