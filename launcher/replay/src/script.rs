//! A recording as what each of its threads has to do.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use event_translate::recording::{GET_ENV, Item, Subject, Value, What};

const THREAD_START: i32 = 33;
/// The slot of CreateSystemThread.
const CREATE_SYSTEM_THREAD: u8 = 18;

/// A record in its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) what: What<'static>,
    pub(crate) nanos: u64,
    /// The thread, by its place in [`Script::threads`].
    pub(crate) thread: usize,
    /// Where in its thread's list its end is; its own place if that is at once, and
    /// behind the list if it has none.
    pub(crate) end: usize,
}

/// Who makes a thread's calls happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// We do: events, functions of the agent's.
    Us,
    /// The agent, on a thread that it has made itself.
    Agent,
}

/// What one thread has to do.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Its number in the recording.
    pub(crate) number: u32,
    /// Its records, by their place in [`Script::nodes`].
    pub(crate) nodes: Vec<usize>,
    pub(crate) cause: Cause,
}

/// Everything, in the order of time.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) nodes: Vec<Node>,
    pub(crate) threads: Vec<Lane>,
    /// The thread of JVM_OnLoad, and how many of its records belong to that.
    pub(crate) on_load: (usize, usize),
    /// Records that nothing in a replay can bring about.
    pub(crate) orphans: Vec<usize>,
}

impl Script {
    pub(crate) fn of(items: impl Iterator<Item = Item<'static>>) -> Self {
        let mut script = Self {
            nodes: Vec::new(),
            threads: Vec::new(),
            on_load: (0, 0),
            orphans: Vec::new(),
        };
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut open: HashMap<usize, Vec<(Subject, usize)>> = HashMap::new();
        for Item {
            nanos,
            thread,
            what,
            ..
        } in items
        {
            let place = *places.entry(thread).or_insert(script.threads.len());
            if place == script.threads.len() {
                script.threads.push(Lane {
                    number: thread,
                    nodes: Vec::new(),
                    cause: Cause::Agent,
                });
            }
            script.add(what, nanos, place, open.entry(place).or_default());
        }
        script.find_causes();
        script.find_on_load();
        script.find_orphans();
        script
    }

    fn add(
        &mut self,
        what: What<'static>,
        nanos: u64,
        thread: usize,
        open: &mut Vec<(Subject, usize)>,
    ) {
        let index = self.nodes.len();
        let Some(lane) = self.threads.get_mut(thread) else {
            return;
        };
        let place = lane.nodes.len();
        lane.nodes.push(index);
        let subject = what.subject();
        if let What::Leave { .. } = what
            && let Some(level) = open.iter().rposition(|(open, _)| *open == subject)
        {
            // What was left by a jump ends here, too.
            for (_, node) in open.drain(level..) {
                if let Some(node) = self.nodes.get_mut(node) {
                    node.end = place;
                }
            }
        }
        let mut end = place;
        if what.is_open() {
            open.push((subject, index));
            end = usize::MAX;
        }
        self.nodes.push(Node {
            what,
            nanos,
            thread,
            end,
        });
    }

    fn find_causes(&mut self) {
        for lane in &mut self.threads {
            let ours = lane.nodes.iter().any(|&node| {
                let node = self.nodes.get(node).map(|node| &node.what);
                matches!(node, Some(What::Event { .. } | What::Run { .. }))
            });
            if ours {
                lane.cause = Cause::Us;
            }
        }
    }

    /// JVM_OnLoad is a [`What::Run`] that no CreateSystemThread has asked for, or, when
    /// the VM has called it, whatever came before the first event.
    fn find_on_load(&mut self) {
        let first = |wanted: &dyn Fn(&What<'_>) -> bool| {
            self.nodes.iter().position(|node| wanted(&node.what))
        };
        let run = first(
            &|what| matches!(what, What::Run { values, .. } if !self.is_system_thread(values)),
        );
        let asked = first(&|what| matches!(what, What::Call { slot: GET_ENV, .. }));
        let Some(node) = run.or(asked).and_then(|index| self.nodes.get(index)) else {
            return;
        };
        let thread = node.thread;
        let Some(lane) = self.threads.get_mut(thread) else {
            return;
        };
        lane.cause = Cause::Us;
        let until = if run.is_some() {
            node.end.saturating_add(1).min(lane.nodes.len())
        } else {
            let is_call = |&&node: &&usize| {
                let what = self.nodes.get(node).map(|node| &node.what);
                !matches!(
                    what,
                    Some(What::Event { .. } | What::Run { .. } | What::Unsent { .. })
                )
            };
            lane.nodes.iter().take_while(is_call).count()
        };
        self.on_load = (thread, until);
    }

    fn is_system_thread(&self, values: &[Value<'_>]) -> bool {
        let function = values.first();
        self.nodes.iter().any(|node| {
            matches!(&node.what, What::Call { slot: CREATE_SYSTEM_THREAD, arguments, .. }
                if arguments.get(2) == function)
        })
    }

    /// Calls outside of handlers come from native methods of the program.
    fn find_orphans(&mut self) {
        let (first, until) = self.on_load;
        for (thread, lane) in self.threads.iter().enumerate() {
            if lane.cause == Cause::Agent {
                continue;
            }
            let mut place = if thread == first { until } else { 0 };
            while let Some(&index) = lane.nodes.get(place) {
                let Some(node) = self.nodes.get(index) else {
                    break;
                };
                let end = node.end.max(place).min(lane.nodes.len() - 1);
                if !matches!(node.what, What::Event { .. } | What::Run { .. }) {
                    self.orphans
                        .extend(lane.nodes.iter().take(end + 1).skip(place));
                }
                place = end + 1;
            }
        }
    }

    /// The envs of its events.
    pub(crate) fn envs(&self) -> BTreeSet<u64> {
        let mut envs = BTreeSet::new();
        for node in &self.nodes {
            if let What::Event {
                env,
                number,
                values,
                ..
            } = &node.what
            {
                envs.insert(*env);
                if *number == THREAD_START {
                    envs.extend(values.get(4).and_then(Value::id));
                }
            }
        }
        envs
    }

    /// A record of a thread, and its place in all.
    pub(crate) fn at(&self, thread: usize, place: usize) -> Option<(usize, &Node)> {
        let index = *self.threads.get(thread)?.nodes.get(place)?;
        Some((index, self.nodes.get(index)?))
    }
}
