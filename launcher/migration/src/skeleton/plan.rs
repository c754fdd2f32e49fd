//! What of everything a skeleton has.

use std::collections::BTreeSet;

use super::comments;
use super::events::row_of;
use super::functions::{capabilities_of, is_gap, parts_of};
use super::jvmti::{self, Event};
use super::parts::Part;
use super::row::Count;
use super::template::Source;
use crate::Subject;
use crate::report::{used_events, used_functions};
use event_translate::table::{EventKind, Function};

/// What one agent's skeleton has.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) events: Vec<EventKind>,
    pub(super) functions: Vec<Function>,
    pub(super) jvmti: BTreeSet<Event>,
    pub(super) capabilities: BTreeSet<&'static str>,
    parts: BTreeSet<Part>,
}

impl<'a> Plan<'a> {
    pub(super) fn of(subject: &'a Subject<'a>) -> Self {
        let mut plan = Self {
            subject,
            events: used_events(subject.usage).iter().collect(),
            functions: used_functions(subject.usage).collect(),
            // What was missed is told in the one, the counts are printed in the other.
            jvmti: BTreeSet::from([jvmti::VM_INIT, jvmti::VM_DEATH]),
            capabilities: BTreeSet::new(),
            parts: BTreeSet::new(),
        };
        for event in plan.events.clone() {
            let row = row_of(event);
            plan.jvmti.extend(row.jvmti);
            plan.capabilities.extend(row.capabilities);
            plan.add(row.parts);
        }
        for function in plan.functions.clone() {
            plan.capabilities.extend(capabilities_of(function));
            plan.add(parts_of(function));
        }
        for event in &plan.jvmti {
            plan.capabilities.extend(event.capabilities);
        }
        plan
    }

    fn add(&mut self, parts: &[Part]) {
        for part in parts {
            if self.parts.insert(*part) {
                let row = part.row();
                self.jvmti.extend(row.jvmti);
                self.capabilities.extend(row.capabilities);
                self.add(row.needs);
            }
        }
    }

    /// The events that it counts.
    pub(super) fn counted(&self) -> impl Iterator<Item = EventKind> {
        let events = self.events.iter().copied();
        events.filter(|event| row_of(*event).count != Count::Gap)
    }

    /// The events that JVMTI does not have.
    pub(super) fn gaps(&self) -> impl Iterator<Item = EventKind> {
        let events = self.events.iter().copied();
        events.filter(|event| row_of(*event).count == Count::Gap)
    }

    /// What the handler of an event called.
    pub(super) fn called_in(&self, event: EventKind) -> impl Iterator<Item = Function> {
        let functions = self.functions.iter().copied();
        functions.filter(move |function| self.subject.usage.handlers(*function).contains(event))
    }

    /// What a handler of JVMPI's does by itself: dumps that were requested there, threads that
    /// were made.
    fn calls_in(&self, event: EventKind) -> String {
        let mut lines = String::new();
        let usage = self.subject.usage;
        for (dump, call) in [
            (EventKind::HeapDump, "    heap_dump();\n"),
            (EventKind::MonitorDump, "    monitor_dump(jni);\n"),
        ] {
            if self.events.contains(&dump) && usage.requesters(dump).contains(event) {
                lines.push_str(call);
            }
        }
        let makers = usage.handlers(Function::CreateSystemThread);
        if makers.contains(event) && event == EventKind::JvmInitDone {
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

    fn event(&self, name: &str) -> Option<EventKind> {
        let mut events = self.events.iter().copied();
        events.find(|event| event.name() == name)
    }
}

impl Source for Plan<'_> {
    fn has(&self, name: &str) -> bool {
        match name {
            "any-function" => !self.functions.is_empty(),
            "any-gap" => self.gaps().next().is_some() || self.functions.iter().copied().any(is_gap),
            _ => {
                self.event(name).is_some()
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
            "about" => comments::of_event(self, self.event(argument)?),
            "calls" => self.calls_in(self.event(argument)?),
            "origin" => comments::origin(self),
            "functions" => comments::of_functions(self),
            "gaps" => comments::of_gaps(self),
            _ => return None,
        })
    }
}
