//! METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT on the fast path: of a method that the agent
//! knows and whose end will be seen, on a thread that it knows.
//!
//! No lock, and no call of the VM but METHOD_ENTRY2's for the tag of the receiver. Whatever
//! is not as usual is left to [`crate::events::methods::method_events`]. Nothing here changes errno,
//! so nobody keeps it; what the agent's handler does to it, the program sees.
#![allow(unsafe_code, reason = "a cell without a look, on the hottest path")]

use std::sync::atomic::Ordering;

use event_translate::shadow::{Running, Shadow};
use event_translate::table::EventKind;
use id_map::ObjectId;

use crate::agent::{ready_event, table};
use crate::base::errno::ErrnoKept;
use crate::delivery::{deferred, dispatch, gate};
use crate::events::methods::contents::fill;
use crate::events::methods::metering;
use crate::events::methods::method_events::{key, known};
use crate::model::classes::method_numbers;
use crate::model::method_flow::{ACTIVE, ENTRY, ENTRY2, EXIT, METERED, OBSERVED, TRACED};
use crate::model::own::method_stack::MethodStack;
use crate::model::thread::Thread;
use crate::model::thread::current::{self, Mine, MyNative, Scope};
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// Sends the event if the thread has no other business, and of method events `$wanted` are
/// wanted among those `$of`; `$noted` notes it on the shadow and says of which method. A
/// macro, since a function with several callers would not be inlined. What is called before the
/// agent leaves one register to save, the thread's record.
macro_rules! fast_path {
    ($kind:expr, $number:expr, $of:expr => $wanted:expr, $receiver:expr, |$shadow:ident, $active:ident| $noted:expr) => {
        'sent: {
            let scope = Scope::new();
            let Some(mine) = current::mine(&scope) else {
                break 'sent false;
            };
            let own = mine.thread();
            let native = MyNative::of(mine);
            let Some(methods) = own.methods_so_far() else {
                break 'sent false;
            };
            if own.attention() != 0 || native.get().depth.own() != 0 {
                break 'sent false;
            }
            let ($active, inside) = gate::enter_first(native.get());
            let method = if $active & ($of | TRACED) == $wanted {
                let noted = |stack: &mut MethodStack| {
                    let $shadow = stack.at_once($active)?;
                    $noted
                };
                // SAFETY: what is noted calls nobody, and the VM, which has called us, is called
                // by no body.
                unsafe { current::with_my_cell(mine, methods, noted) }
            } else {
                None
            };
            let Some(method) = method.map(MethodId::from_number) else {
                break 'sent false;
            };
            if $active & (OBSERVED | METERED) != 0 {
                send_looked_at(mine, $active, $number, $kind, method, $receiver);
            } else if let Some(agent) = table::notify_event_unobserved() {
                ready_event::send(mine, native, agent, $kind, method, $receiver);
            }
            drop(inside);
            if own.has_kept() {
                deferred::flush_here();
            }
            current::drop_exception(native);
            true
        }
    };
}

/// While somebody looks at it, or at what it costs.
#[inline(never)]
fn send_looked_at(
    mine: Mine<'_>,
    active: u32,
    number: i32,
    kind: EventKind,
    method: MethodId,
    receiver: Option<ObjectId>,
) {
    let own = mine.thread();
    let metered = metering::before(own, active, number, kind);
    if active & OBSERVED != 0 {
        send_observed(own, kind, method, receiver);
    } else if let Some(agent) = table::notify_event_unobserved() {
        ready_event::send(mine, MyNative::of(mine), agent, kind, method, receiver);
    }
    metering::after(own, active, metered);
}

/// Whoever observes may keep the event or change it.
fn send_observed(own: &Thread, kind: EventKind, method: MethodId, receiver: Option<ObjectId>) {
    let _errno = ErrnoKept::here();
    let mut event = dispatch::blank(kind.raw(), own);
    fill(&mut event, kind, method, receiver);
    dispatch::notify_quietly(&mut event);
}

/// A method begins, and METHOD_ENTRY is wanted, on a thread and of a method that the
/// agent knows: the whole event in a straight line, as this happens a hundred million
/// times a second. False: nothing has been done, and [`crate::events::methods::method_events::entered`] has to.
#[inline(always)]
pub(crate) fn enters(number: i32, stack: usize) -> bool {
    let Some(method) = method_numbers::id_at_once(number) else {
        return false;
    };
    let running = Running {
        key: key(number),
        method: method.number(),
        stack,
    };
    fast_path!(EventKind::MethodEntry, number, ENTRY | ENTRY2 => ENTRY, None, |shadow, active| {
        enter_surely(shadow, active, running)
    })
}

/// The same where METHOD_ENTRY2 alone is wanted, and the agent knows the receiver.
#[inline]
pub(crate) fn enters_with(number: i32, receiver: Option<ObjectRef<'_>>, stack: usize) -> bool {
    // Relaxed: bits that are all that they say; what they lead to is behind the gate, which is read
    // with acquire.
    let active = ACTIVE.load(Ordering::Relaxed);
    if active & (ENTRY | ENTRY2 | TRACED) != ENTRY2 {
        return false;
    }
    let Some(method) = method_numbers::id_at_once(number) else {
        return false;
    };
    let id = match receiver {
        None => None,
        Some(receiver) => {
            let id = this_vm::jvmti().and_then(|jvmti| known(jvmti, receiver));
            if id.is_none() {
                return false;
            }
            id
        }
    };
    let running = Running {
        key: key(number),
        method: method.number(),
        stack,
    };
    fast_path!(EventKind::MethodEntry2, number, ENTRY | ENTRY2 => ENTRY2, id, |shadow, active| {
        enter_surely(shadow, active, running)
    })
}

/// Notes it on the shadow if its end is wanted; `None` if something is wrong with that.
#[inline(always)]
fn enter_surely(shadow: &mut Shadow, active: u32, running: Running) -> Option<usize> {
    let wanted = active & EXIT != 0;
    let failed = wanted && (shadow.is_doubtful(running.stack) || !shadow.enter_at_once(running));
    (!failed).then_some(running.method)
}

/// A method ends: as [`enters`]. False: [`crate::events::methods::method_events::left`] has to.
#[inline(always)]
pub(crate) fn leaves(number: i32) -> bool {
    fast_path!(EventKind::MethodExit, number, EXIT => EXIT, None, |shadow, active| {
        shadow.end(key(number))
    })
}

/// The same for native methods, out of line: [`leaves`] is to have one caller.
#[inline(never)]
pub(crate) fn native_leaves(number: i32) -> bool {
    leaves(number)
}
