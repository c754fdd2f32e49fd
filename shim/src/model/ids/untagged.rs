//! Objects that have an id and no tag: a weak reference of ours tells when one is dead.
//!
//! A tag for each object is what costs most in an allocation: the VM has one table of them, with
//! one lock, in which the dead have to be looked for after each collection and are then told of
//! one by one (JVMTI facts 36). A weak reference is made in a fraction of that time, and looked at
//! once in each collection. But from the object it does not lead to the id. So objects are born
//! without a tag until somebody has an object and wants its id. If that is a monitor or another single
//! one, those of its class that live get their tags, and from then on all of it that are born
//! ([`tag_class`]): classes of monitors are few, and seldom those of which there are many objects. For a walk over
//! the heap, and once looking for classes has taken too long, all of all classes do ([`tag_all`]).
//!
//! Threads and what else is asked for by the object in most runs have tags from the start
//! ([`Flag::SOUGHT`]); but for virtual threads, whose records lead to their ids as long as they live
//! (`owes_tag` of [`Thread`](crate::model::thread::Thread)). Those that have ended are here.
//!
//! # Threads
//! Any; one at a time looks at the references, the others wait for it or go without.
#![allow(unsafe_code, reason = "references kept as numbers")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use event_translate::{EventKind, EventSet};
use id_map::{Births, Flag, ObjectId, Watched};
use parking_lot::Mutex;

use crate::base::guards::Turn;
use crate::base::{log, patience, progress};
use crate::model::tables::IDS;
use crate::model::wanted;
use crate::os::ticks::nanos;
use crate::os::{asymmetric_fence, cpu_clock};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::heap::weak_slots;
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, Weak};

static WATCHED: Watched = Watched::new();
/// Virtual threads that have ended.
static ENDED: Watched = Watched::new();
/// Where the next of them is put; they end on any carrier.
static ENDS: Mutex<Births> = Mutex::new(Births::new());
/// Objects are born with tags.
static TAGS: AtomicBool = AtomicBool::new(false);
/// There may be objects with an id and no tag.
static UNTAGGED: AtomicBool = AtomicBool::new(false);
/// Not all were looked at since the last look at all.
static BEHIND: AtomicBool = AtomicBool::new(false);
/// Somebody looks at the references.
static LOOKING: AtomicBool = AtomicBool::new(false);

/// An object was born, and has its id: whether it goes without a tag. `births` is the calling
/// thread's.
#[inline]
pub(crate) fn note(births: &mut Births, jni: Jni, object: ObjectRef<'_>, id: ObjectId) -> bool {
    // Relaxed: a hint here and below; what is to be right looks at TAGS once more, and whoever
    // looks has the turn.
    if TAGS.load(Ordering::Relaxed) || !weak_slots::can_tell(jni, object) {
        return false;
    }
    let Some(weak) = Weak::new(jni, object) else {
        return false;
    };
    let number = weak.into_number();
    let added = WATCHED.add(births, number, id);
    // A walk waits for us before it looks at the references. One that has lost patience does not: then
    // it sees this one, or we see here what it has changed, and our caller whether the class is
    // sought. Partners: [`tag_all`], [`tag_class`].
    asymmetric_fence::light();
    if !added {
        drop(weak_of(number));
    } else if !UNTAGGED.load(Ordering::SeqCst) || TAGS.load(Ordering::SeqCst) {
        // The latter where all have got tags since it was read above: this one may have none.
        UNTAGGED.store(true, Ordering::SeqCst);
    }
    added
}

/// A virtual thread ends that has this id and no tag; false if it must have one.
pub(super) fn note_ended(jni: Jni, thread: ObjectRef<'_>, id: ObjectId) -> bool {
    let Some(weak) = Weak::new(jni, thread) else {
        return false;
    };
    let number = weak.into_number();
    let added = ENDED.add(&mut ENDS.lock(), number, id);
    if !added {
        drop(weak_of(number));
    }
    added
}

/// What stands in [`WATCHED`] or [`ENDED`], whoever looks there ([`LOOKING`]), or was not put in.
fn weak_of(number: usize) -> Option<Weak> {
    // SAFETY: each number that is put in is of a reference of its own, and taken out by the one
    // who looks, when that one drops the reference.
    unsafe { Weak::of_number(number) }
}

/// Whether there may be objects without tags.
pub(crate) fn any() -> bool {
    UNTAGGED.load(Ordering::SeqCst)
}

/// Whether deaths may have been left for a later look ([`look_for_dead`]).
pub(crate) fn is_behind() -> bool {
    BEHIND.load(Ordering::Relaxed)
}

/// The class of this object, which has no tag, if it may be one of them.
pub(super) fn class_of(jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>) -> Option<ObjectId> {
    let class = any().then(|| jni.class_of(object)).flatten()?;
    let id = ObjectId::from_raw(jvmti.tag(class.get()).ok()?)?;
    (IDS.has(id, Flag::READY) && !IDS.has(id, Flag::SOUGHT)).then_some(id)
}

/// Marks the ids of those that have died ([`id_map::ObjectTable::note_dead`]); with `all`, of all
/// of them, else of those that were looked for with little effort: who has been there for long is
/// looked at so that it takes a twentieth of the time.
pub(crate) fn look_for_dead(all: bool) {
    /// Nanoseconds that the last look at all took.
    static COST: AtomicU64 = AtomicU64::new(0);
    static LAST: AtomicU64 = AtomicU64::new(0);
    const SHARE: u64 = 20;
    if !WATCHED.any() && !ENDED.any() {
        return;
    }
    let Some(_turn) = (if all {
        patience::LOOK_AT_REFERENCES.until_some(|| Turn::take(&LOOKING))
    } else {
        Turn::take(&LOOKING)
    }) else {
        return;
    };
    let begin = nanos();
    let since = begin.saturating_sub(LAST.load(Ordering::Relaxed));
    let all = all || since > COST.load(Ordering::Relaxed) * SHARE;
    let mut seen = 0_u32;
    let mut lives = |number, id| {
        get_on(&mut seen);
        match weak_of(number).filter(|weak| !weak_slots::is_cleared(weak)) {
            Some(weak) => {
                weak.into_number();
                true
            }
            None => {
                IDS.note_dead(id);
                false
            }
        }
    };
    let old = WATCHED.look(all, &mut lives) + ENDED.look(all, &mut lives);
    BEHIND.store(!all, Ordering::Relaxed);
    if all && old > 0 {
        let end = nanos();
        COST.store(end - begin, Ordering::Relaxed);
        LAST.store(end, Ordering::Relaxed);
    }
}

/// Nobody needs them any more: the references are given back. Whose callback is under way may still
/// add the one that it has in hand, which stays.
pub(crate) fn forget_all() {
    TAGS.store(true, Ordering::SeqCst);
    if let Some(_turn) = patience::LOOK_AT_REFERENCES.until_some(|| Turn::take(&LOOKING)) {
        let forget = |number, _| {
            drop(weak_of(number));
            false
        };
        WATCHED.look(true, forget);
        ENDED.look(true, forget);
    }
}

/// Events whose objects come as references, and are of any class: who wants them has tags at once, and needs no
/// sweep. Monitors are not among them: they are of few classes, which are looked for one by one.
pub(crate) const NAMED_BY_REFERENCE: EventSet = EventSet::of(&[
    EventKind::MethodEntry2,
    EventKind::JniGlobalrefAlloc,
    EventKind::JniWeakGlobalrefAlloc,
]);

/// Nanoseconds of CPU time for which objects of single classes were looked for.
static SPENT: AtomicU64 = AtomicU64::new(0);

/// Whether they may be looked for class by class once more: so much time in all is a fraction of what tags
/// for all objects take. Not beside events that name objects of any class: they would look for each of these.
pub(super) fn may_look_for_class() -> bool {
    const ENOUGH: u64 = 500_000_000;
    // Relaxed: a budget, of which a little more may be spent.
    SPENT.load(Ordering::Relaxed) < ENOUGH && !wanted::wanted().intersects(NAMED_BY_REFERENCE)
}

/// Gives each of a class its tag, unless another thread has meanwhile; those that are born have theirs since
/// it is marked as [`Flag::SOUGHT`]. This is looked for since `begin`, in nanoseconds of the thread's CPU time.
///
/// # Threads
/// One that keeps others from giving ids.
pub(super) fn tag_class(jvmti: Jvmti, jni: Jni, class: ObjectId, begin: u64) {
    let shape = IDS.ready_shape(class);
    let is_its = |id| IDS.get(id).is_some_and(|entry| entry.shape == shape);
    let mark = || {
        let is_new = !IDS.has(class, Flag::SOUGHT);
        IDS.set(class, Flag::SOUGHT);
        // Partner: [`note`], behind which a birth looks whether it is marked.
        asymmetric_fence::heavy();
        is_new
    };
    let tagged = tag_each(jvmti, jni, &WATCHED, is_its, mark);
    let spent = cpu_clock::nanos().saturating_sub(begin);
    // Relaxed: as above.
    SPENT.fetch_add(spent, Ordering::Relaxed);
    if let Some(tagged) = tagged {
        log::info!(
            "objects of one more class are asked for their ids: {tagged} got tags in {} us",
            spent / 1000
        );
    }
}

/// Gives each its tag, and all that are born from now on.
///
/// # Threads
/// One that keeps others from giving ids ([`crate::model::ids::Walking`]).
pub(super) fn tag_all(jvmti: Jvmti, jni: Jni) {
    if !any() {
        return;
    }
    let first = !TAGS.swap(true, Ordering::SeqCst);
    let begin = Instant::now();
    let tagged = tag_each(
        jvmti,
        jni,
        &WATCHED,
        |_| true,
        || {
            UNTAGGED.store(false, Ordering::SeqCst);
            // Partner: [`note`].
            asymmetric_fence::heavy();
            true
        },
    );
    if first && let Some(tagged) = tagged {
        log::info!(
            "objects are asked for their ids: {tagged} got tags in {} ms",
            begin.elapsed().as_millis()
        );
    }
}

/// Gives the virtual threads that have ended their tags.
pub(super) fn tag_ended(jvmti: Jvmti, jni: Jni) {
    if ENDED.any() {
        tag_each(jvmti, jni, &ENDED, |_| true, || true);
    }
}

/// How many of those that are meant have got their tags; `None` if there is nothing to do, which `begin` says when it is
/// the calling thread's turn, or somebody looks at them and does not come to an end.
fn tag_each(
    jvmti: Jvmti,
    jni: Jni,
    watched: &Watched,
    is_meant: impl Fn(ObjectId) -> bool,
    begin: impl FnOnce() -> bool,
) -> Option<u64> {
    let Some(_turn) = patience::LOOK_AT_REFERENCES.until_some(|| Turn::take(&LOOKING)) else {
        log::warn_once!(
            "who looks at weak references does not come to an end; some objects get a second id"
        );
        return None;
    };
    if !begin() {
        return None;
    }
    let (mut tagged, mut seen) = (0, 0);
    watched.look(true, |number, id| {
        get_on(&mut seen);
        if !is_meant(id) {
            return true;
        }
        let Some(weak) = weak_of(number) else {
            return false;
        };
        let Some(object) = weak.upgrade(jni) else {
            IDS.note_dead(id);
            return false;
        };
        tagged += 1;
        let tag = jvmti.tag(object.get()).unwrap_or(0);
        if tag != 0 && tag != id.raw() {
            // Its thread was stopped before the reference could be seen, and it has got another
            // id: both die when it does.
            weak.into_number();
            return true;
        }
        if let Err(error) = jvmti.set_tag(object.get(), id.raw()) {
            log::warn_once!("{error}; an object gets no OBJECT_FREE");
        }
        false
    });
    Some(tagged)
}

/// Whoever waits has patience as long as it goes on.
fn get_on(seen: &mut u32) {
    const OFTEN: u32 = 1 << 14;
    *seen = seen.wrapping_add(1);
    if seen.is_multiple_of(OFTEN) {
        progress::note();
    }
}
