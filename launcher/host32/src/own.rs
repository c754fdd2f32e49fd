//! What a thread here has of its own: its lane, and what it still owes the JVM on it.
//!
//! pthread_exit and pthread_cancel in the agent's code come back to nobody. Where the agent's compiler has made no unwind
//! tables, as old ones did, they skip all frames of ours, too, and with those whatever is to be dropped there. So what is owed stands
//! in a list of the thread's, and is paid where it ends, in all ways that there are.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

use agent_host::Ours;
use lanes::Kind;

use crate::{process, thread_end};

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
    static PAY: Cell<Option<Pay>> = const { Cell::new(None) };
    /// The innermost last. Never dropped: a thread ends later than what is.
    static OWED: ManuallyDrop<RefCell<Vec<Owed>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// What is to be done on this lane when its thread ends, which still owes this.
pub(crate) type Pay = fn(usize, Vec<Owed>);

/// What a thread does when it ends.
fn end() {
    let owed = OWED.with(|owed| owed.take());
    // A child of fork() has the lane of its parent's thread, who goes on.
    if let (OwnLane::Has(lane), Some(pay), false) = (LANE.get(), PAY.get(), process::is_child()) {
        let _ours = Ours::begin();
        pay(lane, owed);
    }
}

pub(crate) fn lane() -> OwnLane {
    LANE.get()
}

pub(crate) fn set_lane(lane: OwnLane) {
    LANE.set(lane);
}

/// The calling thread has this lane, until it ends.
pub(crate) fn begin(lane: usize, pay: Pay) {
    set_lane(OwnLane::Has(lane));
    PAY.set(Some(pay));
    thread_end::call(end);
}

/// While the agent's code runs for it, or the JVM's.
pub(crate) fn owing<T>(owed: Owed, run: impl FnOnce() -> T) -> T {
    OWED.with(|all| all.borrow_mut().push(owed));
    let done = run();
    OWED.with(|all| all.borrow_mut().pop());
    done
}
