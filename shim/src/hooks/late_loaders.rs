//! Classes that are older than the hooks, and whose loader cannot have its hook class, or not
//! be asked about it, before the program loads another class by it ([`crate::hooks::hook_loaders`]).

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use id_map::ObjectId;
use parking_lot::Mutex;

use crate::delivery::worker;
use crate::hooks::blind_spots;
use crate::model::classes::{self, Class};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// A class with its name.
pub(crate) type Waiting = (Arc<Class>, Vec<u8>);

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
/// Those that have named their hook class since.
static NAMED: Mutex<Option<HashSet<ObjectId>>> = Mutex::new(None);
/// Somebody of them need not wait any longer.
static NEWS: AtomicBool = AtomicBool::new(false);

const WHY: &str = "no hooks, its class loader cannot have the class that they call";

/// A class stays as it is; `None` if it is only being loaded, and will not be seen again.
pub(crate) fn note(jvmti: Jvmti, jni: Jni, class: Option<ObjectRef<'_>>, name: &[u8]) {
    let Some(record) = class.and_then(|class| classes::of(jvmti, jni, class)) else {
        blind_spots::class(name, WHY);
        return;
    };
    wait(record, name);
}

fn wait(record: Arc<Class>, name: &[u8]) {
    let mut waiting = WAITING.lock();
    if !waiting.iter().any(|(class, _)| class.id == record.id) {
        waiting.push((record, name.to_vec()));
    }
}

/// A class that gets its hooks when it is linked is to name its hook class before. False.
pub(crate) fn note_unlinked(
    jvmti: Jvmti,
    jni: Jni,
    class: &Arc<Class>,
    mirror: ObjectRef<'_>,
) -> bool {
    if jvmti.class_loader(jni, mirror).is_some()
        && let Ok(signature) = jvmti.class_signature(mirror)
        && let Some(name) = signature.bytes().strip_prefix(b"L")
    {
        let name = name.strip_suffix(b";").unwrap_or(name);
        wait(Arc::clone(class), name);
    }
    false
}

/// Those of a loader, for `body`: what is true of them is known then.
pub(crate) fn each_of(jvmti: Jvmti, jni: Jni, loader: ObjectRef<'_>, body: impl Fn(ObjectRef<'_>)) {
    // Outside of the lock: the VM is asked.
    let waiting = WAITING.lock().clone();
    for (class, _) in waiting {
        let Some(mirror) = class.mirror(jni) else {
            continue;
        };
        let its_loader = jvmti.class_loader(jni, mirror.get());
        if its_loader.is_some_and(|its| jni.same(its.get(), loader)) {
            body(mirror.get());
            NAMED.lock().get_or_insert_default().insert(class.id);
            tell();
        }
    }
}

/// Whether [`each_of`] has had this class.
pub(crate) fn is_named(class: &Class) -> bool {
    let named = NAMED.lock();
    named
        .as_ref()
        .is_some_and(|named| named.contains(&class.id))
}

/// A class need not wait any longer, if one does.
pub(crate) fn tell() {
    if !WAITING.lock().is_empty() {
        NEWS.store(true, Ordering::Release);
        worker::wake();
    }
}

/// All that wait, if one of them may not have to: they are the caller's.
pub(crate) fn take() -> Vec<Waiting> {
    if NEWS.swap(false, Ordering::AcqRel) {
        take_all()
    } else {
        Vec::new()
    }
}

/// Nobody wants hooks any more.
pub(crate) fn forget() {
    // Outside of the lock: the last holder of a class gives a reference back to the VM.
    drop(take_all());
}

fn take_all() -> Vec<Waiting> {
    std::mem::take(&mut *WAITING.lock())
}

/// Those of unloaded classes need not wait.
pub(crate) fn forget_unloaded(dead: &HashSet<ObjectId>) {
    let gone: Vec<Waiting> = WAITING
        .lock()
        .extract_if(.., |(class, _)| dead.contains(&class.id))
        .collect();
    drop(gone);
    if let Some(named) = &mut *NAMED.lock() {
        named.retain(|id| !dead.contains(id));
    }
}

/// At the VM's end.
pub(crate) fn report() {
    for (_, name) in take_all() {
        blind_spots::class(&name, WHY);
    }
}
