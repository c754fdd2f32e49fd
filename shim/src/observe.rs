//! Who looks at what passes between the agent and us: the checks and the recording, when
//! they are on.
//!
//! With nobody looking the agent has the plain table and this costs one test of a
//! byte for each event. Otherwise it has the table of [`crate::ffi::observed`].
//!
//! # Threads
//! Any; as often at a time as there are threads, and again from inside.

use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::{EventKind, Function};
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, NotifyEvent};
use shim_options::Options;

use crate::ffi::{agent_call, process};
use crate::{check, log, state, trace, usage};

/// One call of a function of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Which.
    pub(crate) function: Function,
    /// As they came; of a `jint` only the lower half counts.
    pub(crate) arguments: [usize; 3],
    /// Where it returns to.
    pub(crate) caller: usize,
}

static ON: AtomicBool = AtomicBool::new(false);

/// Whether anybody looks.
#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Once the options are known, and before any agent can ask for its interface.
/// `settings` is how they were written.
pub(crate) fn start(options: &Options, settings: &str) {
    let traced = trace::start(options, settings);
    let counted = usage::start(options);
    let checked = check::start(options);
    if checked || traced || counted {
        ON.store(true, Ordering::Relaxed);
    }
    if checked || traced {
        process::at_exit(at_exit);
    }
}

/// The process exits with this code; another one to exit with.
fn at_exit(code: i32) -> Option<i32> {
    let other = check::at_exit(code);
    if ASKED.load(Ordering::Relaxed) || !is_on() {
        return other;
    }
    let what = if check::is_on() {
        "checked"
    } else {
        "recorded"
    };
    log::warning!(
        "no agent has asked for JVMPI, so nothing was {what}: name one on java's command line, -Xrunfoo:options"
    );
    let needed = state::options().agent_needed == Some(std::process::id());
    (needed && code == 0).then_some(NO_AGENT)
}

/// What a run ends with that would have ended well, when it was to be observed and had no agent.
const NO_AGENT: i32 = 4;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether an agent has asked for its interface.
pub(crate) fn was_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The agent's start has failed: nobody looks any more, and nothing is said at the end.
pub(crate) fn abandon() {
    ON.store(false, Ordering::Relaxed);
    check::abandon();
    trace::abandon();
    usage::abandon();
}

/// Somebody asks GetEnv for this version of JVMPI.
pub(crate) fn asked(version: jint) {
    ASKED.store(true, Ordering::Relaxed);
    if check::is_on() {
        check::asked(version);
    }
    if trace::is_on() {
        trace::asked(version);
    }
    if usage::is_on() {
        usage::asked(version);
    }
}

/// The agent calls us.
pub(crate) fn call_begins(call: &Call) {
    if usage::is_on() {
        usage::called(call);
    }
    if check::is_on() {
        check::call_begins(call);
    }
    if trace::is_on() {
        trace::call_begins(call);
    }
}

/// Its call returns.
pub(crate) fn call_ends(call: &Call, result: usize) {
    if trace::is_on() {
        trace::call_ends(call, result);
    }
    if check::is_on() {
        check::call_ends(call, result);
    }
}

/// Delivers an event while somebody looks.
pub(crate) fn notify(agent: NotifyEvent, event: &mut JVMPI_Event) {
    if trace::is_on() {
        trace::event_begins(event);
    }
    let counted = usage::is_on().then(|| usage::event_begins(event.event_type));
    if check::is_on() {
        check::deliver(agent, event);
    } else {
        agent_call::notify(agent, event);
    }
    drop(counted);
    if trace::is_on() {
        trace::event_ends(event);
    }
}

/// The replay is over, JVM_INIT_DONE comes next.
pub(crate) fn vm_ready() {
    usage::vm_ready();
    if check::is_on() {
        check::vm_ready();
    }
}

/// The thread of this JNIEnv, the calling one, has ended.
pub(crate) fn thread_ended(env: usize) {
    if check::is_on() {
        check::thread_ended(env);
    }
}

/// An exception has come out of agent code, of the function at this address.
pub(crate) fn exception(what: &str, function: usize) {
    if check::is_on() {
        check::exception(what, function);
    }
}

/// The run ends: after JVM_SHUT_DOWN, in ProfilerExit, or when the process exits
/// without either. The first call counts.
pub(crate) fn finish() {
    if check::is_on() {
        check::finish();
    }
    usage::finish();
    trace::finish();
}

/// An event of which watchers want to know the moment, be it sent or not.
pub(crate) fn moment(kind: EventKind, sent: bool) {
    if !sent && trace::is_on() {
        trace::unsent(kind);
    }
}
