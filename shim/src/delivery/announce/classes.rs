//! When the CLASS_LOAD of a class is due ([`super::class_load`] has what it says).

use std::sync::Arc;

use event_translate::table::EventKind;
use id_map::{Claim, Flag, ObjectId};
use jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;
use once_cell::sync::OnceCell;

use crate::base::log;
use crate::delivery::announce::class_load::Load;
use crate::delivery::announce::{self, Patience};
use crate::delivery::dispatch::{self, Sent};
use crate::model::classes::{Class, is_class_of_classes, is_linked};
use crate::model::deferred::Deferred;
use crate::model::tables::{CLASSES, IDS};
use crate::model::thread::Thread;
use crate::model::{current, wanted};
use crate::vm::env::{Jvmti, JvmtiError};
use crate::vm::hotspot::link;
use crate::vm::jni::Jni;

impl Class {
    /// Whether it is still to come, to an agent that listens.
    pub(crate) fn owes_its_load(&self) -> bool {
        self.is_due() && dispatch::reaches_agent(EventKind::ClassLoad)
    }

    /// Whether a dump may name it. Who has listened to CLASS_LOAD reads a dump with the help
    /// of what it was told; who never did asks for each class.
    pub(crate) fn may_be_dumped(&self) -> bool {
        self.announced.is_done_for(current::key())
            || !self.owes_its_load() && !wanted::listens_no_more(EventKind::ClassLoad)
    }
}

/// Makes sure that instances of the class may be mentioned: what an OBJECT_ALLOC
/// names has had its CLASS_LOAD. Arrays of a class that is not linked are mentioned without
/// it ([`Flag::LINKED`]).
pub(crate) fn make_ready(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, class: &Arc<Class>) {
    let Some(shape) = IDS.get(class.id).and_then(|entry| entry.shape) else {
        return;
    };
    let told = match shape.class {
        None => true,
        Some(id) if id == class.id => {
            link_archived(jvmti, jni, class);
            tell(jvmti, jni, sender, class)
        }
        Some(id) => CLASSES
            .get(id.raw())
            .is_none_or(|element| tell(jvmti, jni, sender, &element)),
    };
    // Instances of java.lang.Class are no objects of their own for an agent.
    if told && !is_class_of_classes(class.id) {
        IDS.set(class.id, Flag::READY);
    }
}

/// Sends CLASS_LOAD if it is due; true if the agent knows the class now, or can ask for it.
/// One that is loaded and not linked has no members yet, and is not linked for that: the
/// program's loaders would run in the middle of whatever this thread does.
pub(crate) fn tell(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, class: &Arc<Class>) -> bool {
    if class.announced.is_done() {
        return true;
    }
    if !is_linked(jvmti, jni, class) {
        return false;
    }
    announce::class(jvmti, jni, sender, class, Patience::Short);
    !class.owes_its_load()
}

/// Objects of a class that was never linked lie in the VM's archive: boxed numbers and the like.
/// Their class is the VM's own, which linking neither verifies nor asks a loader for; a class of
/// the program is never linked.
pub(crate) fn link_archived(jvmti: Jvmti, jni: Jni, class: &Class) {
    if !is_linked(jvmti, jni, class)
        && let Some(mirror) = class.mirror(jni)
        && jvmti.class_loader(jni, mirror.get()).is_none()
    {
        link::link(jni, mirror.get());
    }
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
    let Some(mirror) = class.mirror(jni) else {
        return false;
    };
    let load = match Load::collect(jvmti, jni, class, mirror.get()) {
        Ok(load) => load,
        Err(error) => {
            if error.code != JvmtiError::CLASS_NOT_PREPARED {
                log::info!("a class gets no CLASS_LOAD: {error}");
            }
            return false;
        }
    };
    announce::introduce(jvmti, jni, sender);
    match class.announced.claim(current::key()) {
        Claim::Mine => {
            let claimed = class.announced.claimed();
            match load.send(sender, EventKind::ClassLoad.raw()) {
                Sent::Yes => {
                    claimed.finish();
                    tell_waiting(sender, class.id);
                }
                Sent::No => {}
                Sent::Later => {
                    drop(claimed);
                    sender.keep(ClassLoad(Arc::clone(class)));
                }
            }
            true
        }
        Claim::Done => true,
        Claim::Elsewhere => announce::wait_for(&class.announced, patience),
    }
}

/// Sends a requested CLASS_LOAD; none of a class that is not linked yet, since an event without
/// members would be a lie.
pub(crate) fn requested_class(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    class: &Arc<Class>,
) -> bool {
    let Some(mirror) = class.mirror(jni) else {
        return false;
    };
    let load = Load::collect(jvmti, jni, class, mirror.get());
    let load = match load {
        Ok(load) => load,
        Err(error) if error.code == JvmtiError::CLASS_NOT_PREPARED => {
            log::info!("RequestEvent(CLASS_LOAD): the class is not linked yet; JVMPI_FAIL");
            return false;
        }
        Err(error) => {
            log::warn_once!("RequestEvent(CLASS_LOAD): the class cannot be described ({error})");
            return false;
        }
    };
    // A request defines the class as well: no second event for it.
    let mine = class.announced.claim(current::key()) == Claim::Mine;
    let claimed = mine.then(|| class.announced.claimed());
    let sent = load.send(sender, EventKind::ClassLoad.raw() | JVMPI_REQUESTED_EVENT) == Sent::Yes;
    if let Some(claimed) = claimed.filter(|_| sent) {
        claimed.finish();
        tell_waiting(sender, class.id);
    }
    sent
}

/// CLASS_LOAD that waits.
#[derive(Debug)]
pub(crate) struct ClassLoad(pub(crate) Arc<Class>);

impl Deferred for ClassLoad {
    fn send(self: Box<Self>, jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
        class(jvmti, jni, own, &self.0, Patience::Short);
    }

    fn class(&self) -> Option<ObjectId> {
        Some(self.0.id)
    }
}

static WAITING: OnceCell<fn(&Thread, ObjectId)> = OnceCell::new();

/// Has `tell` called on the thread that has sent a CLASS_LOAD, with the id of the class: there are
/// events that wait for it.
pub(crate) fn on_class_load(tell: fn(&Thread, ObjectId)) {
    let _ = WAITING.set(tell);
}

fn tell_waiting(sender: &Thread, class: ObjectId) {
    if let Some(tell) = WAITING.get() {
        tell(sender, class);
    }
}
