//! Sends method events by the fast path, in their thread's [`crate::model::own::ready_event`].
#![allow(unsafe_code, reason = "a cell whose contents the agent may change")]

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jvmpi::{JVMPI_Event_method_entry2, NotifyEvent};

use crate::agent::agent_call;
use crate::model::ids;
use crate::model::thread::current::{Mine, MyNative};
use crate::vm::member_ids::MethodId;

/// Sends METHOD_ENTRY, METHOD_ENTRY2 or METHOD_EXIT to the agent.
#[inline(always)]
pub(crate) fn send(
    mine: Mine<'_>,
    native: MyNative<'_>,
    agent: NotifyEvent,
    kind: EventKind,
    method: MethodId,
    receiver: Option<ObjectId>,
) {
    let own = mine.thread();
    let event = native.get().ready_event.get();
    // SAFETY: this thread's own, and nobody has a reference to it.
    let ready = unsafe { &mut *event };
    // All that a method event has: the agent may have changed the last one.
    ready.event_type = kind.raw();
    ready.env_id = own.env_ptr();
    ready.u.method_entry2 = JVMPI_Event_method_entry2 {
        method_id: method.to_jni(),
        obj_id: ids::object_id(receiver),
    };
    agent_call::notify_unasked(agent, event);
}
