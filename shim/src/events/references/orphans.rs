//! References that the agent was told of, and that were deleted where their thread can send nothing:
//! their FREE comes on another one.

use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::table::EventKind;
use parking_lot::Mutex;

use crate::model::current;

struct Orphans {
    left: Vec<(EventKind, usize)>,
    /// Those that a thread (its key) has taken and is telling of.
    under_way: Vec<(u64, usize)>,
}

static ORPHANS: Mutex<Orphans> = Mutex::new(Orphans {
    left: Vec::new(),
    under_way: Vec::new(),
});
/// Whether there are any: read without the lock, written under it.
static ANY: AtomicBool = AtomicBool::new(false);

fn change<T>(act: impl FnOnce(&mut Orphans) -> T) -> T {
    let mut orphans = ORPHANS.lock();
    let result = act(&mut orphans);
    let any = !orphans.left.is_empty() || !orphans.under_way.is_empty();
    ANY.store(any, Ordering::Release);
    result
}

/// Leaves the FREE of a reference, which the VM has still, to others.
pub(super) fn leave(kind: EventKind, reference: usize) {
    change(|orphans| orphans.left.push((kind, reference)));
}

/// One that the calling thread tells of: until this is dropped the others know that.
pub(super) struct Taken {
    pub(super) kind: EventKind,
    pub(super) reference: usize,
}

impl Taken {
    /// It cannot be told of here.
    pub(super) fn put_back(self) {
        leave(self.kind, self.reference);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let its = (current::key(), self.reference);
        change(|orphans| orphans.under_way.retain(|&one| one != its));
    }
}

/// Takes one of those that `which` names.
pub(super) fn take(which: impl Fn(usize) -> bool) -> Option<Taken> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    change(|orphans| {
        let place = orphans.left.iter().position(|&(_, one)| which(one))?;
        let (kind, reference) = orphans.left.remove(place);
        orphans.under_way.push((current::key(), reference));
        Some(Taken { kind, reference })
    })
}

/// Whether another thread is telling of this one.
pub(super) fn is_with_another(reference: usize) -> bool {
    let me = current::key();
    ANY.load(Ordering::Acquire)
        && ORPHANS
            .lock()
            .under_way
            .iter()
            .any(|&(who, one)| who != me && one == reference)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use event_translate::table::EventKind;

    use super::{Taken, is_with_another, leave, take};

    fn on_another<T: Send>(look: impl FnOnce() -> T + Send) -> Option<T> {
        thread::scope(|scope| scope.spawn(look).join()).ok()
    }

    #[test]
    fn one_is_under_way_until_it_is_told_of() {
        leave(EventKind::JniGlobalrefFree, 8);
        assert!(take(|one| one == 16).is_none());
        let taken = take(|one| one == 8);
        assert!(taken.is_some() && take(|_| true).is_none());
        assert!(!is_with_another(8));
        let look = || (is_with_another(8), is_with_another(16));
        assert_eq!(on_another(look), Some((true, false)));
        taken.into_iter().for_each(Taken::put_back);
        assert_eq!(on_another(look), Some((false, false)));
        assert_eq!(on_another(|| take(|_| true).is_some()), Some(true));
        assert!(take(|_| true).is_none());
    }
}
