//! Classes that are older than the hooks, and whose loader cannot have its hook class before
//! the program loads another class by it ([`crate::hook_loaders`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmpi_headers::jni::jclass;
use parking_lot::Mutex;

use crate::classes::{self, Class};
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::{left_out, worker};

/// Each with its name.
static WAITING: Mutex<Vec<(Arc<Class>, Vec<u8>)>> = Mutex::new(Vec::new());
/// A loader has got its hook class since somebody looked.
static NEWS: AtomicBool = AtomicBool::new(false);

const WHY: &str = "no hooks, its class loader cannot have the class that they call";

/// A class stays as it is; null if it is only being loaded, and will not be seen again.
pub(crate) fn note(jvmti: Jvmti, jni: Jni, class: jclass, name: &[u8]) {
    let record = (!class.is_null()).then(|| classes::of(jvmti, jni, class));
    let Some(record) = record.flatten() else {
        left_out::class(name, WHY);
        return;
    };
    let mut waiting = WAITING.lock();
    if !waiting.iter().any(|(class, _)| class.id == record.id) {
        waiting.push((record, name.to_vec()));
    }
}

/// A loader has got its hook class while it loads.
pub(crate) fn has_hook_class() {
    if !WAITING.lock().is_empty() {
        NEWS.store(true, Ordering::Release);
        worker::wake();
    }
}

/// Those that wait, if one of them may no longer have to: they are the caller's.
pub(crate) fn take() -> Vec<(Arc<Class>, Vec<u8>)> {
    if NEWS.swap(false, Ordering::AcqRel) {
        std::mem::take(&mut *WAITING.lock())
    } else {
        Vec::new()
    }
}

/// Nobody wants hooks any more.
pub(crate) fn forget() {
    WAITING.lock().clear();
}

/// Those of unloaded classes need not wait.
pub(crate) fn forget_unloaded(is_gone: impl Fn(&Class) -> bool) {
    WAITING.lock().retain(|(class, _)| !is_gone(class));
}

/// At the VM's end.
pub(crate) fn report() {
    for (_, name) in WAITING.lock().drain(..) {
        left_out::class(&name, WHY);
    }
}
