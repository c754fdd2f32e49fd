//! THREAD_START.

use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;

use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event_thread_start, JVMPI_REQUESTED_EVENT};

use crate::base::patience::Patience;
use crate::delivery::announce::once::{Told, once, requested};
use crate::delivery::dispatch::{self, Sent};
use crate::model::ids;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::memory::Text;

/// Sends THREAD_START unless it was sent: whether the agent knows the thread now.
pub(super) fn send(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
    patience: Patience,
) -> Told {
    let Some(start) = Start::collect(jvmti, jni, thread) else {
        return Told::No;
    };
    once(
        &thread.announced,
        patience,
        || start.send(sender, EventKind::ThreadStart.raw()),
        || {},
    )
}

/// Sends a requested THREAD_START; false if the thread has ended.
pub(crate) fn requested_thread(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
) -> bool {
    let Some(start) = Start::collect(jvmti, jni, thread) else {
        return false;
    };
    let event_type = EventKind::ThreadStart.raw() | JVMPI_REQUESTED_EVENT;
    requested(&thread.announced, || start.send(sender, event_type), || {})
}

/// The contents of one THREAD_START.
struct Start {
    env: usize,
    id: ObjectId,
    name: Option<Text>,
    group: Option<Text>,
    parent: Option<Text>,
}

impl Start {
    fn collect(jvmti: Jvmti, jni: Jni, thread: &Arc<Thread>) -> Option<Self> {
        let id = thread.id(jvmti, jni)?;
        let (name, group) = jvmti.thread_info(jni, thread.object()?).ok()?;
        let (mut group_name, mut parent_name) = (None, None);
        if let Some(group) = group
            && let Ok((parent, name)) = jvmti.group_info(jni, group.get())
        {
            group_name = name;
            if let Some(parent) = parent
                && let Ok((_, name)) = jvmti.group_info(jni, parent.get())
            {
                parent_name = name;
            }
        }
        Some(Self {
            env: thread.env,
            id,
            name,
            group: group_name,
            parent: parent_name,
        })
    }

    fn send(&self, sender: &Arc<Thread>, event_type: i32) -> Sent {
        // Hosts always gave these two, and agents copy them unseen. (The group of a
        // thread that is ending is gone.)
        const NAMELESS: &CStr = c"";
        let text_or_empty = |text: &Option<Text>| {
            text.as_ref()
                .map_or(NAMELESS.as_ptr().cast_mut(), Text::as_ptr)
        };
        dispatch::deliver_filled(sender, event_type, |event| {
            IDS.set(self.id, Flag::KNOWN);
            event.u.thread_start = JVMPI_Event_thread_start {
                thread_name: text_or_empty(&self.name),
                group_name: text_or_empty(&self.group),
                parent_name: self.parent.as_ref().map_or(ptr::null_mut(), Text::as_ptr),
                thread_id: ids::object_id(Some(self.id)),
                thread_env_id: ptr::with_exposed_provenance_mut(self.env),
            };
        })
    }
}
