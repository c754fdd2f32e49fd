//! Value objects of dumps: each that the walk has met has an id, by a tag, which holds it alive. When no dump is
//! read any more they lose both, and die in the next bracket.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use id_map::{Flag, ObjectId};

use crate::base::log;
use crate::model::tables::IDS;
use crate::vm::env::Jvmti;
use crate::vm::heap;

/// Dumps that are taken or read.
static DUMPS: AtomicUsize = AtomicUsize::new(0);

/// Whether a dump has met some since they were forgotten last.
static ANY: AtomicBool = AtomicBool::new(false);

/// A dump that is taken or read.
pub(super) struct OfDump {
    jvmti: Jvmti,
    /// Whether the walk has met some.
    pub(super) any: bool,
}

impl OfDump {
    pub(super) fn begin(jvmti: Jvmti) -> Self {
        DUMPS.fetch_add(1, Ordering::AcqRel);
        Self { jvmti, any: false }
    }
}

impl Drop for OfDump {
    fn drop(&mut self) {
        // Who is the last looks for all.
        if self.any {
            ANY.store(true, Ordering::Release);
        }
        if DUMPS.fetch_sub(1, Ordering::AcqRel) == 1 && ANY.swap(false, Ordering::AcqRel) {
            forget_all(self.jvmti);
        }
    }
}

fn forget_all(jvmti: Jvmti) {
    let forgotten = heap::each_tagged(jvmti, |class, _, tag| {
        // The walk of another dump may have come before this one: then they are its own, and it
        // looks for them. No other begins to walk meanwhile.
        if DUMPS.load(Ordering::Acquire) != 0 {
            ANY.store(true, Ordering::Release);
            return;
        }
        let class = ObjectId::from_raw(class);
        if class.is_some_and(|class| IDS.has(class, Flag::VALUES))
            && let Some(id) = ObjectId::from_raw(tag.cast_unsigned())
        {
            *tag = 0;
            IDS.note_dead(id);
        }
    });
    if let Err(error) = forgotten {
        ANY.store(true, Ordering::Release);
        log::warn_once!("{error}; value objects of dumps stay until another one is read");
    }
}
