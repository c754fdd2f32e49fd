//! Pending collections, and dumps against brackets, under loom.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;

use loom::thread;

use protocols::collections::{Collections, Sentinels};
use protocols::holds::Holds;

/// Whoever sees that something is pending has the figures of that pause: `counts`, or it is part
/// of a cycle. `told` is when the figures are written; late, and that is a fault.
fn sees_when_it_was(counts: bool, in_time: bool) {
    loom::model(move || {
        let vm = Arc::new(Collections::new());
        let other = Arc::clone(&vm);
        let count = Some(u32::from(counts));
        let pause = thread::spawn(move || {
            if !in_time {
                other.add();
            }
            other.pause_ended(5, (7, 9), count);
        });
        if vm.is_pending(|| true) {
            assert_eq!(vm.last_pause(), 5, "when it was");
            assert_eq!(vm.space(), Some((7, 9)));
        }
        if vm.take(|| true) {
            assert_eq!(vm.last_pause(), 5, "when it was");
            assert_eq!(vm.space(), Some((7, 9)));
        }
        pause.join().unwrap();
    });
}

#[test]
fn a_collection_comes_with_its_figures() {
    sees_when_it_was(true, true);
}

#[test]
fn a_pause_of_a_cycle_comes_with_its_figures() {
    sees_when_it_was(false, true);
}

#[test]
#[should_panic(expected = "when it was")]
fn one_that_counts_early_comes_without() {
    sees_when_it_was(true, false);
}

/// Two that take, while the VM collects twice and one gives back what it has taken.
#[test]
fn each_is_taken_once() {
    loom::model(|| {
        let vm = Arc::new(Collections::new());
        let (pauses, other) = (Arc::clone(&vm), Arc::clone(&vm));
        let collecting = thread::spawn(move || {
            pauses.pause_ended(1, (0, 0), Some(1));
            pauses.pause_ended(2, (0, 0), Some(2));
        });
        let failing = thread::spawn(move || {
            if other.take(|| false) {
                other.add();
            }
        });
        let mut taken = usize::from(vm.take(|| false));
        collecting.join().unwrap();
        failing.join().unwrap();
        while vm.take(|| false) {
            taken += 1;
        }
        assert_eq!(taken, 2);
    });
}

/// Two threads of the VM tell of deaths: of each sentinel once, and of the newest in any case.
#[test]
fn the_newest_sentinel_counts_once() {
    loom::model(|| {
        let sentinels = Arc::new(Sentinels::new());
        let first = sentinels.next();
        let newest = sentinels.next();
        let other = Arc::clone(&sentinels);
        let telling = thread::spawn(move || (other.died(first), other.died(newest)));
        let told = sentinels.died(newest);
        let (_, told_too) = telling.join().unwrap();
        assert!(told != told_too && sentinels.is_dead(sentinels.newest()));
    });
}

/// Whoever holds sees that nothing has begun, or it has begun before and says so no more.
#[test]
fn of_a_dump_and_a_bracket_one_is_first() {
    loom::model(|| {
        let holds = Arc::new(Holds::new());
        let other = Arc::clone(&holds);
        let dump = thread::spawn(move || {
            other.hold();
            let begins = other.begin().is_some();
            other.release();
            assert!(!begins, "a bracket in a dump");
        });
        // The beginning, and what it asks before it tells of deaths.
        let begun = holds.begin();
        let tells = begun.is_some() && !holds.is_held();
        drop(begun);
        dump.join().unwrap();
        assert!(tells || !holds.is_held());
        assert!(holds.begin().is_some());
    });
}
