//! Names behind ids: what the host has not told of is asked for.

use std::cell::Cell;

use jvmpi_headers::jvmpi::{
    JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_THREAD_START,
};

use crate::agent::Agent;
use crate::ffi::frequent_events::Alloc;
use crate::ffi::host::{self, NO_FRAME, RawFrame};
use crate::profile::ClassRef;
use crate::traces::Frame;

/// The same of a thread that the output names.
pub(crate) fn named_serial(agent: &Agent, env: usize) -> u32 {
    let serial = thread_serial(agent, env);
    agent.threads.lock().list(serial);
    serial
}

/// The serial of a thread; asks for its THREAD_START if that did not come. 0: unknown.
pub(crate) fn thread_serial(agent: &Agent, env: usize) -> u32 {
    let known = agent.threads.lock().serial(env);
    known.unwrap_or_else(|| {
        host::without_gc(|| {
            let object = host::thread_object(env);
            if object != 0 {
                host::request(JVMPI_EVENT_THREAD_START, object);
            }
        });
        agent.threads.lock().serial(env).unwrap_or(0)
    })
}

/// The index of a class; asks for its CLASS_LOAD if that did not come. 0: unknown.
pub(crate) fn class_index(agent: &Agent, id: usize) -> u32 {
    if id == 0 {
        return 0;
    }
    let known = agent.classes.lock().index_of(id);
    known.unwrap_or_else(|| {
        host::without_gc(|| host::request(JVMPI_EVENT_CLASS_LOAD, id));
        agent.classes.lock().index_of(id).unwrap_or(0)
    })
}

/// The index of a method; asks for its class if need be. 0: unknown.
pub(crate) fn method_index(agent: &Agent, id: usize) -> u32 {
    let known = agent.classes.lock().method_of(id);
    known.unwrap_or_else(|| {
        host::without_gc(|| {
            let class = host::method_class(id);
            if class != 0 {
                host::request(JVMPI_EVENT_CLASS_LOAD, class);
            }
        });
        agent.classes.lock().method_of(id).unwrap_or(0)
    })
}

/// The class of an object; of an array, its elements' class is the best that is known.
pub(crate) fn class_of(agent: &Agent, object: usize) -> Option<ClassRef> {
    // A class as a lock: a static synchronized method.
    let alloc = host::without_gc(|| ask(object));
    let index = alloc.map_or(0, |alloc| class_index(agent, alloc.class));
    (index != 0).then_some(ClassRef(index))
}

thread_local! {
    /// What the last requested OBJECT_ALLOC said.
    static ANSWER: Cell<Option<Alloc>> = const { Cell::new(None) };
}

/// What the host knows of an object: asks for its OBJECT_ALLOC.
pub(crate) fn ask(id: usize) -> Option<Alloc> {
    ANSWER.set(None);
    host::request(JVMPI_EVENT_OBJECT_ALLOC, id);
    ANSWER.take().filter(|answer| answer.object == id)
}

/// It answers.
pub(crate) fn answered(alloc: Alloc) {
    ANSWER.set(Some(alloc));
}

/// A stack as we keep it.
pub(crate) fn frames(agent: &Agent, frames: &[RawFrame]) -> Vec<Frame> {
    let named = frames.iter().map(|frame| {
        let method = method_index(agent, frame.method_id.expose_provenance());
        (method, line(agent, frame.lineno))
    });
    named.collect()
}

/// The calling thread's stack.
pub(crate) fn trace(agent: &Agent, env: usize) -> u32 {
    let mut buffer = vec![NO_FRAME; agent.depth()];
    let taken = host::call_trace(env, &mut buffer);
    let frames = frames(agent, buffer.get(..taken).unwrap_or_default());
    // Not in the lock: the host may be asked.
    let thread = of_traces(agent, env);
    agent.traces.lock().intern(thread, &frames)
}

/// The serial that traces of a thread have: 0 without `thread=y`.
pub(crate) fn of_traces(agent: &Agent, env: usize) -> u32 {
    if agent.options.thread {
        named_serial(agent, env)
    } else {
        0
    }
}

/// Where a class is loaded, a thread started or a reference made, for heap dumps; 0 if it does not matter.
pub(crate) fn defining_trace(agent: &Agent, env: usize) -> u32 {
    if !agent.options.dump || UNTRACED.get() {
        return 0;
    }
    // Naming the frames may make the host define more.
    untraced(|| trace(agent, env))
}

thread_local! {
    static UNTRACED: Cell<bool> = const { Cell::new(false) };
}

/// Whatever the host defines while `body` asks it something is not traced: no lock is
/// taken for it but that of classes or of threads.
pub(crate) fn untraced<O>(body: impl FnOnce() -> O) -> O {
    let before = UNTRACED.replace(true);
    let result = body();
    UNTRACED.set(before);
    result
}

/// A line as it is shown.
pub(crate) fn line(agent: &Agent, line: i32) -> i32 {
    if line > 0 && !agent.options.lineno {
        -1
    } else {
        line
    }
}
