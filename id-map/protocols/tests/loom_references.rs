//! References of JNI under loom: of each number the agent hears ALLOC and FREE in turns.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;

use loom::sync::Mutex;
use loom::thread;

use protocols::references::{
    Before, Early, Free, Reference, References, Teller, Ticket, Told, Turn,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Alloc,
    Free,
}

/// What is done otherwise than in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Nobody asks what comes before the next one with a number.
    NothingBefore,
    /// Who deletes it tells of that, whatever others are doing.
    FreeAtOnce,
}

type Book = References<Kind, u32, ()>;

/// The VM has one number only.
struct Host {
    book: Mutex<Book>,
    is_free: Mutex<bool>,
    heard: Mutex<Vec<Kind>>,
    fault: Fault,
}

const N: Reference = Reference(8);

impl Host {
    fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            book: Mutex::default(),
            is_free: Mutex::new(true),
            heard: Mutex::default(),
            fault,
        })
    }

    fn change<T>(&self, act: impl FnOnce(&mut Book) -> T) -> T {
        act(&mut self.book.lock().unwrap())
    }

    fn hears(&self, kind: Kind) {
        self.heard.lock().unwrap().push(kind);
    }

    /// Whether the VM gives the number.
    fn gives(&self) -> bool {
        std::mem::replace(&mut *self.is_free.lock().unwrap(), false)
    }

    fn settle(&self, me: Teller) {
        while self.fault != Fault::NothingBefore {
            match self.change(|book| book.before(me, N, true)) {
                Before::Nothing => return,
                Before::Another => thread::yield_now(),
                Before::Free(ticket, kind) => {
                    self.hears(kind);
                    self.change(|book| book.end_free(ticket, Told::Yes));
                }
            }
        }
    }

    fn send_orphans(&self, me: Teller) {
        while let Some((ticket, kind, _)) = self.change(|book| book.begin_orphan(me)) {
            self.hears(kind);
            self.change(|book| book.end_free(ticket, Told::Yes));
        }
    }

    /// What has been taken is told of, or waits.
    fn tell(&self, me: Teller, ticket: Ticket, may: bool) -> Option<Ticket> {
        self.settle(me);
        if !self.change(|book| book.is_due(ticket, Kind::Alloc, 1)) {
            self.change(|book| book.give_up(ticket));
            return None;
        }
        if !may {
            return self.change(|book| book.keep_alloc(ticket, Kind::Alloc));
        }
        self.hears(Kind::Alloc);
        if self.change(|book| book.alloc_told(ticket, true)) {
            self.send_orphans(me);
        }
        None
    }

    fn create(&self, me: Teller) {
        self.settle(me);
        let ticket = self.change(|book| book.take(me, N));
        self.tell(me, ticket, true);
    }

    fn delete(&self, me: Teller) {
        let (here, _) = self.change(|book| book.delete(Some(me), N, Kind::Free));
        if here == Free::Now || self.fault == Fault::FreeAtOnce {
            self.hears(Kind::Free);
        }
        *self.is_free.lock().unwrap() = true;
    }

    /// What waited has its turn; the first try of an event may fail.
    fn turn(&self, me: Teller, ticket: Ticket, later: bool) {
        match self.change(|book| book.turn(me, ticket)) {
            Turn::Gone => {}
            Turn::Lives(_, telling) => {
                if let Some(ticket) = self.tell(me, telling, !later) {
                    self.turn(me, ticket, false);
                }
            }
            Turn::Both(_) if later => {
                self.change(|book| book.both_told(ticket, Told::Later));
                self.turn(me, ticket, false);
            }
            Turn::Both(_) => {
                self.settle(me);
                self.hears(Kind::Alloc);
                self.change(|book| book.both_told(ticket, Told::Yes));
                if self.change(|book| book.begin_free(me, ticket)).is_some() {
                    self.hears(Kind::Free);
                    self.change(|book| book.end_free(ticket, Told::Yes));
                }
            }
        }
    }

    fn is_in_turns(&self) {
        self.send_orphans(Teller(9));
        let heard = self.heard.lock().unwrap();
        let in_turns = heard
            .iter()
            .enumerate()
            .all(|(place, &kind)| (kind == Kind::Alloc) == (place % 2 == 0));
        assert!(in_turns, "not in turns: {heard:?}");
        let lives = !*self.is_free.lock().unwrap();
        assert_eq!(heard.len() % 2 == 1, lives, "the last one: {heard:?}");
        assert!(self.change(|book| book.is_quiet()), "something is left");
    }
}

/// The ALLOC of one waits with this thread.
fn kept(host: &Host, me: Teller) -> Ticket {
    assert!(host.gives());
    host.change(|book| {
        let ticket = book.take(me, N);
        assert!(book.is_due(ticket, Kind::Alloc, 1));
        book.keep_alloc(ticket, Kind::Alloc).unwrap()
    })
}

/// One has kept ALLOC and FREE of a reference, and tells of them while the VM gives the number to another.
fn a_pair_and_the_next_one(fault: Fault) {
    for later in [false, true] {
        loom::model(move || {
            let host = Host::new(fault);
            let (me, other) = (Teller(1), Teller(2));
            let ticket = kept(&host, me);
            host.delete(me);
            let next = Arc::clone(&host);
            let next = thread::spawn(move || {
                assert!(next.gives());
                next.create(other);
            });
            host.turn(me, ticket, later);
            next.join().unwrap();
            host.is_in_turns();
        });
    }
}

/// One tells of what waited, for its class or for the end of a bracket, and another deletes it and makes the next one.
fn deleted_while_it_is_told(fault: Fault) {
    for (early, later) in [(true, false), (false, false), (false, true)] {
        loom::model(move || {
            let host = Host::new(fault);
            let (me, other) = (Teller(1), Teller(2));
            let ticket = kept(&host, me);
            if early {
                host.change(|book| {
                    let Turn::Lives(_, ticket) = book.turn(me, ticket) else {
                        panic!("it is kept");
                    };
                    let early = Early {
                        until: (),
                        kind: Kind::Alloc,
                        reference: N,
                    };
                    assert!(book.wait(ticket, early).is_none());
                });
            }
            let next = Arc::clone(&host);
            let next = thread::spawn(move || {
                next.delete(other);
                assert!(next.gives());
                next.create(other);
            });
            if !early {
                host.turn(me, ticket, later);
            } else if let Some((_, ticket)) = host.change(|book| book.take_early(me, |_| true)) {
                host.tell(me, ticket, true);
            }
            next.join().unwrap();
            host.is_in_turns();
        });
    }
}

#[test]
fn a_pair_that_waits_is_told_before_the_next_one_or_not_at_all() {
    a_pair_and_the_next_one(Fault::None);
}

#[test]
#[should_panic(expected = "not in turns")]
fn without_asking_what_comes_before_it_is_not() {
    a_pair_and_the_next_one(Fault::NothingBefore);
}

#[test]
fn what_is_deleted_while_it_is_told_has_its_free_behind() {
    deleted_while_it_is_told(Fault::None);
}

#[test]
#[should_panic(expected = "not in turns")]
fn with_a_free_at_once_it_has_not() {
    deleted_while_it_is_told(Fault::FreeAtOnce);
}
