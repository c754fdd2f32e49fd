//! Gives objects their ids: the JVMTI tag is the id. [`untagged`] has those whose tag is still to be set, [`kept_ids`]
//! those that may not die yet. Which ids are in use is in [`crate::model::tables`].
//!
//! A line belongs here if it gives an object an id, or looks for the one that it has.
//!
//! Longer than most: the ways to one, each a few lines, keep the same order of births and walks.

pub(crate) mod kept_ids;
pub(crate) mod untagged;

use std::cell::Cell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use event_translate::EventKind;
use id_map::{Begin, Kind, ObjectId};
use jvmpi_headers::jvmpi::jobjectID;
use once_cell::sync::OnceCell;
use protocols::heap_walk::HeapWalks;

use crate::base::log;
use crate::base::patience;
use crate::base::progress;
use crate::model::tables::{CLAIMS, Claimed, IDS, NUMBERS, SUSPENDED, THREADS, VIRTUAL_THREADS};
use crate::model::thread::native_thread::NativeThread;
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::os::{asymmetric_fence, cpu_clock};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::heap::weak_slots;
use crate::vm::hotspot::virtual_threads::mounts::{self, ThreadIdentifier};
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};
use crate::vm::this_vm::{self, Phase};

/// The object's id; a new one if it had none. `None` when the VM refuses (too
/// early, or a dead object) or all ids are used up, and of a value object: an id stands for an identity.
/// Those have one while a dump that has them is read.
///
/// # Threads
/// Any; several threads that meet an object for the first time agree on one id
/// ([`id_map::Claims`]).
pub(crate) fn id_of(jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>, kind: Kind) -> Option<ObjectId> {
    if let Some(id) = tagged(jvmti, object)? {
        return Some(id);
    }
    if kind == Kind::Object && !jni.has_identity(object) {
        return None;
    }
    look_at_growth(jvmti, jni);
    if let Some(class) = untagged::class_of(jvmti, jni, object) {
        seek(jvmti, jni, class);
    }
    let _giving = Giving::begin();
    let set_tag = |id: ObjectId| jvmti.set_tag(object, id.raw()).is_ok();
    if let Some(identifier) = mounts::identifier_of_virtual(jni, object) {
        let known = || id_of_virtual(jvmti, jni, object, identifier);
        return known().or_else(|| {
            HAVE_TAGS.store(true, Ordering::SeqCst);
            let claimed = Claimed::VirtualThread(identifier);
            give(jni, kind, hash_of(identifier), claimed, known, set_tag)
        });
    }
    if let Some(id) = tagged(jvmti, object)? {
        return Some(id);
    }
    let hash = jvmti.hash_code(object).ok()?;
    let claimed = Claimed::Object(Global::new(jni, object)?);
    let known = || tagged(jvmti, object).flatten();
    give(jni, kind, hash, claimed, known, set_tag)
}

/// In place of the hash code of its object, which would have to be made.
fn hash_of(thread: ThreadIdentifier) -> i32 {
    (thread.0 & u64::from(u32::MAX) >> 1) as i32
}

// ---- virtual threads: there may be very many, and a tag takes some 50 bytes of the VM's and time ----

/// Virtual threads may have tags before they are met.
static HAVE_TAGS: AtomicBool = AtomicBool::new(false);

/// The id of the calling virtual thread, which has none yet. It goes without a tag if `owes_tag` is
/// called with the id: then its record leads to that.
pub(super) fn id_of_calling(
    jvmti: Jvmti,
    jni: Jni,
    object: ObjectRef<'_>,
    identifier: ThreadIdentifier,
    owes_tag: impl FnOnce(ObjectId),
) -> Option<ObjectId> {
    look_at_growth(jvmti, jni);
    let _giving = Giving::begin();
    let allocated = wanted::ever_wanted().contains(EventKind::ObjectAlloc);
    // In the claim: whoever has given it a tag has said so before its own.
    let may_have_tag = || allocated || HAVE_TAGS.load(Ordering::SeqCst);
    let known = || {
        may_have_tag()
            .then(|| tagged(jvmti, object).flatten())
            .flatten()
    };
    let note = |id: ObjectId| {
        if weak_slots::can_tell(jni, object) {
            owes_tag(id);
            return true;
        }
        jvmti.set_tag(object, id.raw()).is_ok()
    };
    let claimed = Claimed::VirtualThread(identifier);
    give(jni, Kind::Thread, hash_of(identifier), claimed, known, note)
}

/// The id that a virtual thread has, with a tag or without; by another thread that has its object.
fn id_of_virtual(
    jvmti: Jvmti,
    jni: Jni,
    object: ObjectRef<'_>,
    identifier: ThreadIdentifier,
) -> Option<ObjectId> {
    let tag = || tagged(jvmti, object).flatten();
    tag()
        .or_else(|| {
            let thread = VIRTUAL_THREADS.get(identifier.0)?;
            let id = thread.known_id()?;
            // Who has its object asks again.
            give_owed_tag(jvmti, &thread);
            Some(id)
        })
        .or_else(|| {
            untagged::tag_ended(jvmti, jni);
            tag()
        })
}

/// A virtual thread that has an id and no tag gets that.
fn give_owed_tag(jvmti: Jvmti, thread: &Thread) {
    let Some(id) = thread.pays_tag() else { return };
    let Some(object) = thread.object() else {
        return;
    };
    match jvmti.set_tag(object.get(), id.raw()) {
        Ok(()) => {
            thread.has_paid();
        }
        // It was parked, and nobody could reach it.
        Err(_) if thread.is_collected() => {
            if thread.has_paid() {
                IDS.note_dead(id);
            }
        }
        Err(error) => log::warn_once!("{error}; the object of a virtual thread has no tag yet"),
    }
}

/// A virtual thread ends, and its object may live on.
pub(super) fn ends(jvmti: Jvmti, jni: Jni, thread: &Thread) {
    let _giving = Giving::begin();
    let Some(id) = thread.goes_without_tag() else {
        // Whoever is giving it one may be late.
        give_owed_tag(jvmti, thread);
        return;
    };
    if let Some(object) = thread.object()
        && !untagged::note_ended(jni, object.get(), id)
        && let Err(error) = jvmti.set_tag(object.get(), id.raw())
    {
        log::warn_once!("{error}; a thread gets no OBJECT_FREE");
    }
}

/// An object that has no tag, or just now got one: the id that is `known` meanwhile, or a new one,
/// which `note` writes down.
fn give(
    jni: Jni,
    kind: Kind,
    hash: i32,
    claimed: Claimed,
    known: impl Fn() -> Option<ObjectId>,
    note: impl FnOnce(ObjectId) -> bool,
) -> Option<ObjectId> {
    // There may be very many threads.
    let taken = |own: &Thread| (kind == Kind::Thread).then(|| IDS.take(&own.native().supply, kind));
    let taken = current::with_own(taken).flatten().flatten();
    let Some(own) = taken.or_else(|| IDS.allocate(kind)) else {
        log::warn_once!("all object ids are used up; new objects get none");
        return None;
    };
    let claimed = Arc::new(claimed);
    let mut seen = Vec::new();
    while let Begin::Compare(others) = CLAIMS.begin(hash, own, &claimed, &seen) {
        for (other, its) in others {
            if its.is(jni, &claimed) {
                IDS.release(own);
                return known().or(Some(other));
            }
            seen.push(other);
        }
    }
    let first = known();
    let noted = first.is_none() && note(own);
    CLAIMS.end(own);
    if !noted {
        IDS.release(own);
        return first;
    }
    Some(own)
}

/// The id the object has already; the outer `None` means the VM refused.
pub(crate) fn tagged(jvmti: Jvmti, object: ObjectRef<'_>) -> Option<Option<ObjectId>> {
    jvmti.tag(object).ok().map(ObjectId::from_raw)
}

/// An id as agents hold it.
pub(crate) fn object_id(id: Option<ObjectId>) -> jobjectID {
    id.and_then(|id| usize::try_from(NUMBERS.outward(id).raw()).ok())
        .map_or(ptr::null_mut(), ptr::without_provenance_mut)
}

/// The id that an agent names; `None` for a number that no id has, or has any more.
pub(crate) fn named(number: usize) -> Option<ObjectId> {
    NUMBERS.inward(ObjectId::from_raw(number as u64)?)
}

/// The arena of new objects; set by the arena model, between brackets.
static NURSERY: AtomicU8 = AtomicU8::new(1);

/// Where objects are born from now on.
pub(crate) fn set_nursery(arena: u8) {
    NURSERY.store(arena, Ordering::Release);
}

/// Where objects are born now.
#[inline]
pub(crate) fn nursery() -> u8 {
    // Relaxed: of which arena is the best guess; and a limit for one of those who get there.
    NURSERY.load(Ordering::Relaxed)
}

// ---- growth --------------------------------------------------------------------

static ON_GROWTH: OnceCell<fn(Jvmti, Jni)> = OnceCell::new();

/// What gives back the dead when there is more of something: put in at load.
pub(crate) fn on_growth(reclaim: fn(Jvmti, Jni)) {
    let _ = ON_GROWTH.set(reclaim);
}

/// There are some hundred ids, or natives with thunks, more.
pub(crate) fn grown(jvmti: Jvmti, jni: Jni) {
    if let Some(reclaim) = ON_GROWTH.get() {
        reclaim(jvmti, jni);
    }
}

fn look_at_growth(jvmti: Jvmti, jni: Jni) {
    /// So many ids more: what is dead by then takes less than a megabyte.
    const STEP: u32 = 512;
    /// With so many ids it is time.
    static LIMIT: AtomicU32 = AtomicU32::new(4 * STEP);
    let limit = LIMIT.load(Ordering::Relaxed);
    let extent = IDS.extent();
    if extent < limit || this_vm::phase() != Phase::Live {
        return;
    }
    let next = extent.saturating_add(STEP);
    if LIMIT
        .compare_exchange(limit, next, Ordering::Relaxed, Ordering::Relaxed)
        .is_ok()
    {
        grown(jvmti, jni);
    }
}

// ---- walks of the heap: [`protocols::heap_walk`] ------------------------------

static WALKS: HeapWalks = HeapWalks::new();

thread_local! {
    /// The VM makes objects for a walk, on its thread and before it begins: those that
    /// compiled code has put off making.
    static IS_WALKING: Cell<bool> = const { Cell::new(false) };
}

/// The right to give an object an id: one that a walk met meanwhile would have two.
pub(crate) struct Giving;

impl Giving {
    /// Waits for the end of a walk that gets on: the walk's thread may have been stopped, by
    /// the very thread that waits here. The body must neither call an agent nor walk.
    pub(crate) fn begin() -> Self {
        let begun = || WALKS.try_give(|| IS_WALKING.get());
        if !begun() && !patience::HEAP_WALK.until(begun) {
            // It may have been stopped.
            WALKS.try_give(|| true);
        }
        Self
    }
}

impl Drop for Giving {
    fn drop(&mut self) {
        WALKS.has_given();
    }
}

/// The right to give an object an id at once, without a look whether it has one.
pub(crate) struct GivingAtOnce<'a>(&'a NativeThread);

impl<'a> GivingAtOnce<'a> {
    /// Before the gate is entered.
    #[inline]
    pub(crate) fn note(own: &'a Thread) -> Self {
        let native = own.native();
        native.gifts.note();
        Self(native)
    }

    /// Behind the gate: itself, unless the thread must look.
    #[inline]
    pub(crate) fn if_allowed(self) -> Option<Self> {
        let may = WALKS.are_over() && !self.0.gifts.must_look();
        may.then_some(self)
    }
}

impl Drop for GivingAtOnce<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.gifts.strike();
    }
}

/// While this lives only a walk gives ids.
pub(crate) struct Walking;

impl Walking {
    /// Waits for those who are giving one; not long if the agent may have stopped one. Then all
    /// objects that have an id have a tag.
    pub(crate) fn begin(jvmti: Jvmti, jni: Jni) -> Self {
        let walking = Self::alone();
        // What it meets and nobody knows gets one.
        HAVE_TAGS.store(true, Ordering::SeqCst);
        for thread in VIRTUAL_THREADS.snapshot() {
            progress::note();
            give_owed_tag(jvmti, &thread);
        }
        untagged::tag_ended(jvmti, jni);
        untagged::tag_all(jvmti, jni);
        walking
    }

    /// Only that others give none; who is giving one is waited for.
    fn alone() -> Self {
        WALKS.begin();
        IS_WALKING.set(true);
        for thread in THREADS.snapshot() {
            thread.native().gifts.ask_to_look();
        }
        asymmetric_fence::heavy();
        let gives = || WALKS.anybody_gives() || THREADS.any(|thread| thread.native().gifts.gives());
        let patience = match SUSPENDED.any(|_| true) {
            true => patience::GIVERS_BESIDE_STOPPED,
            false => patience::GIVERS,
        };
        patience.until(|| !gives());
        Self
    }
}

/// All objects of this class that have an id have a tag from now on, and all that are born; or, where single classes are
/// not to be looked for any more, those of all classes.
fn seek(jvmti: Jvmti, jni: Jni, class: ObjectId) {
    if !untagged::may_look_for_class() {
        drop(Walking::begin(jvmti, jni));
        return;
    }
    let begin = cpu_clock::nanos();
    // The class is marked as sought only behind this: until then others look, too, and do not give it another id.
    let _walking = Walking::alone();
    untagged::tag_class(jvmti, jni, class, begin);
}

/// All objects that have an id have a tag from now on, but for virtual threads; before other threads are stopped, and what
/// they hold is named.
pub(crate) fn tag_all(jvmti: Jvmti, jni: Jni) {
    untagged::tag_ended(jvmti, jni);
    if untagged::any() {
        drop(Walking::begin(jvmti, jni));
    }
}

impl Drop for Walking {
    fn drop(&mut self) {
        IS_WALKING.set(false);
        WALKS.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::GivingAtOnce;
    use crate::model::thread::{Thread, current};
    use crate::vm::hotspot::virtual_threads::mounts::ThreadIdentifier;

    /// The walk asks threads of the operating system, and a virtual thread may be in the middle of
    /// an allocation.
    #[test]
    fn a_virtual_thread_looks_where_a_walk_has_asked_its_carrier() {
        let carrier = Arc::new(Thread::new(16));
        let mounted = Arc::new(Thread::of_virtual(ThreadIdentifier(7), None));
        let gifts = &carrier.native().gifts;
        while gifts.must_look() {
            gifts.looks();
        }
        current::carry(&carrier, Some(&mounted));
        assert!(GivingAtOnce::note(&mounted).if_allowed().is_some());
        gifts.ask_to_look();
        assert!(GivingAtOnce::note(&mounted).if_allowed().is_none());
        current::carry_no_more();
        current::clear();
    }
}
