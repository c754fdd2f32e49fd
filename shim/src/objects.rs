//! Objects: OBJECT_ALLOC, and how an id gets to stand for one.
//!
//! The short way, [`allocated`] for an object of a class that the agent knows, on
//! a thread that it knows, takes no lock and asks the VM for one tag and sets one.
//! Everything else takes the long way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use event_translate::class_name;
use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId, Shape};
use jvmpi_headers::jni::{jclass, jobject};
use jvmpi_headers::jvmpi::{JVMPI_Event_obj_alloc, JVMPI_REQUESTED_EVENT};

use crate::dispatch::{self, Patience, Sent};
use crate::ffi::{current, table};
use crate::ids::{Giving, GivingAtOnce, Walking};
use crate::jvmti::env::Jvmti;
use crate::jvmti::heap;
use crate::jvmti::jni::Jni;
use crate::jvmti::refs::Local;
use crate::kept::{self, Kept};
use crate::state::{self, CLASSES, IDS, THREADS_BY_ID};
use crate::threads::{self, Thread, attention};
use crate::{classes, gate, ids, log};

/// The arena of new objects; set by the arena model, between brackets.
static NURSERY: AtomicU8 = AtomicU8::new(1);

/// Where objects are born from now on.
pub(crate) fn set_nursery(arena: u8) {
    NURSERY.store(arena, Ordering::Release);
}

/// Where objects are born now.
pub(crate) fn nursery() -> u8 {
    NURSERY.load(Ordering::Relaxed)
}

/// SampledObjectAlloc.
#[inline]
pub(crate) fn allocated(
    jvmti: Jvmti,
    jni: Jni,
    thread: jobject,
    object: jobject,
    class: jclass,
    size: u32,
) {
    if !state::wants(EventKind::ObjectAlloc) {
        // Or the next clone would be taken for the last object that had an event.
        current::with_own(|own| own.last_allocated.store(0, Ordering::Relaxed));
        return;
    }
    let done = current::with_own(|own| {
        if own.attention() != 0 {
            return false;
        }
        let (inside, giving) = ids::give_at_once(own);
        let told = match giving {
            Some(giving) => tell_of(jvmti, own, giving, object, class, size),
            None => Told::No,
        };
        dispatch::leave(inside);
        match told {
            Told::Yes => true,
            Told::Later(id) => {
                send(own, id);
                own.last_allocated.store(id.raw(), Ordering::Relaxed);
                true
            }
            Told::No => false,
        }
    });
    if done != Some(true) {
        allocated_otherwise(jvmti, jni, thread, object, class, size);
    }
}

/// What the short way has come to.
enum Told {
    Yes,
    /// The object has its id, but a bracket has gone on without this thread: the VM has
    /// kept it too long.
    Later(ObjectId),
    /// Nothing is done; there is something to do first.
    No,
}

/// The short way.
#[inline]
fn tell_of(
    jvmti: Jvmti,
    own: &Thread,
    giving: GivingAtOnce<'_>,
    object: jobject,
    class: jclass,
    size: u32,
) -> Told {
    if table::notify_event().is_none() {
        return Told::No;
    }
    let class = jvmti.tag(class).ok().and_then(ObjectId::from_raw);
    let Some(shape) = class.and_then(|class| IDS.ready_shape(class)) else {
        return Told::No;
    };
    let arena = NURSERY.load(Ordering::Relaxed);
    let Some(id) = IDS.take_described(&own.supply, shape, size, arena) else {
        return Told::No;
    };
    if jvmti.set_tag(object, id.raw()).is_err() {
        IDS.release(id);
        return Told::Yes;
    }
    drop(giving);
    if gate::is_in_bracket() {
        return Told::Later(id);
    }
    IDS.set_fresh(id, Flag::ANNOUNCED);
    let mut event = dispatch::blank(EventKind::ObjectAlloc.raw(), own);
    event.u.obj_alloc = JVMPI_Event_obj_alloc {
        arena_id: i32::from(arena),
        class_id: dispatch::object_id(shown_class(shape)),
        is_array: i32::from(shape.array),
        size: size.cast_signed(),
        obj_id: dispatch::object_id(Some(id)),
    };
    dispatch::notify(&mut event);
    own.last_allocated.store(id.raw(), Ordering::Relaxed);
    Told::Yes
}

/// The long way.
#[cold]
fn allocated_otherwise(
    jvmti: Jvmti,
    jni: Jni,
    thread: jobject,
    object: jobject,
    class: jclass,
    size: u32,
) {
    let Some(own) = threads::enter(jni, thread) else {
        return;
    };
    own.last_allocated.store(0, Ordering::Relaxed);
    let attention = own.attention();
    if attention & attention::SILENT != 0 || !dispatch::reaches_agent(EventKind::ObjectAlloc) {
        return;
    }
    gate::wait_for_replay(&own);
    let unborn = attention & attention::UNMET != 0
        && state::wants(EventKind::ThreadStart)
        && !own.announced.is_done()
        && is_attaching(jvmti, thread);
    if attention & attention::UNMET != 0 && !unborn {
        dispatch::introduce(jvmti, jni, &own);
    }
    if !unborn {
        kept::flush(jvmti, jni, &own);
    }
    note_look(&own);
    let Some(class) = classes::of(jvmti, jni, class) else {
        return;
    };
    if classes::is_class_of_classes(class.id) {
        // A mirror: CLASS_LOAD defines it (JVMPI facts B.0).
        return;
    }
    if !unborn {
        classes::make_ready(jvmti, jni, &own, &class);
    }
    let Some(shape) = IDS.get(class.id).and_then(|entry| entry.shape) else {
        return;
    };
    // The replay may have come before us, and a thread's own object has got its id
    // with the THREAD_START just now.
    let giving = Giving::begin();
    let tagged = ids::tagged(jvmti, object).flatten();
    if tagged.is_some_and(|id| IDS.get(id).is_none_or(|entry| entry.shape.is_some())) {
        return;
    }
    let Some(id) = tagged.or_else(|| IDS.take(&own.supply, Kind::Object)) else {
        log::warn_once!("all object ids are used up; new objects get none");
        return;
    };
    let kind = IDS.kind_of(id).unwrap_or(Kind::Object);
    IDS.describe(id, kind, shape, size, NURSERY.load(Ordering::Relaxed));
    IDS.set(id, Flag::KEPT);
    if tagged.is_none() && jvmti.set_tag(object, id.raw()).is_err() {
        IDS.release(id);
        return;
    }
    drop(giving);
    if unborn {
        own.keep(Kept::Object(id));
    } else {
        send(&own, id);
    }
    own.last_allocated.store(id.raw(), Ordering::Relaxed);
}

/// A native thread in AttachCurrentThread: its first objects are made before its
/// ThreadStart (JVMTI facts 18).
pub(crate) fn is_attaching(jvmti: Jvmti, thread: jobject) -> bool {
    const ALIVE: i32 = 1;
    thread.is_null()
        || jvmti
            .thread_state(thread)
            .is_ok_and(|state| state & ALIVE == 0)
}

/// Sends the OBJECT_ALLOC of a described object, or keeps it; true if it was sent.
pub(crate) fn send(own: &Thread, id: ObjectId) -> bool {
    if !dispatch::reaches_agent(EventKind::ObjectAlloc) {
        IDS.clear(id, Flag::KEPT);
        return false;
    }
    IDS.set(id, Flag::KEPT);
    let sent = deliver(own, id, None, EventKind::ObjectAlloc.raw());
    match sent {
        Sent::Yes | Sent::No => IDS.clear(id, Flag::KEPT),
        Sent::Later => own.keep(Kept::Object(id)),
    }
    sent == Sent::Yes
}

/// `about`: what cannot be read from the table, of a class.
fn deliver(own: &Thread, id: ObjectId, about: Option<(Shape, u32)>, event_type: i32) -> Sent {
    let mut new = false;
    let sent = dispatch::pass(own, event_type, || {
        // Only now: until it is told of, the object is in no arena.
        new = IDS.set(id, Flag::ALLOCATED);
        if !new && event_type & JVMPI_REQUESTED_EVENT == 0 {
            // Another thread has just met it, too.
            return false;
        }
        let mut event = dispatch::blank(event_type, own);
        if new {
            IDS.set_arena(id, NURSERY.load(Ordering::Relaxed));
        }
        IDS.set(id, Flag::KNOWN);
        let entry = IDS.get(id);
        let known = entry.and_then(|entry| Some((entry.shape?, entry.size)));
        let shape = about.or(known).map(|(shape, _)| shape);
        let size = about.or(known).map_or(0, |(_, size)| size);
        event.u.obj_alloc = JVMPI_Event_obj_alloc {
            arena_id: entry.map_or(1, |entry| i32::from(entry.arena)),
            class_id: dispatch::object_id(shape.and_then(shown_class)),
            is_array: shape.map_or(0, |shape| i32::from(shape.array)),
            size: size.cast_signed(),
            obj_id: dispatch::object_id(Some(id)),
        };
        dispatch::notify(&mut event)
    });
    if sent != Sent::Yes && new {
        IDS.clear(id, Flag::ALLOCATED);
    }
    sent
}

/// Classic told no class of arrays of objects (JVMPI facts C). Nor is one told that the agent
/// could not be told of: the array of a class that is loaded and not linked is as new as any.
fn shown_class(shape: Shape) -> Option<ObjectId> {
    let is_array = shape.array == class_name::ARRAY_OF_REFERENCES;
    let unknown = |class: ObjectId| {
        state::listens_no_more(EventKind::ClassLoad)
            && CLASSES
                .get(class.raw())
                .is_some_and(|class| !class.may_be_dumped())
    };
    let hidden = |class: ObjectId| {
        is_array
            && (state::options().host.row().arrays_have_no_class
                || !IDS.has(class, Flag::LINKED)
                || unknown(class))
    };
    shape.class.filter(|&class| !hidden(class))
}

/// After a walk of the heap a thread goes the long way for a while.
fn note_look(own: &Thread) {
    if own.attention() & attention::REPLAY != 0
        && own.looks.fetch_add(1, Ordering::Relaxed) >= ids::LOOKS
    {
        ids::looked_enough(own);
    }
}

// ---- the tag that clone loses ---------------------------------------------

/// VMObjectAlloc: from JDK 21 on, `clone` copies the header of the original over
/// that of the new object, and with it the tag is lost (JVMTI facts 3). This comes
/// after the copy.
pub(crate) fn allocated_by_vm(jvmti: Jvmti, object: jobject, size: u32) {
    let last = current::with_own(|own| own.last_allocated.swap(0, Ordering::Relaxed));
    let Some(id) = last.and_then(ObjectId::from_raw) else {
        return;
    };
    if jvmti.tag(object) != Ok(0) {
        return;
    }
    if IDS.get(id).is_some_and(|entry| entry.size == size) {
        IDS.set(id, Flag::TWICE);
        if let Err(error) = jvmti.set_tag(object, id.raw()) {
            log::warn_once!("{error}; a cloned object gets no OBJECT_FREE");
        }
    }
}

// ---- objects met otherwise ------------------------------------------------

/// The id of an object that an event or an answer is about to name; what defines
/// it is sent first.
pub(crate) fn discover(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    object: jobject,
) -> Option<ObjectId> {
    let class_object = jni.class_of(object)?;
    let class = classes::of(jvmti, jni, class_object.get())?;
    if classes::is_class_of_classes(class.id) {
        let class = classes::of(jvmti, jni, object)?;
        // One that is not linked has none yet, and is an object like any other.
        classes::announce(jvmti, jni, own, &class, Patience::Short);
        IDS.set(class.id, Flag::KNOWN);
        return Some(class.id);
    }
    let id = ids::id_of(jvmti, jni, object, Kind::Object)?;
    let entry = IDS.get(id)?;
    if entry.shape.is_none() {
        describe(jvmti, object, id, entry.kind, class.id);
    }
    if !entry.has(Flag::ALLOCATED) && dispatch::reaches_agent(EventKind::ObjectAlloc) {
        classes::make_ready(jvmti, jni, own, &class);
        send(own, id);
    }
    IDS.set(id, Flag::KNOWN);
    Some(id)
}

/// Makes sure that an object can be named of which only the id is at hand.
pub(crate) fn define_by_id(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, id: ObjectId) {
    let known = IDS.get(id).is_none_or(|entry| entry.has(Flag::KNOWN));
    if !known && let Some(object) = jvmti.object_with_tag(jni, id.raw()) {
        discover(jvmti, jni, own, object.get());
    }
}

/// Writes down class and size of an object that has an id but was never allocated
/// before our eyes.
fn describe(jvmti: Jvmti, object: jobject, id: ObjectId, kind: Kind, class: ObjectId) {
    if let Some(shape) = IDS.get(class).and_then(|entry| entry.shape) {
        let size = jvmti.object_size(object).unwrap_or(0);
        IDS.describe(id, kind, shape, size, NURSERY.load(Ordering::Relaxed));
    }
}

/// RequestEvent(OBJECT_ALLOC): JVMPI's answer, or `None` for no live id.
pub(crate) fn request(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, id: ObjectId) -> Option<bool> {
    let entry = IDS.get(id)?;
    let mut about = None;
    match entry.kind {
        Kind::Alias => return None,
        Kind::Class if entry.has(Flag::UNLOADED) => return None,
        Kind::Class => {
            let size = match CLASSES.get(id.raw()) {
                Some(class) => class.size(jvmti, jni)?,
                None => jvmti.object_size(find(jvmti, jni, id)?.get()).ok()?,
            };
            let of_classes = match classes::class_of_classes() {
                Some(id) => CLASSES.get(id.raw())?,
                None => {
                    let of_classes = jni.class_of(find(jvmti, jni, id)?.get())?;
                    classes::of(jvmti, jni, of_classes.get())?
                }
            };
            classes::announce(jvmti, jni, own, &of_classes, Patience::Short);
            // The one object without a class: agents that go from class to class
            // would not stop otherwise (JVMPI facts B.2).
            let its_class = (id != of_classes.id).then_some(of_classes.id);
            let shape = Shape {
                class: its_class,
                array: 0,
            };
            about = Some((shape, size));
        }
        Kind::Object | Kind::Thread if entry.shape.is_none() => {
            let object = jvmti.object_with_tag(jni, id.raw())?;
            let class = jni.class_of(object.get())?;
            let class = classes::of(jvmti, jni, class.get())?;
            describe(jvmti, object.get(), id, entry.kind, class.id);
        }
        Kind::Object | Kind::Thread => {}
    }
    if about.is_none()
        && let Some(shape) = IDS.get(id)?.shape
    {
        tell_class(jvmti, jni, own, shape);
    }
    let event_type = EventKind::ObjectAlloc.raw() | JVMPI_REQUESTED_EVENT;
    Some(deliver(own, id, about, event_type) == Sent::Yes)
}

/// What an OBJECT_ALLOC of this shape names has its CLASS_LOAD; false if the object is of a
/// class that the agent cannot be told of, which an array may be without.
fn tell_class(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, shape: Shape) -> bool {
    let class = shape.class.and_then(|class| CLASSES.get(class.raw()));
    let Some(class) = class else { return true };
    if shape.array == 0 {
        classes::make_ready(jvmti, jni, own, &class);
        IDS.has(class.id, Flag::LINKED)
    } else {
        classes::tell(jvmti, jni, own, &class);
        true
    }
}

/// The object of a live id.
pub(crate) fn find(jvmti: Jvmti, jni: Jni, id: ObjectId) -> Option<Local> {
    match IDS.kind_of(id)? {
        Kind::Alias => None,
        Kind::Class => match CLASSES.get(id.raw()) {
            Some(class) => class.mirror(jni),
            // A primitive one, or one of the VM's archive that was never loaded.
            None => jvmti.object_with_tag(jni, id.raw()),
        },
        Kind::Thread | Kind::Object => match THREADS_BY_ID.get(id.raw()) {
            Some(thread) => jni.local(thread.object()),
            None => jvmti.object_with_tag(jni, id.raw()),
        },
    }
}

/// jobjectID2jobject: a local reference, or `None` for no live id.
pub(crate) fn reference(jvmti: Jvmti, jni: Jni, id: ObjectId) -> Option<jobject> {
    Some(jni.hand_out(&find(jvmti, jni, id)?))
}

// ---- the replay -----------------------------------------------------------

/// OBJECT_ALLOC of every object that is older than the agent's wish to hear of
/// them, mirrors excepted (JVMPI facts B.0).
pub(crate) fn replay(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let walking = Walking::begin();
    let described = heap::describe_all(jvmti, NURSERY.load(Ordering::Relaxed));
    drop(walking);
    let found = match described {
        Ok(found) => found,
        Err(error) => {
            log::warning!("{error}; objects older than the agent get no OBJECT_ALLOC");
            return;
        }
    };
    for id in found {
        let Some(shape) = IDS.get(id).and_then(|entry| entry.shape) else {
            continue;
        };
        let known = shape.class.and_then(|class| IDS.get(class));
        let known = known.is_none_or(|class| class.has(Flag::KNOWN) && class.has(Flag::LINKED));
        if known || jni.with_frame(16, || tell_class(jvmti, jni, own, shape)) {
            send(own, id);
        }
    }
}
