//! One pass over a recording: what each side was told, counted by name.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use event_translate::EventKind;
use recording_format::jvmti::{self, Definition};
use recording_format::{Header, NO_END, Recording, Subject, Value, What};

use crate::births::Birth;
use crate::dumped::Shapes;
use crate::known::{Known, int};
use crate::new::Port;
use crate::old;
use crate::place::{Depths, Place};
use crate::side::{Counting, Side};

/// What stands in a recording.
#[derive(Debug)]
pub struct Observed {
    pub(crate) header: Header,
    /// The agent that speaks JVMPI, if there was one.
    pub(crate) old: Option<Side>,
    /// Those that speak JVMTI, by the names of their libraries.
    pub(crate) ports: BTreeMap<String, Side>,
    /// Why what stands there is not all of the run.
    pub(crate) cut_off: Option<String>,
}

/// What has begun on a thread.
#[derive(Debug)]
struct Open<'a> {
    subject: Subject,
    environment: u32,
    /// Of a call.
    arguments: Vec<Value<'a>>,
    birth: Birth,
}

/// Side by side, while they are counted.
#[derive(Debug, Default)]
struct Collector<'a> {
    known: Known,
    old: Counting,
    has_old: bool,
    ports: Ports,
    depths: Depths,
    /// Without which a dump cannot be read.
    shapes: Shapes,
    open: HashMap<u32, Vec<Open<'a>>>,
    is_live: bool,
    has_ended: bool,
    /// Both sides are here.
    in_one: bool,
}

impl Observed {
    /// Why what stands in the recording is not all of the run, if that is so.
    #[must_use]
    pub fn cut_off(&self) -> Option<&str> {
        self.cut_off.as_deref()
    }

    /// Of a recording.
    pub fn of(recording: &Recording<'_>) -> Self {
        let mut collector = Collector::default();
        let Ok(()) = recording.items().each::<Infallible>(|item| {
            collector.take(item.thread, &item.what);
            Ok(())
        });
        collector.finish(recording)
    }
}

impl<'a> Collector<'a> {
    fn take(&mut self, thread: u32, what: &What<'a>) {
        self.known.learn(what);
        if !self.in_one && self.has_old && !self.ports.all.is_empty() {
            self.in_one = true;
            self.old.ones.begin();
            self.ports.match_ones();
        }
        let place = |is_in_handler| Place {
            thread,
            is_live: self.is_live,
            has_ended: self.has_ended,
            is_in_handler,
        };
        match what {
            What::Event {
                number,
                requested,
                env,
                values,
                ..
            } => {
                self.has_old = true;
                let place = place(false);
                self.phase(*number, thread);
                if let Some(kind) = EventKind::from_raw(*number) {
                    let (side, known) = (&mut self.old, &mut self.known);
                    let head = (kind, *requested, *env);
                    let open = (&mut self.depths, &mut self.shapes);
                    old::event(side, known, open, place, head, values);
                }
            }
            What::Unsent { number } => self.phase(*number, thread),
            What::Call {
                slot,
                arguments,
                results,
            } => {
                self.has_old = true;
                if let Some(results) = results {
                    let place = place(self.is_in(thread, false));
                    let call = (*slot, &arguments[..]);
                    old::call(&mut self.old, &mut self.known, place, call, results);
                }
            }
            What::Run { .. } => self.has_old = true,
            What::JvmtiEvent {
                number,
                environment,
                env,
                values,
                ..
            } => {
                let place = place(false);
                let kind = jvmti::EventKind::from_number(*number);
                self.is_live |= kind == Some(jvmti::EventKind::VMInit);
                if kind == Some(jvmti::EventKind::VMDeath) {
                    self.the_vm_ends(thread, Some(*env));
                }
                let deep = self.open.get(&thread).map_or(0, Vec::len);
                let (_, port, depths) = self.ports.of(&self.known, *environment);
                if deep == 0 {
                    port.goes_on(thread, kind);
                }
                port.ends |= kind == Some(jvmti::EventKind::VMDeath);
                // Each environment has tags of its own.
                let is_again = port.has_several
                    && kind != Some(jvmti::EventKind::ObjectFree)
                    && port
                        .again
                        .is((thread, deep), *environment, (*number, values));
                let birth = kind.and_then(|kind| match is_again {
                    true => port.event_again(&mut self.known, kind, values),
                    false => {
                        let head = (kind, *environment, *env);
                        port.event(&mut self.known, depths, place, head, values)
                    }
                });
                if what.is_open() {
                    port.starts |= kind == Some(jvmti::EventKind::VMInit);
                    self.push(thread, what, *environment, Vec::new(), birth);
                }
                return;
            }
            What::JvmtiCall {
                number,
                environment,
                arguments,
                results,
            } => {
                if let Some(results) = results {
                    let place = place(self.is_in(thread, true));
                    self.called(*environment, place, (*number, arguments), results);
                }
            }
            What::Defined {
                definition: Definition::Environment,
                values,
            } => {
                let number = u32::try_from(int(values, 0)).unwrap_or(0);
                let (_, port, _) = self.ports.of(&self.known, number);
                port.side.setup.came_late |= self.is_live && !port.has_several;
            }
            What::Defined { .. } => {}
            What::Leave { subject, results } => self.left(thread, *subject, results),
        }
        if what.is_open() {
            let (environment, arguments) = match what {
                What::JvmtiCall {
                    environment,
                    arguments,
                    ..
                } => (*environment, arguments.clone()),
                What::Call { arguments, .. } => (0, arguments.clone()),
                What::Event { .. }
                | What::Run { .. }
                | What::Unsent { .. }
                | What::JvmtiEvent { .. }
                | What::Defined { .. }
                | What::Leave { .. } => (0, Vec::new()),
            };
            self.push(thread, what, environment, arguments, None);
        }
    }

    fn push(
        &mut self,
        thread: u32,
        what: &What<'a>,
        environment: u32,
        arguments: Vec<Value<'a>>,
        birth: Birth,
    ) {
        self.open.entry(thread).or_default().push(Open {
            subject: what.subject(),
            environment,
            arguments,
            birth,
        });
    }

    fn phase(&mut self, number: i32, thread: u32) {
        self.is_live |= number == EventKind::JvmInitDone.raw();
        if number == EventKind::JvmShutDown.raw() {
            self.the_vm_ends(thread, None);
        }
    }

    fn the_vm_ends(&mut self, on: u32, env: Option<u64>) {
        if !std::mem::replace(&mut self.has_ended, true) {
            for (_, port, _) in self.ports.all.values_mut() {
                port.the_vm_ends(on, env);
            }
        }
    }

    /// Whether a handler of JVMPI or a callback of JVMTI runs on a thread.
    fn is_in(&self, thread: u32, jvmti: bool) -> bool {
        let open = self
            .open
            .get(&thread)
            .map(Vec::as_slice)
            .unwrap_or_default();
        open.iter().any(|open| match open.subject {
            Subject::Event(_) => !jvmti,
            Subject::JvmtiEvent(_) => jvmti,
            Subject::Call(_) | Subject::Run | Subject::JvmtiCall(_) | Subject::Definition(_) => {
                false
            }
        })
    }

    fn called(
        &mut self,
        environment: u32,
        place: Place,
        call: (u8, &[Value<'_>]),
        results: &[Value<'_>],
    ) {
        let open = self.open.get(&place.thread);
        let birth = open.and_then(|open| open.last()?.birth);
        let (_, port, _) = self.ports.of(&self.known, environment);
        port.call(&mut self.known, (place, environment, birth), call, results);
    }

    fn left(&mut self, thread: u32, subject: Subject, results: &[Value<'_>]) {
        let open = self.open.entry(thread).or_default();
        let Some(at) = open.iter().rposition(|open| open.subject == subject) else {
            return;
        };
        let left = open.drain(at..).next();
        let Some(left) = left else { return };
        let place = |is_in_handler| Place {
            thread,
            is_live: self.is_live,
            has_ended: self.has_ended,
            is_in_handler,
        };
        match subject {
            Subject::Call(slot) => {
                let place = place(self.is_in(thread, false));
                let call = (slot, &left.arguments[..]);
                old::call(&mut self.old, &mut self.known, place, call, results);
            }
            Subject::JvmtiCall(number) => {
                let place = place(self.is_in(thread, true));
                self.called(left.environment, place, (number, &left.arguments), results);
            }
            Subject::JvmtiEvent(number) => match jvmti::EventKind::from_number(number) {
                Some(jvmti::EventKind::VMInit) => {
                    let (_, port, _) = self.ports.of(&self.known, left.environment);
                    port.starts = false;
                }
                Some(jvmti::EventKind::ClassFileLoadHook)
                    if results.first().and_then(Value::int).unwrap_or(0) > 0 =>
                {
                    let (_, port, _) = self.ports.of(&self.known, left.environment);
                    port.changed_a_class();
                }
                _ => {}
            },
            Subject::Event(_) | Subject::Run | Subject::Definition(_) => {}
        }
    }

    fn finish(mut self, recording: &Recording<'_>) -> Observed {
        let mut cut_off = recording.problems().first().cloned();
        if cut_off.is_none() && !self.has_ended {
            cut_off = Some(NO_END.to_owned());
        }
        let all = self.ports.all.into_values();
        let counted: Vec<_> = all
            .map(|(agent, port, _)| (agent, port.finish(&mut self.known)))
            .collect();
        // Where the recorder itself was attached, a port that was there before shows itself late.
        let mut settings = recording.header.settings.split(',');
        let is_attached = settings.any(|setting| setting == "attached=on");
        // All that agents have made is known now.
        let ports = counted.into_iter().map(|(agent, counted)| {
            let matched = self.old.ones.matched(&counted.ones, &self.known);
            let mut side = counted.named(&self.known);
            side.matched = matched;
            side.setup.came_late &= !is_attached;
            (agent, side)
        });
        let ports = ports.collect();
        let old = self.has_old.then(|| self.old.named(&self.known));
        Observed {
            header: recording.header.clone(),
            old,
            ports,
            cut_off,
        }
    }
}

/// Those that speak JVMTI, while they are counted.
#[derive(Debug, Default)]
struct Ports {
    all: BTreeMap<u32, (String, Port, Depths)>,
    /// The first environment of the same agent, for each.
    firsts: HashMap<u32, u32>,
    /// The old agent is here, too.
    in_one: bool,
}

impl Ports {
    /// The one that an environment belongs to: several can be of one agent.
    fn of(&mut self, known: &Known, environment: u32) -> &mut (String, Port, Depths) {
        let first = *self.firsts.entry(environment).or_insert_with(|| {
            let agent = known.agent(environment);
            let same = self.all.iter().find(|(_, (name, ..))| name == agent);
            same.map_or(environment, |(&first, _)| first)
        });
        let in_one = self.in_one;
        let found = self.all.entry(first).or_insert_with(|| {
            let agent = known.agent(environment).to_owned();
            let mut port = Port::default();
            if in_one {
                port.side.ones.begin();
            }
            (agent, port, Depths::default())
        });
        found.1.has_several |= environment != first;
        found
    }

    fn match_ones(&mut self) {
        self.in_one = true;
        for (_, port, _) in self.all.values_mut() {
            port.side.ones.begin();
        }
    }
}
