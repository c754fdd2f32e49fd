//! The report: what an agent uses, and what it takes to move it to JVMTI.
//!
//! Markdown; [`crate::html`] makes a page of it.

use std::fmt::Write;

use crate::counterparts::{Counterpart, Effort, of_event, of_function};
use agent_usage::Usage;
use event_translate::event_set::EventSet;
use event_translate::table::{EventKind, FUNCTIONS, Function};
use terminal_text::printable::is_printable;

/// What a report is made from.
#[derive(Debug)]
pub struct Subject<'a> {
    /// What the agent used.
    pub usage: &'a Usage,
    /// Agent, options, VM, as far as known: (key, value).
    pub about: &'a [(String, String)],
}

/// How hard the migration is, over all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rating {
    /// Nothing was used.
    Unknown,
    /// Names change.
    Easy,
    /// Some modules are new.
    Moderate,
    /// The design changes.
    Hard,
}

impl Rating {
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Unknown => ("no answer", "the agent used nothing of JVMPI in this run"),
            Self::Easy => ("easy", "what it uses has a counterpart that works alike"),
            Self::Moderate => (
                "moderate",
                "most has a counterpart; some of it works in another way and wants a module of its own",
            ),
            Self::Hard => (
                "hard",
                "what the agent rests on is done in another way today, by rewriting bytecode or walking the heap: its design changes",
            ),
        }
    }
}

/// Rows of which an agent uses several together count once: one hook, one wrapper, one walk.
const TOGETHER: [&[EventKind]; 5] = [
    &[
        EventKind::MethodEntry,
        EventKind::MethodEntry2,
        EventKind::MethodExit,
        EventKind::InstructionStart,
    ],
    &[
        EventKind::ArenaNew,
        EventKind::ArenaDelete,
        EventKind::ObjectMove,
    ],
    &[
        EventKind::JniGlobalrefAlloc,
        EventKind::JniGlobalrefFree,
        EventKind::JniWeakGlobalrefAlloc,
        EventKind::JniWeakGlobalrefFree,
    ],
    &[
        EventKind::RawMonitorContendedEnter,
        EventKind::RawMonitorContendedEntered,
        EventKind::RawMonitorContendedExit,
    ],
    &[EventKind::GcStart, EventKind::GcFinish],
];

pub(crate) fn used_events(usage: &Usage) -> EventSet {
    let delivered = |kind: &EventKind| usage.events(*kind).iter().sum::<u64>() > 0;
    let enabled = usage.enabled();
    EventKind::ALL
        .into_iter()
        .filter(|kind| enabled.contains(*kind) || delivered(kind))
        .collect()
}

pub(crate) fn used_functions(usage: &Usage) -> impl Iterator<Item = Function> {
    FUNCTIONS
        .iter()
        .map(|row| row.function)
        .filter(|function| usage.calls(*function).iter().sum::<u64>() > 0)
}

/// The weight of all that is used, and the rating it gives.
#[must_use]
pub fn rating(usage: &Usage) -> (u32, Rating) {
    let events = used_events(usage);
    let mut weight: u32 = used_functions(usage)
        // The two go away together.
        .filter(|function| *function != Function::EnableGC && *function != Function::DisableEvent)
        .map(|function| of_function(function).effort.weight())
        .sum();
    let mut counted = EventSet::EMPTY;
    for event in events.iter() {
        if counted.contains(event) {
            continue;
        }
        let group = TOGETHER.iter().find(|group| group.contains(&event));
        for &other in group.copied().unwrap_or(&[event]) {
            counted.insert(other);
        }
        weight += of_event(event).effort.weight();
    }
    let hard = events
        .iter()
        .any(|event| of_event(event).effort == Effort::Large);
    let rating = match weight {
        _ if hard => Rating::Hard,
        0 if events.is_empty() && used_functions(usage).next().is_none() => Rating::Unknown,
        0..=12 => Rating::Easy,
        _ => Rating::Moderate,
    };
    (weight, rating)
}

/// The report as Markdown.
#[must_use]
pub fn markdown(subject: &Subject<'_>) -> String {
    let usage = subject.usage;
    let mut page = String::from("# From JVMPI to JVMTI\n\n");
    about(&mut page, subject);
    let (weight, rating) = rating(usage);
    let (word, why) = rating.words();
    let _ = writeln!(page, "**Rating: {word}** ({weight} points): {why}.\n");
    capabilities(&mut page, usage);
    page.push_str("\n## Functions\n\n");
    heads(&mut page, "function", "called from");
    for function in used_functions(usage) {
        let from = called_from(usage, function);
        line(
            &mut page,
            function.name(),
            usage.calls(function),
            &from,
            of_function(function),
        );
    }
    page.push_str("\n## Events\n\n");
    heads(&mut page, "event", "how");
    for event in used_events(usage).iter() {
        line(
            &mut page,
            event.name(),
            usage.events(event),
            &how(usage, event),
            of_event(event),
        );
    }
    without(&mut page, usage);
    page.push_str(STEPS);
    page
}

fn about(page: &mut String, subject: &Subject<'_>) {
    for (key, value) in subject.about {
        if !value.is_empty() {
            let _ = writeln!(page, "- {key}: `{}`", in_one_line(value));
        }
    }
    if let Some(version) = subject.usage.version() {
        let _ = writeln!(page, "- asks for: JVMPI {}", version.name());
    }
    let _ = writeln!(page, "- written by: xrun {}", env!("CARGO_PKG_VERSION"));
    page.push_str(
        "\nCounts are of this run: what the agent did not use in it is not here. \
         Phases: before JVM_INIT_DONE / until JVM_SHUT_DOWN / from then on.\n\n",
    );
}

/// For code: what would end it or its line is written otherwise.
pub(crate) fn in_one_line(value: &str) -> String {
    let mut line = String::new();
    for c in value.chars() {
        match c {
            '`' => line.push('\''),
            c if !is_printable(c) => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    line
}

fn capabilities(page: &mut String, usage: &Usage) {
    let events = used_events(usage);
    let rows = events.iter().map(of_event);
    let rows = rows.chain(used_functions(usage).map(of_function));
    let mut all: Vec<&str> = rows.flat_map(|row| row.capabilities).copied().collect();
    all.sort_unstable();
    all.dedup();
    if !all.is_empty() {
        let all: Vec<_> = all.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(
            page,
            "Capabilities for `AddCapabilities`, in `Agent_OnLoad` (some are for one of two ways \
             named below): {}.",
            all.join(", ")
        );
    }
}

fn heads(page: &mut String, what: &str, where_: &str) {
    let _ = writeln!(
        page,
        "| {what} | times, by phase | {where_} | JVMTI | capabilities | differences and traps | effort |\n\
         |---|---|---|---|---|---|---|"
    );
}

fn line(page: &mut String, name: &str, counts: [u64; 3], how: &str, row: Counterpart) {
    let [a, b, c] = counts;
    let capabilities: Vec<_> = row
        .capabilities
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let _ = writeln!(
        page,
        "| {name} | {a} / {b} / {c} | {how} | {} | {} | {} | {} |",
        row.instead,
        capabilities.join(", "),
        row.differences,
        row.effort.word()
    );
}

fn called_from(usage: &Usage, function: Function) -> String {
    let handlers: Vec<_> = usage
        .handlers(function)
        .iter()
        .map(EventKind::name)
        .collect();
    let mut from = Vec::new();
    if usage.outside(function) > 0 {
        from.push("outside of handlers".to_owned());
    }
    if !handlers.is_empty() {
        from.push(handlers.join(", "));
    }
    from.join("; ")
}

fn how(usage: &Usage, event: EventKind) -> String {
    let all: u64 = usage.events(event).iter().sum();
    let requested = usage.requested(event);
    match (usage.enabled().contains(event), requested) {
        (true, _) if all == 0 => "enabled, never came".to_owned(),
        (true, 0) => "enabled".to_owned(),
        (true, _) => format!("enabled; {requested} requested"),
        (false, _) => "requested".to_owned(),
    }
}

fn without(page: &mut String, usage: &Usage) {
    let events = used_events(usage);
    let missing: Vec<_> = events
        .iter()
        .filter(|event| of_event(*event).effort == Effort::Missing)
        .collect();
    if missing.is_empty() {
        return;
    }
    page.push_str("\n## Without a counterpart\n\n");
    for event in missing {
        let _ = writeln!(page, "- {event}: {}", of_event(event).differences);
    }
}

const STEPS: &str = "\n## First steps\n\n\
1. `Agent_OnLoad(JavaVM *vm, char *options, void *reserved)` instead of `JVM_OnLoad`; `-agentlib:foo=options` \
instead of `-Xrunfoo:options`; `GetEnv(vm, &jvmti, JVMTI_VERSION_11)` instead of `JVMPI_VERSION_1`.\n\
2. `AddCapabilities` at once: several cannot be had later.\n\
3. One callback for each event (`SetEventCallbacks`) instead of the switch in NotifyEvent, then \
`SetEventNotificationMode`.\n\
4. Every JVMTI call has a result: test it. What JVMPI did silently has an error code now.\n\
5. Ids: references where the agent looks at an object, tags where it only tells objects apart. jmethodIDs stay.\n\
6. Run `xrun --check` on the old agent first: what breaks JVMPI's rules will break JVMTI's.\n\
7. `xrun report --skeleton DIR` of the same recording or run writes the new agent's beginning in C.\n";

#[cfg(test)]
mod tests {
    use super::*;
    use agent_usage::Phase;

    fn sampler() -> Usage {
        let usage = Usage::new();
        usage.asked(0x1000_0001);
        for event in [46, 47, 33, 34] {
            usage.called(Function::EnableEvent, Phase::Loading, None, event);
        }
        usage.delivered(EventKind::ThreadStart, false, Phase::Live);
        usage.called(Function::SuspendThread, Phase::Live, None, 0);
        usage.called(
            Function::GetCallTrace,
            Phase::Live,
            Some(EventKind::ThreadStart),
            0,
        );
        usage
    }

    #[test]
    fn ratings() {
        assert_eq!(rating(&Usage::new()).1, Rating::Unknown);
        assert_eq!(rating(&sampler()).1, Rating::Easy);
        let light = Usage::new();
        light.called(Function::GetCurrentThreadCpuTime, Phase::Live, None, 0);
        assert_eq!(rating(&light), (0, Rating::Easy), "it used something");
        let tracer = sampler();
        tracer.called(
            Function::EnableEvent,
            Phase::Loading,
            None,
            EventKind::MethodEntry.raw(),
        );
        let once = rating(&tracer);
        assert_eq!(once.1, Rating::Hard);
        tracer.called(
            Function::EnableEvent,
            Phase::Loading,
            None,
            EventKind::MethodExit.raw(),
        );
        assert_eq!(rating(&tracer), once, "the same hooks");
    }

    #[test]
    fn what_is_told_of_the_run_stays_in_its_line() {
        assert_eq!(
            in_one_line("java -cp a`b\n# c\u{1b}"),
            "java -cp a'b\\n# c\\u{1b}"
        );
        assert_eq!(in_one_line("-Xrunfoo:ü **"), "-Xrunfoo:ü **");
    }

    #[test]
    fn the_page_has_what_is_used_and_nothing_else() {
        let usage = sampler();
        let about = [("agent".to_owned(), "libfoo.so".to_owned())];
        let page = markdown(&Subject {
            usage: &usage,
            about: &about,
        });
        for text in [
            "- agent: `libfoo.so`",
            "- asks for: JVMPI 1\n",
            "| SuspendThread | 0 / 1 / 0 | outside of handlers | SuspendThread | `can_suspend` |",
            "| GetCallTrace | 0 / 1 / 0 | THREAD_START | GetStackTrace",
            "| THREAD_END | 0 / 0 / 0 | enabled, never came |",
            "**Rating: easy**",
        ] {
            assert!(page.contains(text), "{text}\n{page}");
        }
        assert!(!page.contains("| RunGC |") && !page.contains("OBJECT_MOVE |"));
        let rows = page.lines().filter(|line| line.starts_with('|'));
        assert!(
            rows.clone().all(|row| row.matches('|').count() == 8),
            "{page}"
        );
    }
}
