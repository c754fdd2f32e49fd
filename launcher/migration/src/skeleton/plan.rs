//! What of everything a skeleton has.

use std::collections::BTreeSet;

use super::events::row_of;
use super::functions::{capabilities_of, parts_of};
use super::jvmti::{self, Event};
use super::parts::Part;
use super::row::Count;
use crate::Subject;
use crate::report::{used_events, used_functions};
use event_translate::table::{EventKind, Function};

/// The handlers in which a skeleton itself asks for the dumps that the old ones asked for.
const ASKING: [EventKind; 3] = [
    EventKind::DataDumpRequest,
    EventKind::JvmInitDone,
    EventKind::JvmShutDown,
];

/// What one agent's skeleton has.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) events: Vec<EventKind>,
    pub(super) functions: Vec<Function>,
    pub(super) jvmti: BTreeSet<Event>,
    pub(super) capabilities: BTreeSet<&'static str>,
    pub(super) parts: BTreeSet<Part>,
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

    /// How the count of an event compares: of dumps it depends on who asked for them.
    pub(super) fn count_of(&self, event: EventKind) -> Count {
        let usage = self.subject.usage;
        let requesters = usage.requesters(event);
        let here = ASKING.iter().any(|&it| requesters.contains(it));
        let elsewhere = usage.outside(Function::RequestEvent) > 0
            || requesters.iter().any(|it| !ASKING.contains(&it));
        if !matches!(event, EventKind::HeapDump | EventKind::MonitorDump) {
            return row_of(event).count;
        }
        match (here, elsewhere) {
            (false, _) => Count::Differs(
                "nothing calls it yet: the old agent asked for it elsewhere than in JVM_INIT_DONE, DATA_DUMP_REQUEST and \
                 JVM_SHUT_DOWN",
            ),
            (true, true) => Count::EqualFor(
                "what JVM_INIT_DONE, DATA_DUMP_REQUEST and JVM_SHUT_DOWN ask for once; where else the old agent may have \
                 asked for it nothing calls it yet",
            ),
            (true, false) => row_of(event).count,
        }
    }

    /// Whether the agent's own thread starts where the old one's did.
    pub(super) fn starts_thread(&self) -> bool {
        let makers = self.subject.usage.handlers(Function::CreateSystemThread);
        makers.contains(EventKind::JvmInitDone)
    }

    /// What the handler of an event called.
    pub(super) fn called_in(&self, event: EventKind) -> impl Iterator<Item = Function> {
        let functions = self.functions.iter().copied();
        functions.filter(move |function| self.subject.usage.handlers(*function).contains(event))
    }
}
