//! How long handlers take: counts by powers of ten.

use std::sync::atomic::{AtomicU64, Ordering};

use super::mode::may_take_long;
use event_translate::table::EventKind;

const STEPS: [(u64, &str); 6] = [
    (1_000, "<1us"),
    (10_000, "<10us"),
    (100_000, "<100us"),
    (1_000_000, "<1ms"),
    (10_000_000, "<10ms"),
    (SLOW, "<100ms"),
];

/// Nanoseconds from which on a handler is slow.
pub const SLOW: u64 = 100_000_000;

const EVENTS: usize = EventKind::MAX_RAW as usize + 1;

/// The histogram of all events.
#[derive(Debug)]
pub struct Durations([[AtomicU64; STEPS.len() + 1]; EVENTS]);

impl Durations {
    /// Nothing measured.
    #[must_use]
    pub const fn new() -> Self {
        Self([const { [const { AtomicU64::new(0) }; STEPS.len() + 1] }; EVENTS])
    }

    /// A handler took so long; whether that is slow.
    pub fn note(&self, event: EventKind, nanoseconds: u64) -> bool {
        let step = STEPS.iter().position(|(below, _)| nanoseconds < *below);
        let row = usize::try_from(event.raw())
            .ok()
            .and_then(|raw| self.0.get(raw));
        if let Some(count) = row.and_then(|row| row.get(step.unwrap_or(STEPS.len()))) {
            // Relaxed: counts, each by itself.
            count.fetch_add(1, Ordering::Relaxed);
        }
        nanoseconds >= SLOW && !may_take_long(event)
    }

    /// A line for each event that had handlers.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for event in EventKind::ALL {
            let Some(row) = usize::try_from(event.raw())
                .ok()
                .and_then(|raw| self.0.get(raw))
            else {
                continue;
            };
            let names = STEPS.iter().map(|(_, name)| *name).chain(["more"]);
            let counts: Vec<_> = names
                .zip(row)
                .map(|(name, count)| (name, count.load(Ordering::Relaxed)))
                .filter(|(_, count)| *count > 0)
                .map(|(name, count)| format!("{name}: {count}"))
                .collect();
            if !counts.is_empty() {
                lines.push(format!("handlers of {event}: {}", counts.join(", ")));
            }
        }
        lines
    }
}

impl Default for Durations {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_by_powers_of_ten() {
        let durations = Durations::new();
        for nanoseconds in [0, 999, 1_000, 5_000_000, SLOW - 1] {
            assert!(!durations.note(EventKind::ClassLoad, nanoseconds));
        }
        assert!(durations.note(EventKind::ClassLoad, SLOW));
        assert!(!durations.note(EventKind::JvmShutDown, SLOW));
        assert_eq!(
            durations.lines(),
            [
                "handlers of CLASS_LOAD: <1us: 2, <10us: 1, <10ms: 1, <100ms: 1, more: 1",
                "handlers of JVM_SHUT_DOWN: more: 1",
            ]
        );
    }
}
