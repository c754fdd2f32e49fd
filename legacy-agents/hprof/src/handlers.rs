//! What is done with each event.

use crate::agent::{self, Agent};
use crate::ffi::event::Event;
use crate::ffi::frequent_events::{Alloc, Call};
use crate::ffi::services::{start_listener, start_rewriter, start_sampler};
use crate::names::defining_trace;
use crate::options::{CpuMode, Target};
use crate::{allocations, calls, contention, dump, heap, locks, looks, peer, say, snapshot};

/// NotifyEvent, of a method.
#[inline]
pub(crate) fn notify_call(call: Call) {
    if !call.begins {
        calls::left(call.env, call.method);
    } else if let Some(agent) = agent::get() {
        calls::entered(agent, call.env, call.method);
    }
}

/// NotifyEvent, of an object.
#[inline]
pub(crate) fn notify_alloc(env: usize, alloc: Alloc) {
    if let Some(agent) = agent::get() {
        allocations::allocated(agent, env, alloc);
    }
}

/// NotifyEvent, of anything else.
#[inline]
pub(crate) fn notify(env: usize, event: Event<'_>) {
    let Some(agent) = agent::get() else {
        return;
    };
    if let Event::ObjectFree(id) = event {
        allocations::freed(agent, id);
    } else {
        notify_rare(agent, env, event);
    }
}

#[cold]
fn notify_rare(agent: &'static Agent, env: usize, event: Event<'_>) {
    match event {
        Event::ClassLoad(load) => {
            let trace = defining_trace(agent, env);
            agent.classes.lock().load(&load, trace);
        }
        Event::ClassUnload(id) => {
            snapshot::learn_left_out(agent);
            agent.classes.lock().unload(id);
        }
        Event::ThreadStart(start) => {
            let own = start.own;
            let serial = agent.threads.lock().start(start);
            let trace = if own { defining_trace(agent, env) } else { 0 };
            if let Some(thread) = agent.threads.lock().get_mut(serial) {
                thread.trace = trace;
            }
        }
        Event::ThreadEnd => {
            calls::thread_ended(agent, env);
            allocations::thread_ended(agent, env);
            looks::thread_ended(agent, env);
        }
        Event::ObjectMove { from, to, arena } => {
            allocations::moved(agent, from, to, arena);
            agent.threads.lock().moved(from, to);
            agent.classes.lock().moved(from, to);
        }
        Event::ArenaDelete(arena) => allocations::arena_deleted(agent, arena),
        Event::GlobalRef(reference) => {
            let trace = defining_trace(agent, env);
            agent.global_refs.made(reference, trace);
        }
        Event::GlobalRefFreed(reference) => agent.global_refs.freed(reference),
        Event::MonitorEnter(id) | Event::RawMonitorEnter(id) => locks::waits(env, id),
        Event::MonitorEntered(id) => contention::ended(agent, env, id, None),
        Event::RawMonitorEntered { id, name } => contention::ended(agent, env, id, Some(name)),
        Event::HeapDump { bytes, traces } => dump::heap(agent, bytes, &traces),
        Event::ObjectDump(bytes) => heap::object(agent, bytes),
        Event::MonitorDump { dump, traces } => dump::monitors(agent, dump, &traces),
        Event::InitDone => init_done(agent),
        Event::DataDumpRequest => dump::everything(agent, dump::Why::Signal),
        Event::ShutDown => shut_down(agent),
        Event::ObjectFree(_) | Event::Other => {}
    }
}

fn init_done(agent: &'static Agent) {
    if agent.options.cpu == Some(CpuMode::Samples) && !start_sampler() {
        say::error(format_args!(
            "the VM refused a thread; there will be no samples"
        ));
    }
    if agent.rewriting.is_some() && !start_rewriter() {
        say::error(format_args!(
            "the VM refused a thread; rewrite= does nothing"
        ));
    }
    let commanded = matches!(agent.options.target, Target::Net { .. }) && agent.options.commands;
    if commanded && !start_listener() {
        say::error(format_args!(
            "the VM refused a thread; there will be no commands"
        ));
    }
}

fn shut_down(agent: &'static Agent) {
    agent.samples.stop();
    if let Some(rewriting) = &agent.rewriting {
        rewriting.end();
    }
    peer::end_begins();
    if agent.options.doe {
        dump::everything(agent, dump::Why::Exit);
    }
    let unseen = agent.unseen();
    if unseen > 0 {
        say::error(format_args!(
            "{unseen} samples of virtual threads are in no trace: JVMPI has no thread for them; \
             run what is to be profiled on platform threads"
        ));
    }
    dump::end(agent);
}
