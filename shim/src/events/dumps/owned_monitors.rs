//! Objects whose monitors threads have entered: roots that the walk does not find.
//!
//! The VM's monitors keep nothing alive, so no walk reports them. Threads are asked before
//! and after: what one owns both times is taken for what it owned in between.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use dump_format::{HeapWriter, Root, Sink, WriteError};
use id_map::ObjectId;

use crate::events::dumps::record_index::Place;
use crate::events::dumps::survey::{Survey, outward};
use crate::events::dumps::walk::Walked;
use crate::events::monitors::monitor_snapshot;
use crate::events::threads::stopped::{Looks, StoppedOne};
use crate::model::thread::Thread;
use crate::vm::capabilities;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// The objects whose monitors a thread owns, by the thread's id.
pub(super) struct Entered(HashMap<ObjectId, BTreeSet<ObjectId>>);

/// Before the walk. None in a VM that does not tell: one that was running before it met us.
pub(super) fn look(jvmti: Jvmti, jni: Jni, survey: &Survey) -> Entered {
    if !capabilities::can_see_monitors(jvmti) {
        return Entered(HashMap::new());
    }
    let looks = Looks::begin();
    let threads = survey.threads.iter();
    let owned = threads.map(|(&id, thread)| (id, owned_by(jvmti, jni, thread, &looks)));
    let some = owned.filter(|(_, objects)| !objects.is_empty());
    Entered(some.collect())
}

fn owned_by(jvmti: Jvmti, jni: Jni, thread: &Arc<Thread>, looks: &Looks) -> BTreeSet<ObjectId> {
    const ROOM: usize = 256;
    jni.with_frame(ROOM, || {
        // None of a thread that has ended.
        let owned = thread.object().and_then(|held| {
            let object = held.get();
            if !monitor_snapshot::must_stand_still(jvmti, thread) {
                return jvmti.owned_monitors(jni, object).ok();
            }
            // One that owns monitors is mounted.
            thread.carrier()?;
            let _stopped = StoppedOne::new(jvmti, object, looks)?;
            jvmti.monitors_given_to_carrier(jni, object).ok()
        });
        owned
            .into_iter()
            .flatten()
            .filter_map(|object| monitor_snapshot::id_of(jvmti, jni, object.get()))
            .collect()
    })
}

impl Entered {
    /// After the walk: the roots, of the objects that have a record; `objects` is what has
    /// been written of them.
    pub(super) fn write<S: Sink>(
        self,
        (jvmti, jni): (Jvmti, Jni),
        survey: &Survey,
        walked: &Walked,
        objects: &[u8],
        to: &mut HeapWriter<S>,
    ) -> Result<(), WriteError> {
        let looks = Looks::begin();
        for (id, before) in self.0 {
            let Some(thread) = survey.threads.get(&id) else {
                continue;
            };
            for &object in before.intersection(&owned_by(jvmti, jni, thread, &looks)) {
                let has_record = match walked.places.find(object, objects) {
                    Place::Record(_) => true,
                    Place::Class(row) => survey.rows.get(row).is_some_and(|row| row.prepared),
                    Place::None | Place::Bare => false,
                };
                if has_record {
                    to.root(Root::MonitorUsed {
                        object: outward(object),
                    })?;
                }
            }
        }
        Ok(())
    }
}
