//! The book, in the orders of a VM.

use std::time::{Duration, Instant};

use super::{Book, Duty, Leaving, Ticket};

const OBJECT: u64 = 10;
const STRUCTURE: usize = 0x1000;
const OWNER: Leaving = Leaving {
    me: 1,
    wholly: false,
    patient: true,
    asked: false,
};
const ASKED: Leaving = Leaving {
    asked: true,
    ..OWNER
};

fn once(_: usize) -> bool {
    false
}

#[test]
fn an_owner_that_nobody_waits_for_just_leaves() {
    let mut book = Book::default();
    assert_eq!(book.leaves(OBJECT, OWNER, once), Duty::Nothing);
    assert!(!book.is_contended(OBJECT));
}

#[test]
fn one_contention() {
    let (mut book, now) = (Book::default(), Instant::now());
    let ticket = book.waits(OBJECT, STRUCTURE, now);
    assert!(book.is_contended(OBJECT));
    // The waiter is still telling of itself; nobody knows the owner's entries.
    assert_eq!(book.leaves(OBJECT, OWNER, once), Duty::Ask);
    assert_eq!(book.leaves(OBJECT, ASKED, once), Duty::Wait);
    book.has_said_so(OBJECT, ticket);
    assert_eq!(book.leaves(OBJECT, ASKED, once), Duty::Tell);
    // It comes back before the waiter got in, and leaves again.
    assert_eq!(book.leaves(OBJECT, ASKED, once), Duty::Nothing);
    // Somebody else was faster than the waiter; it hands over as well.
    let other = Leaving { me: 2, ..ASKED };
    assert_eq!(book.leaves(OBJECT, other, once), Duty::Tell);
    book.has_entered(OBJECT, ticket, now);
    assert_eq!(book.count(), 0);
}

#[test]
fn nobody_waits_for_who_tells_nobody() {
    let (mut book, now) = (Book::default(), Instant::now());
    let first = book.waits(OBJECT, STRUCTURE, now);
    let second = book.waits(OBJECT, STRUCTURE, now);
    book.has_said_so(OBJECT, second);
    book.gives_up(OBJECT, first);
    assert!(book.is_contended(OBJECT));
    book.has_entered(OBJECT, second, now);
    assert_eq!(book.count(), 0);
    let third = book.waits(OBJECT, STRUCTURE, now);
    book.forget();
    let fourth = book.waits(OBJECT, STRUCTURE, now);
    // Of a time that is past.
    book.gives_up(OBJECT, third);
    assert!(book.is_contended(OBJECT));
    book.gives_up(OBJECT, fourth);
    assert_eq!(book.count(), 0);
}

#[test]
fn an_owner_that_may_not_wait_says_it_early() {
    let (mut book, now) = (Book::default(), Instant::now());
    let hasty = Leaving {
        patient: false,
        wholly: true,
        ..OWNER
    };
    let first = book.waits(OBJECT, 0, now);
    assert_eq!(book.leaves(OBJECT, hasty, once), Duty::Tell);
    book.has_said_so(OBJECT, first);
    assert_eq!(book.leaves(OBJECT, hasty, once), Duty::Nothing);
    // Another waiter is told of once more.
    book.waits(OBJECT, 0, now);
    assert_eq!(book.leaves(OBJECT, hasty, once), Duty::Tell);
}

#[test]
fn an_inner_entry_is_no_exit() {
    let (mut book, now) = (Book::default(), Instant::now());
    let ticket = book.waits(OBJECT, STRUCTURE, now);
    book.has_said_so(OBJECT, ticket);
    let again = |structure| structure == STRUCTURE;
    assert_eq!(book.leaves(OBJECT, ASKED, again), Duty::Nothing);
    // Object.wait leaves all entries at once.
    let wholly = Leaving {
        wholly: true,
        ..OWNER
    };
    assert_eq!(book.leaves(OBJECT, wholly, again), Duty::Tell);
}

#[test]
fn who_has_got_in_is_counted_for_a_while() {
    let (mut book, now) = (Book::default(), Instant::now());
    let contend = |book: &mut Book, structure, now| {
        let ticket = book.waits(OBJECT, structure, now);
        book.has_said_so(OBJECT, ticket);
        let duty = book.leaves(OBJECT, OWNER, once);
        book.has_entered(OBJECT, ticket, now);
        duty
    };
    assert_eq!(contend(&mut book, STRUCTURE, now), Duty::Ask);
    assert_eq!(contend(&mut book, STRUCTURE, now), Duty::Tell);
    // Another structure, or one that the VM may have taken back meanwhile.
    assert_eq!(contend(&mut book, STRUCTURE + 64, now), Duty::Ask);
    let later = now + Duration::from_millis(100);
    assert_eq!(contend(&mut book, STRUCTURE + 64, later), Duty::Ask);
    assert_eq!(contend(&mut book, 0, later), Duty::Ask);
}

#[test]
fn each_monitor_is_counted_by_itself() {
    let (mut book, now) = (Book::default(), Instant::now());
    for object in [1, 2] {
        let ticket = book.waits(object, STRUCTURE, now);
        book.has_said_so(object, ticket);
        book.has_entered(object, ticket, now);
    }
    for object in [1, 2] {
        let ticket = book.waits(object, STRUCTURE, now);
        book.has_said_so(object, ticket);
        assert_eq!(book.leaves(object, OWNER, once), Duty::Tell, "{object}");
    }
}

#[test]
fn with_two_waiters_the_first_to_get_in_hands_over_to_the_second() {
    let (mut book, now) = (Book::default(), Instant::now());
    let ticket = [2, 3].map(|_| book.waits(OBJECT, STRUCTURE, now));
    for ticket in ticket {
        book.has_said_so(OBJECT, ticket);
    }
    assert_eq!(book.leaves(OBJECT, ASKED, once), Duty::Tell);
    book.has_entered(OBJECT, ticket[0], now);
    // It has entered by the structure: nobody has to be asked.
    let second = Leaving { me: 2, ..OWNER };
    assert_eq!(book.leaves(OBJECT, second, once), Duty::Tell);
    book.has_entered(OBJECT, ticket[1], now);
    assert_eq!(book.count(), 0);
}

/// There is no count to trust: each owner asks the VM, also one that has waited itself.
#[test]
fn where_no_structure_can_be_read_each_owner_asks() {
    let (mut book, now) = (Book::default(), Instant::now());
    let ticket = [2, 3].map(|_| book.waits(OBJECT, 0, now));
    for ticket in ticket {
        book.has_said_so(OBJECT, ticket);
    }
    assert_eq!(book.leaves(OBJECT, OWNER, once), Duty::Ask);
    assert_eq!(book.leaves(OBJECT, ASKED, once), Duty::Tell);
    book.has_entered(OBJECT, ticket[0], now);
    let second = Leaving { me: 2, ..OWNER };
    assert_eq!(book.leaves(OBJECT, second, once), Duty::Ask);
}

#[test]
fn what_began_before_the_event_was_disabled_changes_nothing() {
    let (mut book, now) = (Book::default(), Instant::now());
    let old = book.waits(OBJECT, STRUCTURE, now);
    book.forget();
    assert_eq!(book.count(), 0);
    let new = book.waits(OBJECT, STRUCTURE, now);
    assert_ne!(old, new);
    book.has_said_so(OBJECT, old);
    assert_eq!(book.leaves(OBJECT, ASKED, once), Duty::Wait);
    book.has_entered(OBJECT, old, now);
    assert!(book.is_contended(OBJECT));
    assert_eq!(Ticket::from_raw(Ticket::raw(Some(new))), Some(new));
    assert_eq!(Ticket::from_raw(Ticket::raw(None)), None);
}

#[test]
fn a_callback_that_the_vm_leaves_out_upsets_no_count() {
    let (mut book, now) = (Book::default(), Instant::now());
    let ticket = book.waits(OBJECT, 0, now);
    book.has_said_so(OBJECT, ticket);
    book.has_entered(OBJECT, ticket, now);
    // Told twice, or of an object that nobody waits for.
    book.has_entered(OBJECT, ticket, now);
    book.has_said_so(OBJECT, ticket);
    assert_eq!(book.count(), 0);
}
