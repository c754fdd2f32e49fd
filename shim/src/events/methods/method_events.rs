//! METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT, from hooks in the bytecode.
//!
//! Most take the fast path ([`crate::events::methods::fast_path`]) and do not come here. Each thread
//! keeps a shadow of its stack, so that ends match beginnings also where an end could not be
//! seen ([`event_translate::shadow`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::shadow::{Running, Shadow};
use event_translate::table::EventKind;
use id_map::{Flag, Kind, ObjectId};

use crate::base::log;
use crate::delivery::dispatch::{self, Sent};
use crate::delivery::{announce, deferred};
use crate::events::methods::contents::fill;
use crate::events::methods::late_event::LateEvent;
use crate::events::methods::{beginning, calling_method, metering};
use crate::events::threads::mounted;
use crate::model::classes::{method_numbers, methods};
use crate::model::method_flow::{ACTIVE, ENTRY, ENTRY2, EXIT};
use crate::model::tables::IDS;
use crate::model::thread::object::HeldObject;
use crate::model::thread::{Thread, attention, current};
use crate::model::{ids, threads};
use crate::vm::env::Jvmti;
use crate::vm::heap::value_objects;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::{ObjectRef, ThreadRef};
use crate::vm::{stack, this_vm};

#[inline]
pub(crate) fn with_shadow<O>(
    own: &Thread,
    active: u32,
    body: impl FnOnce(&mut Shadow) -> O,
) -> Option<O> {
    current::with_cell(own, Thread::methods, |stack| body(stack.of_epoch(active)))
}

/// A number as the shadow keeps it.
#[inline]
pub(crate) fn key(number: i32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The method that the shadow keeps as a number.
fn method_of(running: Running) -> MethodId {
    MethodId::from_number(running.method)
}

// ---- entry -----------------------------------------------------------------------

/// What METHOD_ENTRY2 says of the receiver: `Some(None)` of a static method and a constructor,
/// `None` if the code does not tell.
pub(crate) type Receiver<'a> = Option<Option<ObjectRef<'a>>>;

/// A method begins on this thread. `stack`: see [`Running`].
pub(crate) fn entered(number: i32, receiver: Receiver<'_>, stack: usize) {
    let active = beginning::active();
    if active & (ENTRY | ENTRY2 | EXIT) == 0 || is_of_scheduler() {
        return;
    }
    if active & (ENTRY | ENTRY2) == ENTRY2 && receiver.is_none() {
        // The hook was there for METHOD_EXIT. Of what cannot be told that it begins is not told that
        // it ends either: methods that it was called by have begun for the agent.
        return;
    }
    let done = current::with_own(|own| {
        let Some(method) = method_numbers::id(number) else {
            return false;
        };
        if own.attention() != 0 {
            return false;
        }
        if active & EXIT != 0 && !begin(own, active, number, method, stack) {
            return false;
        }
        let timed = metering::before(own, active, number, EventKind::MethodEntry);
        send_entries(own, active, method, receiver);
        metering::after(own, active, timed);
        true
    });
    if done != Some(true) {
        entered_otherwise(active, number, receiver, stack);
    }
}

/// METHOD_ENTRY and METHOD_ENTRY2, as far as they are wanted.
fn send_entries(own: &Thread, active: u32, method: MethodId, receiver: Receiver<'_>) {
    if active & ENTRY != 0 {
        send(own, EventKind::MethodEntry, method, None);
    }
    if active & ENTRY2 != 0
        && let Some(receiver) = receiver
    {
        send_with_receiver(own, method, receiver);
    }
}

fn running(number: i32, method: MethodId, stack: usize) -> Running {
    Running {
        key: key(number),
        method: method.number(),
        stack: method_numbers::shadowed(number, stack),
    }
}

/// Notes it on the shadow; false if something is wrong with that.
#[inline]
fn begin(own: &Thread, active: u32, number: i32, method: MethodId, stack: usize) -> bool {
    let noted = with_shadow(own, active, |shadow| {
        let right = !shadow.is_doubtful(stack) && !shadow.piles_up();
        if right {
            shadow.enter(running(number, method, stack));
        }
        right
    });
    noted == Some(true)
}

#[cold]
fn entered_otherwise(active: u32, number: i32, receiver: Receiver<'_>, stack: usize) {
    let Some((jvmti, jni, own)) = here() else {
        return;
    };
    let Some(attaching) = meet(jvmti, jni, &own) else {
        return;
    };
    let Some(method) = calling_method::named(jvmti, jni, &own, number, attaching) else {
        return;
    };
    if active & EXIT != 0 && !begin(&own, active, number, method, stack) {
        if !is_just_deep(jvmti, &own, active, stack) {
            end_what_is_lost(jvmti, jni, &own, active, stack);
        }
        with_shadow(&own, active, |shadow| {
            shadow.enter(running(number, method, stack));
        });
    }
    if attaching {
        if active & ENTRY != 0 {
            LateEvent::keep(&own, EventKind::MethodEntry, method, None);
        }
        if active & ENTRY2 != 0
            && let Some(receiver) = receiver
        {
            let id = receiver.and_then(|receiver| ids::id_of(jvmti, jni, receiver, Kind::Object));
            LateEvent::keep(&own, EventKind::MethodEntry2, method, id);
        }
        return;
    }
    send_entries(&own, active, method, receiver);
}

/// Whether this is a carrier that runs no virtual thread, or is about to: what it does then is
/// withheld, for its stack is that of a virtual thread in part, and the VM may not be asked: in
/// the middle of a change from one to another JDK 21 would wait for the end of that change,
/// on the thread that makes it.
fn is_of_scheduler() -> bool {
    let is_carrier = |own: &Thread| own.attention() & attention::CARRIER != 0;
    current::with_own(|own| is_carrier(own) && own.native().has_changed()) == Some(true)
}

/// The VM, and the calling thread's record. None behind its THREAD_END, when somebody else's callback
/// may run Java code: a record made there would be nobody's, and keep its events for ever.
fn here() -> Option<(Jvmti, Jni, Arc<Thread>)> {
    if current::has_ended() {
        return None;
    }
    let (jvmti, jni, own) = (this_vm::jvmti()?, Jni::of_this_thread()?, threads::own()?);
    let other = mounted::look(jvmti, jni, &own, None);
    Some((jvmti, jni, other.unwrap_or(own)))
}

/// Makes the agent and the thread known to each other. True if the thread is only being
/// attached: its THREAD_START is not due yet (JVMTI facts 18). `None`: nothing is to be
/// told of it.
pub(crate) fn meet(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> Option<bool> {
    let attention = own.attention();
    if attention & attention::SILENT != 0 {
        return None;
    }
    if attention & attention::CARRIER != 0 {
        if !mounted::are_followed() {
            log::warn_once!("virtual threads get no method events (see MATRIX.md)");
        }
        return None;
    }
    if attention & attention::UNMET != 0 {
        if threads::is_attaching(jvmti, own, own.object().as_ref().map(HeldObject::get)) {
            return Some(true);
        }
        announce::introduce(jvmti, jni, own);
    }
    deferred::flush(jvmti, jni, own);
    Some(false)
}

/// Whether the only doubt about the shadow is that it has many methods at one place, and the
/// stack has as many frames.
fn is_just_deep(jvmti: Jvmti, own: &Thread, active: u32, stack: usize) -> bool {
    let look = |shadow: &mut Shadow| (shadow.is_doubtful(stack), shadow.depth());
    let Some((false, depth)) = with_shadow(own, active, look) else {
        return false;
    };
    let frames = jvmti.frame_count(ThreadRef::CURRENT).unwrap_or(0);
    usize::try_from(frames).is_ok_and(|frames| depth <= frames)
}

/// Methods on the shadow that are no longer on the stack get their METHOD_EXIT.
fn end_what_is_lost(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, active: u32, stack: usize) {
    /// The hook, the method that begins and its caller, on JDKs that show all.
    const FEW: usize = 4;
    let few = callers(jvmti, jni, FEW).unwrap_or_default();
    let is_alive = |shadow: &mut Shadow| few.first().is_some_and(|&it| shadow.is_once_on_top(it));
    if with_shadow(own, active, is_alive) != Some(true) {
        let depth = jvmti.frame_count(ThreadRef::CURRENT).unwrap_or(0);
        let Some(all) = callers(jvmti, jni, usize::try_from(depth).unwrap_or(0)) else {
            return;
        };
        let all = all.into_iter().rev();
        let lost = with_shadow(own, active, |shadow| shadow.depth() - shadow.alive(all));
        // The one that begins is on top already.
        end_lost(own, active, lost.unwrap_or(0), Some(1));
    }
    with_shadow(own, active, |shadow| shadow.trust(stack));
}

/// Of so many frames the methods that run below the one that begins, as the agent knows them:
/// its caller first.
fn callers(jvmti: Jvmti, jni: Jni, depth: usize) -> Option<Vec<usize>> {
    let frames = stack::take(jvmti, ThreadRef::CURRENT, depth, |frames| {
        let ids = frames.iter().filter_map(|frame| {
            let method = methods::of(jvmti, jni, frame.method)?;
            method.is_shown().then(|| method.announced_as().number())
        });
        ids.skip(1).collect()
    });
    frames.ok()
}

/// The methods on top have ended unseen; so many frames of the stack have begun since, `None` if there are none left.
pub(crate) fn end_lost(own: &Thread, active: u32, count: usize, younger: Option<usize>) {
    if count > 0 {
        let pop = || {
            with_shadow(own, active, Shadow::pop)
                .flatten()
                .map(method_of)
        };
        let ended = (0..count).map_while(|_| pop());
        LateEvent::send_unseen_ends(own, younger, ended);
    }
}

// ---- exit ------------------------------------------------------------------------

/// A method ends on this thread, and is still on its stack.
#[cold]
pub(crate) fn left(number: i32, by_exception: bool) {
    // Relaxed: as in `beginning::active`. Where nothing flows yet no beginning was told of.
    let active = ACTIVE.load(Ordering::Relaxed);
    if active & EXIT == 0 || is_of_scheduler() {
        return;
    }
    let Some((jvmti, jni, own)) = here() else {
        return;
    };
    let Some(attaching) = meet(jvmti, jni, &own) else {
        return;
    };
    let lost = with_shadow(&own, active, |shadow| shadow.lost_above(key(number))).flatten();
    let Some(lost) = lost else {
        // It began before anybody listened.
        return;
    };
    end_lost(&own, active, lost, Some(0));
    let Some(ended) = with_shadow(&own, active, Shadow::pop).flatten() else {
        return;
    };
    if attaching {
        LateEvent::keep(&own, EventKind::MethodExit, method_of(ended), None);
    } else {
        send(&own, EventKind::MethodExit, method_of(ended), None);
    }
    if by_exception && method_numbers::is_constructor(number) {
        // If that was the super() of another constructor, no handler sees that one's
        // end: code with a handler there does not verify.
        with_shadow(&own, active, |shadow| {
            let caller = shadow
                .top()
                .and_then(|caller| i32::try_from(caller.key).ok());
            if caller.is_some_and(method_numbers::is_constructor) {
                shadow.suspect();
            }
        });
    }
}

/// The thread ends: whatever still runs on it has ended.
pub(crate) fn thread_ends(own: &Thread) {
    let active = ACTIVE.load(Ordering::Relaxed);
    if active & EXIT != 0 && own.methods_so_far().is_some() {
        let depth = with_shadow(own, active, |shadow| shadow.depth());
        end_lost(own, active, depth.unwrap_or(0), None);
    }
}

// ---- sending ---------------------------------------------------------------------

/// Sends one of the three, or keeps it.
#[inline(never)]
pub(crate) fn send(own: &Thread, kind: EventKind, method: MethodId, receiver: Option<ObjectId>) {
    let sent = dispatch::deliver_in_turn(own, kind.raw(), |event| {
        fill(event, kind, method, receiver);
    });
    if sent == Sent::Later {
        LateEvent::keep(own, kind, method, receiver);
    }
}

pub(crate) fn send_with_receiver(own: &Thread, method: MethodId, receiver: Option<ObjectRef<'_>>) {
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    let id = receiver
        .and_then(|receiver| known(jvmti, receiver).or_else(|| introduced(jvmti, receiver)));
    send(own, EventKind::MethodEntry2, method, id);
}

/// The id of a receiver that the agent has met.
#[inline]
pub(crate) fn known(jvmti: Jvmti, receiver: ObjectRef<'_>) -> Option<ObjectId> {
    let id = ids::tagged(jvmti, receiver).flatten();
    id.filter(|&id| IDS.has(id, Flag::KNOWN) && value_objects::owns_its_tag(receiver))
}

/// The id of a receiver that the agent meets here.
#[cold]
fn introduced(jvmti: Jvmti, receiver: ObjectRef<'_>) -> Option<ObjectId> {
    let (Some(jni), Some(own)) = (Jni::of_this_thread(), current::own()) else {
        return None;
    };
    if !jni.has_identity(receiver) {
        return None;
    }
    let id = announce::object(jvmti, jni, &own, receiver);
    if id.is_none() {
        log::warn_once!("METHOD_ENTRY2: the VM gives no id for a receiver; NULL");
    }
    id
}
