//! How many monitors the frames of a stack hold, by their code: to know without the VM that a
//! thread has entered each of its monitors once. Asking the VM stops the program each time.

use std::collections::HashMap;

use class_rewriter::{LockDepths, MONITORENTER};

use crate::vm::classes::{ACC_NATIVE, ACC_SYNCHRONIZED};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;

/// What a method's frames hold.
enum Held {
    Nothing,
    /// As a synchronized method, and by its code at each instruction if that has blocks.
    Some(bool, Option<LockDepths>),
    /// A native method of the program's may have entered anything.
    Unknown,
}

/// The methods of one dump.
#[derive(Default)]
pub(crate) struct Entries {
    methods: HashMap<MethodId, Held>,
}

impl Entries {
    /// How often the frames of this whole stack have entered monitors; `None` if that is
    /// not known.
    pub(crate) fn of(&mut self, jvmti: Jvmti, jni: Jni, frames: &[Frame]) -> Option<usize> {
        let mut all = 0;
        for frame in frames {
            let held = self.methods.entry(frame.method);
            match held.or_insert_with(|| look(jvmti, jni, frame.method)) {
                Held::Nothing => {}
                Held::Some(synchronized, depths) => {
                    all += usize::from(*synchronized);
                    if let Some(depths) = depths {
                        let depth = depths.at(usize::try_from(frame.location).ok()?)?;
                        all += usize::try_from(depth).ok()?;
                    }
                }
                Held::Unknown => return None,
            }
        }
        Some(all)
    }
}

fn look(jvmti: Jvmti, jni: Jni, method: MethodId) -> Held {
    let Some(modifiers) = jvmti.method_modifiers(method) else {
        return Held::Unknown;
    };
    let synchronized = modifiers & ACC_SYNCHRONIZED != 0;
    if modifiers & ACC_NATIVE != 0 {
        // The VM's own do not enter monitors by JNI.
        let class = jvmti.declaring_class(jni, method);
        return match class {
            Ok(class) if jvmti.class_loader(jni, class.get()).is_none() => {
                Held::Some(synchronized, None)
            }
            _ => Held::Unknown,
        };
    }
    let Ok(code) = jvmti.bytecodes(method) else {
        return Held::Unknown;
    };
    if !code.as_slice().contains(&MONITORENTER) {
        return if synchronized {
            Held::Some(true, None)
        } else {
            Held::Nothing
        };
    }
    match LockDepths::of(code.as_slice()) {
        Some(depths) => Held::Some(synchronized, Some(depths)),
        None => Held::Unknown,
    }
}
