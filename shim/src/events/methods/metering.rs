//! What method events cost, looked at here and there (`method-budget=`, [`event_translate::method_costs`]).
//!
//! # Threads
//! The event's own; what it has seen goes into what all share, under a lock that nobody holds
//! while code of others runs.

use event_translate::method_costs::Due;
use event_translate::table::EventKind;

use crate::hooks::left_out;
use crate::model::method_flow::{EXIT, METERED};
use crate::model::own::method_stack::MethodStack;
use crate::model::thread::{Thread, current};
use crate::os::ticks;

/// An event whose handler is timed.
#[derive(Clone, Copy)]
pub(crate) struct Timed {
    number: i32,
    is_entry: bool,
    since: u64,
}

fn with_stack<O>(own: &Thread, body: impl FnOnce(&mut MethodStack) -> O) -> Option<O> {
    current::with_cell(own, Thread::methods, body)
}

/// Before the agent hears of it, and when it is on the shadow or no more: whether it is timed.
#[inline]
pub(crate) fn before(own: &Thread, active: u32, number: i32, kind: EventKind) -> Option<Timed> {
    if active & METERED == 0 || with_stack(own, |stack| stack.meter.is_due()) != Some(true) {
        return None;
    }
    look(own, number, kind != EventKind::MethodExit)
}

#[cold]
fn look(own: &Thread, number: i32, is_entry: bool) -> Option<Timed> {
    let now = ticks::now();
    match with_stack(own, |stack| stack.meter.end(now))? {
        Due::Nothing => None,
        Due::End(method, length) => {
            let length = length.saturating_sub(ticks::reading());
            left_out::with_costs(|costs| costs.stretch(method, length));
            None
        }
        Due::Event => {
            left_out::with_costs(|costs| costs.event(number, is_entry));
            Some(Timed {
                number,
                is_entry,
                since: ticks::now(),
            })
        }
    }
}

/// After the agent has heard of it.
#[inline]
pub(crate) fn after(own: &Thread, active: u32, timed: Option<Timed>) {
    if let Some(timed) = timed {
        note(own, active, timed);
    }
}

#[cold]
fn note(own: &Thread, active: u32, timed: Timed) {
    let taken = ticks::now().saturating_sub(timed.since);
    let taken = taken.saturating_sub(ticks::reading());
    left_out::with_costs(|costs| costs.handler(taken));
    let running = if active & EXIT == 0 {
        timed.is_entry.then_some(timed.number)
    } else {
        let top = with_stack(own, |stack| stack.at_once(active)?.top()).flatten();
        top.and_then(|top| i32::try_from(top.key).ok())
    };
    with_stack(own, |stack| stack.meter.begin(running, ticks::now()));
}
