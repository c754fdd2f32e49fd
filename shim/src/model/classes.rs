//! Classes as JVMPI names them, and when their CLASS_LOAD is due ([`crate::delivery::class_load`] has
//! what it says).

use std::collections::HashSet;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use event_translate::class_name;
use event_translate::table::EventKind;
use id_map::{Announcement, Claim, Flag, Kind, ObjectId, Shape};
use jvmpi_headers::jni::jclass;
use jvmpi_headers::jvmpi::JVMPI_REQUESTED_EVENT;
use once_cell::sync::OnceCell;

use crate::base::log;
use crate::delivery::class_load::Load;
use crate::delivery::deferred::Kept;
use crate::delivery::dispatch::{self, Patience, Sent};
use crate::events::call_traces::whole_stack;
use crate::events::dumps::Anatomy;
use crate::events::references::global_refs;
use crate::hooks::{class_hook, hook_class, late_loaders, native_methods, numbering};
use crate::model::tables::{CLASSES, IDS, METHODS};
use crate::model::thread::Thread;
use crate::model::{current, ids, known_frames, method_numbers, methods, wanted};
use crate::vm::env::{Jvmti, JvmtiError, Result};
use crate::vm::hotspot::link;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, Weak};

/// What is known of one class.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) id: ObjectId,
    mirror: Weak,
    /// CLASS_LOAD.
    pub(crate) announced: Announcement,
    /// Prepared while CLASS_LOAD was off: the agent asks for it if it wants it
    /// (specification, "JVMPI IDs").
    missed: AtomicBool,
    /// The class of our hooks.
    hidden: bool,
    /// What is to be done when it is linked ([`crate::hooks::unlinked_classes`]).
    pub(crate) put_off: AtomicU32,
    /// Its methods, once `methods::is_listed` knows them.
    pub(crate) listed: OnceCell<Box<[u64]>>,
    /// Of its Class object.
    size: OnceCell<u32>,
    /// Its class files.
    pub(crate) file: class_hook::Files,
    /// The numbers of its methods, once it has been rewritten.
    pub(crate) numbers: OnceCell<method_numbers::Range>,
    /// The name as events carry it. Kept as long as the record, since agents use
    /// it after RequestEvent has returned (JVMPI facts B.2).
    pub(crate) name: OnceCell<CString>,
    /// What dumps need of it, once it is prepared.
    pub(crate) anatomy: OnceCell<Anatomy>,
}

impl Class {
    /// Whether its CLASS_LOAD must still come before the class is mentioned.
    pub(crate) fn is_due(&self) -> bool {
        !self.announced.is_done() && !self.missed.load(Ordering::Relaxed)
    }

    /// Whether it is the class of our hooks, of which no agent hears.
    pub(crate) fn is_hidden(&self) -> bool {
        self.hidden
    }

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

    /// The size of its Class object, in bytes; of an unloaded class, if it was asked
    /// for before.
    pub(crate) fn size(&self, jvmti: Jvmti, jni: Jni) -> Option<u32> {
        let ask = || jvmti.object_size(self.mirror(jni)?.get()).ok();
        self.size.get().copied().or_else(|| {
            let size = ask()?;
            Some(*self.size.get_or_init(|| size))
        })
    }

    /// A reference to the class, or `None` once it was unloaded.
    pub(crate) fn mirror(&self, jni: Jni) -> Option<Local> {
        self.mirror.upgrade(jni)
    }
}

/// The record of a class, made if need be.
pub(crate) fn of(jvmti: Jvmti, jni: Jni, class: jclass) -> Option<Arc<Class>> {
    let id = ids::id_of(jvmti, jni, class, Kind::Class)?;
    if let Some(known) = CLASSES.get(id.raw()) {
        return Some(known);
    }
    let hidden = jvmti.class_signature(class).is_ok_and(|signature| {
        let name = signature.bytes().strip_prefix(b"L");
        name.and_then(|name| name.strip_suffix(b";"))
            .is_some_and(hook_class::is_name)
    });
    let record = Class {
        id,
        mirror: Weak::new(jni, class)?,
        announced: Announcement::new(),
        missed: AtomicBool::new(hidden),
        hidden,
        put_off: AtomicU32::new(0),
        listed: OnceCell::new(),
        size: OnceCell::new(),
        file: class_hook::Files::default(),
        numbers: OnceCell::new(),
        name: OnceCell::new(),
        anatomy: OnceCell::new(),
    };
    describe(jvmti, jni, class, id);
    Some(CLASSES.get_or_insert(id.raw(), Arc::new(record)).0)
}

/// The id of `java.lang.Class` itself, once it is known.
static CLASS_OF_CLASSES: AtomicU64 = AtomicU64::new(0);

/// `java.lang.Class` itself, once it is known.
pub(crate) fn class_of_classes() -> Option<ObjectId> {
    ObjectId::from_raw(CLASS_OF_CLASSES.load(Ordering::Acquire))
}

/// Whether this is `java.lang.Class`.
pub(crate) fn is_class_of_classes(id: ObjectId) -> bool {
    id.raw() == CLASS_OF_CLASSES.load(Ordering::Acquire)
}

/// Writes down what instances of the class look like.
fn describe(jvmti: Jvmti, jni: Jni, class: jclass, id: ObjectId) {
    let Ok(signature) = jvmti.class_signature(class) else {
        return;
    };
    if signature.bytes() == b"Ljava/lang/Class;" {
        CLASS_OF_CLASSES.store(id.raw(), Ordering::Release);
    }
    let array = class_name::array_type(signature.bytes());
    let shape = Shape {
        class: match array {
            None => Some(id),
            Some(class_name::ARRAY_OF_REFERENCES) => jni
                .component(class)
                .and_then(|component| of(jvmti, jni, component.get()))
                .map(|component| component.id),
            Some(_) => None,
        },
        array: array.unwrap_or(0),
    };
    IDS.describe(id, Kind::Class, shape, 0, 1);
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
    announce(jvmti, jni, sender, class, Patience::Short);
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

/// Whether the class has members, and may be named as the class of something.
pub(crate) fn is_linked(jvmti: Jvmti, jni: Jni, class: &Class) -> bool {
    let asked = || {
        class
            .mirror(jni)
            .is_some_and(|mirror| is_prepared(jvmti, mirror.get()))
    };
    if IDS.has(class.id, Flag::LINKED) {
        return true;
    }
    let linked = asked();
    if linked {
        IDS.set(class.id, Flag::LINKED);
    }
    linked
}

/// Sends CLASS_LOAD unless it was sent; true when the agent knows the class now
/// (or does not want to). A class without members yet (named before it was
/// prepared) gets its event when it is prepared.
pub(crate) fn announce(
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
    dispatch::introduce(jvmti, jni, sender);
    match class.announced.claim(current::key()) {
        Claim::Mine => {
            let claimed = class.announced.claimed();
            match load.send(sender, EventKind::ClassLoad.raw()) {
                Sent::Yes => {
                    claimed.finish();
                    global_refs::class_announced(sender, class.id);
                }
                Sent::No => {}
                Sent::Later => {
                    drop(claimed);
                    sender.keep(Kept::Class(Arc::clone(class)));
                }
            }
            true
        }
        Claim::Done => true,
        Claim::Elsewhere => dispatch::wait_for(&class.announced, patience),
    }
}

/// Sends a requested CLASS_LOAD; none of a class that is not linked yet, since an event without
/// members would be a lie.
pub(crate) fn send_requested(
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
        global_refs::class_announced(sender, class.id);
    }
    sent
}

/// The classes the VM has by now, primitive ones aside.
pub(crate) fn loaded(jvmti: Jvmti, jni: Jni) -> Result<Vec<Arc<Class>>> {
    // The VM returns a local reference per class; none of them is left when an
    // agent's handler runs. It gives no room for more than this.
    const ROOM: usize = 65536;
    jni.with_frame(ROOM, || {
        let mirrors = jvmti.loaded_classes()?;
        let records = mirrors
            .as_slice()
            .iter()
            .filter(|&&mirror| !is_primitive(jvmti, mirror))
            .filter_map(|&mirror| of(jvmti, jni, mirror));
        Ok(records.collect())
    })
}

/// Looks for classes that were unloaded before the VM was asked to tell of deaths, and
/// forgets them. Their ids stay in use: some VMs tell of these deaths later.
pub(crate) fn forget_unloaded(jni: Jni) {
    let gone = |class: &&Arc<Class>| class.mirror(jni).is_none();
    let dead: HashSet<ObjectId> = CLASSES
        .snapshot()
        .iter()
        .filter(gone)
        .map(|class| class.id)
        .collect();
    forget(&dead);
}

/// Forgets dead classes and their methods; the ids are the caller's to release.
pub(crate) fn forget(dead: &HashSet<ObjectId>) {
    if dead.is_empty() {
        return;
    }
    let methods = METHODS.retain(|method| !dead.contains(&method.class.id));
    for method in &methods {
        whole_stack::forget(method.announced_as());
    }
    native_methods::forget(dead);
    known_frames::forget();
    let classes = CLASSES.retain(|class| !dead.contains(&class.id));
    late_loaders::forget_unloaded(dead);
    for class in &classes {
        methods::forget_listed(class);
        numbering::give_back(class.numbers.get().copied());
    }
    log::info!(
        "forgot {} unloaded classes and {} methods",
        classes.len(),
        methods.len()
    );
}

/// CLASS_LOAD is about to be enabled late: the classes prepared so far have missed it.
pub(crate) fn note_missed(jvmti: Jvmti, jni: Jni) {
    let prepared = |class: &Class| {
        class
            .mirror(jni)
            .is_some_and(|mirror| is_prepared(jvmti, mirror.get()))
    };
    for class in loaded(jvmti, jni).unwrap_or_default() {
        if prepared(&class) {
            class.missed.store(true, Ordering::Relaxed);
        }
    }
}

const PREPARED_OR_ARRAY: u32 = 2 | 16;

/// Whether the class has members (an array class has none, and needs none).
pub(crate) fn is_prepared(jvmti: Jvmti, class: jclass) -> bool {
    jvmti
        .class_status(class)
        .is_ok_and(|status| status & PREPARED_OR_ARRAY != 0)
}

pub(crate) fn is_primitive(jvmti: Jvmti, class: jclass) -> bool {
    const STATUS_PRIMITIVE: u32 = 32;
    jvmti
        .class_status(class)
        .is_ok_and(|status| status & STATUS_PRIMITIVE != 0)
}
