//! Counts from a recording.

use std::collections::BTreeMap;

use agent_usage::{Phase, Usage};
use event_translate::table::{EventKind, Function};
use recording_format::{GET_ENV, Recording, Subject, Value, What};

/// What the agent of a recording used, and what is known of the run.
#[must_use]
pub fn of_recording(recording: &Recording<'_>) -> (Usage, Vec<(String, String)>) {
    let usage = Usage::new();
    let mut phase = Phase::Loading;
    // Of each thread: what has begun and not ended.
    let mut open: BTreeMap<u32, Vec<Subject>> = BTreeMap::new();
    for item in recording.items() {
        let stack = open.entry(item.thread).or_default();
        let subject = item.what.subject();
        if let Subject::Event(number) = subject
            && !matches!(item.what, What::Leave { .. })
        {
            phase = phase_from(phase, number);
        }
        match &item.what {
            What::Event {
                number, requested, ..
            } => {
                if let Some(kind) = EventKind::from_raw(*number) {
                    usage.delivered(kind, *requested, phase);
                }
            }
            What::Call {
                slot, arguments, ..
            } => {
                let first = arguments.first().map_or(0, number);
                match Function::from_slot(*slot) {
                    Some(function) => usage.called(function, phase, handler(stack), first),
                    None if *slot == GET_ENV => usage.asked(first),
                    None => {}
                }
            }
            What::Leave { subject, .. } => {
                if let Some(place) = stack.iter().rposition(|one| one == subject) {
                    stack.truncate(place);
                }
            }
            What::Run { .. }
            | What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Defined { .. } => {}
        }
        if item.what.is_open() {
            stack.push(subject);
        }
    }
    let header = &recording.header;
    let about = [
        ("agent", header.agent.as_str()),
        ("options", header.options.as_deref().unwrap_or_default()),
        ("VM", &header.vm),
        ("libjvmpi", &header.shim),
        ("settings", &header.settings),
        ("command", &header.command),
    ];
    let about = about.map(|(key, value)| (key.to_owned(), value.to_owned()));
    (usage, about.to_vec())
}

fn number(value: &Value<'_>) -> i32 {
    value
        .int()
        .and_then(|value| i32::try_from(value).ok())
        .unwrap_or(0)
}

fn phase_from(phase: Phase, event: i32) -> Phase {
    match EventKind::from_raw(event) {
        Some(EventKind::JvmInitDone) if phase == Phase::Loading => Phase::Live,
        Some(EventKind::JvmShutDown) => Phase::ShutDown,
        _ => phase,
    }
}

/// The innermost handler.
fn handler(stack: &[Subject]) -> Option<EventKind> {
    stack.iter().rev().find_map(|subject| match subject {
        Subject::Event(number) => EventKind::from_raw(*number),
        Subject::Call(_)
        | Subject::Run
        | Subject::JvmtiEvent(_)
        | Subject::JvmtiCall(_)
        | Subject::Definition(_) => None,
    })
}
