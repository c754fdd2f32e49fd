//! Ids that events name which wait for their threads: until those are sent, the ids do not die.

use std::collections::HashMap;

use id_map::{Flag, ObjectId};
use once_cell::sync::Lazy;
use parking_lot::Mutex;

use crate::model::tables::IDS;

/// By how many events.
static KEPT: Lazy<Mutex<HashMap<ObjectId, u32>>> = Lazy::new(Mutex::default);

/// While it lives its id, of an object or a class, does not die for the agent: neither OBJECT_FREE nor CLASS_UNLOAD comes.
#[derive(Debug)]
pub(crate) struct KeptId(ObjectId);

impl KeptId {
    /// Of one that lives.
    pub(crate) fn new(id: ObjectId) -> Self {
        let mut kept = KEPT.lock();
        let count = kept.entry(id).or_insert(0);
        if *count == 0 {
            IDS.set(id, Flag::NAMED_LATER);
        }
        *count += 1;
        Self(id)
    }

    pub(crate) const fn id(&self) -> ObjectId {
        self.0
    }
}

impl Drop for KeptId {
    fn drop(&mut self) {
        let mut kept = KEPT.lock();
        let Some(count) = kept.get_mut(&self.0) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            kept.remove(&self.0);
            IDS.clear(self.0, Flag::NAMED_LATER);
        }
    }
}

#[cfg(test)]
mod tests {
    use id_map::{Flag, Kind};

    use super::KeptId;
    use crate::model::tables::IDS;

    #[test]
    fn an_id_is_kept_by_all_that_name_it() {
        let id = IDS.allocate(Kind::Object).expect("room");
        let is_kept = || IDS.has(id, Flag::NAMED_LATER);
        let (one, other) = (KeptId::new(id), KeptId::new(id));
        assert!(is_kept());
        drop(one);
        assert!(is_kept());
        assert_eq!(other.id(), id);
        drop(other);
        assert!(!is_kept());
        IDS.release(id);
    }
}
