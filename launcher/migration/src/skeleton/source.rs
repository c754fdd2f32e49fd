//! What the templates ask of a plan.

use super::comments;
use super::functions::is_gap;
use super::plan::Plan;
use super::template::Source;
use event_translate::table::{EventKind, Function};

impl Source for Plan<'_> {
    fn has(&self, name: &str) -> bool {
        match name {
            "any-function" => !self.functions.is_empty(),
            "any-gap" => self.gaps().next().is_some() || self.functions.iter().copied().any(is_gap),
            // Its own thread asks for stacks.
            "samples" => {
                self.functions.contains(&Function::CreateSystemThread)
                    && self.subject.usage.outside(Function::GetCallTrace) > 0
            }
            "thread-starts" => self.starts_thread(),
            _ => {
                event_of(self, name).is_some()
                    || self.functions.iter().any(|it| it.name() == name)
                    || self.parts.iter().any(|it| it.row().name == name)
                    || self.jvmti.iter().any(|it| it.name == name)
            }
        }
    }

    fn list(&self, name: &str) -> Option<Vec<String>> {
        let constants = |early: bool| {
            let events = self.jvmti.iter().filter(move |it| it.is_early() == early);
            events.map(|it| it.constant.to_owned()).collect()
        };
        Some(match name {
            "event" => self.counted().map(|it| it.name().to_owned()).collect(),
            "capability" => self.capabilities.iter().map(|&it| it.to_owned()).collect(),
            "callback" => self.jvmti.iter().map(|it| it.name.to_owned()).collect(),
            "early" => constants(true),
            "late" => constants(false),
            _ => return None,
        })
    }

    fn lines(&self, directive: &str, argument: &str) -> Option<String> {
        Some(match directive {
            "about" => comments::of_event(self, event_of(self, argument)?),
            "calls" => calls_in(self, event_of(self, argument)?),
            "origin" => comments::origin(self),
            "functions" => comments::of_functions(self),
            "gaps" => comments::of_gaps(self),
            _ => return None,
        })
    }
}

/// What a handler of JVMPI's does by itself: dumps that were requested there, threads that
/// were made.
fn calls_in(plan: &Plan<'_>, event: EventKind) -> String {
    let mut lines = String::new();
    let usage = plan.subject.usage;
    for (dump, call) in [
        (EventKind::HeapDump, "    heap_dump();\n"),
        (EventKind::MonitorDump, "    monitor_dump(jni);\n"),
    ] {
        if plan.events.contains(&dump) && usage.requesters(dump).contains(event) {
            lines.push_str(call);
        }
    }
    if event == EventKind::JvmInitDone && plan.starts_thread() {
        let makers = usage.handlers(Function::CreateSystemThread);
        let all: u64 = usage.calls(Function::CreateSystemThread).iter().sum();
        let alone = makers.len() == 1 && usage.outside(Function::CreateSystemThread) == 0;
        // As many as there, but no flood from a run that made thousands.
        let number = if alone { all.clamp(1, 20) } else { 1 };
        for _ in 0..number {
            lines.push_str("    start_agent_thread(jni);\n");
        }
    }
    lines
}

fn event_of(plan: &Plan<'_>, name: &str) -> Option<EventKind> {
    let mut events = plan.events.iter().copied();
    events.find(|event| event.name() == name)
}
