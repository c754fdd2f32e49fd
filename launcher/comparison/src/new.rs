//! What counts in records of JVMTI.
//!
//! Longer than most: one list of what events and calls of JVMTI count for.

use std::collections::{HashMap, HashSet};

use recording_format::Value;
use recording_format::jvmti::{EventKind, FunctionKind};

use crate::again::Again;
use crate::births::{Birth, Births, Born, born};
use crate::ends::{End, Ends};
use crate::known::{Known, Name, UNNAMED, id, int, is_prepared};
use crate::listening::{self, Listening};
use crate::old::waited_for;
use crate::place::{Depths, Place};
use crate::rules::Noun;
use crate::said::Said;
use crate::side::Counting;
use crate::taken::Taken;
use crate::turns::Turns;

/// A port, while it is counted.
#[derive(Debug, Default)]
pub(crate) struct Port {
    pub(crate) side: Counting,
    /// What it says itself.
    said: Said,
    /// Threads that GetAllThreads has listed.
    listed: HashSet<u64>,
    /// Classes that GetLoadedClasses has listed, and GetClassStatus has not said to be unprepared.
    listed_classes: HashMap<u64, Name>,
    /// Threads that started when nobody had named them.
    unnamed: Vec<u64>,
    turns: Turns,
    taken: Taken,
    births: Births,
    /// Threads that wait for an object.
    waiting: HashSet<u32>,
    /// The index of the extension event of unloaded classes.
    unload_index: Option<i64>,
    /// It has a callback.
    unloads_come: bool,
    /// Threads of the port's own.
    own_threads: Vec<u64>,
    /// Not counted yet.
    ends_of_threads: Ends,
    vm_has_ended: bool,
    /// The end of the thread that seems to end the VM, and where.
    last_end: Option<(u32, End)>,
    /// The callback of VMInit runs.
    pub(crate) starts: bool,
    /// That of VMDeath has begun.
    pub(crate) ends: bool,
    /// GetLoadedClasses was called before that.
    has_list: bool,
    /// It has several environments, which may be told of the same.
    pub(crate) has_several: bool,
    listening: Listening,
    pub(crate) again: Again,
}

const CLASS_STATUS_PREPARED: i64 = 2;

impl Port {
    /// An event; what is born in it.
    pub(crate) fn event(
        &mut self,
        known: &mut Known,
        depths: &mut Depths,
        place: Place,
        (kind, environment, env): (EventKind, u32, u64),
        values: &[Value<'_>],
    ) -> Birth {
        let side = &mut self.side;
        match kind {
            EventKind::ThreadStart => {
                let thread = id(values, 0);
                side.told.insert((Noun::ThreadsStarted, thread));
                match known.thread(thread) {
                    Some(name) => _ = side.add_one(Noun::ThreadsStarted, name, thread),
                    // Perhaps it is asked for.
                    None => self.unnamed.push(thread),
                }
            }
            // From JDK 26 on JVM_SHUT_DOWN is sent in the ThreadEnd that comes before the VM's death.
            EventKind::ThreadEnd if self.vm_has_ended => {
                // What was taken for the end of that thread was another one's.
                let last = self.last_end.take_if(|(on, _)| *on == place.thread);
                if let Some((_, (name, thread))) = last {
                    side.add_one(Noun::ThreadsEnded, name, thread);
                }
            }
            EventKind::ThreadEnd => {
                let name = known.thread(id(values, 0));
                let name = name.unwrap_or_else(|| known.number("?"));
                side.told.insert((Noun::ThreadsEnded, id(values, 0)));
                let end = (name, id(values, 0));
                if let Some((name, thread)) = self.ends_of_threads.add(place.thread, end, env) {
                    side.add_one(Noun::ThreadsEnded, name, thread);
                }
            }
            EventKind::ClassLoad if side.setup.jvmti.hears(EventKind::ClassPrepare) => {}
            EventKind::ClassLoad | EventKind::ClassPrepare => {
                let class = id(values, 0);
                let name = known.class(class).unwrap_or_else(|| known.number("?"));
                self.listed_classes.remove(&class);
                if side.told.insert((Noun::ClassesLoaded, class)) && is_prepared(known.text(name)) {
                    side.add_one(Noun::ClassesLoaded, name, class);
                }
            }
            EventKind::SingleStep => {
                let method = known.method(id(values, 0));
                side.ran(method, int(values, 1));
            }
            // Of a frame that it wanted to hear of.
            EventKind::FramePop if side.setup.jvmti.hears(EventKind::MethodExit) => {}
            EventKind::MethodEntry => {
                let method = known.method(id(values, 0));
                let depth = depths.enter(place.thread, method);
                let thread = known.thread_of_env(env);
                let count = side.add_one(Noun::MethodsEntered, method, id(values, 0));
                if !self.turns.takes(known, (thread, method), depth) {
                    count.amount = count.amount.max(depth);
                }
            }
            EventKind::FramePop | EventKind::MethodExit => {
                let method = known.method(id(values, 0));
                depths.leave(place.thread, method);
                side.add_one(Noun::MethodsLeft, method, id(values, 0));
            }
            EventKind::CompiledMethodLoad => {
                let method = known.method(id(values, 0));
                side.add(Noun::Compiled, method);
            }
            EventKind::MonitorWait => {
                self.waiting.insert(place.thread);
                monitor(side, known, Noun::Waits, env, values);
            }
            EventKind::MonitorWaited => {
                let has_begun = self.waiting.remove(&place.thread);
                let class = known.class(id(values, 1));
                // The VM's own wait, for a class that another thread initialises. Who hears of beginnings late, or of
                // none, cannot tell those from others.
                let hears = side.setup.jvmti.hears(EventKind::MonitorWait)
                    && !side.setup.late.contains(&EventKind::MonitorWait);
                if has_begun || !hears || class.is_none_or(|class| known.text(class) != "int[]") {
                    monitor(side, known, Noun::Waited, env, values);
                }
            }
            EventKind::MonitorContendedEnter => monitor(side, known, Noun::Contended, env, values),
            EventKind::MonitorContendedEntered => monitor(side, known, Noun::Entered, env, values),
            // Some listen to both.
            EventKind::GarbageCollectionFinish
                if side.setup.jvmti.hears(EventKind::GarbageCollectionStart) => {}
            EventKind::GarbageCollectionStart | EventKind::GarbageCollectionFinish => {
                let name = known.number("all");
                side.add(Noun::Collections, name);
            }
            EventKind::ObjectFree => {
                let is_told = self.unloads_come;
                self.births
                    .freed(side, known, (environment, int(values, 0), is_told));
            }
            EventKind::VMObjectAlloc | EventKind::SampledObjectAlloc => {
                match kind == EventKind::VMObjectAlloc {
                    true => side.setup.by_vm += 1,
                    false => side.setup.sampled += 1,
                }
                return self.births.event(place.thread, born(known, values));
            }
            EventKind::VirtualThreadStart | EventKind::VirtualThreadEnd => {
                let name = known.number("all");
                self.turns.are_virtual = true;
                let noun = match kind == EventKind::VirtualThreadStart {
                    true => Noun::VirtualStarted,
                    false => Noun::VirtualEnded,
                };
                side.add(noun, name);
            }
            EventKind::ClassUnload => {
                let name = values.first().and_then(Value::bytes).unwrap_or_default();
                let name = known.class_called(name);
                side.add(Noun::ClassesUnloaded, name);
            }
            EventKind::VMInit
            | EventKind::VMDeath
            | EventKind::ClassFileLoadHook
            | EventKind::VMStart
            | EventKind::Exception
            | EventKind::ExceptionCatch
            | EventKind::Breakpoint
            | EventKind::FieldAccess
            | EventKind::FieldModification
            | EventKind::NativeMethodBind
            | EventKind::CompiledMethodUnload
            | EventKind::DynamicCodeGenerated
            | EventKind::DataDumpRequest
            | EventKind::ResourceExhausted
            | EventKind::VirtualThreadMount
            | EventKind::VirtualThreadUnmount
            | EventKind::HeapWalk => {}
        }
        None
    }

    /// An event that another environment has just been told of: it counts once, but either may tag what is born.
    pub(crate) fn event_again(
        &mut self,
        known: &mut Known,
        kind: EventKind,
        values: &[Value<'_>],
    ) -> Birth {
        use EventKind::{SampledObjectAlloc, VMDeath, VMInit, VMObjectAlloc, VMStart};
        // Of the VM's life each environment has to be told.
        if !matches!(kind, VMInit | VMDeath | VMStart) {
            self.side.setup.heard_again += 1;
        }
        matches!(kind, VMObjectAlloc | SampledObjectAlloc).then(|| born(known, values))
    }

    /// A call, with its results.
    pub(crate) fn call(
        &mut self,
        known: &mut Known,
        (place, environment, birth): (Place, u32, Birth),
        (number, arguments): (u8, &[Value<'_>]),
        results: &[Value<'_>],
    ) {
        let side = &mut self.side;
        let code = int(results, 0);
        let setup = &mut side.setup;
        let function = FunctionKind::from_number(number);
        match function {
            Some(FunctionKind::SetEventNotificationMode) => {
                self.listening
                    .sets(setup, (environment, place, self.starts), arguments, code)
            }
            Some(FunctionKind::DisposeEnvironment) if code == 0 => {
                self.listening.ends(setup, environment, place)
            }
            _ => {}
        }
        // Tagged or refused: what a hook shows it next is another one.
        let shown = match function {
            Some(FunctionKind::SetTag) => self.births.take_shown(place.thread),
            _ => None,
        };
        if code != 0 {
            return;
        }
        let rows = |place: usize| results.get(place).map(Value::rows).unwrap_or_default();
        match function {
            Some(FunctionKind::GetAllThreads) => {
                side.setup.asked_for_threads = true;
                self.listed.extend(rows(2).iter().map(|row| id(row, 0)));
            }
            Some(FunctionKind::RunAgentThread | FunctionKind::attached) => {
                self.own_threads.push(id(arguments, 0))
            }
            Some(FunctionKind::GetThreadInfo) => {
                let name = rows(1).first().and_then(|info| info.first()?.bytes());
                if let (Some(name), true) = (name, id(arguments, 0) != 0) {
                    known.thread_is_called(id(arguments, 0), name);
                }
            }
            Some(FunctionKind::GetClassStatus) => {
                side.setup.asked_for_status = true;
                if int(results, 1) & CLASS_STATUS_PREPARED == 0 {
                    self.listed_classes.remove(&id(arguments, 0));
                }
            }
            // Later ones say again what is known, or are for a walk over the heap.
            Some(FunctionKind::GetLoadedClasses) if self.has_list || self.ends => {}
            Some(FunctionKind::GetLoadedClasses) => {
                self.has_list = true;
                side.setup.asked_for_classes = true;
                for row in rows(2) {
                    let class = id(row, 0);
                    let name = known.class(class).unwrap_or_else(|| known.number("?"));
                    let is_news = !side.told.contains(&(Noun::ClassesLoaded, class));
                    if is_news && is_prepared(known.text(name)) {
                        self.listed_classes.insert(class, name);
                    }
                }
            }
            Some(FunctionKind::RedefineClasses | FunctionKind::RetransformClasses) => {
                side.setup.rewrites = true
            }
            Some(
                FunctionKind::GetAllStackTraces
                | FunctionKind::GetThreadListStackTraces
                | FunctionKind::GetStackTrace,
            ) if place.is_in_handler => side.setup.stacks_in_handlers += 1,
            Some(
                function @ (FunctionKind::GetAllStackTraces
                | FunctionKind::GetThreadListStackTraces
                | FunctionKind::GetStackTrace),
            ) => {
                let on = place.thread;
                self.taken
                    .stacks(side, known, (function, on), arguments, rows(1));
            }
            Some(FunctionKind::tags) if place.is_live && !place.is_in_handler => {
                let class = known.class(id(arguments, 0));
                let class = class.unwrap_or_else(|| known.number("?"));
                let size = int(arguments, 1).unsigned_abs();
                let object = 0;
                let born = Born {
                    class,
                    size,
                    object,
                };
                self.births.show(place.thread, born);
            }
            Some(FunctionKind::SetTag) => {
                let by = (environment, place.thread);
                self.births
                    .tagged(side, known, by, (birth, shown), arguments);
            }
            Some(FunctionKind::ForceGarbageCollection) => {
                side.setup.forced += 1;
                side.setup.forced_for_births |=
                    side.setup.jvmti.hears(EventKind::SampledObjectAlloc);
            }
            Some(
                FunctionKind::IterateOverObjectsReachableFromObject
                | FunctionKind::IterateOverReachableObjects
                | FunctionKind::IterateOverHeap
                | FunctionKind::IterateOverInstancesOfClass
                | FunctionKind::FollowReferences
                | FunctionKind::IterateThroughHeap,
            ) => {
                side.setup.walks += 1;
                let is_early = self.starts || !place.is_live;
                side.setup.early_walks += u64::from(is_early);
                side.setup.iterates |= matches!(
                    function,
                    Some(
                        FunctionKind::IterateOverHeap
                            | FunctionKind::IterateOverInstancesOfClass
                            | FunctionKind::IterateThroughHeap
                    )
                );
                let name = known.number("walks over the heap");
                side.add(Noun::Dumps, name);
            }
            Some(FunctionKind::GetExtensionEvents) => {
                let is_unload = |row: &&Vec<Value<'_>>| {
                    let name = row.get(1).and_then(Value::bytes);
                    name.is_some_and(|name| name.ends_with(b".ClassUnload"))
                };
                self.unload_index = rows(2).iter().find(is_unload).map(|row| int(row, 0));
            }
            Some(FunctionKind::SetExtensionEventCallback)
                if Some(int(arguments, 0)) == self.unload_index =>
            {
                self.unloads_come = id(arguments, 1) != 0;
                side.setup.unload_index = self.unload_index.filter(|_| self.unloads_come);
                let enabled = &mut side.setup.jvmti.enabled;
                match self.unloads_come {
                    true => enabled.insert(EventKind::ClassUnload),
                    false => enabled.remove(&EventKind::ClassUnload),
                };
            }
            Some(FunctionKind::SetEventCallbacks) => {
                let rows = arguments.first().map(Value::rows).unwrap_or_default();
                let events = rows.iter().filter_map(|row| listening::event(int(row, 0)));
                side.setup.has_callback.extend(events);
            }
            Some(FunctionKind::SetHeapSamplingInterval) => {
                side.setup.interval = Some(int(arguments, 0));
                side.setup.interval_late = place.is_live;
            }
            Some(FunctionKind::xrun_saw) => {
                self.said
                    .saw(&mut side.setup, known, place.is_live, arguments);
            }
            Some(FunctionKind::xrun_saw_stack) => {
                self.said.saw_stack(&mut side.setup, known, arguments)
            }
            Some(FunctionKind::native_bound) => {
                let method = known.method(id(arguments, 0));
                let natives = &mut side.setup.natives;
                natives.extend(Some(known.text(method).to_owned()).filter(|it| it != "?"));
            }
            _ => {}
        }
    }

    /// A thread ends the VM, by System.exit say: ThreadEnd tells of that one just before, THREAD_END never.
    pub(crate) fn the_vm_ends(&mut self, on: u32, env: Option<u64>) {
        self.vm_has_ended = true;
        let end = self.ends_of_threads.of_the_vm(on, env);
        self.last_end = end.map(|end| (on, end));
    }

    /// An event in no callback.
    pub(crate) fn goes_on(&mut self, on: u32, event: Option<EventKind>) {
        if let Some((name, thread)) = self.ends_of_threads.goes_on(on, event) {
            self.side.add_one(Noun::ThreadsEnded, name, thread);
        }
    }

    /// The callback of ClassFileLoadHook has given another class file.
    pub(crate) fn changed_a_class(&mut self) {
        self.side.setup.rewrites = true;
    }

    /// A thread of its own: the old agent has none of this name, but perhaps others that have no name.
    fn leave_out(&mut self, known: &mut Known, thread: u64, name: Name) {
        if known.text(name) != UNNAMED {
            known.is_of_an_agent(name);
        } else if !self.side.ones.are_matched() {
            // What GetAllThreads alone has listed, or what had no name when it started, is not counted yet.
            self.listed.remove(&thread);
            let unnamed = self.unnamed.len();
            self.unnamed.retain(|&other| other != thread);
            let is_counted = unnamed == self.unnamed.len();
            for noun in [Noun::ThreadsStarted, Noun::ThreadsEnded] {
                let is_told = self.side.told.remove(&(noun, thread));
                let times = u64::from(is_told && (is_counted || noun == Noun::ThreadsEnded));
                let count = self.side.counts.entry((noun, name)).or_default();
                count.times = count.times.saturating_sub(times);
            }
        }
    }

    /// All is counted. Threads that the port has made itself are nobody else's.
    pub(crate) fn finish(mut self, known: &mut Known) -> Counting {
        if let Some((_, (_, thread))) = self.last_end {
            self.side.told.remove(&(Noun::ThreadsEnded, thread));
        }
        for (name, thread) in self.ends_of_threads.drain() {
            self.side.add_one(Noun::ThreadsEnded, name, thread);
        }
        for thread in std::mem::take(&mut self.own_threads) {
            if let Some(name) = known.thread(thread) {
                self.leave_out(known, thread, name);
            }
        }
        self.births.count(&mut self.side);
        self.turns.count(&mut self.side);
        self.taken.finish(&mut self.side);
        for (class, name) in self.listed_classes {
            self.side.was_there(Noun::ClassesLoaded, name, class);
        }
        for thread in self.unnamed {
            let name = known.thread(thread).unwrap_or_else(|| known.number("?"));
            self.side.add_one(Noun::ThreadsStarted, name, thread);
        }
        for thread in self.listed {
            if !self.side.told.contains(&(Noun::ThreadsStarted, thread)) {
                let name = known.thread(thread).unwrap_or_else(|| known.number("?"));
                self.side.was_there(Noun::ThreadsStarted, name, thread);
            }
        }
        self.said.replace_in(&mut self.side);
        self.side
    }
}

fn monitor(side: &mut Counting, known: &mut Known, noun: Noun, env: u64, values: &[Value<'_>]) {
    let class = known.class(id(values, 1));
    let thread = known.thread_of_env(env);
    waited_for(side, known, noun, thread, class);
}
