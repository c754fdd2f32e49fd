use std::collections::BTreeSet;

use super::events::row_of;
use super::functions::capabilities_of;
use super::row::Count;
use super::*;
use crate::counterparts::{of_event, of_function};
use agent_usage::{Phase, Usage};
use event_translate::table::{EVENTS, EventKind, FUNCTIONS, Function};
use recording_format::event_fields;

fn files(usage: &Usage, about: &[(String, String)]) -> [SkeletonFile; 3] {
    skeleton(&Subject { usage, about })
}

fn enabled(events: &[EventKind]) -> Usage {
    let usage = Usage::new();
    for event in events {
        usage.called(Function::EnableEvent, Phase::Loading, None, event.raw());
    }
    usage
}

/// All there is.
fn everything() -> Usage {
    let usage = enabled(&EventKind::ALL);
    for row in FUNCTIONS {
        for handler in [Some(EventKind::JvmInitDone), None] {
            usage.called(row.function, Phase::Live, handler, 0);
        }
    }
    usage
}

#[test]
fn no_directive_is_left() {
    for usage in [everything(), Usage::new()] {
        let [agent, makefile, readme] = files(&usage, &[]);
        for line in agent.text.lines() {
            assert!(!line.starts_with('@'), "{line}");
        }
        assert!(makefile.text.contains("\n\t$(CC)") && readme.text.contains("## Events"));
    }
}

/// What a condition asks for is there when everything is.
#[test]
fn conditions_are_known_names() {
    let usage = everything();
    let subject = Subject {
        usage: &usage,
        about: &[],
    };
    let plan = Plan::of(&subject);
    let mut seen = 0;
    for line in TEMPLATES.iter().flat_map(|text| text.lines()) {
        for name in line
            .strip_prefix("@if ")
            .unwrap_or_default()
            .split_whitespace()
        {
            assert!(template::Source::has(&plan, name), "{name}");
            seen += 1;
        }
    }
    assert!(seen > 100);
}

#[test]
fn each_event_is_counted_or_a_gap() {
    let [agent, ..] = files(&everything(), &[]);
    for row in EVENTS {
        let name = row.kind.name();
        let is_gap = row_of(row.kind).count == Count::Gap;
        assert_eq!(
            agent.text.contains(&format!("/* GAP: {name} ")),
            is_gap,
            "{name}"
        );
        assert_eq!(
            agent.text.contains(&format!("count({name});")),
            !is_gap,
            "{name}"
        );
        assert_eq!(
            agent.text.contains(&format!("/* {name}: ")),
            !is_gap,
            "{name}"
        );
    }
    assert!(agent.text.contains("/* GAP: EnableGC ") && agent.text.contains("/* GAP: DisableGC "));
}

/// A field of an event that is not spoken of would be one that nobody thinks of.
#[test]
fn fields_are_all_named() {
    // Not in recordings, or under other names there.
    let others = [
        "class_data_len",
        "new_class_data",
        "new_class_data_len",
        "malloc_f",
        "u",
    ];
    for row in EVENTS
        .iter()
        .filter(|row| row_of(row.kind).count != Count::Gap)
    {
        let fields = row_of(row.kind).fields.iter();
        let named: BTreeSet<_> = fields
            .map(|(name, _)| *name)
            .filter(|it| !others.contains(it))
            .collect();
        let recorded = event_fields(row.kind.raw()).iter().map(|field| field.name);
        let recorded: BTreeSet<_> = recorded
            .filter(|it| !["u0", "u1", "u2", "code"].contains(it))
            .collect();
        assert_eq!(named, recorded, "{}", row.name);
    }
}

/// Exactly what is needed: as the table of counterparts has it, of its ways the one taken here.
#[test]
fn capabilities_are_those_of_the_report() {
    for row in EVENTS {
        let usage = enabled(&[row.kind]);
        let subject = Subject {
            usage: &usage,
            about: &[],
        };
        let known = of_event(row.kind).capabilities;
        // Not spoken of there: births are told of by both, and each may be filtered by class.
        let also = [
            "can_tag_objects",
            "can_generate_vm_object_alloc_events",
            "can_generate_sampled_object_alloc_events",
            "can_get_line_numbers",
        ];
        for capability in Plan::of(&subject).capabilities {
            assert!(
                known.contains(&capability) || also.contains(&capability),
                "{}: {capability}",
                row.name
            );
        }
    }
    for row in FUNCTIONS
        .iter()
        .filter(|row| row.function != Function::RequestEvent)
    {
        assert_eq!(
            capabilities_of(row.function),
            of_function(row.function).capabilities
        );
    }
    let subject = Subject {
        usage: &enabled(&[EventKind::JvmInitDone]),
        about: &[],
    };
    assert!(Plan::of(&subject).capabilities.is_empty());
}

#[test]
fn what_was_asked_for_in_a_handler_is_asked_for_there() {
    let usage = enabled(&[EventKind::JvmInitDone, EventKind::JvmShutDown]);
    let asks = EventKind::HeapDump.raw();
    usage.called(
        Function::RequestEvent,
        Phase::ShutDown,
        Some(EventKind::JvmShutDown),
        asks,
    );
    usage.delivered(EventKind::HeapDump, true, Phase::ShutDown);
    for _ in 0..2 {
        usage.called(
            Function::CreateSystemThread,
            Phase::Live,
            Some(EventKind::JvmInitDone),
            0,
        );
    }
    let [agent, ..] = files(&usage, &[]);
    assert!(
        agent
            .text
            .contains("    count(JVM_SHUT_DOWN);\n    heap_dump();\n}"),
        "{}",
        agent.text
    );
    let twice =
        "    count(JVM_INIT_DONE);\n    start_agent_thread(jni);\n    start_agent_thread(jni);\n}";
    assert!(agent.text.contains(twice), "{}", agent.text);
}

/// What the skeleton's handlers do not ask for nobody asks for, and its count says so.
#[test]
fn what_was_asked_for_elsewhere_is_called_by_nothing() {
    use EventKind as E;
    let said = |handlers: &[Option<E>]| {
        let usage = enabled(&[E::JvmShutDown, E::ThreadEnd]);
        for &handler in handlers {
            for dump in [E::HeapDump, E::MonitorDump] {
                usage.called(Function::RequestEvent, Phase::Live, handler, dump.raw());
                usage.delivered(dump, true, Phase::Live);
            }
        }
        let [agent, _, readme] = files(&usage, &[]);
        ["HEAP_DUMP", "MONITOR_DUMP"].map(|dump| {
            let mut rows = readme.text.lines();
            let row = rows.find(|row| row.starts_with(&format!("| {dump} |")));
            let count = row.unwrap().rsplit(" | ").next().unwrap().to_owned();
            let start = agent.text.find(&format!("/* {dump}: ")).unwrap();
            let about = agent.text[start..].split("*/").next().unwrap();
            assert_eq!(
                about.contains("nothing calls it yet"),
                count.contains("nothing calls it yet"),
                "{about}"
            );
            count
        })
    };
    for count in said(&[Some(E::JvmShutDown)]) {
        assert!(count.starts_with("equal for what one handler"), "{count}");
    }
    for handlers in [[Some(E::ThreadEnd)], [None]] {
        for count in said(&handlers) {
            assert!(
                count.starts_with("differs: nothing calls it yet"),
                "{count}"
            );
        }
    }
    for elsewhere in [Some(E::ThreadEnd), None] {
        for count in said(&[Some(E::JvmShutDown), elsewhere]) {
            assert!(count.starts_with("equal for what JVM_INIT_DONE"), "{count}");
            assert!(count.contains("nothing calls it yet"), "{count}");
        }
    }
}

#[test]
fn a_thread_that_nothing_starts_is_named() {
    for (handler, starts) in [
        (Some(EventKind::JvmInitDone), true),
        (Some(EventKind::ThreadStart), false),
        (None, false),
    ] {
        let usage = enabled(&[EventKind::JvmInitDone, EventKind::ThreadStart]);
        usage.called(Function::CreateSystemThread, Phase::Live, handler, 0);
        let [agent, _, readme] = files(&usage, &[]);
        assert_eq!(agent.text.contains("    start_agent_thread(jni);"), starts);
        for text in [&agent.text, &readme.text] {
            assert_eq!(!text.contains("Nothing calls"), starts, "{text}");
        }
    }
}

/// Whatever a stopped thread was in the middle of.
#[test]
fn threads_are_stopped_without_the_monitor() {
    for stops in [Function::SuspendThread, Function::SuspendThreadList] {
        for (function, has_known) in [
            (Function::ThreadHasRun, true),
            (Function::JobjectToJobjectId, true),
            (Function::GetThreadStatus, false),
        ] {
            let usage = Usage::new();
            for function in [stops, function] {
                usage.called(function, Phase::Live, None, 0);
            }
            let [agent, ..] = files(&usage, &[]);
            let text = agent.text;
            let stop = format!("    done = ok((*jvmti)->{}(", stops.name());
            let around = text.split_once(&stop).unwrap();
            let is_entered = around.0.ends_with("    enter(known);\n");
            let is_left = around
                .1
                .contains(");\n    leave(known);\n    return done;\n");
            assert_eq!([is_entered, is_left], [has_known; 2], "{text}");
        }
    }
}

/// Those that a handler asks for are of its event.
#[test]
fn a_sampler_takes_stacks() {
    for (handler, takes) in [(None, true), (Some(EventKind::ThreadStart), false)] {
        let usage = enabled(&[EventKind::ThreadStart]);
        let made_in = Some(EventKind::JvmInitDone);
        usage.called(Function::CreateSystemThread, Phase::Live, made_in, 0);
        usage.called(Function::GetCallTrace, Phase::Live, handler, 0);
        let [agent, ..] = files(&usage, &[]);
        let text = agent.text;
        assert_eq!(text.contains("        take_stacks(jni);"), takes, "{text}");
        assert_eq!(text.contains("GetAllStackTraces"), takes, "{text}");
    }
}

#[test]
fn what_is_told_of_the_run_stays_in_its_comment() {
    assert_eq!(
        comments::inside("-cp lib/*:x */ ??/"),
        "-cp lib/ *:x * / ? ?/"
    );
    let about = [(
        "command".to_owned(),
        "java -cp lib/*:*/ App\n#error".to_owned(),
    )];
    let [agent, ..] = files(&Usage::new(), &about);
    assert!(
        agent.text.contains("java -cp lib/ *:* / App\\n#error\n"),
        "{}",
        agent.text
    );
}

#[test]
fn work_on_a_file_is_seen() {
    for mut file in files(&everything(), &[]) {
        assert!(is_untouched(file.text.as_bytes()), "{}", file.name);
        file.text.push('x');
        assert!(!is_untouched(file.text.as_bytes()), "{}", file.name);
    }
    for other in ["", "int main;", "\n", "/* xrun report --skeleton */\n"] {
        assert!(!is_untouched(other.as_bytes()), "{other}");
    }
}
