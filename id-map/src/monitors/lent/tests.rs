//! Who owns what, and who may give it back.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::monitor_id::{Enter, Exit, MonitorId};
use crate::monitors::Monitors;

const ME: u64 = 1;
const YOU: u64 = 2;

fn is_idle(monitors: &Monitors, id: MonitorId) -> bool {
    let idle = Cell::new(false);
    monitors.if_idle(id, || idle.set(true));
    idle.get()
}

#[test]
fn the_owner_from_elsewhere_leaves_as_often_as_it_has_entered() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    assert!(is_idle(&monitors, id));
    monitors.adopt(id, || None);
    monitors.adopt(id, || Some((ME, 2)));
    assert!(!is_idle(&monitors, id));
    assert!(matches!(monitors.try_enter(id, YOU), Enter::Contended(_)));
    assert_eq!(monitors.exit(id, YOU), Exit::NotOwner);
    assert_eq!(monitors.exit(id, ME), Exit::Done);
    assert!(matches!(monitors.exit(id, ME), Exit::Contended(_)));
    assert!(!is_idle(&monitors, id), "somebody waits");
    assert!(monitors.enter_contended(id, YOU));
    assert_eq!(monitors.exit(id, YOU), Exit::Done);
    assert!(is_idle(&monitors, id));
}

#[test]
fn what_has_ended_is_adopted_by_nobody() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    monitors.destroy(id, ME).expect("it lives");
    let taken = Cell::new(false);
    let take = || {
        taken.set(true);
        Some((ME, 1))
    };
    monitors.adopt(id, take);
    assert!(!monitors.begin_use(id, take));
    monitors.end_use(id, || panic!("it has ended"));
    assert!(!taken.get(), "whoever has the next life keeps it");
    assert!(!is_idle(&monitors, id));
    assert!(monitors.snapshot().is_empty());
}

/// A stale handle, while the slot lives again and its monitor is somebody's elsewhere.
#[test]
fn a_handle_of_an_earlier_life_takes_nothing() {
    let monitors = Monitors::new();
    let mut ids = std::iter::from_fn(|| {
        let id = monitors.create(c"lock")?;
        monitors.destroy(id, ME)?;
        Some(id)
    });
    let stale = ids.next().expect("room");
    let again = ids.take(100).find(|id| id.index() == stale.index());
    assert!(again.is_some_and(|again| again != stale));
    assert!(!monitors.begin_use(stale, || panic!("not its own")));
    monitors.adopt(stale, || panic!("not its own"));
    monitors.if_idle(stale, || panic!("not its own"));
}

#[test]
fn nobody_is_no_owner() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    monitors.adopt(id, || Some((0, 1)));
    assert!(is_idle(&monitors, id));
    assert_eq!(monitors.try_enter(id, ME), Enter::Entered);
    assert_eq!(monitors.exit(id, ME), Exit::Done);
}

/// One thread has begun to enter, and its owner leaves: the monitor stays here, where the first one gets it.
#[test]
fn it_does_not_go_back_while_a_call_is_under_way() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    assert!(monitors.begin_use(id, || Some((ME, 1))), "to enter");
    assert!(monitors.begin_use(id, || None), "to leave");
    assert_eq!(monitors.exit(id, ME), Exit::Done);
    monitors.end_use(id, || panic!("YOU are about to enter it"));
    monitors.if_idle(id, || panic!("YOU are about to enter it"));
    assert_eq!(monitors.try_enter(id, YOU), Enter::Entered);
    monitors.end_use(id, || panic!("it is YOURS"));
    assert!(monitors.begin_use(id, || None));
    assert_eq!(monitors.exit(id, YOU), Exit::Done);
    let goes_back = Cell::new(false);
    monitors.end_use(id, || goes_back.set(true));
    assert!(goes_back.get());
}

#[test]
fn a_destroyed_one_does_not_go_back_nor_are_its_uses_anothers() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    assert!(monitors.begin_use(id, || None), "to destroy it");
    assert!(monitors.begin_use(id, || None), "to notify");
    monitors.end_use(id, || panic!("it is about to be destroyed"));
    monitors.destroy(id, ME).expect("it lives");
    monitors.end_use(id, || panic!("it is gone"));
}

/// A monitor there is: 0 here; 1 free; above, its owner's number and 1.
#[test]
fn one_owner_wherever_it_is() {
    const HERE: u64 = 0;
    const FREE: u64 = 1;
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    let there = AtomicU64::new(FREE);
    let inside = AtomicU32::new(0);
    let [back, crossed] = [const { AtomicU32::new(0) }; 2];
    let change = |from, to| {
        let changed = there.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    };
    let cross = |call: &dyn Fn()| {
        let begun = monitors.begin_use(id, || {
            let word = there.swap(HERE, Ordering::AcqRel);
            (word > FREE).then(|| (word - 1, 1))
        });
        assert!(begun);
        crossed.fetch_add(1, Ordering::AcqRel);
        call();
        monitors.end_use(id, || {
            back.fetch_add(1, Ordering::AcqRel);
            assert!(change(HERE, FREE), "it was here");
        });
    };
    let rounds = if cfg!(miri) { 20 } else { 20_000 };
    std::thread::scope(|scope| {
        for me in 1..=4 {
            let (inside, cross, change, monitors) = (&inside, &cross, &change, &monitors);
            scope.spawn(move || {
                for _ in 0..rounds {
                    if !change(FREE, me + 1) {
                        cross(&|| match monitors.try_enter(id, me) {
                            Enter::Entered => {}
                            Enter::Contended(_) => assert!(monitors.enter_contended(id, me)),
                            Enter::Unknown => panic!("it lives"),
                        });
                    }
                    assert_eq!(inside.fetch_add(1, Ordering::AcqRel), 0, "two owners");
                    std::hint::spin_loop();
                    inside.fetch_sub(1, Ordering::AcqRel);
                    if !change(me + 1, FREE) {
                        cross(&|| {
                            let left = monitors.exit(id, me);
                            assert!(matches!(left, Exit::Done | Exit::Contended(_)), "{left:?}");
                        });
                    }
                }
            });
        }
    });
    // The last to leave gives it back.
    assert_eq!(there.into_inner(), FREE);
    assert!(back.into_inner() <= crossed.into_inner());
}
