//! Classes to which others give new code: what is known of the old one is void.

use std::sync::Arc;

use crate::model::classes::code_versions::UnknownChanging;
use crate::model::classes::{CLASSES, Class};
use crate::model::ids;
use crate::model::own::known_frames;
use crate::vm::env::Jvmti;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// From before the VM is asked for the code until it has come back: nothing is certain meanwhile, as other threads run it
/// at once.
pub(crate) struct OthersCode {
    known: Vec<Arc<Class>>,
    /// Of some nothing is known: who looks at their methods meanwhile makes their records.
    unknown: Option<UnknownChanging>,
}

impl OthersCode {
    /// These get new code; `None` if nobody has to know.
    pub(crate) fn comes<'a>(classes: impl Iterator<Item = ObjectRef<'a>>) -> Option<Self> {
        let jvmti = this_vm::jvmti()?;
        let mut all = Self {
            known: Vec::new(),
            unknown: Some(UnknownChanging::begin()),
        };
        let mut is_any_unknown = false;
        for class in classes {
            match record(jvmti, class) {
                Some(known) => {
                    known.code.begin_change();
                    all.known.push(known);
                }
                None => is_any_unknown = true,
            }
        }
        if !is_any_unknown {
            all.unknown = None;
        }
        if !all.known.is_empty() {
            known_frames::forget();
        }
        Some(all)
    }
}

/// The VM has given these what others wanted of them, or none of them. Some of their records may have been made meanwhile.
pub(crate) fn is_answered<'a>(classes: impl Iterator<Item = ObjectRef<'a>>, is_taken: bool) {
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    for class in classes {
        if let Some(class) = record(jvmti, class) {
            class.file.is_answered(is_taken);
        }
    }
}

fn record(jvmti: Jvmti, class: ObjectRef<'_>) -> Option<Arc<Class>> {
    let id = ids::tagged(jvmti, class).flatten()?;
    CLASSES.get(id.raw())
}

impl Drop for OthersCode {
    /// Records of methods are replaced when they are asked for next: a dump under way may want to see that a class
    /// has not ended by them.
    fn drop(&mut self) {
        for class in &self.known {
            class.code.end_change();
        }
    }
}
