//! The rules at work: calls and handlers in, findings out.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a rule is about the few functions or events that it names"
)]

mod enabled;
mod monitors;
mod suspension;

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Findings;
use super::locks::LockOrder;
use super::mode::{Mode, Own};
use super::rules::{Rule, RuleSet};
use super::subject::{Named, POISONED, wanted};
use enabled::Enabled;
use event_translate::table::{Enable, EventKind, Function};

/// A call as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Which function.
    pub function: Function,
    /// The first argument as a number: an event's, a depth, a count, a priority.
    pub number: i32,
    /// The ids that are passed, and what each is.
    pub subjects: &'a [(u64, Named)],
    /// The name that is passed, of a raw monitor or a thread.
    pub name: &'a str,
    /// What is wrong with the arguments otherwise.
    pub bad: Option<&'static str>,
    /// The first argument that is an id of an object and was last given before a collection.
    pub old: Option<u64>,
    /// Where it returns to.
    pub caller: usize,
    /// When it is made, in nanoseconds since whenever.
    pub when: u64,
}

impl Call<'_> {
    /// The event that the call is about.
    #[must_use]
    pub const fn event(&self) -> Option<EventKind> {
        match self.function {
            Function::EnableEvent | Function::DisableEvent | Function::RequestEvent => {
                EventKind::from_raw(self.number)
            }
            _ => None,
        }
    }

    /// "RequestEvent(CLASS_LOAD)".
    fn words(&self) -> String {
        let name = self.function.name();
        match self.event() {
            Some(event) => format!("{name}({event})"),
            None => name.to_owned(),
        }
    }

    fn subject(&self) -> Option<u64> {
        self.subjects.first().map(|(id, _)| *id)
    }
}

#[derive(Debug)]
struct Monitor {
    name: String,
    /// Who is inside.
    owner: Option<u64>,
    /// How many have gone outside to wait.
    waiters: u32,
}

/// Something that has to be undone.
#[derive(Debug)]
struct Open {
    by: u64,
    caller: usize,
    when: u64,
}

/// What a sampler is in the middle of when the VM ends is not forgotten yet.
const FORGOTTEN: u64 = 1_000_000_000;

/// What is known of the process. Threads are handed in as [`Own`].
#[derive(Debug)]
pub struct State {
    /// All that was found.
    pub findings: Findings,
    /// The highest version asked for.
    version: i32,
    init_done: bool,
    /// DisableGC without EnableGC, of all threads.
    disabled: Vec<Open>,
    suspended: BTreeMap<u64, Open>,
    /// Threads that are no more.
    ended: BTreeSet<u64>,
    monitors: BTreeMap<u64, Monitor>,
    order: LockOrder,
    enabled: Enabled,
}

impl State {
    /// A process in which nothing has happened.
    #[must_use]
    pub fn new(suppressed: RuleSet) -> Self {
        Self {
            findings: Findings::new(suppressed),
            version: 0,
            init_done: false,
            disabled: Vec::new(),
            suspended: BTreeMap::new(),
            ended: BTreeSet::new(),
            monitors: BTreeMap::new(),
            order: LockOrder::default(),
            enabled: Enabled::default(),
        }
    }

    /// GetEnv was asked for this version.
    pub fn asked(&mut self, version: i32) {
        self.version = self.version.max(version);
    }

    /// JVM_INIT_DONE is about to be sent.
    pub const fn init_done(&mut self) {
        self.init_done = true;
    }

    /// A call begins. `listening`: NotifyEvent is set.
    pub fn call(&mut self, own: &mut Own, call: &Call<'_>, listening: bool) {
        self.arguments(call);
        self.mode(own, call);
        self.phase(call, listening);
        self.enabling(call);
        match call.function {
            Function::RawMonitorEnter => self.before_enter(own, call),
            Function::RawMonitorExit => self.exit(own, call),
            Function::RawMonitorWait => self.before_wait(own, call),
            Function::RawMonitorNotifyAll => {
                self.must_own(own, call);
            }
            Function::RawMonitorDestroy => self.destroy(call),
            Function::DisableGC => self.disable_gc(own, call),
            Function::EnableGC => self.enable_gc(own, call),
            Function::SuspendThread | Function::SuspendThreadList => self.suspend(own, call),
            Function::ResumeThread | Function::ResumeThreadList => self.resume(own, call),
            Function::ThreadHasRun => self.has_run(call),
            _ => {}
        }
    }

    /// A call has returned; `result` is what it returned.
    pub fn returned(&mut self, own: &mut Own, call: &Call<'_>, result: u64) {
        match call.function {
            Function::RawMonitorCreate if result != 0 => {
                let name = call.name.to_owned();
                self.order.forget(result);
                let (owner, waiters) = (None, 0);
                let made = Monitor {
                    name,
                    owner,
                    waiters,
                };
                self.monitors.insert(result, made);
            }
            Function::RawMonitorEnter => {
                if let Some(id) = call.subject().filter(|id| self.monitors.contains_key(id)) {
                    self.set_owner(call, Some(own.thread));
                    own.held.push(id);
                }
            }
            Function::RawMonitorWait if call.subject().is_some_and(|id| own.held.contains(&id)) => {
                self.after_wait(own, call);
            }
            _ => {}
        }
    }

    fn arguments(&mut self, call: &Call<'_>) {
        let since = call.function.row().since;
        if since.raw() > self.version {
            let version = since.name();
            self.findings
                .note(Rule::SlotBeyondVersion, call.caller, || {
                    format!(
                        "{} came with JVMPI {version}, GetEnv was asked for an older version",
                        call.words()
                    )
                });
        }
        let wanted = wanted(call.function, call.event());
        for &(id, named) in call.subjects {
            if let Some(rule) = wanted.broken_by(named) {
                self.findings.note(rule, call.caller, || {
                    let (is, wanted) = (named.words(), wanted.words());
                    match named {
                        Named::Null => format!("{}: NULL instead of {wanted}", call.words()),
                        _ => format!("{}: {id:#x} is {is}, {wanted} is wanted", call.words()),
                    }
                });
            }
        }
        if let Some(bad) = call.bad {
            let rule = if bad == POISONED {
                Rule::EventMemory
            } else {
                Rule::BadArgument
            };
            self.findings
                .note(rule, call.caller, || format!("{}: {bad}", call.words()));
        }
        if call.function == Function::CreateSystemThread && !matches!(call.number, 1 | 5 | 10) {
            self.findings.note(Rule::BadPriority, call.caller, || {
                format!("{}: {}", call.words(), call.number)
            });
        }
        self.event_number(call);
    }

    fn event_number(&mut self, call: &Call<'_>) {
        // DisableEvent of everything from 1 to 61 is what agents do at the end.
        if !matches!(
            call.function,
            Function::EnableEvent | Function::RequestEvent
        ) {
            return;
        }
        let Some(event) = call.event() else {
            self.findings.note(Rule::BadArgument, call.caller, || {
                format!("{}: {} is no event", call.words(), call.number)
            });
            return;
        };
        let row = event.row();
        let how = match call.function {
            Function::EnableEvent if row.enable == Enable::RequestOnly => "comes on request only",
            Function::RequestEvent if !row.request => "cannot be requested",
            _ => return,
        };
        self.findings.note(Rule::WrongWay, call.caller, || {
            format!("{}: the event {how}", call.words())
        });
    }

    fn mode(&mut self, own: &Own, call: &Call<'_>) {
        let mode = own.mode();
        let by = |own: &Own| match own.handler() {
            Some(event) if own.suspended.is_empty() => format!(" in the handler of {event}"),
            _ => String::new(),
        };
        if needs_gc_disabled(call) && mode == Mode::Free && self.disabled.is_empty() {
            self.findings.note(Rule::GcEnabled, call.caller, || {
                format!("{}{} without DisableGC", call.words(), by(own))
            });
        }
        if matches!(
            call.function,
            Function::RunGC | Function::CreateSystemThread
        ) && mode != Mode::Free
        {
            self.findings.note(Rule::GcDisabled, call.caller, || {
                let after = if own.disabled > 0 {
                    " after DisableGC"
                } else {
                    ""
                };
                format!("{}{after}{}", call.words(), by(own))
            });
        }
        let blocks = match call.function {
            Function::RawMonitorEnter => call.subject().is_some_and(|id| !own.held.contains(&id)),
            Function::RawMonitorWait | Function::RawMonitorCreate | Function::RawMonitorDestroy => {
                true
            }
            _ => false,
        };
        if blocks {
            let rule = match mode {
                Mode::Suspended => Rule::BlocksWhileSuspended,
                Mode::Collecting => Rule::BlocksInGc,
                Mode::Free | Mode::GcDisabled => return,
            };
            let name = self.name_of(call);
            self.findings.note(rule, call.caller, || {
                format!("{}{name}{}", call.words(), by(own))
            });
        }
    }

    fn phase(&mut self, call: &Call<'_>, listening: bool) {
        let dump = matches!(
            call.event(),
            Some(EventKind::HeapDump | EventKind::MonitorDump | EventKind::ObjectDump)
        );
        let early = match call.function {
            Function::CreateSystemThread
            | Function::RunGC
            | Function::SuspendThread
            | Function::SuspendThreadList => true,
            Function::RequestEvent => dump,
            _ => false,
        };
        if early && !self.init_done {
            self.findings
                .note(Rule::BeforeInitDone, call.caller, || call.words());
        }
        if call.function == Function::RequestEvent && !listening {
            self.unset(call.caller, &call.words());
        }
    }

    /// NotifyEvent is NULL when it is needed.
    pub fn unset(&mut self, caller: usize, when: &str) {
        self.findings.note(Rule::NotifyUnset, caller, || {
            format!("NotifyEvent is NULL at {when}")
        });
    }

    /// A thread is no more.
    pub fn ended(&mut self, own: &mut Own, caller: usize) {
        self.ended.insert(own.thread);
        let held = own.leave_all();
        self.kept(caller, &held, "its thread ends");
    }

    /// The run is over, by this thread ([`Own::thread`]) and at this time: what was never put
    /// right. A thread that still runs may be about to.
    pub fn finish(&mut self, thread: u64, now: u64) {
        let forgotten = |open: &Open| {
            open.by == thread
                || self.ended.contains(&open.by)
                || now.saturating_sub(open.when) >= FORGOTTEN
        };
        for open in self.disabled.iter().filter(|open| forgotten(open)) {
            self.findings.note(Rule::GcLeftDisabled, open.caller, || {
                "the EnableGC to this DisableGC is missing at the end".to_owned()
            });
        }
        for (env, open) in self.suspended.iter().filter(|(_, open)| forgotten(open)) {
            self.findings.note(Rule::NeverResumed, open.caller, || {
                format!("thread {env:#x} is suspended at the end")
            });
        }
    }
}

impl Open {
    const fn by(own: &Own, call: &Call<'_>) -> Self {
        Self {
            by: own.thread,
            caller: call.caller,
            when: call.when,
        }
    }
}

fn needs_gc_disabled(call: &Call<'_>) -> bool {
    match call.function {
        Function::RequestEvent => matches!(
            call.event(),
            Some(
                EventKind::ClassLoad
                    | EventKind::ThreadStart
                    | EventKind::ObjectAlloc
                    | EventKind::ObjectDump
            )
        ),
        Function::GetThreadObject
        | Function::GetMethodClass
        | Function::JobjectIdToJobject
        | Function::JobjectToJobjectId
        | Function::SuspendThread
        | Function::SuspendThreadList => true,
        _ => false,
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
