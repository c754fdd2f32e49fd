//! JVM_INIT_DONE, with which methods begin to be told of.

use std::sync::Arc;

use event_translate::table::EventKind;

use crate::delivery::dispatch::{self, Sent};
use crate::events::methods::beginning;
use crate::model::thread::Thread;
use crate::model::thread::deferred::Deferred;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

const KIND: EventKind = EventKind::JvmInitDone;

/// Sends it, if the agent wants it; whether its handler has returned.
pub(super) fn send(own: &Thread) -> bool {
    let sent = if dispatch::reaches_agent(KIND) {
        dispatch::pass(own, KIND.raw(), || {
            let _handler = beginning::Handler::is_called();
            dispatch::notify(&mut dispatch::blank(KIND.raw(), own))
        })
    } else {
        Sent::No
    };
    match sent {
        Sent::Yes => {}
        Sent::No => beginning::begin(),
        Sent::Later => own.keep(InitDone),
    }
    sent == Sent::Yes
}

/// It waits, and methods do.
#[derive(Debug)]
struct InitDone;

impl Deferred<Thread> for InitDone {
    fn send(self: Box<Self>, _: Jvmti, _: Jni, own: &Arc<Thread>) {
        send(own);
    }
}
