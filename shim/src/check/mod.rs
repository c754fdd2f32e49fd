//! `check=on`: what the agent does, held against the specification.

use event_translate::options::Options;
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, NotifyEvent};

use crate::ffi::agent_call;
use crate::observe::Call;

pub(crate) fn start(_options: &Options) -> bool {
    false
}

pub(crate) fn is_on() -> bool {
    false
}

pub(crate) fn asked(_version: jint) {}

pub(crate) fn call_begins(_call: &Call) {}

pub(crate) fn call_ends(_call: &Call, _result: usize) {}

pub(crate) fn deliver(agent: NotifyEvent, event: &mut JVMPI_Event) {
    agent_call::notify(agent, event);
}

pub(crate) fn finish() {}
