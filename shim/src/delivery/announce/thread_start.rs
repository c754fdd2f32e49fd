//! THREAD_START.

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event_thread_start, JVMPI_REQUESTED_EVENT};
use once_cell::sync::OnceCell;

use crate::base::patience::Patience;
use crate::delivery::announce::once::{Told, once, requested};
use crate::delivery::dispatch::{self, Sent};
use crate::model::ids;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;
use crate::vm::memory::Text;
use crate::vm::refs::Local;

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

/// Sends a requested THREAD_START; false if the thread has ended, which it has for others once its THREAD_END is due.
pub(crate) fn requested_thread(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
) -> bool {
    if thread.ends.load(Ordering::Acquire) && !Arc::ptr_eq(thread, sender) {
        return false;
    }
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
    name: Option<CString>,
    group: Arc<Group>,
}

/// What it says of the thread's group.
#[derive(Default)]
struct Group {
    name: Option<CString>,
    parent: Option<CString>,
}

impl Group {
    fn of(jvmti: Jvmti, jni: Jni, group: Option<&Local>) -> Self {
        let mut this = Self::default();
        if let Some(group) = group
            && let Ok((parent, name)) = jvmti.group_info(jni, group.get())
        {
            this.name = name.map(copied);
            if let Some(parent) = parent
                && let Ok((_, name)) = jvmti.group_info(jni, parent.get())
            {
                this.parent = name.map(copied);
            }
        }
        this
    }
}

fn copied(text: Text) -> CString {
    text.as_c_str().to_owned()
}

/// All virtual threads are in one group.
static OF_VIRTUAL: OnceCell<Arc<Group>> = OnceCell::new();

impl Start {
    fn collect(jvmti: Jvmti, jni: Jni, thread: &Arc<Thread>) -> Option<Self> {
        let id = thread.id(jvmti, jni)?;
        let held = thread.object()?;
        let object = held.get();
        if thread.is_virtual()
            && let Some(group) = OF_VIRTUAL.get()
        {
            return Some(Self {
                env: thread.env,
                id,
                name: mounts::name(jni, object),
                group: Arc::clone(group),
            });
        }
        let (name, group) = jvmti.thread_info(jni, object).ok()?;
        let group = Arc::new(Group::of(jvmti, jni, group.as_ref()));
        if thread.is_virtual() {
            let _ = OF_VIRTUAL.set(Arc::clone(&group));
        }
        Some(Self {
            env: thread.env,
            id,
            name: name.map(copied),
            group,
        })
    }

    fn send(&self, sender: &Arc<Thread>, event_type: i32) -> Sent {
        // Hosts always gave these two, and agents copy them unseen. (The group of a
        // thread that is ending is gone.)
        const NAMELESS: &CStr = c"";
        let text = |text: &CString| text.as_ptr().cast_mut();
        let text_or_empty =
            |given: &Option<CString>| given.as_ref().map_or(NAMELESS.as_ptr().cast_mut(), text);
        dispatch::deliver_filled(sender, event_type, |event| {
            IDS.set(self.id, Flag::KNOWN);
            event.u.thread_start = JVMPI_Event_thread_start {
                thread_name: text_or_empty(&self.name),
                group_name: text_or_empty(&self.group.name),
                parent_name: self.group.parent.as_ref().map_or(ptr::null_mut(), text),
                thread_id: ids::object_id(Some(self.id)),
                thread_env_id: ptr::with_exposed_provenance_mut(self.env),
            };
        })
    }
}
