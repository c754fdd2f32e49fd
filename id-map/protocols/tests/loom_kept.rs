//! What a thread keeps while the gate is closed, under loom: `RUSTFLAGS="--cfg loom" cargo test -p protocols`.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "loom's threads take turns")]

use std::sync::{Arc, Mutex};

use loom::sync::atomic::{Ordering, fence};
use loom::thread;

use protocols::gate::{Asking, Depth, Gate, Look, Stand, State, Verdict, verdict};
use protocols::kept::Kept;

const CLOSER: u64 = 1;
/// What the sender has to say, one after the other.
const EVENTS: u32 = 3;

/// What is done otherwise than in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// What was taken and could not be sent is gone.
    NotAgain,
    /// It is kept again, and the next one is tried all the same.
    GoesOn,
    /// It waits at its place, and is kept again as well.
    Twice,
    /// A new event does not look whether others wait.
    NotBehind,
    /// The sending does not end when it is stopped.
    NoEnd,
}

struct Host {
    gate: Gate,
    depth: Depth,
    /// Nobody but the sender comes to these two.
    kept: Mutex<Kept<u32>>,
    heard: Mutex<Vec<u32>>,
    fault: Fault,
}

/// What became of an event.
#[derive(PartialEq, Eq)]
enum Sent {
    Yes,
    Later,
}

impl Host {
    /// By a thread that may hold a lock of the agent's: it does not wait for the end of a bracket.
    fn pass(&self, event: u32) -> Sent {
        let open = self.depth.enter(&self.gate, || fence(Ordering::SeqCst));
        let asking = Asking {
            mine: false,
            nested: false,
            requested: false,
            answers: false,
            may_hold_a_lock: true,
        };
        let sends = open || verdict(self.gate.load().state, &asking) == Some(Verdict::Send);
        if sends {
            self.heard.lock().unwrap().push(event);
        }
        self.depth.leave();
        if sends { Sent::Yes } else { Sent::Later }
    }

    /// A new event: not before what waits.
    fn say(&self, event: u32) {
        self.flush();
        let behind = self.fault != Fault::NotBehind && self.kept.lock().unwrap().is_due();
        if behind || self.pass(event) == Sent::Later {
            self.kept.lock().unwrap().keep(event);
        }
    }

    fn flush(&self) {
        if !self.kept.lock().unwrap().begin() {
            return;
        }
        let is_open = |_: &u32| self.gate.is_open();
        loop {
            let next = self.kept.lock().unwrap().next(is_open);
            let Some(event) = next else {
                if self.fault == Fault::NoEnd && !self.gate.is_open() {
                    return;
                }
                break;
            };
            if self.pass(event) == Sent::Later {
                let mut kept = self.kept.lock().unwrap();
                match self.fault {
                    Fault::NotAgain => {}
                    Fault::GoesOn => {
                        // All that is left is in front of it.
                        kept.end();
                        kept.keep(event);
                        kept.begin();
                    }
                    Fault::Twice => {
                        kept.keep(event);
                        kept.keep(event);
                    }
                    _ => kept.keep(event),
                }
            }
        }
        self.kept.lock().unwrap().end();
    }

    /// A bracket, if nobody is inside at this moment.
    fn bracket(&self) {
        let closing = Stand::of(State::Closing, CLOSER);
        let change = |from, to| self.gate.change(from, to);
        assert!(change(Stand::OPEN, closing));
        let alone = || !self.depth.is_inside();
        let held = match Gate::look(CLOSER, || fence(Ordering::SeqCst), alone, change) {
            Look::Closed => Stand::of(State::Bracket, CLOSER),
            Look::Inside | Look::Passed => closing,
            Look::Lost => unreachable!("nobody else closes"),
        };
        assert!(change(held, Stand::OPEN));
    }
}

/// A sender, and another that closes the gate and opens it as often as this.
fn closing(brackets: usize, fault: Fault) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let host = Arc::new(Host {
            gate: Gate::new(Stand::OPEN),
            depth: Depth::new(),
            kept: Mutex::default(),
            heard: Mutex::default(),
            fault,
        });
        let other = Arc::clone(&host);
        let closer = thread::spawn(move || (0..brackets).for_each(|_| other.bracket()));
        (1..=EVENTS).for_each(|event| host.say(event));
        closer.join().unwrap();
        // It may send now, and it is its last chance.
        host.flush();
        let heard: Vec<u32> = host.heard.lock().unwrap().clone();
        let all: Vec<u32> = (1..=EVENTS).collect();
        let mut sorted = heard.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted, all, "lost");
        assert!(heard.len() <= all.len(), "twice: {heard:?}");
        assert_eq!(heard, all, "out of order");
    });
}

#[test]
fn none_is_lost_none_comes_twice_and_order_is_kept() {
    closing(2, Fault::None);
}

#[test]
#[should_panic(expected = "lost")]
fn what_is_not_kept_again_is_lost() {
    closing(2, Fault::NotAgain);
}

#[test]
#[should_panic(expected = "out of order")]
fn what_is_overtaken_is_out_of_order() {
    closing(3, Fault::GoesOn);
}

#[test]
#[should_panic(expected = "twice")]
fn what_is_kept_again_twice_comes_twice() {
    closing(2, Fault::Twice);
}

#[test]
#[should_panic(expected = "out of order")]
fn a_new_event_that_does_not_look_overtakes() {
    closing(2, Fault::NotBehind);
}

#[test]
#[should_panic(expected = "lost")]
fn a_sending_that_does_not_end_loses() {
    closing(2, Fault::NoEnd);
}
