//! What an agent used of JVMPI in one run: counts, by phase, and the file that they go to.
//!
//! The shim counts and writes; the launcher reads, for its report.
//! Longer than most: one file's format, with what writes it and what reads it.
#![forbid(unsafe_code)]

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use event_translate::event_set::EventSet;
use event_translate::table::{EventKind, Function, Version};

/// When something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before JVM_INIT_DONE.
    Loading,
    /// From JVM_INIT_DONE on.
    Live,
    /// From JVM_SHUT_DOWN on.
    ShutDown,
}

impl Phase {
    const fn index(self) -> usize {
        match self {
            Self::Loading => 0,
            Self::Live => 1,
            Self::ShutDown => 2,
        }
    }
}

const SLOTS: usize = 30;
const EVENTS: usize = EventKind::MAX_RAW as usize + 1;

type Counts = [AtomicU64; 3];

/// The counts. Any thread may add to them.
#[derive(Debug)]
pub struct Usage {
    calls: [Counts; SLOTS],
    /// Events in whose handlers a function was called, as bits.
    inside: [AtomicU64; SLOTS],
    /// Calls from outside of any handler.
    outside: [AtomicU64; SLOTS],
    events: [Counts; EVENTS],
    requested: [AtomicU64; EVENTS],
    /// Events in whose handlers RequestEvent was called for one, as bits.
    requesters: [AtomicU64; EVENTS],
    enabled: AtomicU64,
    version: AtomicU64,
}

impl Default for Usage {
    fn default() -> Self {
        Self::new()
    }
}

impl Usage {
    /// Nothing used.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            calls: [const { [const { AtomicU64::new(0) }; 3] }; SLOTS],
            inside: [const { AtomicU64::new(0) }; SLOTS],
            outside: [const { AtomicU64::new(0) }; SLOTS],
            events: [const { [const { AtomicU64::new(0) }; 3] }; EVENTS],
            requested: [const { AtomicU64::new(0) }; EVENTS],
            requesters: [const { AtomicU64::new(0) }; EVENTS],
            enabled: AtomicU64::new(0),
            version: AtomicU64::new(0),
        }
    }

    /// GetEnv was asked for this version.
    pub fn asked(&self, version: i32) {
        let version = u64::try_from(version).unwrap_or(0);
        // Relaxed: here and below each word is a count or a set of bits by itself; the file is written
        // when nobody is in a handler any more.
        self.version.fetch_max(version, Ordering::Relaxed);
    }

    /// A function was called, in a handler or not; `event` is the first argument of
    /// EnableEvent and RequestEvent.
    pub fn called(&self, function: Function, phase: Phase, handler: Option<EventKind>, event: i32) {
        let slot = usize::from(function.slot());
        add(
            self.calls.get(slot).and_then(|row| row.get(phase.index())),
            1,
        );
        match handler {
            Some(handler) => {
                if let Some(bits) = self.inside.get(slot) {
                    bits.fetch_or(EventSet::bit(handler), Ordering::Relaxed);
                }
            }
            None => add(self.outside.get(slot), 1),
        }
        if function == Function::EnableEvent
            && let Some(event) = EventKind::from_raw(event)
        {
            self.enabled
                .fetch_or(EventSet::bit(event), Ordering::Relaxed);
        }
        if function == Function::RequestEvent
            && let (Some(event), Some(handler)) = (EventKind::from_raw(event), handler)
            && let Some(bits) = self.requesters.get(index(event))
        {
            bits.fetch_or(EventSet::bit(handler), Ordering::Relaxed);
        }
    }

    /// An event was delivered.
    pub fn delivered(&self, event: EventKind, requested: bool, phase: Phase) {
        let place = index(event);
        add(
            self.events
                .get(place)
                .and_then(|row| row.get(phase.index())),
            1,
        );
        if requested {
            add(self.requested.get(place), 1);
        }
    }

    /// How often a function was called, by phase.
    #[must_use]
    pub fn calls(&self, function: Function) -> [u64; 3] {
        read(self.calls.get(usize::from(function.slot())))
    }

    /// How often an event was delivered, by phase.
    #[must_use]
    pub fn events(&self, event: EventKind) -> [u64; 3] {
        read(self.events.get(index(event)))
    }

    /// How many of them were answers to RequestEvent.
    #[must_use]
    pub fn requested(&self, event: EventKind) -> u64 {
        load(self.requested.get(index(event)))
    }

    /// The handlers in which it was requested.
    #[must_use]
    pub fn requesters(&self, event: EventKind) -> EventSet {
        EventSet::from_bits(load(self.requesters.get(index(event))))
    }

    /// The events that were ever enabled.
    #[must_use]
    pub fn enabled(&self) -> EventSet {
        EventSet::from_bits(self.enabled.load(Ordering::Relaxed))
    }

    /// The handlers in which a function was called.
    #[must_use]
    pub fn handlers(&self, function: Function) -> EventSet {
        EventSet::from_bits(load(self.inside.get(usize::from(function.slot()))))
    }

    /// Calls of a function outside of handlers.
    #[must_use]
    pub fn outside(&self, function: Function) -> u64 {
        load(self.outside.get(usize::from(function.slot())))
    }

    /// The highest version asked for.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        Version::from_raw(i32::try_from(self.version.load(Ordering::Relaxed)).ok()?)
    }

    /// The file of `usage=`: a line for each thing used, and what else is to be known.
    #[must_use]
    pub fn write(&self, about: &[(&str, &str)]) -> String {
        let mut text = String::from(HEAD);
        for (key, value) in about {
            let _ = writeln!(text, "about {key} {}", value.replace('\n', " "));
        }
        let _ = writeln!(text, "version {}", self.version.load(Ordering::Relaxed));
        let _ = writeln!(text, "enabled {}", self.enabled.load(Ordering::Relaxed));
        for slot in 0..SLOTS {
            let [a, b, c] = read(self.calls.get(slot));
            if a + b + c > 0 {
                let (inside, outside) = (load(self.inside.get(slot)), load(self.outside.get(slot)));
                let _ = writeln!(text, "call {slot} {a} {b} {c} {inside} {outside}");
            }
        }
        for event in 0..EVENTS {
            let [a, b, c] = read(self.events.get(event));
            if a + b + c > 0 {
                let requested = load(self.requested.get(event));
                let _ = writeln!(text, "event {event} {a} {b} {c} {requested}");
            }
            let requesters = load(self.requesters.get(event));
            if requesters > 0 {
                let _ = writeln!(text, "request {event} {requesters}");
            }
        }
        text.push_str(TAIL);
        text
    }

    /// Reads such a file back; what else it says, as (key, value).
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn read(text: &str) -> Result<(Self, Vec<(String, String)>), String> {
        let body = text
            .strip_prefix(HEAD)
            .ok_or("this is no file of `usage=`")?;
        let body = body
            .strip_suffix(TAIL)
            .ok_or("the file has no end: the run was cut off")?;
        let usage = Self::new();
        let mut about = Vec::new();
        for line in body.lines() {
            let bad = || format!("not understood: `{line}`");
            let (word, rest) = line.split_once(' ').ok_or_else(bad)?;
            if word == "about" {
                let (key, value) = rest.split_once(' ').unwrap_or((rest, ""));
                about.push((key.to_owned(), value.to_owned()));
                continue;
            }
            let numbers: Result<Vec<u64>, _> = rest.split(' ').map(str::parse).collect();
            usage
                .read_line(word, &numbers.map_err(|_| bad())?)
                .ok_or_else(bad)?;
        }
        Ok((usage, about))
    }

    fn read_line(&self, word: &str, numbers: &[u64]) -> Option<()> {
        let place = |number: u64| usize::try_from(number).ok();
        match (word, numbers) {
            ("version", [version]) => self.version.store(*version, Ordering::Relaxed),
            ("enabled", [bits]) => self.enabled.store(*bits, Ordering::Relaxed),
            ("call", [slot, a, b, c, inside, outside]) => {
                let slot = place(*slot)?;
                fill(self.calls.get(slot)?, [*a, *b, *c]);
                self.inside.get(slot)?.store(*inside, Ordering::Relaxed);
                self.outside.get(slot)?.store(*outside, Ordering::Relaxed);
            }
            ("request", [event, requesters]) => self
                .requesters
                .get(place(*event)?)?
                .store(*requesters, Ordering::Relaxed),
            ("event", [event, a, b, c, requested]) => {
                let event = place(*event)?;
                fill(self.events.get(event)?, [*a, *b, *c]);
                self.requested
                    .get(event)?
                    .store(*requested, Ordering::Relaxed);
            }
            _ => return None,
        }
        Some(())
    }
}

const HEAD: &str = "jvmpi usage 1\n";

/// Whether a file with these first bytes has counts, of whatever version.
#[must_use]
pub fn is_one(head: &[u8]) -> bool {
    head.starts_with(b"jvmpi usage")
}
const TAIL: &str = "end\n";

fn index(event: EventKind) -> usize {
    usize::try_from(event.raw()).unwrap_or(EVENTS)
}

fn add(count: Option<&AtomicU64>, number: u64) {
    if let Some(count) = count {
        count.fetch_add(number, Ordering::Relaxed);
    }
}

fn load(count: Option<&AtomicU64>) -> u64 {
    count.map_or(0, |count| count.load(Ordering::Relaxed))
}

fn read(row: Option<&Counts>) -> [u64; 3] {
    row.map_or([0; 3], |row| {
        row.each_ref().map(|count| count.load(Ordering::Relaxed))
    })
}

fn fill(row: &Counts, values: [u64; 3]) {
    for (count, value) in row.iter().zip(values) {
        count.store(value, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let usage = Usage::new();
        usage.asked(0x1000_0002);
        usage.called(Function::EnableEvent, Phase::Loading, None, 60);
        usage.called(
            Function::GetCallTrace,
            Phase::Live,
            Some(EventKind::ObjectAlloc),
            0,
        );
        usage.called(
            Function::RequestEvent,
            Phase::ShutDown,
            Some(EventKind::JvmShutDown),
            EventKind::HeapDump.raw(),
        );
        usage.delivered(EventKind::ObjectAlloc, false, Phase::Live);
        usage.delivered(EventKind::HeapDump, true, Phase::ShutDown);
        let text = usage.write(&[("agent", "libfoo.so"), ("options", "")]);
        let (again, about) = Usage::read(&text).expect("its own");
        assert_eq!(about[0], ("agent".to_owned(), "libfoo.so".to_owned()));
        assert_eq!(about[1], ("options".to_owned(), String::new()));
        assert_eq!(again.write(&[]), usage.write(&[]));
        assert_eq!(again.version(), Some(Version::V1_1));
        assert!(again.enabled().contains(EventKind::GcStart));
        assert_eq!(again.calls(Function::GetCallTrace), [0, 1, 0]);
        assert!(
            again
                .handlers(Function::GetCallTrace)
                .contains(EventKind::ObjectAlloc)
        );
        assert_eq!(again.requested(EventKind::HeapDump), 1);
        assert!(
            again
                .requesters(EventKind::HeapDump)
                .contains(EventKind::JvmShutDown)
        );
    }

    #[test]
    fn what_was_used_is_counted_and_nothing_else_stands_in_the_file() {
        let usage = Usage::new();
        let last = EventKind::from_raw(EventKind::MAX_RAW).expect("an event");
        for phase in [Phase::Loading, Phase::Live, Phase::Live, Phase::ShutDown] {
            usage.delivered(last, phase == Phase::ShutDown, phase);
            usage.called(Function::ProfilerExit, phase, None, 0);
        }
        usage.called(Function::RunGC, Phase::Loading, Some(last), 0);
        usage.called(Function::EnableGC, Phase::Live, None, 0);
        usage.delivered(EventKind::ThreadEnd, false, Phase::Loading);
        usage.delivered(EventKind::ThreadStart, false, Phase::Live);
        assert_eq!(usage.events(last), [1, 2, 1]);
        assert_eq!(usage.events(EventKind::GcStart), [0; 3]);
        assert_eq!(usage.requested(last), 1);
        assert_eq!(usage.requested(EventKind::GcStart), 0);
        assert_eq!(usage.calls(Function::ProfilerExit), [1, 2, 1]);
        assert_eq!(usage.outside(Function::ProfilerExit), 4);
        assert_eq!(usage.outside(Function::RunGC), 0);
        let one = format!("call {} 1 2 1 0 4", Function::ProfilerExit.slot());
        let bits = EventSet::bit(last);
        let other = format!("call {} 1 0 0 {bits} 0", Function::RunGC.slot());
        let live = format!("call {} 0 1 0 0 1", Function::EnableGC.slot());
        let [start, end, last] =
            [EventKind::ThreadStart, EventKind::ThreadEnd, last].map(EventKind::raw);
        let text = usage.write(&[]);
        let body = text
            .strip_prefix(HEAD)
            .and_then(|rest| rest.strip_suffix(TAIL));
        let mut lines: Vec<&str> = body.expect("a whole file").lines().collect();
        lines.sort_unstable();
        let start = format!("event {start} 0 1 0 0");
        let end = format!("event {end} 1 0 0 0");
        let last = format!("event {last} 1 2 1 1");
        let mut expected = [
            "version 0",
            "enabled 0",
            &one,
            &other,
            &live,
            &start,
            &end,
            &last,
        ];
        expected.sort_unstable();
        assert_eq!(lines, expected);
    }

    #[test]
    fn other_files_are_refused() {
        for text in [
            "",
            "x",
            HEAD,
            "jvmpi usage 1\ncall 99 1 1 1 1 1\nend\n",
            "jvmpi usage 1\ncall\nend\n",
        ] {
            assert!(Usage::read(text).is_err(), "{text}");
        }
    }
}
