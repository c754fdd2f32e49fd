//! Ids while the heap is walked, under loom.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "loom's threads take turns")]

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering, fence};
use loom::thread;

use protocols::heap_walk::{HeapWalks, LOOKS, OwnGifts};

/// What is done otherwise than in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    NoLightHalf,
    NoHeavyHalf,
    /// The thread is asked to look when the walk is over.
    LateWish,
    /// The wish is struck without acquire.
    RelaxedStrike,
}

const BY_WALK: u64 = 7;
const BY_THREAD: u64 = 8;

/// A VM with one thread, and one object.
struct Vm {
    walks: HeapWalks,
    gifts: OwnGifts,
    tag: AtomicU64,
    /// Whoever gives an id is alone with the object.
    object: UnsafeCell<()>,
    fault: Fault,
}

impl Vm {
    /// The thread has looked for a while.
    fn new(fault: Fault) -> Arc<Self> {
        let gifts = OwnGifts::new();
        for _ in 0..=LOOKS {
            gifts.looks();
        }
        Arc::new(Self {
            walks: HeapWalks::new(),
            gifts,
            tag: AtomicU64::new(0),
            object: UnsafeCell::new(()),
            fault,
        })
    }

    fn fence_unless(&self, fault: Fault) {
        if self.fault != fault {
            fence(Ordering::SeqCst);
        }
    }

    /// A walk; one that has to wait too long gives no ids.
    fn walk(&self) {
        self.walks.begin();
        if self.fault != Fault::LateWish {
            self.gifts.ask_to_look();
        }
        self.fence_unless(Fault::NoHeavyHalf);
        for _ in 0..2 {
            if !self.walks.anybody_gives() && !self.gifts.gives() {
                self.object.with_mut(|_| ());
                if self.tag.load(Ordering::Relaxed) == 0 {
                    self.tag.store(BY_WALK, Ordering::Relaxed);
                }
                break;
            }
            thread::yield_now();
        }
        self.walks.end();
        if self.fault == Fault::LateWish {
            self.gifts.ask_to_look();
        }
    }

    /// The callback of the object's birth, unless the thread has to look.
    fn gives_at_once(&self) {
        self.gifts.note();
        self.fence_unless(Fault::NoLightHalf);
        if self.walks.are_over() && !self.gifts.must_look() {
            self.object.with_mut(|_| ());
            let before = self.tag.load(Ordering::Relaxed);
            assert_eq!(before, 0, "the walk has given it an id");
            self.tag.store(BY_THREAD, Ordering::Relaxed);
        }
        self.gifts.strike();
    }

    /// An id with a look.
    fn gives(&self) {
        if self.walks.try_give(|| false) {
            self.object.with_mut(|_| ());
            if self.tag.load(Ordering::Relaxed) == 0 {
                self.tag.store(BY_THREAD, Ordering::Relaxed);
            }
            self.walks.has_given();
        }
    }
}

/// All interleavings with so many switches of a thread that could have gone on.
fn explore(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

fn at_once(fault: Fault) {
    explore(3, move || {
        let vm = Vm::new(fault);
        let other = Arc::clone(&vm);
        let allocating = thread::spawn(move || other.gives_at_once());
        vm.walk();
        allocating.join().unwrap();
    });
}

#[test]
fn an_id_given_at_once_is_the_only_one() {
    at_once(Fault::None);
}

#[test]
#[should_panic]
fn without_the_light_half_there_are_two() {
    at_once(Fault::NoLightHalf);
}

#[test]
#[should_panic]
fn without_the_heavy_half_there_are_two() {
    at_once(Fault::NoHeavyHalf);
}

#[test]
#[should_panic(expected = "the walk has given it an id")]
fn if_the_wish_is_late_there_are_two() {
    at_once(Fault::LateWish);
}

#[test]
fn a_look_and_a_gift_are_one() {
    explore(3, || {
        let vm = Vm::new(Fault::None);
        let other = Arc::clone(&vm);
        let giving = thread::spawn(move || other.gives());
        vm.walk();
        giving.join().unwrap();
    });
}

#[test]
fn two_walks_and_both_ways_to_give() {
    explore(2, || {
        let vm = Vm::new(Fault::None);
        let other = Arc::clone(&vm);
        let thread = thread::spawn(move || {
            other.gives();
            other.gives_at_once_if_it_is_new();
        });
        vm.walk();
        vm.walk();
        thread.join().unwrap();
    });
}

impl Vm {
    /// [`Vm::gives_at_once`] for an object that the thread itself has given no id.
    fn gives_at_once_if_it_is_new(&self) {
        if self.tag.load(Ordering::Relaxed) != BY_THREAD {
            self.gives_at_once();
        }
    }
}

/// A thread that has looked often enough stops, as another walk begins.
fn looked_enough(fault: Fault) {
    explore(3, move || {
        let vm = Vm::new(fault);
        vm.gifts.ask_to_look();
        for _ in 0..=LOOKS {
            vm.gifts.has_looked();
        }
        let other = Arc::clone(&vm);
        let walk = thread::spawn(move || {
            other.walks.begin();
            other.gifts.ask_to_look();
        });
        vm.gifts.is_done(match fault {
            Fault::RelaxedStrike => Ordering::Relaxed,
            _ => Ordering::Acquire,
        });
        walk.join().unwrap();
        assert!(vm.gifts.must_look(), "a walk is not looked for");
    });
}

#[test]
fn the_wish_of_a_walk_stays() {
    looked_enough(Fault::None);
}

#[test]
#[should_panic(expected = "a walk is not looked for")]
fn a_wish_is_struck_unseen() {
    looked_enough(Fault::RelaxedStrike);
}
