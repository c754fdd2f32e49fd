//! What a thread here has of its own: its lane, and what it still owes the JVM on it.
//!
//! pthread_exit and pthread_cancel in the agent's code come back to nobody. Where the agent's compiler has made no unwind
//! tables, as old ones did, they skip all frames of ours, too, and with those whatever is to be dropped there. So what is owed stands
//! in a list of the thread's, and is paid where it ends, in all ways that there are.

use std::cell::{Cell, RefCell};

use agent_host::Ours;
use lanes::Kind;

use crate::process;

/// What a thread talks on.
#[derive(Clone, Copy)]
pub(crate) enum OwnLane {
    /// It has not talked yet.
    NotYet,
    /// This one.
    Has(usize),
    /// It ends, and has given its lane back, or is about to get one: what its last destructors call, or a handler of a
    /// signal, does nothing.
    Gone,
}

/// What it is doing.
pub(crate) enum Owed {
    /// An event, or a function of the agent's: the JVM waits for an answer.
    Reply { kind: Kind, number: i32, flag: bool },
    /// A question: the JVM has an answer of this kind for it.
    Question(Kind),
}

thread_local! {
    static LANE: Cell<OwnLane> = const { Cell::new(OwnLane::NotYet) };
    static END: RefCell<End> = const { RefCell::new(End { pay: None, owed: Vec::new() }) };
}

/// What is to be done on this lane when its thread ends, which still owes this, the innermost last.
pub(crate) type Pay = fn(usize, Vec<Owed>);

/// Dropped when the thread ends.
struct End {
    pay: Option<Pay>,
    owed: Vec<Owed>,
}

impl Drop for End {
    fn drop(&mut self) {
        // A child has the lane of its parent's thread, who goes on.
        if let (Some(pay), OwnLane::Has(lane), false) = (self.pay, LANE.get(), process::is_child())
        {
            let _ours = Ours::begin();
            pay(lane, std::mem::take(&mut self.owed));
        }
    }
}

pub(crate) fn lane() -> OwnLane {
    LANE.get()
}

pub(crate) fn set_lane(lane: OwnLane) {
    LANE.set(lane);
}

/// It has this lane, until it ends.
pub(crate) fn begin(lane: usize, pay: Pay) {
    set_lane(OwnLane::Has(lane));
    END.with_borrow_mut(|end| end.pay = Some(pay));
}

/// While the agent's code runs for it, or the JVM's; what is said in the thread's last moments is not kept.
pub(crate) fn owing<T>(owed: Owed, run: impl FnOnce() -> T) -> T {
    let _ = END.try_with(|end| end.borrow_mut().owed.push(owed));
    let done = run();
    let _ = END.try_with(|end| end.borrow_mut().owed.pop());
    done
}
