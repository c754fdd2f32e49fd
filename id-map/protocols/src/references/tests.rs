//! Scripts of what two threads do with references.

use super::*;

const ME: Teller = Teller(1);
const OTHER: Teller = Teller(2);
const N: Reference = Reference(0x1000);
const ALLOC: char = 'A';
const FREE: char = 'F';

type All = References<char, u32, ()>;

/// `me` is telling of it.
fn begin(all: &mut All, me: Teller) -> Ticket {
    let ticket = all.take(me, N);
    assert!(all.is_due(ticket, ALLOC, 7));
    ticket
}

/// The ALLOC waits.
fn keep(all: &mut All, me: Teller) -> Ticket {
    let ticket = begin(all, me);
    all.keep_alloc(ticket, ALLOC).expect("it is there")
}

/// And the FREE.
fn keep_both(all: &mut All, me: Teller) -> Ticket {
    let ticket = keep(all, me);
    assert_eq!(all.delete(Some(me), N, FREE).0, Free::Waits(ticket));
    ticket
}

/// Whether `me` tells of the FREE now.
fn delete(all: &mut All, me: Teller) -> bool {
    all.delete(Some(me), N, FREE).0 == Free::Now
}

#[test]
fn a_free_follows_what_was_told() {
    let mut all = All::default();
    let ticket = begin(&mut all, ME);
    assert!(!all.alloc_told(ticket, true) && all.is_quiet());
    assert!(delete(&mut all, OTHER));
    assert!(!delete(&mut all, OTHER));
}

#[test]
fn what_was_not_told_has_no_free() {
    let mut all = All::default();
    let ticket = begin(&mut all, ME);
    assert!(!all.alloc_told(ticket, false));
    assert!(!delete(&mut all, ME));
    assert_eq!(all.told().count(), 0);
}

#[test]
fn what_is_deleted_before_it_is_told_is_not_told() {
    let mut all = All::default();
    let ticket = all.take(ME, N);
    assert!(!delete(&mut all, OTHER));
    assert_eq!(all.before(OTHER, N, true), Before::Another);
    assert!(!all.is_due(ticket, ALLOC, 7));
    assert!(all.give_up(ticket) && all.is_quiet());
}

#[test]
fn the_free_of_what_is_being_told_comes_behind_that() {
    let mut all = All::default();
    let ticket = begin(&mut all, ME);
    assert!(all.is_quiet() && !delete(&mut all, OTHER));
    assert!(!all.is_quiet() && all.begin_orphan(OTHER).is_none());
    assert!(all.alloc_told(ticket, true));
    assert_eq!(all.told().count(), 0);
    let (ticket, kind, reference) = all.begin_orphan(ME).expect("a FREE");
    assert_eq!((kind, reference), (FREE, N));
    // In its handler: the next one of its own does not wait for itself, another's does.
    assert_eq!(all.before(ME, N, false), Before::Nothing);
    assert_eq!(all.before(OTHER, N, true), Before::Another);
    all.end_free(ticket, Told::Later);
    assert_eq!(all.before(OTHER, N, true), Before::Free(ticket, FREE));
    all.end_free(ticket, Told::Yes);
    assert_eq!(all.before(OTHER, N, true), Before::Nothing);
}

/// In a slow handler, so that nobody waits for it any longer; and of the same object.
#[test]
fn the_next_one_with_the_number_has_a_free_of_its_own() {
    let mut all = All::default();
    let slow = begin(&mut all, ME);
    assert!(!delete(&mut all, OTHER));
    let next = begin(&mut all, OTHER);
    assert!(!all.alloc_told(next, true));
    assert!(all.alloc_told(slow, true));
    assert_eq!(all.told().count(), 1);
    assert!(delete(&mut all, OTHER));
}

#[test]
fn its_own_handler_deletes_what_it_was_told() {
    let mut all = All::default();
    let ticket = begin(&mut all, ME);
    assert!(delete(&mut all, ME));
    // The next one is made before that handler returns, and deleted by another thread.
    let next = begin(&mut all, OTHER);
    assert!(!all.alloc_told(next, true));
    assert!(delete(&mut all, ME));
    assert!(!all.alloc_told(ticket, true) && all.is_quiet());
    assert_eq!(all.told().count(), 0);
}

#[test]
fn what_waited_is_told_of_in_its_turn() {
    let mut all = All::default();
    let ticket = keep(&mut all, ME);
    assert_eq!(all.told().count(), 0);
    let Turn::Lives(_, telling) = all.turn(ME, ticket) else {
        panic!("it lives");
    };
    assert_eq!(all.turn(ME, ticket), Turn::Gone);
    assert!(all.is_due(telling, ALLOC, 7));
    assert!(!all.alloc_told(telling, true));
    assert!(delete(&mut all, ME));
}

#[test]
fn what_another_deletes_while_it_waits_is_not_told() {
    let mut all = All::default();
    let ticket = keep(&mut all, ME);
    assert!(!delete(&mut all, OTHER));
    assert_eq!(all.turn(ME, ticket), Turn::Gone);
    assert!(all.is_quiet());
}

/// Between the two it was the caller's to tell, and could not be told.
#[test]
fn what_another_deletes_before_it_is_known_to_wait_is_not_told() {
    let mut all = All::default();
    let ticket = begin(&mut all, ME);
    assert!(!delete(&mut all, OTHER));
    assert_eq!(all.keep_alloc(ticket, ALLOC), None);
    assert!(all.is_quiet() && all.told().count() == 0);
}

/// In a loop the VM gives the same number again and again.
#[test]
fn what_its_own_thread_deletes_while_it_waits_has_both_in_its_turn() {
    let mut all = All::default();
    let (first, second) = (keep_both(&mut all, ME), keep_both(&mut all, ME));
    let last = keep(&mut all, ME);
    assert_eq!(all.before(ME, N, true), Before::Nothing);
    assert_eq!(all.turn(ME, first), Turn::Both(N));
    assert!(!all.both_told(first, Told::Later));
    assert_eq!(all.turn(ME, first), Turn::Both(N));
    assert!(!all.both_told(first, Told::Yes));
    assert_eq!(all.begin_free(ME, first), Some(FREE));
    all.end_free(first, Told::Yes);
    // Nobody listened to that ALLOC.
    assert_eq!(all.turn(ME, second), Turn::Both(N));
    assert!(!all.both_told(second, Told::No));
    assert_eq!(all.begin_free(ME, second), None);
    assert!(matches!(all.turn(ME, last), Turn::Lives(..)));
}

#[test]
fn a_free_whose_turn_comes_before_the_alloc_is_told_right_behind_it() {
    let mut all = All::default();
    let ticket = keep_both(&mut all, ME);
    assert_eq!(all.begin_free(ME, ticket), None);
    assert_eq!(all.turn(ME, ticket), Turn::Both(N));
    assert!(!all.both_told(ticket, Told::Later));
    assert_eq!(all.turn(ME, ticket), Turn::Both(N));
    assert!(all.both_told(ticket, Told::Yes));
    assert_eq!(all.begin_free(ME, ticket), Some(FREE));
}

/// In the handler of an event before them in the queue the VM gives the number once more.
#[test]
fn out_of_turn_its_own_come_first_too() {
    let mut all = All::default();
    keep_both(&mut all, ME);
    let free = all.keep_free(Some(ME), FREE, N);
    assert_eq!(all.before(ME, N, false), Before::Free(free, FREE));
    all.end_free(free, Told::Yes);
    assert_eq!(all.before(ME, N, false), Before::Nothing);
    assert!(all.is_quiet());
}

#[test]
fn the_next_one_with_the_number_overtakes_what_another_waits_with() {
    let mut all = All::default();
    let (half, whole) = (keep_both(&mut all, ME), keep_both(&mut all, ME));
    assert_eq!(all.turn(ME, half), Turn::Both(N));
    // Its ALLOC is in the handler.
    assert_eq!(all.before(OTHER, N, true), Before::Another);
    assert_eq!(all.turn(ME, whole), Turn::Gone);
    assert!(!all.both_told(half, Told::Yes));
    assert_eq!(all.before(OTHER, N, true), Before::Free(half, FREE));
    assert_eq!(all.begin_free(ME, half), None);
    all.end_free(half, Told::Yes);
    assert_eq!(all.before(OTHER, N, true), Before::Nothing);
}

#[test]
fn what_a_thread_leaves_is_others_or_nobodys() {
    let mut all = All::default();
    let left = [keep(&mut all, ME), keep_both(&mut all, ME)];
    let free = all.keep_free(Some(ME), FREE, N);
    assert!(all.begin_orphan(OTHER).is_none());
    left.into_iter()
        .chain([free])
        .for_each(|ticket| all.abandon(ticket));
    assert_eq!(all.begin_orphan(OTHER), Some((free, FREE, N)));
    all.end_free(free, Told::No);
    assert!(all.is_quiet());
}

#[test]
fn an_early_one_that_is_deleted_has_neither() {
    let mut all = All::default();
    let early = || Early {
        until: (),
        kind: ALLOC,
        reference: N,
    };
    let ticket = all.take(ME, N);
    assert!(all.wait(ticket, early()).is_none() && all.any_early());
    let (free, waited) = all.delete(Some(OTHER), N, FREE);
    assert!(free == Free::NotHere && waited.is_some() && !all.any_early());
    // Deleted just before it would have waited.
    let ticket = all.take(ME, N);
    assert!(!delete(&mut all, OTHER));
    assert!(all.wait(ticket, early()).is_some() && !all.any_early());
    // And one whose time has come.
    let ticket = all.take(ME, N);
    assert!(all.wait(ticket, early()).is_none());
    let (_, ticket) = all.take_early(OTHER, |_| true).expect("it is there");
    assert!(all.is_due(ticket, ALLOC, 7));
    assert!(!all.alloc_told(ticket, true));
    assert!(delete(&mut all, ME));
}
