//! Dumps while agents read them: of what is in one, records can be asked for again.

use std::sync::Arc;

use dump_format::{Detail, HeapWriter, Level};
use event_translate::EventKind;
use id_map::{Kind, ObjectId};
use jvmpi_headers::jvmpi::{JVMPI_Event_heap_dump, JVMPI_Event_object_dump, JVMPI_REQUESTED_EVENT};
use parking_lot::Mutex;

use crate::base::{config, log};
use crate::delivery::dispatch::{self, Sent};
use crate::events::dumps::late::Late;
use crate::events::dumps::object::{Asking, NoRecord};
use crate::events::dumps::record_index::Place;
use crate::events::dumps::traces::Traces;
use crate::events::dumps::walk::Walked;
use crate::events::gc::disabling::Hold;
use crate::events::objects::lookup;
use crate::model::tables::IDS;
use crate::model::thread::{Thread, current};
use crate::os::mapping::Mapping;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// A dump that an agent is being shown.
pub(super) struct Heap {
    pub(super) bytes: Mapping,
    /// Where it begins: before that is what is left of the gap.
    pub(super) begin: usize,
    pub(super) snapshot: Option<Snapshot>,
}

/// What of a dump of level 2 may be asked for again while it is read.
pub(super) struct Snapshot {
    pub(super) walked: Walked,
    /// Where roots and classes begin.
    pub(super) front: usize,
    /// Where the record of a class begins and ends, from there.
    pub(super) classes: Vec<(usize, usize)>,
    pub(super) late: Late,
}

impl Heap {
    /// Sends the event.
    pub(super) fn show(self, own: &Thread, level: Level, traces: &Traces) -> bool {
        let heap = Arc::new(self);
        let shown = Shown::new(&heap);
        let event_type = EventKind::HeapDump.raw() | JVMPI_REQUESTED_EVENT;
        let sent = dispatch::deliver_filled(own, event_type, |event| {
            if config::options().host.row().heap_dump_without_env {
                event.env_id = std::ptr::null_mut();
            }
            event.u.heap_dump = JVMPI_Event_heap_dump {
                dump_level: level.raw(),
                begin: heap.bytes.pointer(heap.begin),
                end: heap.bytes.pointer(heap.bytes.bytes().len()),
                num_traces: traces.len(),
                traces: traces.pointer(),
            };
        });
        drop(shown);
        sent == Sent::Yes
    }
}

/// Dumps that agents are reading, by thread.
static SHOWN: Mutex<Vec<(u64, Arc<Heap>)>> = Mutex::new(Vec::new());

/// Lets the thread that reads a dump ask for objects of it.
struct Shown(u64);

impl Shown {
    fn new(heap: &Arc<Heap>) -> Self {
        let key = current::key();
        SHOWN.lock().push((key, Arc::clone(heap)));
        Self(key)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let ended = {
            let mut shown = SHOWN.lock();
            let at = shown.iter().rposition(|(key, _)| *key == self.0);
            at.map(|at| shown.remove(at))
        };
        drop(ended);
    }
}

/// The dumps that the calling thread is being shown, the last one first: a handler may have
/// asked for another.
fn being_read() -> Vec<Arc<Heap>> {
    let shown = SHOWN.lock();
    let own = shown.iter().rev().filter(|(key, _)| *key == current::key());
    own.map(|(_, heap)| Arc::clone(heap)).collect()
}

impl Heap {
    /// The record of an object as this dump has it.
    fn record(&self, id: ObjectId) -> Option<(usize, usize)> {
        let snapshot = self.snapshot.as_ref()?;
        match snapshot.walked.places.find(id, self.bytes.bytes()) {
            Place::None => None,
            Place::Class(row)
                if snapshot
                    .classes
                    .get(row)
                    .is_some_and(|(from, to)| from < to) =>
            {
                let &(begin, end) = snapshot.classes.get(row)?;
                Some((snapshot.front + begin, snapshot.front + end))
            }
            Place::Bare | Place::Class(_) => {
                let &(begin, end) = snapshot.late.get(&id)?;
                let is_class = IDS.kind_of(id) == Some(Kind::Class);
                let at = if is_class { snapshot.front } else { 0 };
                (begin < end).then_some((at + begin, at + end))
            }
            Place::Record(record) => Some((record.begin, record.end)),
        }
    }
}

/// RequestEvent(OBJECT_DUMP): whether the agent got it, `None` for no live id.
pub(crate) fn request_object(
    id: ObjectId,
    own: &Arc<Thread>,
    jvmti: Jvmti,
    jni: Jni,
) -> Option<bool> {
    let _hold = Hold::take();
    for heap in being_read() {
        if let Some((begin, end)) = heap.record(id) {
            return show_object(own, &heap.bytes, begin, end);
        }
    }
    let object = lookup::find(jvmti, jni, id)?;
    let asking = Asking {
        jvmti,
        jni,
        own,
        met: None,
    };
    let mut writer = HeapWriter::new(Mapping::new(), Detail::Values);
    match asking.write(id, &object, &mut writer) {
        Ok(()) => {
            let bytes = writer.into_sink();
            show_object(own, &bytes, 0, bytes.bytes().len())
        }
        Err(NoRecord::Gone) => None,
        Err(NoRecord::Unprepared) => {
            log::warn_once!("OBJECT_DUMP of a class that has no members yet; JVMPI_FAIL");
            Some(false)
        }
        Err(NoRecord::Write(error)) => {
            log::warning!("OBJECT_DUMP: {error}; JVMPI_FAIL");
            Some(false)
        }
    }
}

fn show_object(own: &Thread, bytes: &Mapping, begin: usize, end: usize) -> Option<bool> {
    // The event counts its bytes in a jint.
    let Ok(length) = i32::try_from(end - begin) else {
        log::warning!(
            "OBJECT_DUMP of {} bytes: too long for data_len; JVMPI_FAIL",
            end - begin
        );
        return Some(false);
    };
    let event_type = EventKind::ObjectDump.raw() | JVMPI_REQUESTED_EVENT;
    let sent = dispatch::deliver_filled(own, event_type, |event| {
        event.u.object_dump = JVMPI_Event_object_dump {
            data_len: length,
            data: bytes.pointer(begin),
        };
    });
    Some(sent == Sent::Yes)
}
