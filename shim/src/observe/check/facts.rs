//! What the arguments of a call are.

use std::ptr;

use agent_check::subject::{Wanted, is_poison, wanted};
use agent_check::{Named, POISON, POISONED};
use event_translate::{EventKind, Function};
use id_map::{Flag, Kind, MonitorId, ObjectId};

use crate::model::classes::methods;
use crate::model::classes::methods::METHODS;
use crate::model::tables::{IDS, MONITORS, SUSPENDED};
use crate::model::thread::current;
use crate::model::{ids, threads};
use crate::observe::call::{Call, int};
use crate::observe::check::{given, state};
use crate::os::memory;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::this_vm;

/// A call's arguments, looked up.
pub(super) struct Facts {
    pub(super) subjects: Vec<(u64, Named)>,
    name: String,
    number: i32,
    bad: Option<&'static str>,
    old: Option<u64>,
}

impl Facts {
    pub(super) fn call(&self, call: &Call) -> agent_check::Call<'_> {
        agent_check::Call {
            function: call.function,
            number: self.number,
            subjects: &self.subjects,
            name: &self.name,
            bad: self.bad,
            old: self.old,
            caller: call.caller,
            when: state::now(),
        }
    }

    /// Takes the calling thread out of those that are to be suspended; whether it was there.
    pub(super) fn take_itself(&mut self, function: Function) -> bool {
        if !matches!(
            function,
            Function::SuspendThread | Function::SuspendThreadList
        ) {
            return false;
        }
        let before = self.subjects.len();
        self.subjects
            .retain(|(env, _)| !usize::try_from(*env).is_ok_and(current::is_own));
        self.subjects.len() < before
    }
}

/// Whether the agent has suspended the thread of this env.
pub(super) fn is_suspended(env: u64) -> bool {
    SUSPENDED.get(env).is_some()
        || threads::by_env(ptr::with_exposed_provenance_mut(env as usize)).is_some_and(|thread| {
            thread
                .stopped_in_name
                .load(std::sync::atomic::Ordering::Acquire)
        })
}

/// Looks the arguments of a call up.
pub(super) fn of(call: &Call) -> Facts {
    let [first, second, third] = call.arguments;
    let mut facts = Facts {
        subjects: Vec::new(),
        name: String::new(),
        number: int(first),
        bad: None,
        old: None,
    };
    match call.function {
        Function::EnableEvent | Function::DisableEvent => {}
        Function::RequestEvent => {
            let event = EventKind::from_raw(facts.number);
            facts.one(wanted(call.function, event), second);
        }
        Function::GetCallTrace => {
            facts.number = int(second);
            facts.trace(first);
        }
        Function::RawMonitorCreate => facts.text(first),
        Function::CreateSystemThread => {
            facts.number = int(second);
            facts.text(first);
            if third == 0 {
                facts.bad = Some("no function is given (NULL)");
            }
        }
        Function::SuspendThreadList | Function::ResumeThreadList => facts.list(second, third),
        Function::JobjectToJobjectId => {
            if first == 0 {
                facts.bad = Some("NULL is no reference");
            }
        }
        Function::RawMonitorEnter
        | Function::RawMonitorExit
        | Function::RawMonitorWait
        | Function::RawMonitorNotifyAll
        | Function::RawMonitorDestroy
        | Function::SuspendThread
        | Function::ResumeThread
        | Function::GetThreadStatus
        | Function::ThreadHasRun
        | Function::SetThreadLocalStorage
        | Function::GetThreadLocalStorage
        | Function::GetThreadObject
        | Function::GetMethodClass
        | Function::JobjectIdToJobject => facts.one(wanted(call.function, None), first),
        Function::ProfilerExit
        | Function::GetCurrentThreadCpuTime
        | Function::DisableGC
        | Function::EnableGC
        | Function::RunGC => {}
    }
    facts
}

impl Facts {
    fn one(&mut self, wanted: Wanted, id: usize) {
        if wanted == Wanted::Nothing {
            return;
        }
        let (id, named) = (id as u64, named(wanted, id));
        let is_object = matches!(wanted, Wanted::Object | Wanted::Class | Wanted::Thread);
        if is_object && wanted.broken_by(named).is_none() && given::is_old(id) {
            self.old = Some(id);
        }
        self.subjects.push((id, named));
    }

    fn trace(&mut self, trace: usize) {
        let words = memory::pointers(ptr::with_exposed_provenance(trace), 3);
        let Some([env, _, frames]) = words.as_deref() else {
            self.bad = Some("the trace cannot be read");
            return;
        };
        if self.number < 0 {
            self.bad = Some("a negative depth");
        } else if self.number > 0
            && !memory::plausible::<usize>(ptr::with_exposed_provenance(*frames))
        {
            self.bad = Some("there is no memory for frames");
        }
        self.one(Wanted::Env, *env);
    }

    fn list(&mut self, list: usize, results: usize) {
        let Ok(count) = usize::try_from(self.number) else {
            self.bad = Some("a negative count");
            return;
        };
        if count == 0 {
            return;
        }
        if count > memory::LONGEST_LIST {
            self.bad = Some("a count beyond all threads there can be");
            return;
        }
        let results: *const i32 = ptr::with_exposed_provenance(results);
        if !memory::readable(results, count * size_of::<i32>()) {
            self.bad = Some("there is no memory for the results");
        }
        match memory::pointers(ptr::with_exposed_provenance(list), count) {
            Some(envs) => envs.into_iter().for_each(|env| self.one(Wanted::Env, env)),
            None => self.bad = Some("the list cannot be read"),
        }
    }

    fn text(&mut self, name: usize) {
        if is_poison(name as u64) {
            self.bad = Some(POISONED);
            return;
        }
        match memory::c_string(ptr::with_exposed_provenance(name)) {
            Some(text) => {
                if text.to_bytes().starts_with(&[POISON; 2]) {
                    self.bad = Some(POISONED);
                }
                self.name = text.to_string_lossy().into_owned();
            }
            None => self.bad = Some("the name is NULL or cannot be read"),
        }
    }
}

/// What a number names. It is looked for among the kind that is wanted first: ids of
/// objects and of raw monitors are numbers of the same size.
fn named(wanted: Wanted, id: usize) -> Named {
    if id == 0 {
        return Named::Null;
    }
    if is_poison(id as u64) {
        return Named::Poison;
    }
    let right = match wanted {
        Wanted::Monitor => monitor(id),
        Wanted::Env => env(id),
        Wanted::Method => method(id),
        Wanted::Object | Wanted::Class | Wanted::Thread | Wanted::Nothing => object(wanted, id),
    };
    // Of another kind it is only what lives: most small numbers were some object's once.
    let others = [env, |id| object(Wanted::Nothing, id), monitor, method];
    let mut others = others.iter().filter_map(|look| look(id));
    right
        .or_else(|| others.find(|named| *named != Named::Stale))
        .unwrap_or(Named::Unknown)
}

fn object(wanted: Wanted, number: usize) -> Option<Named> {
    match ids::named(number).and_then(|id| Some((id, IDS.kind_of(id)?))) {
        Some((id, Kind::Thread)) if wanted == Wanted::Thread => {
            let lives = threads::by_id(id).is_some();
            Some(if lives { Named::Thread } else { Named::Stale })
        }
        Some((_, Kind::Thread)) => Some(Named::Thread),
        // Its OBJECT_FREE comes later than its CLASS_UNLOAD.
        Some((id, Kind::Class)) => {
            let unloaded = IDS.has(id, Flag::UNLOADED);
            Some(if unloaded { Named::Stale } else { Named::Class })
        }
        Some((_, Kind::Object)) => Some(Named::Object),
        Some((_, Kind::Alias)) => Some(Named::Stale),
        None => ObjectId::from_raw(number as u64)
            .filter(|id| IDS.was_given(*id))
            .map(|_| Named::Stale),
    }
}

fn env(number: usize) -> Option<Named> {
    if threads::by_env(ptr::with_exposed_provenance_mut(number)).is_some() {
        return Some(Named::Env);
    }
    let ended = state::ENDED.lock();
    ended.contains(&number).then_some(Named::Stale)
}

fn method(number: usize) -> Option<Named> {
    let method = MethodId::from_number(number);
    if METHODS.get(method.key()).is_some() {
        return Some(Named::Method);
    }
    let (jvmti, jni) = (this_vm::jvmti()?, Jni::of_this_thread()?);
    // The VM may use a number again.
    if methods::class_that_lists(jvmti, jni, method).is_some() {
        return Some(Named::Method);
    }
    let ended = state::ENDED_METHODS.lock();
    ended.contains(&method.key()).then_some(Named::Stale)
}

fn monitor(number: usize) -> Option<Named> {
    let id = MonitorId::from_raw(number as u64)?;
    if MONITORS.name(id).is_some() {
        Some(Named::Monitor)
    } else {
        MONITORS.was_made(id).then_some(Named::Stale)
    }
}
