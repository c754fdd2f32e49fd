//! What is known of a recording before it is played: one walk over it, of which little is kept.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use recording_format::{GET_ENV, Recording, Subject, Value, What};

const THREAD_START: i32 = 33;
/// The slot of RawMonitorCreate.
const RAW_MONITOR_CREATE: u8 = 7;
/// The slot of CreateSystemThread.
const CREATE_SYSTEM_THREAD: u8 = 18;

/// So many records of a thread are looked through for the end of one; where it lies farther
/// off, its place is kept.
const FAR: usize = 512;

/// Who makes a thread's calls happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// We do: events, functions of the agent's.
    Us,
    /// The agent, on a thread that it has made itself.
    Agent,
}

/// One thread.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its number in the recording.
    pub(crate) number: u32,
    pub(crate) cause: Cause,
    /// How many records it has.
    pub(crate) len: usize,
    /// Places of records and of their ends, [`FAR`] apart or more; `usize::MAX` for one that
    /// had not ended when the process did.
    pub(crate) far_ends: HashMap<usize, usize>,
    nest: Nest,
    /// How many of its records came before the first event.
    leading: usize,
}

/// Everything but the records.
#[derive(Debug)]
pub(crate) struct Script {
    /// In the order in which they began.
    pub(crate) threads: Vec<Part>,
    /// The thread of JVM_OnLoad, and how many of its records belong to that.
    pub(crate) on_load: (usize, usize),
    /// The envs of its events.
    pub(crate) envs: BTreeSet<u64>,
    /// What raw monitors were called when they were created.
    pub(crate) names: HashMap<u64, &'static [u8]>,
    /// The time of the last record.
    pub(crate) end: u64,
    /// The VM's end is among them.
    pub(crate) has_end: bool,
}

/// What has begun on a thread and not ended.
#[derive(Debug, Default)]
pub(crate) struct Nest(Vec<(Subject, usize)>);

impl Nest {
    /// Whether the next record lies in no other.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next record; calls `ends` with the places of those that it ends.
    pub(crate) fn add(&mut self, what: &What<'_>, place: usize, mut ends: impl FnMut(usize)) {
        let subject = what.subject();
        if let What::Leave { .. } = what
            && let Some(level) = self.0.iter().rposition(|(open, _)| *open == subject)
        {
            // What was left by a jump ends here, too.
            for (_, begin) in self.0.drain(level..) {
                ends(begin);
            }
        }
        if what.is_open() {
            self.0.push((subject, place));
        }
    }
}

/// Whether a record has a place in its thread's list: what an id means is nothing that happened.
pub(crate) const fn has_place(what: &What<'_>) -> bool {
    !matches!(what, What::Defined { .. })
}

/// A function of the agent's that was called.
struct Run {
    thread: usize,
    place: usize,
    function: Option<Value<'static>>,
}

impl Script {
    pub(crate) fn of(recording: &Recording<'static>) -> Self {
        let mut script = Self {
            threads: Vec::new(),
            on_load: (0, 0),
            envs: BTreeSet::new(),
            names: HashMap::new(),
            end: 0,
            has_end: false,
        };
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let (mut runs, mut system_threads, mut asked) = (Vec::new(), Vec::new(), None);
        for item in recording.items() {
            script.end = item.nanos;
            script.has_end |= item.what.is_the_vms_end();
            let thread = *places.entry(item.thread).or_insert(script.threads.len());
            if thread == script.threads.len() {
                script.threads.push(Part::new(item.thread));
            }
            let Some(part) = script.threads.get_mut(thread) else {
                continue;
            };
            if !has_place(&item.what) {
                continue;
            }
            let place = part.add(&item.what);
            match &item.what {
                What::Run { values, .. } => runs.push(Run {
                    thread,
                    place,
                    function: values.first().cloned(),
                }),
                What::Call {
                    slot: CREATE_SYSTEM_THREAD,
                    arguments,
                    ..
                } => system_threads.extend(arguments.get(2).cloned()),
                What::Call { slot: GET_ENV, .. } => asked = asked.or(Some(thread)),
                what @ (What::Event { .. }
                | What::Call { .. }
                | What::Unsent { .. }
                | What::JvmtiEvent { .. }
                | What::JvmtiCall { .. }
                | What::Defined { .. }
                | What::Leave { .. }) => script.learn(what),
            }
        }
        for part in &mut script.threads {
            part.far_ends
                .extend(part.nest.0.drain(..).map(|(_, begin)| (begin, usize::MAX)));
        }
        let run = runs.iter().find(|run| {
            let of_thread = |function| run.function.as_ref() == Some(function);
            !system_threads.iter().any(of_thread)
        });
        script.find_on_load(recording, run, asked);
        script
    }

    fn learn(&mut self, what: &What<'static>) {
        match what {
            What::Event {
                env,
                number,
                values,
                ..
            } => {
                self.envs.insert(*env);
                if *number == THREAD_START {
                    self.envs.extend(values.get(4).and_then(Value::id));
                }
            }
            What::Call {
                slot: RAW_MONITOR_CREATE,
                arguments,
                results: Some(results),
            } => {
                let monitor = results.first().and_then(Value::id);
                let name = arguments.first().and_then(Value::bytes);
                self.names.extend(monitor.zip(name));
            }
            What::Call { .. }
            | What::Run { .. }
            | What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Defined { .. }
            | What::Leave { .. } => {}
        }
    }

    /// JVM_OnLoad is a [`What::Run`] that no CreateSystemThread has asked for, or, when
    /// the VM has called it, whatever came before the first event.
    fn find_on_load(
        &mut self,
        recording: &Recording<'static>,
        run: Option<&Run>,
        asked: Option<usize>,
    ) {
        let Some(thread) = run.map(|run| run.thread).or(asked) else {
            return;
        };
        let Some(part) = self.threads.get_mut(thread) else {
            return;
        };
        part.cause = Cause::Us;
        let until = match run {
            Some(run) => part.end(recording, run.place).saturating_add(1),
            None => part.leading,
        };
        self.on_load = (thread, until.min(part.len));
    }

    pub(crate) fn len(&self, thread: usize) -> usize {
        self.threads.get(thread).map_or(0, |part| part.len)
    }
}

impl Part {
    fn new(number: u32) -> Self {
        Self {
            number,
            cause: Cause::Agent,
            len: 0,
            far_ends: HashMap::new(),
            nest: Nest::default(),
            leading: 0,
        }
    }

    /// The next record; its place.
    fn add(&mut self, what: &What<'_>) -> usize {
        let place = self.len;
        self.len += 1;
        let is_ours = matches!(what, What::Event { .. } | What::Run { .. });
        if is_ours {
            self.cause = Cause::Us;
        }
        if self.leading == place && !is_ours && !matches!(what, What::Unsent { .. }) {
            self.leading += 1;
        }
        let ends = &mut self.far_ends;
        self.nest.add(what, place, |begin| {
            if place - begin >= FAR {
                ends.insert(begin, place);
            }
        });
        place
    }

    /// Where a record ends: at its own place, if at once.
    fn end(&self, recording: &Recording<'static>, place: usize) -> usize {
        if let Some(&end) = self.far_ends.get(&place) {
            return end;
        }
        let mut nest = Nest::default();
        let mut end = place;
        let records = recording.records(self.number).enumerate();
        for (at, item) in records.skip(place).take(FAR + 1) {
            nest.add(&item.what, at, |begin| {
                if begin == place {
                    end = at;
                }
            });
            if nest.is_empty() {
                break;
            }
        }
        end
    }
}
