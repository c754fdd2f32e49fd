//! One event of a bracket, and whether there is time for it.

use std::sync::atomic::AtomicBool;

use event_translate::EventKind;
use jvmpi_headers::jvmpi::JVMPI_Event;

use crate::base::progress;
use crate::delivery::dispatch;
use crate::model::thread::Thread;
use crate::model::wanted;

/// The VM is about to end: no more deaths are told, the bracket closes.
pub(super) static HURRY: AtomicBool = AtomicBool::new(false);

/// Sends it, if the agent wants it.
pub(super) fn send(own: &Thread, kind: EventKind, fill: impl FnOnce(&mut JVMPI_Event)) {
    send_if(wanted::wants(kind), own, kind, fill);
}

/// Sends it, if it is `due` and there is an agent; whether it was sent.
pub(super) fn send_if(
    due: bool,
    own: &Thread,
    kind: EventKind,
    fill: impl FnOnce(&mut JVMPI_Event),
) -> bool {
    let sent = due && dispatch::has_agent() && {
        let mut event = dispatch::blank(kind.raw(), own);
        fill(&mut event);
        dispatch::notify(&mut event)
    };
    progress::note();
    sent
}
