//! The gate under loom: `RUSTFLAGS="--cfg loom" cargo test -p protocols`.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "loom's threads take turns")]

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering, fence};
use loom::sync::{Condvar, Mutex};
use loom::thread;

use protocols::gate::{Asking, Depth, Gate, Look, Stand, State, Verdict, verdict};

/// What METHOD_ENTRY wants.
const WANTED: u32 = 1;
const CLOSER: u64 = 1;

/// What is done otherwise than in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    NoLightHalf,
    NoHeavyHalf,
    /// Nobody looks again after the gate is closed.
    OneLook,
    /// The word of the fast path is made anew behind the heavy half.
    LateRenewal,
    NoLock,
}

/// The gate as the shim has it, with full fences for both halves.
struct Host {
    gate: Gate,
    fault: Fault,
    lock: Mutex<()>,
    changed: Condvar,
    /// Records of the threads that send events.
    depths: Vec<Depth>,
    /// What only a bracket changes, and handlers read.
    agent: UnsafeCell<u32>,
}

impl Host {
    fn new(threads: usize, fault: Fault) -> Arc<Self> {
        let host = Self {
            gate: Gate::new(Stand::OPEN),
            fault,
            lock: Mutex::new(()),
            changed: Condvar::new(),
            depths: (0..threads).map(|_| Depth::new()).collect(),
            agent: UnsafeCell::new(0),
        };
        host.renew();
        Arc::new(host)
    }

    fn renew(&self) {
        let _guard = self.lock.lock().unwrap();
        self.gate.renew(|| true, || WANTED);
    }

    fn change(&self, from: Stand, to: Stand) -> bool {
        let changed = self.gate.change(from, to);
        if self.fault != Fault::NoLock {
            self.renew();
        }
        self.changed.notify_all();
        changed
    }

    fn light(&self) {
        if self.fault != Fault::NoLightHalf {
            fence(Ordering::SeqCst);
        }
    }

    fn heavy(&self) {
        if self.fault != Fault::NoHeavyHalf {
            fence(Ordering::SeqCst);
        }
    }

    fn alone(&self) -> bool {
        !self.depths.iter().any(Depth::is_inside)
    }

    /// A handler: others may be in theirs, but no bracket.
    fn handle(&self) {
        self.agent.with(|_| ());
    }

    /// One event of a thread that gives up where others wait.
    fn send(&self, thread: usize, may_hold_a_lock: bool) {
        let depth = &self.depths[thread];
        let open = depth.enter(&self.gate, || self.light());
        let asking = Asking {
            mine: false,
            nested: depth.own() > 1,
            requested: false,
            answers: false,
            may_hold_a_lock,
        };
        if open || verdict(self.gate.load().state, &asking) == Some(Verdict::Send) {
            self.handle();
        }
        depth.leave();
    }

    /// The same, the fast way.
    fn send_fast(&self, thread: usize) {
        let depth = &self.depths[thread];
        if depth.enter_first(&self.gate, || self.light()) == WANTED {
            self.handle();
        }
        depth.leave_first();
    }

    /// A bracket, if it comes to one in so many looks.
    fn bracket(&self, looks: usize) {
        let closing = Stand::of(State::Closing, CLOSER);
        let late = |from, to| self.gate.change(from, to);
        let change = |from, to| self.change(from, to);
        let closes = match self.fault {
            Fault::LateRenewal => late(Stand::OPEN, closing),
            _ => change(Stand::OPEN, closing),
        };
        assert!(closes);
        let mut held = closing;
        for _ in 0..looks {
            let look = match self.fault {
                Fault::LateRenewal => Gate::look(CLOSER, || self.heavy(), || self.alone(), late),
                Fault::OneLook => {
                    self.heavy();
                    let bracket = Stand::of(State::Bracket, CLOSER);
                    match self.alone() && change(closing, bracket) {
                        true => Look::Closed,
                        false => Look::Inside,
                    }
                }
                _ => Gate::look(CLOSER, || self.heavy(), || self.alone(), change),
            };
            assert_ne!(look, Look::Lost);
            if look == Look::Closed {
                held = Stand::of(State::Bracket, CLOSER);
                self.agent.with_mut(|_| ());
                break;
            }
            thread::yield_now();
        }
        assert!(self.change(held, Stand::OPEN));
    }
}

/// All interleavings with so many switches of a thread that could have gone on.
fn explore(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

fn ordinary_event(fault: Fault) {
    explore(3, move || {
        let host = Host::new(1, fault);
        let other = Arc::clone(&host);
        let sender = thread::spawn(move || other.send(0, false));
        host.bracket(2);
        sender.join().unwrap();
    });
}

fn event_that_may_not_wait(fault: Fault) {
    explore(3, move || {
        let host = Host::new(1, fault);
        let other = Arc::clone(&host);
        let sender = thread::spawn(move || other.send(0, true));
        host.bracket(2);
        sender.join().unwrap();
    });
}

fn fast_event(fault: Fault) {
    explore(3, move || {
        let host = Host::new(1, fault);
        let other = Arc::clone(&host);
        let sender = thread::spawn(move || other.send_fast(0));
        host.bracket(2);
        sender.join().unwrap();
    });
}

#[test]
fn no_event_in_a_bracket() {
    ordinary_event(Fault::None);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn without_the_light_half_one_comes() {
    ordinary_event(Fault::NoLightHalf);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn without_the_heavy_half_one_comes() {
    ordinary_event(Fault::NoHeavyHalf);
}

#[test]
fn nor_of_a_thread_that_passes_while_it_closes() {
    event_that_may_not_wait(Fault::None);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn with_one_look_it_comes() {
    event_that_may_not_wait(Fault::OneLook);
}

#[test]
fn nor_on_the_fast_path() {
    fast_event(Fault::None);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn with_a_late_renewal_it_does() {
    fast_event(Fault::LateRenewal);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn without_the_light_half_the_fast_path_does() {
    fast_event(Fault::NoLightHalf);
}

#[test]
fn two_threads_and_two_events() {
    explore(2, || {
        let host = Host::new(2, Fault::None);
        let senders = [0, 1].map(|thread| {
            let host = Arc::clone(&host);
            thread::spawn(move || {
                host.send_fast(thread);
                host.send(thread, thread == 0);
            })
        });
        host.bracket(1);
        for sender in senders {
            sender.join().unwrap();
        }
    });
}

#[test]
fn of_two_closers_one_has_it() {
    explore(3, || {
        let gate = Arc::new(Gate::new(Stand::OPEN));
        let inside = Arc::new(UnsafeCell::new(0));
        let closers = [1, 2].map(|me| {
            let (gate, inside) = (Arc::clone(&gate), Arc::clone(&inside));
            thread::spawn(move || {
                let closing = Stand::of(State::Closing, me);
                if !gate.change(Stand::OPEN, closing) {
                    return false;
                }
                let change = |from, to| gate.change(from, to);
                let look = Gate::look(me, || fence(Ordering::SeqCst), || true, change);
                assert_eq!(look, Look::Closed);
                inside.with_mut(|_| ());
                assert!(gate.change(Stand::of(State::Bracket, me), Stand::OPEN));
                true
            })
        });
        assert!(closers.map(|closer| closer.join().unwrap()).contains(&true));
    });
}

/// Whoever waits for the end of a bracket is woken.
fn waiting(fault: Fault) {
    explore(3, move || {
        let host = Host::new(1, fault);
        let bracket = Stand::of(State::Bracket, CLOSER);
        assert!(host.change(Stand::OPEN, bracket));
        let other = Arc::clone(&host);
        let waiter = thread::spawn(move || {
            let mut guard = other.lock.lock().unwrap();
            while other.gate.load() == bracket {
                guard = other.changed.wait(guard).unwrap();
            }
        });
        assert!(host.change(bracket, Stand::OPEN));
        waiter.join().unwrap();
    });
}

#[test]
fn a_change_wakes_who_waits_for_it() {
    waiting(Fault::None);
}

#[test]
#[should_panic(expected = "deadlock")]
fn without_the_lock_it_does_not() {
    waiting(Fault::NoLock);
}

/// A thread whose event is dropped because the VM ends sends none on the fast path afterwards,
/// whatever is made anew meanwhile.
#[test]
fn who_has_been_refused_stays_refused() {
    explore(3, || {
        let host = Host::new(1, Fault::None);
        let (other, third) = (Arc::clone(&host), Arc::clone(&host));
        let sender = thread::spawn(move || {
            let depth = &other.depths[0];
            let open = depth.enter(&other.gate, || other.light());
            depth.leave();
            if !open {
                let wanted = depth.enter_first(&other.gate, || other.light());
                depth.leave_first();
                assert_eq!(wanted, 0, "an exit without its entry");
            }
        });
        let renewer = thread::spawn(move || third.renew());
        {
            let _guard = host.lock.lock().unwrap();
            host.gate.end(Stand::of(State::LastEvents, CLOSER));
        }
        host.renew();
        sender.join().unwrap();
        renewer.join().unwrap();
    });
}

/// Of two that make the word of the fast path anew, the last has seen the changes of both.
#[test]
fn the_last_renewal_has_seen_all() {
    explore(3, || {
        let gate = Arc::new(Gate::new(Stand::OPEN));
        let active = Arc::new(AtomicU32::new(0));
        let lock = Arc::new(Mutex::new(()));
        let renewer = {
            let (gate, active, lock) = (Arc::clone(&gate), Arc::clone(&active), Arc::clone(&lock));
            thread::spawn(move || {
                active.store(WANTED, Ordering::SeqCst);
                let _guard = lock.lock().unwrap();
                gate.renew(|| true, || active.load(Ordering::SeqCst));
            })
        };
        let (from, to) = (Stand::OPEN, Stand::of(State::Closing, CLOSER));
        for (from, to) in [(from, to), (to, from)] {
            assert!(gate.change(from, to));
            let _guard = lock.lock().unwrap();
            gate.renew(|| true, || active.load(Ordering::SeqCst));
        }
        renewer.join().unwrap();
        let depth = Depth::new();
        assert_eq!(depth.enter_first(&gate, || ()), WANTED);
    });
}
