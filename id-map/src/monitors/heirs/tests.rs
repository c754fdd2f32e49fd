//! Who gets what a thread owns that never comes back.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::thread;

use crate::monitor_id::{Enter, Exit};
use crate::monitors::Monitors;

const HEIR: u64 = 9;
const OTHER: u64 = 8;

#[test]
fn heirs_get_it_of_each_that_is_gone() {
    let monitors = Monitors::new();
    for gone in [1, 2, 3] {
        let id = monitors.create(c"lock").expect("room");
        assert_eq!(monitors.try_enter(id, gone), Enter::Entered);
        assert_eq!(monitors.try_enter(id, gone), Enter::Entered);
    }
    for gone in [1, 2, 3] {
        monitors.never_leaves(gone);
    }
    for monitor in monitors.snapshot() {
        assert!(matches!(
            monitors.try_enter(monitor.id, HEIR),
            Enter::Contended(_)
        ));
        assert!(monitors.enter_as_heir(monitor.id, HEIR));
        assert_eq!(monitors.exit(monitor.id, HEIR), Exit::Done);
        assert_eq!(monitors.exit(monitor.id, HEIR), Exit::NotOwner);
    }
}

/// Its owner goes while the heir waits already; the others wait as they would have.
#[test]
fn heirs_that_wait_hear_of_it() {
    let monitors = &Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    assert_eq!(monitors.try_enter(id, 1), Enter::Entered);
    thread::scope(|scope| {
        for me in [HEIR, OTHER] {
            assert!(matches!(monitors.try_enter(id, me), Enter::Contended(_)));
        }
        // Whoever looks has the monitor's lock, and gives it back by waiting.
        let (tell, looks) = mpsc::channel();
        let waits = |me, is_heir| {
            let tell = tell.clone();
            let is_gone = move |owner| {
                let is_gone = is_heir && monitors.gone.lock().contains(&owner);
                let _ = tell.send(me);
                is_gone
            };
            scope.spawn(move || monitors.enter_when_free(id, me, is_gone))
        };
        let (other, heir) = (waits(OTHER, false), waits(HEIR, true));
        let looked: BTreeSet<_> = looks.iter().take(2).collect();
        assert_eq!(looked, BTreeSet::from([OTHER, HEIR]));
        assert!(!heir.is_finished());
        monitors.never_leaves(1);
        assert!(heir.join().expect("no panic"));
        assert!(!other.is_finished());
        assert!(matches!(monitors.exit(id, HEIR), Exit::Contended(_)));
        assert!(other.join().expect("no panic"));
    });
}
