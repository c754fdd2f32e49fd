//! MONITOR_CONTENDED_EXIT under loom.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "loom's threads take turns")]

use std::sync::Arc;
use std::time::Instant;

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use protocols::contended_exit::{Book, Duty, Leaving, Ticket, Waiters};

/// The hook class's field, and the book as the shim has it.
struct Host {
    book: Mutex<Book>,
    waiters: Waiters,
    field: AtomicBool,
    fault: Fault,
}

/// What is done otherwise than in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// As JNI's SetBooleanArrayRegion alone.
    NoFences,
    /// Nobody waits for a thread that is about to say that nobody waits.
    NoWaiting,
}

impl Host {
    fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            book: Mutex::new(Book::default()),
            waiters: Waiters::new(),
            field: AtomicBool::new(false),
            fault,
        })
    }

    fn with_book<T>(&self, act: impl FnOnce(&mut Book) -> T) -> T {
        let mut book = self.book.lock().unwrap();
        let result = act(&mut book);
        self.waiters.note(&book);
        result
    }

    fn show(&self) {
        let set = |any| self.field.store(any, Ordering::Relaxed);
        let until = |is_over: &dyn Fn() -> bool| {
            while self.fault != Fault::NoWaiting && !is_over() {
                thread::yield_now();
            }
        };
        if self.fault != Fault::NoFences {
            return self.waiters.show(set, until);
        }
        loop {
            let any = self.waiters.any();
            set(any);
            if self.waiters.any() == any {
                return;
            }
        }
    }

    fn waits(&self, object: u64) -> Ticket {
        let ticket = self.with_book(|book| book.waits(object, 0, Instant::now()));
        self.show();
        ticket
    }

    fn enters(&self, object: u64, ticket: Ticket) {
        self.with_book(|book| {
            book.has_said_so(object, ticket);
            book.has_entered(object, ticket, Instant::now());
        });
        self.show();
    }
}

/// All interleavings with so many switches of a thread that could have gone on.
fn explore(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

/// One thread comes to wait while another gets in: the field says so at the end.
fn one_comes_one_gets_in(fault: Fault) {
    explore(3, move || {
        let host = Host::new(fault);
        let ticket = host.waits(1);
        let other = Arc::clone(&host);
        let entering = thread::spawn(move || other.enters(1, ticket));
        host.waits(2);
        // It is told of from now on.
        let shown = host.field.load(Ordering::Relaxed);
        assert!(
            shown || fault == Fault::NoFences,
            "somebody waits and an owner does not look"
        );
        entering.join().unwrap();
        let shown = host.field.load(Ordering::Relaxed);
        assert!(shown, "somebody waits and no owner looks");
    });
}

#[test]
fn who_looks_last_is_right() {
    one_comes_one_gets_in(Fault::None);
}

#[test]
#[should_panic(expected = "somebody waits and an owner does not look")]
fn without_waiting_one_says_too_late_that_nobody_waits() {
    one_comes_one_gets_in(Fault::NoWaiting);
}

#[test]
#[should_panic(expected = "somebody waits and no owner looks")]
fn without_fences_nobody_is() {
    one_comes_one_gets_in(Fault::NoFences);
}

/// EXIT comes behind the waiter's ENTER and in front of its ENTERED; `patient`: the owner waits
/// for the waiter, else it does not.
fn hands_over(patient: bool) {
    explore(3, move || {
        let host = Host::new(Fault::None);
        let monitor = Arc::new(Mutex::new(()));
        let (entered, told) = (AtomicBool::new(false), AtomicBool::new(false));
        let events = Arc::new((entered, told));
        let held = monitor.lock().unwrap();
        let ticket = host.waits(1);
        let waiter = {
            let (host, monitor) = (Arc::clone(&host), Arc::clone(&monitor));
            let events = Arc::clone(&events);
            thread::spawn(move || {
                events.0.store(true, Ordering::Relaxed);
                host.with_book(|book| book.has_said_so(1, ticket));
                let _held = monitor.lock().unwrap();
                assert!(events.1.load(Ordering::Relaxed), "ENTERED before EXIT");
                host.with_book(|book| book.has_entered(1, ticket, Instant::now()));
                host.show();
            })
        };
        let leaving = Leaving {
            me: 1,
            wholly: true,
            patient,
            asked: false,
        };
        while host.with_book(|book| book.leaves(1, leaving, |_| false)) != Duty::Tell {
            thread::yield_now();
        }
        assert!(events.0.load(Ordering::Relaxed), "EXIT before ENTER");
        events.1.store(true, Ordering::Relaxed);
        drop(held);
        waiter.join().unwrap();
        assert!(!host.field.load(Ordering::Relaxed));
    });
}

#[test]
fn an_owner_tells_between_enter_and_entered() {
    hands_over(true);
}

#[test]
#[should_panic(expected = "EXIT before ENTER")]
fn one_that_does_not_wait_may_be_too_early() {
    hands_over(false);
}
