//! Objects: OBJECT_ALLOC, and how an id gets to stand for one.
//!
//! The fast path, [`allocated`] for an object of a class that the agent knows, on
//! a thread that it knows, takes no lock and asks the VM for one tag and one weak reference
//! ([`crate::model::ids::untagged`]), or sets a tag.
//! Everything else takes the slow path.

use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId};
use jvmpi_headers::jvmpi::JVMPI_Event_obj_alloc;

use crate::agent::table;
use crate::base::{config, log};
use crate::delivery::announce::object_alloc::shown_class;
use crate::delivery::announce::plan::Definition;
use crate::delivery::announce::{self};
use crate::delivery::deferred;
use crate::delivery::dispatch::{self};
use crate::delivery::gate;
use crate::model::ids::{self, Giving, GivingAtOnce, untagged};
use crate::model::tables::IDS;
use crate::model::thread::{Thread, attention, current};
use crate::model::{classes, threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// SampledObjectAlloc.
#[inline]
pub(crate) fn allocated(
    jvmti: Jvmti,
    jni: Jni,
    thread: Option<ObjectRef<'_>>,
    object: ObjectRef<'_>,
    class: ObjectRef<'_>,
    size: u32,
) {
    if !wanted::wants(EventKind::ObjectAlloc) {
        // Or the next clone would be taken for the last object that had an event.
        // Relaxed: the thread's own.
        current::with_own(|own| own.native().last_allocated.store(0, Ordering::Relaxed));
        return;
    }
    let done = current::with_own(|own| {
        if own.attention() != 0 {
            return false;
        }
        let giving = GivingAtOnce::note(own);
        // The barrier is in here.
        let (open, inside) = gate::enter(own);
        let told = match giving.if_allowed().filter(|_| open) {
            Some(giving) => tell_of(jvmti, jni, own, giving, object, class, size),
            None => Attempt::No,
        };
        dispatch::leave(inside);
        match told {
            Attempt::Yes => true,
            Attempt::Later { id, last } => {
                IDS.set(id, Flag::PICKED);
                announce::allocation(own, id);
                own.native().last_allocated.store(last, Ordering::Relaxed);
                true
            }
            Attempt::No => false,
        }
    });
    if done != Some(true) {
        allocated_otherwise(jvmti, jni, thread, object, class, size);
    }
}

/// What the fast path has come to.
enum Attempt {
    Yes,
    /// The object has its id, but a bracket has gone on without this thread: the VM has
    /// kept it too long.
    Later {
        id: ObjectId,
        last: u64,
    },
    /// Nothing is done; there is something to do first.
    No,
}

/// The fast path.
#[inline]
fn tell_of(
    jvmti: Jvmti,
    jni: Jni,
    own: &Thread,
    giving: GivingAtOnce<'_>,
    object: ObjectRef<'_>,
    class: ObjectRef<'_>,
    size: u32,
) -> Attempt {
    if table::notify_event().is_none() {
        return Attempt::No;
    }
    let Some(class) = jvmti.tag(class).ok().and_then(ObjectId::from_raw) else {
        return Attempt::No;
    };
    let Some(shape) = IDS.ready_shape(class) else {
        return Attempt::No;
    };
    let arena = ids::nursery();
    let Some(id) = IDS.take_described(&own.native().supply, shape, size, arena) else {
        return Attempt::No;
    };
    let is_sought = || IDS.has(class, Flag::SOUGHT);
    let has_tag = wanted::wanted().intersects(untagged::NAMED_BY_REFERENCE)
        || is_sought()
        || current::with_cell(
            own,
            |own| &own.native().births,
            |births| untagged::note(births, jni, object, id),
        ) != Some(true);
    if has_tag && jvmti.set_tag(object, id.raw()).is_err() {
        IDS.release(id);
        return Attempt::Yes;
    }
    // Who looks for those of this class may have lost patience with this thread, and have missed this one: whoever asks
    // for one of them next looks again. The fence is in `note`; its partner, in `untagged::tag_class`.
    if !has_tag && is_sought() {
        IDS.clear(class, Flag::SOUGHT);
    }
    // What has no tag loses none.
    let last = if has_tag { id.raw() } else { 0 };
    if gate::is_in_bracket() {
        return Attempt::Later { id, last };
    }
    // As long as no walk can find it: nobody else knows it yet.
    IDS.set_fresh(id, Flag::BORN);
    drop(giving);
    let mut event = dispatch::blank(EventKind::ObjectAlloc.raw(), own);
    event.u.obj_alloc = JVMPI_Event_obj_alloc {
        arena_id: i32::from(arena),
        class_id: ids::object_id(shown_class(shape)),
        is_array: i32::from(shape.array),
        size: size.cast_signed(),
        obj_id: ids::object_id(Some(id)),
    };
    if !dispatch::notify(&mut event) {
        // Whatever names it first has it told of after all.
        IDS.clear(id, Flag::ANNOUNCED);
    }
    own.native().last_allocated.store(last, Ordering::Relaxed);
    Attempt::Yes
}

/// The slow path.
#[cold]
fn allocated_otherwise(
    jvmti: Jvmti,
    jni: Jni,
    thread: Option<ObjectRef<'_>>,
    object: ObjectRef<'_>,
    class: ObjectRef<'_>,
    size: u32,
) {
    let Some(own) = threads::enter(jni, thread) else {
        return;
    };
    own.native().last_allocated.store(0, Ordering::Relaxed);
    let attention = own.attention();
    if attention & attention::SILENT != 0 {
        // Relaxed: its own thread's alone.
        own.native().silent.fetch_add(1, Ordering::Relaxed);
        return;
    }
    if !dispatch::reaches_agent(EventKind::ObjectAlloc) {
        return;
    }
    gate::wait_for_replay(&own);
    let attaching = threads::is_attaching(jvmti, &own, thread);
    if !attaching {
        if attention & attention::UNMET != 0 {
            announce::introduce(jvmti, jni, &own);
        }
        deferred::flush(jvmti, jni, &own);
    }
    own.native().gifts.looks();
    let Some(class) = classes::of(jvmti, jni, class) else {
        return;
    };
    if classes::is_class_of_classes(class.id) {
        // A mirror: CLASS_LOAD defines it (JVMPI facts B.0).
        return;
    }
    if !attaching {
        announce::instances_of(jvmti, jni, &own, &class);
    }
    let Some(shape) = IDS.get(class.id).and_then(|entry| entry.shape) else {
        return;
    };
    // The replay may have come before us, and a thread's own object has got its id
    // with the THREAD_START just now.
    let giving = Giving::begin();
    let tagged = ids::tagged(jvmti, object).flatten();
    if let Some(id) = tagged
        && IDS.get(id).is_none_or(|entry| entry.shape.is_some())
    {
        IDS.set(id, Flag::PICKED);
        return;
    }
    let Some(id) = tagged.or_else(|| IDS.take(&own.native().supply, Kind::Object)) else {
        log::warn_once!("all object ids are used up; new objects get none");
        return;
    };
    let kind = IDS.kind_of(id).unwrap_or(Kind::Object);
    IDS.describe(id, kind, shape, size, ids::nursery());
    IDS.set(id, Flag::KEPT);
    IDS.set(id, Flag::PICKED);
    if tagged.is_none() && jvmti.set_tag(object, id.raw()).is_err() {
        IDS.release(id);
        return;
    }
    drop(giving);
    if attaching {
        Definition::Object(id).keep(&own);
    } else {
        announce::allocation(&own, id);
    }
    own.native()
        .last_allocated
        .store(id.raw(), Ordering::Relaxed);
}

// ---- the tag that clone loses ---------------------------------------------

/// VMObjectAlloc: from JDK 21 on, `clone` copies the header of the original over
/// that of the new object, and with it the tag is lost (JVMTI facts 3). This comes
/// after the copy.
pub(crate) fn allocated_by_vm(jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>, size: u32) {
    let last = current::with_own(|own| own.native().last_allocated.swap(0, Ordering::Relaxed));
    let Some(id) = last.and_then(ObjectId::from_raw) else {
        return;
    };
    if jvmti.tag(object) != Ok(0) {
        return;
    }
    if IDS.get(id).is_some_and(|entry| entry.size == size) && is_that_one(jvmti, jni, object, id) {
        IDS.set(id, Flag::TWICE);
        if let Err(error) = jvmti.set_tag(object, id.raw()) {
            log::warn_once!("{error}; a cloned object gets no OBJECT_FREE");
        }
    }
}

/// Whether this is the last object that had an event. If not every object has one, it may be
/// another of its size; the VM still finds the right one by the tag that its header has lost.
fn is_that_one(jvmti: Jvmti, jni: Jni, object: ObjectRef<'_>, id: ObjectId) -> bool {
    config::options().alloc_interval == 0
        || jvmti
            .object_with_tag(jni, id.raw())
            .is_some_and(|found| jni.same(found.get(), object))
}
