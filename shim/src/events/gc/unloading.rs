//! Classes that the VM has unloaded.

use std::collections::HashSet;
use std::sync::Arc;

use id_map::{Flag, ObjectId};

use crate::base::log;
use crate::events::call_traces::whole_stack;
use crate::hooks::numbering;
use crate::hooks::{late_loaders, native_methods};
use crate::model::classes::methods::METHODS;
use crate::model::classes::{CLASSES, Class, methods};
use crate::model::own::known_frames;
use crate::model::tables::IDS;
use crate::vm::jni::Jni;

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
    for class in dead.iter().filter_map(|id| CLASSES.get(id.raw())) {
        if class.is_hidden() || class.owes_its_load() {
            // What is asked when the record is gone: its CLASS_UNLOAD has had no CLASS_LOAD.
            IDS.clear(class.id, Flag::PREPARED);
        }
    }
    let classes = CLASSES.retain(|class| !dead.contains(&class.id));
    late_loaders::forget_unloaded(dead);
    for class in &classes {
        methods::forget_listed(class);
        numbering::give_back(class.numbers.all());
    }
    log::info!(
        "forgot {} unloaded classes and {} methods",
        classes.len(),
        methods.len()
    );
}
