//! Tells the checks, the recording and the counts, those that are on, of what passes between
//! the agent and us.
//!
//! # Threads
//! Any; as often at a time as there are threads, and again from inside.

use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::EventKind;
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, NotifyEvent};
use shim_options::Options;
use shim_options::agent_spec::AgentSpec;

use crate::agent::{agent_call, process};
use crate::base::observer::{self, Observer};
use crate::base::{config, log};
use crate::delivery::gate;
use crate::observe::call::Call;
use crate::observe::jvmti::{agents, identities, saw};
use crate::observe::{check, recording, trace, unnamed, usage};
use crate::vm::this_vm;

/// All that may look.
struct All;

/// Once the options are known, and before any agent can ask for its interface.
/// `settings` is how they were written.
pub(crate) fn start(options: &Options, settings: &str) {
    observer::put(&All);
    let traced = recording::start(options, settings);
    if traced && !options.trace_no_jvmti {
        agents::look_for_earlier_ones();
    }
    let counted = usage::start(options);
    let checked = check::start(options);
    if checked || traced || counted {
        observer::switch(true);
    }
    if checked || traced {
        process::at_exit(at_exit);
    }
}

/// The process exits with this code; another one to exit with.
fn at_exit(code: i32) -> Option<i32> {
    if this_vm::is_child() {
        return None;
    }
    // Relaxed: marks for a message at the end, when all is still.
    finish_checks();
    let other = check::other_code(code);
    let recorded = agents::are_there() && !check::is_on();
    if ASKED.load(Ordering::Relaxed) || recorded || !observer::is_on() {
        return other;
    }
    let (what, others, or) = if check::is_on() {
        ("checked", "", "")
    } else {
        let others = ", and behind us none for JVMTI";
        ("recorded", others, " or -agentpath:/path/libfoo.so")
    };
    log::warning!(
        "no agent has asked for JVMPI{others}, so nothing was {what}: name one on java's command line, -Xrunfoo:options{or}"
    );
    let needed = config::options().agent_needed == Some(std::process::id());
    (needed && code == 0).then_some(NO_AGENT)
}

/// What a run ends with that would have ended well, when it was to be observed and had no agent.
const NO_AGENT: i32 = 4;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Prints what was found, if there was an agent.
fn finish_checks() {
    if check::is_on() && ASKED.load(Ordering::Relaxed) {
        check::finish();
    }
}

/// The agent's start has failed: nobody looks any more, and nothing is said at the end.
pub(crate) fn abandon() {
    observer::switch(false);
    check::abandon();
    if !agents::are_there() {
        recording::abandon();
    }
    usage::abandon();
}

/// The agent calls us.
pub(crate) fn call_begins(call: &Call) {
    if usage::is_on() {
        usage::called(call);
    }
    if check::is_on() {
        check::call_begins(call);
    }
    if recording::is_on() {
        trace::call_begins(call);
    }
}

/// Its call returns.
pub(crate) fn call_ends(call: &Call, result: u64) {
    if recording::is_on() {
        unnamed::of_call(call, result);
        trace::call_ends(call, result);
    }
    if check::is_on() {
        check::call_ends(call, result);
    }
}

impl Observer for All {
    fn asked(&self, version: jint) {
        ASKED.store(true, Ordering::Relaxed);
        if check::is_on() {
            check::asked(version);
        }
        if recording::is_on() {
            trace::asked(version);
        }
        if usage::is_on() {
            usage::asked(version);
        }
    }

    fn agent_starts(&self, spec: &AgentSpec) {
        recording::agent_starts(spec);
    }

    fn run_begins(&self, function: usize) {
        if recording::is_on() {
            trace::run_begins(function);
        }
    }

    fn run_ends(&self) {
        if recording::is_on() {
            trace::run_ends();
        }
    }

    fn notify(&self, agent: NotifyEvent, event: &mut JVMPI_Event) -> bool {
        if recording::is_on() {
            unnamed::of_event(event);
        }
        // That may have waited for the VM.
        if gate::is_too_late() {
            return false;
        }
        if recording::is_on() {
            trace::event_begins(event);
        }
        let counted = usage::is_on().then(|| usage::event_begins(event.event_type));
        let told = if check::is_on() {
            check::deliver(agent, event)
        } else {
            agent_call::notify(agent, event)
        };
        drop(counted);
        if recording::is_on() {
            trace::event_ends(event);
        }
        told
    }

    fn exception(&self, what: &str, function: usize) {
        if check::is_on() {
            check::exception(what, function);
        }
    }

    fn vm_is(&self, name: &str) {
        recording::vm_is(name);
    }

    fn vm_ready(&self) {
        if recording::is_on() {
            agents::name_earlier_ones();
        }
        usage::vm_ready();
        saw::vm_ready();
        if check::is_on() {
            check::vm_ready();
        }
    }

    fn thread_ended(&self, env: usize) {
        if check::is_on() {
            check::thread_ended(env);
        }
    }

    fn foreign_env(&self, slot: usize, caller: usize) {
        if check::is_on() {
            check::foreign_env(slot, caller);
        }
    }

    fn ids_end(&self) {
        if recording::is_on() {
            identities::ids_have_ended();
        }
    }

    fn methods_ended(&self, methods: &[u64]) {
        if check::is_on() {
            check::methods_ended(methods);
        }
    }

    fn moment(&self, kind: EventKind, sent: bool) {
        if !sent && recording::is_on() {
            trace::unsent(kind);
        }
    }

    fn round(&self) {
        saw::record_stacks();
    }

    fn finish(&self) {
        // A child has copies of what its parent has counted and found, and the same files.
        if this_vm::is_child() {
            return;
        }
        finish_checks();
        usage::finish();
        saw::record_stacks();
        trace::finish();
    }
}
