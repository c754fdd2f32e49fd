//! Classes to which others give new code: what is known of the old one is void.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::classes::{CLASSES, Class};
use crate::model::methods::METHODS;
use crate::model::{ids, known_frames};
use crate::vm::env::Jvmti;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// From before the VM is asked for the code until it has come back: nothing is certain meanwhile, as other threads run it
/// at once.
pub(crate) struct OthersCode<'a> {
    known: Vec<Arc<Class>>,
    /// Who looks at their methods meanwhile makes their records.
    unknown: Vec<ObjectRef<'a>>,
}

impl<'a> OthersCode<'a> {
    /// These get new code; `None` if nobody has to know.
    pub(crate) fn comes(classes: impl Iterator<Item = ObjectRef<'a>>) -> Option<Self> {
        let jvmti = this_vm::jvmti()?;
        let mut all = Self {
            known: Vec::new(),
            unknown: Vec::new(),
        };
        for class in classes {
            match record(jvmti, class) {
                Some(known) => {
                    known.code.begin_change();
                    all.known.push(known);
                }
                None => all.unknown.push(class),
            }
        }
        known_frames::forget();
        Some(all)
    }
}

fn record(jvmti: Jvmti, class: ObjectRef<'_>) -> Option<Arc<Class>> {
    let id = ids::tagged(jvmti, class).flatten()?;
    CLASSES.get(id.raw())
}

impl Drop for OthersCode<'_> {
    fn drop(&mut self) {
        for class in &self.known {
            class.code.end_change();
        }
        if let Some(jvmti) = this_vm::jvmti() {
            let met = self.unknown.iter();
            let met: Vec<_> = met.filter_map(|&class| record(jvmti, class)).collect();
            for class in &met {
                drop(class.code.changing());
            }
            self.known.extend(met);
        }
        if self.known.is_empty() {
            return;
        }
        // Of frames of theirs, too, that were found since.
        known_frames::forget();
        let changed: HashSet<_> = self.known.iter().map(|class| class.id).collect();
        METHODS.retain(|method| !changed.contains(&method.class.id));
    }
}
