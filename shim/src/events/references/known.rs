//! What the agent knows of JNI references, and what it cannot be told of yet.
//!
//! Longer than most: all that moves a reference from one state to another is under one lock, and together.
//!
//! # Threads
//! Any. A reference may be deleted on another thread while one tells of it: that thread leaves the FREE to the one that
//! tells, so that it comes behind the ALLOC. While its ALLOC is kept the keeper's own FREE is kept behind that; deleted
//! by another thread it is not told of at all.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use event_translate::table::EventKind;
use id_map::ObjectId;
use once_cell::sync::Lazy;
use parking_lot::Mutex;

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

/// A reference whose ALLOC waits for its thread, or has been sent so with its FREE behind.
struct Kept {
    number: u64,
    /// The `env` of that thread, virtual or not.
    by: usize,
    reference: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The VM has it.
    Lives,
    /// Its own thread has deleted it: the FREE waits behind the ALLOC.
    Deleted,
    /// The same, and the ALLOC was sent.
    Told,
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
    /// Whose ALLOC was due: only of such a one the FREE is.
    due: HashMap<usize, (EventKind, ObjectId)>,
    early: Vec<Early>,
    under_way: Vec<UnderWay>,
    kept: Vec<Kept>,
    /// How many have been kept so far.
    count: u64,
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

    /// The same when its ALLOC was sent, or was not. Whether it is still the one with its number, and the FREE that was
    /// left.
    fn told(
        &mut self,
        its: (EventKind, ObjectId),
        reference: usize,
        sent: bool,
    ) -> (bool, Option<EventKind>) {
        let freed = self.give_up(reference);
        // Its own handler may have deleted it; or others have, and told of the next one with the number meanwhile.
        let is_it = self.due.get(&reference) == Some(&its);
        if is_it && (!sent || freed.is_some()) {
            self.due.remove(&reference);
        }
        (is_it, freed)
    }

    fn kept(&mut self, number: u64) -> Option<&mut Kept> {
        self.kept.iter_mut().find(|kept| kept.number == number)
    }

    fn forget_kept(&mut self, number: u64) {
        self.kept.retain(|kept| kept.number != number);
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
                references.due.insert(self.reference, (kind, object));
            }
            lives
        })
    }

    /// Its ALLOC was sent, or is not to be. Whether there is a FREE for [`orphans`] to be sent.
    pub(super) fn ends(mut self, kind: EventKind, object: ObjectId, sent: bool) -> bool {
        self.is_over = true;
        change(|references| {
            let (_, freed) = references.told((kind, object), self.reference, sent);
            let free = freed.filter(|_| sent);
            if let Some(free) = free {
                // Under the lock: whoever tells of the next one with this number finds one or the other.
                orphans::leave(free, self.reference);
            }
            free.is_some()
        })
    }

    /// Its ALLOC has to be kept by the calling thread, which has this `env`: a number for [`take_kept`]; `None` if it has
    /// been deleted meanwhile.
    pub(super) fn keeps(mut self, kind: EventKind, object: ObjectId, by: usize) -> Option<u64> {
        self.is_over = true;
        let reference = self.reference;
        change(|references| {
            let (lives, _) = references.told((kind, object), reference, false);
            references.count += u64::from(lives);
            let number = references.count;
            let state = State::Lives;
            lives.then(|| {
                references.kept.push(Kept {
                    number,
                    by,
                    reference,
                    state,
                })
            });
            lives.then_some(number)
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

/// What becomes of an ALLOC that was kept.
pub(super) enum Turn {
    /// It is told of now, and may be deleted meanwhile.
    Lives(Telling),
    /// Its FREE waits behind it.
    Deleted,
    /// Of neither is told.
    Gone,
}

/// The calling thread tells of what it has kept.
pub(super) fn take_kept(number: u64) -> Turn {
    change(|references| {
        let Some(kept) = references.kept(number) else {
            return Turn::Gone;
        };
        if kept.state != State::Lives {
            return Turn::Deleted;
        }
        let reference = kept.reference;
        references.forget_kept(number);
        Turn::Lives(references.take(reference))
    })
}

/// A FREE behind an ALLOC that is kept: when this is dropped it has been sent, or never will be.
#[derive(Debug)]
pub(super) struct Behind(u64);

impl Behind {
    /// The number of the ALLOC was this.
    pub(super) fn alloc_was(number: u64, sent: bool) {
        change(|references| {
            if !sent {
                references.forget_kept(number);
            } else if let Some(kept) = references.kept(number) {
                kept.state = State::Told;
            }
        });
    }

    /// Whether the ALLOC was sent.
    pub(super) fn is_due(&self) -> bool {
        change(|references| {
            references
                .kept(self.0)
                .is_some_and(|kept| kept.state == State::Told)
        })
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        change(|references| references.forget_kept(self.0));
    }
}

/// Who tells of the end of a reference.
pub(super) enum Free {
    /// The calling thread.
    Here,
    /// It as well, behind the ALLOC that it has kept.
    Behind(Behind),
    /// Another one, or nobody.
    NotHere,
}

/// It is about to be deleted by the thread with this `env`. `kind`: of its FREE.
pub(super) fn delete(kind: EventKind, reference: usize, by: usize) -> Free {
    let me = current::key();
    let (free, early) = change(|references| {
        let of_all = &mut references.under_way;
        // What has been deleted has the number no longer.
        let is_it = |one: &&mut UnderWay| one.reference == reference && one.freed.is_none();
        if let Some(telling) = of_all.iter_mut().rfind(is_it) {
            // Its own handler is past the ALLOC, or what has to come before that.
            if telling.by == me && references.due.remove(&reference).is_some() {
                return (Free::Here, None);
            }
            telling.freed = Some(kind);
            return (Free::NotHere, None);
        }
        let early = &mut references.early;
        let place = early.iter().position(|one| one.reference == reference);
        let early = place.map(|place| early.remove(place));
        if references.due.remove(&reference).is_some() {
            return (Free::Here, early);
        }
        let is_it = |kept: &Kept| kept.reference == reference && kept.state == State::Lives;
        let Some(place) = references.kept.iter().rposition(is_it) else {
            return (Free::NotHere, early);
        };
        match references.kept.get_mut(place).filter(|kept| kept.by == by) {
            Some(kept) => {
                kept.state = State::Deleted;
                (Free::Behind(Behind(kept.number)), early)
            }
            None => {
                references.kept.remove(place);
                (Free::NotHere, early)
            }
        }
    });
    // Not under the lock, as above.
    drop(early);
    free
}

/// The VM has given the number once more, and the thread with this `env` is to tell of that: what others have kept of
/// the one before is not told of.
pub(super) fn overtake(reference: usize, by: usize) {
    change(|references| {
        let stays =
            |kept: &Kept| kept.reference != reference || kept.by == by || kept.state == State::Told;
        references.kept.retain(stays);
    });
}

/// Whether a thread other than the calling one, which has this `env`, is telling of it.
pub(super) fn is_with_another(reference: usize, env: usize) -> bool {
    let me = current::key();
    let references = REFERENCES.lock();
    let mut under_way = references.under_way.iter();
    let mut kept = references.kept.iter();
    under_way.any(|one| one.by != me && one.reference == reference)
        || kept.any(|kept| kept.by != env && kept.reference == reference)
}

/// The strong references that the agent has been told of, by the id of their object.
pub(super) fn strong() -> HashMap<ObjectId, Vec<usize>> {
    let mut strong: HashMap<_, Vec<usize>> = HashMap::new();
    for (&reference, &(kind, object)) in &REFERENCES.lock().due {
        if kind == EventKind::JniGlobalrefAlloc {
            strong.entry(object).or_default().push(reference);
        }
    }
    strong
}

#[cfg(test)]
mod tests {
    use std::thread;

    use event_translate::table::EventKind;
    use id_map::ObjectId;

    use super::{Behind, Free, Telling, Turn, overtake, strong, take_kept};
    use crate::events::references::orphans;

    const ALLOC: EventKind = EventKind::JniGlobalrefAlloc;
    const FREE: EventKind = EventKind::JniGlobalrefFree;

    /// What stands for the envs of two threads.
    const ME: usize = 1;
    const OTHER: usize = 2;

    /// Whether its FREE is to be sent at once.
    fn delete(reference: usize) -> bool {
        matches!(super::delete(FREE, reference, ME), Free::Here)
    }

    fn is_with_another(reference: usize) -> bool {
        super::is_with_another(reference, ME)
    }

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
        assert!(!telling.ends(ALLOC, object(), true));
        assert_eq!(on_another(|| delete(0x1000)), Some(true));
        assert!(!delete(0x1000) && !is_left(0x1000));
    }

    #[test]
    fn what_is_deleted_before_it_is_told_is_not_told() {
        let telling = Telling::begin(0x1100);
        assert_eq!(on_another(|| is_with_another(0x1100)), Some(true));
        assert_eq!(on_another(|| delete(0x1100)), Some(false));
        assert!(!telling.is_due(ALLOC, object()));
        drop(telling);
        assert_eq!(on_another(|| is_with_another(0x1100)), Some(false));
        assert!(!is_left(0x1100) && !delete(0x1100));
    }

    #[test]
    fn the_free_of_what_is_being_told_follows_on_the_thread_that_tells() {
        let telling = Telling::begin(0x1200);
        assert!(telling.is_due(ALLOC, object()));
        assert_eq!(on_another(|| delete(0x1200)), Some(false));
        assert!(telling.ends(ALLOC, object(), true));
        assert!(is_left(0x1200) && !delete(0x1200));
    }

    /// In a slow handler, so that nobody waits for it any longer.
    #[test]
    fn the_next_one_with_the_number_has_a_free_of_its_own() {
        let telling = Telling::begin(0x1800);
        assert!(telling.is_due(ALLOC, object()));
        assert_eq!(on_another(|| delete(0x1800)), Some(false));
        let next = ObjectId::from_raw(0x260).expect("an id");
        let told = on_another(|| {
            let telling = Telling::begin(0x1800);
            telling.is_due(ALLOC, next) && !telling.ends(ALLOC, next, true)
        });
        assert_eq!(told, Some(true));
        assert_eq!(on_another(|| delete(0x1800)), Some(true));
        assert!(telling.ends(ALLOC, object(), true));
        assert!(is_left(0x1800) && !delete(0x1800));
    }

    #[test]
    fn its_own_handler_deletes_what_it_was_told() {
        let telling = Telling::begin(0x1300);
        assert!(telling.is_due(ALLOC, object()));
        assert!(delete(0x1300));
        assert!(!telling.ends(ALLOC, object(), true) && !is_left(0x1300));
    }

    #[test]
    fn what_was_not_told_has_no_free() {
        let telling = Telling::begin(0x1400);
        assert!(telling.is_due(ALLOC, object()));
        assert!(!telling.ends(ALLOC, object(), false));
        assert!(!delete(0x1400));
    }

    /// The number under which the ALLOC of one is kept.
    fn keep(reference: usize) -> u64 {
        let telling = Telling::begin(reference);
        assert!(telling.is_due(ALLOC, object()));
        telling.keeps(ALLOC, object(), ME).expect("it lives")
    }

    #[test]
    fn what_is_kept_is_told_of_in_its_turn() {
        let number = keep(0x1500);
        let Turn::Lives(telling) = take_kept(number) else {
            panic!("it lives");
        };
        assert!(matches!(take_kept(number), Turn::Gone));
        assert!(telling.is_due(ALLOC, object()));
        assert!(!telling.ends(ALLOC, object(), true));
        assert!(delete(0x1500));
    }

    #[test]
    fn what_another_deletes_while_it_is_kept_is_not_told() {
        let number = keep(0x1600);
        let other = || matches!(super::delete(FREE, 0x1600, OTHER), Free::NotHere);
        assert_eq!(on_another(other), Some(true));
        assert!(matches!(take_kept(number), Turn::Gone));
        assert!(!is_with_another(0x1600));
    }

    /// In a loop the VM gives the same number again and again.
    #[test]
    fn what_its_own_thread_deletes_while_it_is_kept_has_both_in_their_order() {
        let pair = || {
            let number = keep(0x1700);
            let Free::Behind(free) = super::delete(FREE, 0x1700, ME) else {
                panic!("its own thread deletes it");
            };
            (number, free)
        };
        let (first, behind_first) = pair();
        let (second, behind_second) = pair();
        let last = keep(0x1700);
        let not_strong = || !strong().values().flatten().any(|&one| one == 0x1700);
        assert!(matches!(take_kept(first), Turn::Deleted) && !behind_first.is_due());
        Behind::alloc_was(first, true);
        assert!(behind_first.is_due() && not_strong());
        drop(behind_first);
        // Nobody listened to that ALLOC.
        Behind::alloc_was(second, false);
        assert!(!behind_second.is_due());
        drop(behind_second);
        assert!(matches!(take_kept(last), Turn::Lives(_)));
    }

    #[test]
    fn the_next_one_with_the_number_overtakes_what_another_has_kept() {
        let (whole, half) = (keep(0x1900), keep(0x1900));
        let [Free::Behind(half_free), Free::Behind(_whole_free)] =
            [(); 2].map(|()| super::delete(FREE, 0x1900, ME))
        else {
            panic!("its own thread deletes it");
        };
        Behind::alloc_was(half, true);
        assert!(super::is_with_another(0x1900, OTHER));
        overtake(0x1900, OTHER);
        assert!(matches!(take_kept(whole), Turn::Gone));
        assert!(super::is_with_another(0x1900, OTHER) && half_free.is_due());
        drop(half_free);
        assert!(!super::is_with_another(0x1900, OTHER));
    }
}
