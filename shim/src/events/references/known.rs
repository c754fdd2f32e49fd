//! What the agent knows of JNI references, and what it cannot be told of yet.
//!
//! # Threads
//! Any. A reference may be deleted on another thread while one tells of it: that thread leaves the FREE to the one that
//! tells, so that it comes behind the ALLOC.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use event_translate::table::EventKind;
use id_map::ObjectId;
use once_cell::sync::Lazy;
use parking_lot::Mutex;

use crate::delivery::dispatch::Sent;
use crate::events::references::orphans;
use crate::model::classes::Class;
use crate::model::current;
use crate::vm::refs::Global;

/// A reference that cannot be told of yet.
pub(super) struct Early {
    pub(super) until: Until,
    pub(super) kind: EventKind,
    pub(super) reference: usize,
}

/// What has to come first.
pub(super) enum Until {
    /// CLASS_LOAD: the reference is to a class that is loaded and not linked. (Linking it would run
    /// the program's loaders in the middle of native code.)
    Loaded(Arc<Class>),
    /// THREAD_START: it was made in AttachCurrentThread (JVMTI facts 18), by the thread with this key,
    /// and is to this object. (Not its env: if attaching fails, the next thread may get that.)
    Started { by: u64, object: Global },
}

/// A reference whose ALLOC was due: only of such a one the FREE is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Due {
    kind: EventKind,
    object: ObjectId,
    /// Its ALLOC waits for its thread.
    kept: bool,
}

/// One that a thread (its key) has taken to tell of its ALLOC.
struct UnderWay {
    by: u64,
    reference: usize,
    /// The FREE that is due behind that.
    freed: Option<EventKind>,
}

#[derive(Default)]
struct References {
    due: HashMap<usize, Due>,
    early: Vec<Early>,
    under_way: Vec<UnderWay>,
}

static REFERENCES: Lazy<Mutex<References>> = Lazy::new(Mutex::default);
/// Whether there are early ones: read without the lock, written under it.
static ANY_EARLY: AtomicBool = AtomicBool::new(false);

fn change<T>(act: impl FnOnce(&mut References) -> T) -> T {
    let mut references = REFERENCES.lock();
    let result = act(&mut references);
    ANY_EARLY.store(!references.early.is_empty(), Ordering::SeqCst);
    result
}

impl References {
    /// Who tells of it is the calling thread from now on.
    fn take(&mut self, reference: usize) -> Telling {
        self.under_way.push(UnderWay {
            by: current::key(),
            reference,
            freed: None,
        });
        Telling {
            reference,
            is_over: false,
        }
    }

    fn place(&self, reference: usize) -> Option<usize> {
        let me = current::key();
        let is_it = |one: &UnderWay| one.by == me && one.reference == reference;
        // The last one: a handler may be told of what has the number by then.
        self.under_way.iter().rposition(is_it)
    }

    /// Ends what [`Self::take`] began; the FREE that was left to the calling thread.
    fn give_up(&mut self, reference: usize) -> Option<EventKind> {
        let place = self.place(reference)?;
        self.under_way.remove(place).freed
    }

    /// The same when its ALLOC was sent, or was not; the FREE that is due now.
    fn told(
        &mut self,
        (kind, object): (EventKind, ObjectId),
        reference: usize,
        sent: Sent,
    ) -> Option<EventKind> {
        let freed = self.give_up(reference);
        let due = self.due.get_mut(&reference);
        let due = due.filter(|due| (due.kind, due.object, due.kept) == (kind, object, false));
        let Some(due) = due else {
            // Its own handler has deleted it; or it was deleted, and the next one with the number told of, meanwhile.
            return freed.filter(|_| sent == Sent::Yes);
        };
        if sent == Sent::Later && freed.is_none() {
            due.kept = true;
        } else if sent == Sent::No || freed.is_some() {
            self.due.remove(&reference);
        }
        freed.filter(|_| sent == Sent::Yes)
    }
}

/// The calling thread tells of a reference: until this is dropped the others know that.
pub(super) struct Telling {
    reference: usize,
    is_over: bool,
}

impl Telling {
    /// Of a reference that nobody tells of, nor waits with.
    pub(super) fn begin(reference: usize) -> Self {
        change(|references| references.take(reference))
    }

    /// Its ALLOC is about to be sent; false if it has been deleted meanwhile.
    pub(super) fn is_due(&self, kind: EventKind, object: ObjectId) -> bool {
        change(|references| {
            let place = references.place(self.reference);
            let under_way = place.and_then(|place| references.under_way.get(place));
            let lives = under_way.is_some_and(|one| one.freed.is_none());
            if lives {
                let kept = false;
                let due = Due { kind, object, kept };
                references.due.insert(self.reference, due);
            }
            lives
        })
    }

    /// What has become of its ALLOC. Whether there is a FREE for [`orphans`] to be sent.
    pub(super) fn ends(mut self, kind: EventKind, object: ObjectId, sent: Sent) -> bool {
        self.is_over = true;
        change(|references| {
            let free = references.told((kind, object), self.reference, sent);
            if let Some(free) = free {
                // Under the lock: whoever tells of the next one with this number finds one or the other.
                orphans::leave(free, self.reference);
            }
            free.is_some()
        })
    }

    /// It waits for something else, unless it has been deleted meanwhile.
    pub(super) fn waits(mut self, early: Early) {
        self.is_over = true;
        let left = change(|references| match references.give_up(self.reference) {
            None => {
                references.early.push(early);
                None
            }
            // Not dropped under the lock: it may hold a reference of its own.
            Some(_) => Some(early),
        });
        drop(left);
        fence(Ordering::SeqCst);
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if !self.is_over {
            change(|references| references.give_up(self.reference));
        }
    }
}

/// Takes out one of the early ones that `which` names; the calling thread tells of it.
pub(super) fn take_early(which: impl Fn(&Early) -> bool) -> Option<(Early, Telling)> {
    if !ANY_EARLY.load(Ordering::SeqCst) {
        return None;
    }
    change(|references| {
        let place = references.early.iter().position(which)?;
        let early = references.early.remove(place);
        let telling = references.take(early.reference);
        Some((early, telling))
    })
}

/// The calling thread, which has kept this ALLOC, tells of it now; `None` if it has been deleted meanwhile.
pub(super) fn take_kept(kind: EventKind, object: ObjectId, reference: usize) -> Option<Telling> {
    let kept = true;
    let due = Due { kind, object, kept };
    change(|references| {
        let known = references.due.get_mut(&reference);
        known.filter(|known| **known == due)?.kept = false;
        Some(references.take(reference))
    })
}

/// It is about to be deleted; whether the calling thread is to tell of that. `kind`: of its FREE.
pub(super) fn delete(kind: EventKind, reference: usize) -> bool {
    let me = current::key();
    let (is_due, early) = change(|references| {
        let of_all = &mut references.under_way;
        // What has been deleted has the number no longer.
        let is_it = |one: &&mut UnderWay| one.reference == reference && one.freed.is_none();
        let telling = of_all.iter_mut().rfind(is_it);
        if let Some(telling) = telling {
            // Its own handler is past the ALLOC, or what has to come before that.
            let told = telling.by == me && references.due.remove(&reference).is_some();
            if !told {
                telling.freed = Some(kind);
            }
            return (told, None);
        }
        let early = &mut references.early;
        let place = early.iter().position(|one| one.reference == reference);
        let early = place.map(|place| early.remove(place));
        let due = references.due.remove(&reference);
        (due.is_some_and(|due| !due.kept), early)
    });
    // Not under the lock, as above.
    drop(early);
    is_due
}

/// Whether another thread is telling of it.
pub(super) fn is_with_another(reference: usize) -> bool {
    let me = current::key();
    let references = REFERENCES.lock();
    let mut under_way = references.under_way.iter();
    under_way.any(|one| one.by != me && one.reference == reference)
}

/// The strong references that the agent has been told of, by the id of their object.
pub(super) fn strong() -> HashMap<ObjectId, Vec<usize>> {
    let mut strong: HashMap<_, Vec<usize>> = HashMap::new();
    for (&reference, due) in &REFERENCES.lock().due {
        if due.kind == EventKind::JniGlobalrefAlloc && !due.kept {
            strong.entry(due.object).or_default().push(reference);
        }
    }
    strong
}

#[cfg(test)]
mod tests {
    use std::thread;

    use event_translate::table::EventKind;
    use id_map::ObjectId;

    use super::{Telling, delete, is_with_another, take_kept};
    use crate::delivery::dispatch::Sent;
    use crate::events::references::orphans;

    const ALLOC: EventKind = EventKind::JniGlobalrefAlloc;
    const FREE: EventKind = EventKind::JniGlobalrefFree;

    fn object() -> ObjectId {
        ObjectId::from_raw(0x160).expect("an id")
    }

    fn on_another<T: Send>(look: impl FnOnce() -> T + Send) -> Option<T> {
        thread::scope(|scope| scope.spawn(look).join()).ok()
    }

    /// Whether this one's FREE was left to be sent.
    fn is_left(reference: usize) -> bool {
        orphans::take(|one| one == reference).is_some()
    }

    #[test]
    fn a_free_follows_what_was_told() {
        let telling = Telling::begin(0x1000);
        assert!(telling.is_due(ALLOC, object()));
        assert!(!telling.ends(ALLOC, object(), Sent::Yes));
        assert_eq!(on_another(|| delete(FREE, 0x1000)), Some(true));
        assert!(!delete(FREE, 0x1000) && !is_left(0x1000));
    }

    #[test]
    fn what_is_deleted_before_it_is_told_is_not_told() {
        let telling = Telling::begin(0x1100);
        assert_eq!(on_another(|| is_with_another(0x1100)), Some(true));
        assert_eq!(on_another(|| delete(FREE, 0x1100)), Some(false));
        assert!(!telling.is_due(ALLOC, object()));
        drop(telling);
        assert_eq!(on_another(|| is_with_another(0x1100)), Some(false));
        assert!(!is_left(0x1100) && !delete(FREE, 0x1100));
    }

    #[test]
    fn the_free_of_what_is_being_told_follows_on_the_thread_that_tells() {
        let telling = Telling::begin(0x1200);
        assert!(telling.is_due(ALLOC, object()));
        assert_eq!(on_another(|| delete(FREE, 0x1200)), Some(false));
        assert!(telling.ends(ALLOC, object(), Sent::Yes));
        assert!(is_left(0x1200) && !delete(FREE, 0x1200));
    }

    /// In a slow handler, so that nobody waits for it any longer.
    #[test]
    fn the_next_one_with_the_number_has_a_free_of_its_own() {
        let telling = Telling::begin(0x1800);
        assert!(telling.is_due(ALLOC, object()));
        assert_eq!(on_another(|| delete(FREE, 0x1800)), Some(false));
        let next = ObjectId::from_raw(0x260).expect("an id");
        let told = on_another(|| {
            let telling = Telling::begin(0x1800);
            telling.is_due(ALLOC, next) && !telling.ends(ALLOC, next, Sent::Yes)
        });
        assert_eq!(told, Some(true));
        assert_eq!(on_another(|| delete(FREE, 0x1800)), Some(true));
        assert!(telling.ends(ALLOC, object(), Sent::Yes));
        assert!(is_left(0x1800) && !delete(FREE, 0x1800));
    }

    #[test]
    fn its_own_handler_deletes_what_it_was_told() {
        let telling = Telling::begin(0x1300);
        assert!(telling.is_due(ALLOC, object()));
        assert!(delete(FREE, 0x1300));
        assert!(!telling.ends(ALLOC, object(), Sent::Yes) && !is_left(0x1300));
    }

    #[test]
    fn what_was_not_told_has_no_free() {
        let telling = Telling::begin(0x1400);
        assert!(telling.is_due(ALLOC, object()));
        assert!(!telling.ends(ALLOC, object(), Sent::No));
        assert!(!delete(FREE, 0x1400));
    }

    #[test]
    fn what_is_deleted_while_its_alloc_is_kept_is_not_told() {
        let keep = |reference| {
            let telling = Telling::begin(reference);
            assert!(telling.is_due(ALLOC, object()));
            assert!(!telling.ends(ALLOC, object(), Sent::Later));
        };
        keep(0x1500);
        assert!(!delete(FREE, 0x1500));
        assert!(take_kept(ALLOC, object(), 0x1500).is_none());
        keep(0x1600);
        let telling = take_kept(ALLOC, object(), 0x1600).expect("it is kept");
        assert!(take_kept(ALLOC, object(), 0x1600).is_none());
        assert!(!telling.ends(ALLOC, object(), Sent::No));
        assert!(!delete(FREE, 0x1600));
        keep(0x1700);
        let telling = take_kept(ALLOC, object(), 0x1700).expect("it is kept");
        assert!(!telling.ends(ALLOC, object(), Sent::Yes));
        assert!(delete(FREE, 0x1700));
    }
}
