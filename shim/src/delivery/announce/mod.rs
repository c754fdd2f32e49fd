//! What must be defined before an event names it: threads, classes, objects (JVMPI facts R7, R8, R15).

pub(crate) mod class_load;
pub(crate) mod object_alloc;
mod once;
pub(crate) mod plan;
pub(crate) mod thread_start;

use std::sync::Arc;

use event_translate::table::EventKind;
use id_map::{Flag, ObjectId, Shape};

use crate::base::patience::{self, Patience};
use crate::delivery::announce::once::Told;
use crate::delivery::announce::plan::{Definition, Plan};
use crate::delivery::{deferred, dispatch};
use crate::model::classes::CLASSES;
use crate::model::classes::Class;
use crate::model::tables::IDS;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// Makes sure that the agent knows the current thread before it gets an event of
/// it (JVMPI facts R15).
pub(crate) fn introduce(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    if own.announced.is_done() || !dispatch::reaches_agent(EventKind::ThreadStart) {
        plan::is_met(own);
        deferred::flush(jvmti, jni, own);
    } else {
        thread(jvmti, jni, own, own, patience::DEFINITION_UNDER_LOCKS);
    }
}

/// Sends THREAD_START of `thread` unless it was sent; true when the agent knows
/// the thread now (or does not want to).
pub(crate) fn thread(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
    patience: Patience,
) -> bool {
    let mut plan = Plan::new(jvmti, jni, sender);
    plan.thread(thread);
    plan.send(patience)
}

/// Sends CLASS_LOAD unless it was sent; true when the agent knows the class now
/// (or does not want to). A class without members yet (named before it was
/// prepared) gets its event when it is prepared.
pub(crate) fn class(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    class: &Arc<Class>,
    patience: Patience,
) -> bool {
    if !class.owes_its_load() {
        return true;
    }
    let mut plan = Plan::new(jvmti, jni, sender);
    plan.class(class) && plan.send(patience)
}

/// Makes sure that instances of the class may be mentioned.
pub(crate) fn instances_of(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, class: &Arc<Class>) {
    let mut plan = Plan::new(jvmti, jni, sender);
    plan.instances_of(class);
    plan.send(patience::DEFINITION_UNDER_LOCKS);
}

/// What an OBJECT_ALLOC of this shape names has its CLASS_LOAD; false if the object is of a
/// class that the agent cannot be told of, which an array may be without.
pub(crate) fn class_of(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, shape: Shape) -> bool {
    let class = shape.class.and_then(|class| CLASSES.get(class.raw()));
    let Some(class) = class else { return true };
    let mut plan = Plan::new(jvmti, jni, sender);
    if shape.array == 0 {
        plan.instances_of(&class);
    } else {
        plan.class(&class);
    }
    plan.send(patience::DEFINITION_UNDER_LOCKS);
    shape.array != 0 || IDS.has(class.id, Flag::PREPARED)
}

/// The id of an object that an event or an answer is about to name; what defines
/// it is sent first.
pub(crate) fn object(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    object: ObjectRef<'_>,
) -> Option<ObjectId> {
    let mut plan = Plan::new(jvmti, jni, sender);
    let id = plan.object(object);
    plan.send(patience::DEFINITION_UNDER_LOCKS);
    id
}

/// Makes sure that an object can be named of which only the id is at hand.
pub(crate) fn object_by_id(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, id: ObjectId) {
    let known = IDS.get(id).is_none_or(|entry| entry.has(Flag::KNOWN));
    if !known && let Some(found) = jvmti.object_with_tag(jni, id.raw()) {
        object(jvmti, jni, sender, found.get());
    }
}

/// Sends the OBJECT_ALLOC of an object whose class the agent knows.
pub(crate) fn allocation(own: &Thread, id: ObjectId) {
    if object_alloc::send(own, id) == Told::Later {
        Definition::Object(id).keep(own);
    }
}
