//! Gives objects their ids: the JVMTI tag is the id.

use std::cell::Cell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use id_map::{Begin, Kind, ObjectId};
use jvmpi_headers::jvmpi::jobjectID;
use once_cell::sync::OnceCell;
use protocols::heap_walk::HeapWalks;

use crate::base::log;
use crate::base::patience;
use crate::model::claimed::Claimed;
use crate::model::current;
use crate::model::native_thread::NativeThread;
use crate::model::tables::{CLAIMS, IDS, NUMBERS, THREADS};
use crate::model::thread::Thread;
use crate::model::untagged;
use crate::os::asymmetric_fence;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::mounts::{self, ThreadIdentifier};
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, ObjectRef};
use crate::vm::this_vm::{self, Phase};

/// The object's id; a new one if it had none. `None` when the VM refuses (too
/// early, or a dead object) or all ids are used up.
///
/// # Threads
/// Any; several threads that meet an object for the first time agree on one id
/// ([`id_map::Claims`]).
pub(crate) fn id_of(jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>, kind: Kind) -> Option<ObjectId> {
    if let Some(id) = tagged(jvmti, object)? {
        return Some(id);
    }
    look_at_growth(jvmti, jni);
    if untagged::may_be(jvmti, jni, object) {
        drop(Walking::begin(jvmti, jni));
    }
    let _giving = Giving::begin();
    if let Some(id) = tagged(jvmti, object)? {
        return Some(id);
    }
    let (hash, claimed) = match mounts::identifier_of_virtual(jni, object) {
        Some(identifier) => (hash_of(identifier), Claimed::VirtualThread(identifier)),
        None => (
            jvmti.hash_code(object).ok()?,
            Claimed::Object(Global::new(jni, object)?),
        ),
    };
    give(jvmti, jni, object, kind, hash, claimed)
}

/// In place of the hash code of its object, which would have to be made.
fn hash_of(thread: ThreadIdentifier) -> i32 {
    (thread.0 & u64::from(u32::MAX) >> 1) as i32
}

/// The id of a virtual thread, from the thread itself.
pub(super) fn id_of_virtual_thread(
    jvmti: Jvmti,
    jni: Jni,
    object: ObjectRef<'_>,
    identifier: ThreadIdentifier,
) -> Option<ObjectId> {
    let _giving = Giving::begin();
    let claimed = Claimed::VirtualThread(identifier);
    give(
        jvmti,
        jni,
        object,
        Kind::Thread,
        hash_of(identifier),
        claimed,
    )
}

/// An object that has no tag, or just now got one.
fn give(
    jvmti: Jvmti,
    jni: Jni,
    object: ObjectRef<'_>,
    kind: Kind,
    hash: i32,
    claimed: Claimed,
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
                return Some(tagged(jvmti, object)?.unwrap_or(other));
            }
            seen.push(other);
        }
    }
    let first = tagged(jvmti, object).flatten();
    let tagged = first.is_some() || jvmti.set_tag(object, own.raw()).is_ok();
    CLAIMS.end(own);
    if let Some(first) = first {
        IDS.release(own);
        return Some(first);
    }
    if !tagged {
        IDS.release(own);
    }
    tagged.then_some(own)
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
    /// Waits for those who are giving one; not long, since an agent may have stopped one. Then all
    /// objects that have an id have a tag.
    pub(crate) fn begin(jvmti: Jvmti, jni: Jni) -> Self {
        WALKS.begin();
        IS_WALKING.set(true);
        for thread in THREADS.snapshot() {
            thread.native().gifts.ask_to_look();
        }
        asymmetric_fence::heavy();
        let gives = || WALKS.anybody_gives() || THREADS.any(|thread| thread.native().gifts.gives());
        patience::GIVERS.until(|| !gives());
        let walking = Self;
        untagged::tag_all(jvmti, jni);
        walking
    }
}

/// All objects that have an id have a tag from now on; before other threads are stopped, and what
/// they hold is named.
pub(crate) fn tag_all(jvmti: Jvmti, jni: Jni) {
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
    use crate::model::current;
    use crate::model::thread::Thread;
    use crate::vm::hotspot::mounts::ThreadIdentifier;

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
