//! Each rule of the monitors, and the races.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{CHUNK, CHUNKS, Enter, Exit, LEFT_ALONE, MonitorId, Monitors, Outcome};

const ME: u64 = 1;
const YOU: u64 = 2;

fn enter(monitors: &Monitors, id: MonitorId, me: u64) {
    match monitors.try_enter(id, me) {
        Enter::Entered => {}
        Enter::Contended(_) => assert!(monitors.enter_contended(id, me)),
        Enter::Unknown => panic!("unknown"),
    }
}

#[test]
fn re_entrant_and_owned() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    assert_eq!(monitors.try_enter(id, ME), Enter::Entered);
    assert_eq!(monitors.try_enter(id, ME), Enter::Entered);
    assert_eq!(monitors.exit(id, YOU), Exit::NotOwner);
    assert_eq!(monitors.notify_all(id, YOU), Outcome::NotOwner);
    assert_eq!(monitors.wait(id, YOU, None), Outcome::NotOwner);
    assert_eq!(monitors.exit(id, ME), Exit::Done);
    assert_eq!(monitors.exit(id, ME), Exit::Done);
    assert_eq!(monitors.exit(id, ME), Exit::NotOwner);
}

#[test]
fn contention_is_seen_from_both_sides() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    enter(&monitors, id, ME);
    std::thread::scope(|scope| {
        assert!(matches!(monitors.try_enter(id, YOU), Enter::Contended(name) if &*name == c"lock"));
        let waiter = scope.spawn(|| {
            assert!(monitors.enter_contended(id, YOU));
            monitors.exit(id, YOU)
        });
        assert!(matches!(monitors.exit(id, ME), Exit::Contended(_)));
        assert_eq!(waiter.join().expect("no panic"), Exit::Done);
    });
}

#[test]
fn wait_releases_every_level_and_restores_them() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    enter(&monitors, id, ME);
    enter(&monitors, id, ME);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            enter(&monitors, id, YOU);
            assert_eq!(monitors.notify_all(id, YOU), Outcome::Done);
            monitors.exit(id, YOU);
        });
        assert_eq!(monitors.wait(id, ME, None), Outcome::Done);
        other.join().expect("no panic");
    });
    assert_eq!(monitors.exit(id, ME), Exit::Done);
    assert_eq!(monitors.exit(id, ME), Exit::Done);
    assert_eq!(monitors.exit(id, ME), Exit::NotOwner);
}

#[test]
fn wait_ends_with_its_time() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    enter(&monitors, id, ME);
    assert_eq!(
        monitors.wait(id, ME, Some(Duration::from_millis(5))),
        Outcome::TimedOut
    );
    assert_eq!(monitors.exit(id, ME), Exit::Done);
}

#[test]
fn destroying_wakes_everybody_and_leaves_a_stale_handle() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    enter(&monitors, id, ME);
    std::thread::scope(|scope| {
        let entering = scope.spawn(|| match monitors.try_enter(id, YOU) {
            Enter::Entered => true,
            Enter::Contended(_) => monitors.enter_contended(id, YOU),
            Enter::Unknown => false,
        });
        while !monitors.is_entering(YOU) {
            std::thread::yield_now();
        }
        assert_eq!(monitors.destroy(id, ME), Some(1), "entered once");
        assert!(!entering.join().expect("no panic"));
    });
    assert_eq!(monitors.destroy(id, ME), None);
    assert_eq!(monitors.try_enter(id, ME), Enter::Unknown);
    assert_eq!(monitors.exit(id, ME), Exit::Unknown);
    let next = monitors.create(c"next").expect("room");
    assert_ne!(next, id);
}

#[test]
fn nonsense_is_no_handle() {
    for raw in [0, 1, 0x1234, u64::MAX, 1 << 31, 1 << 20 << 4] {
        assert_eq!(MonitorId::from_raw(raw), None, "{raw:#x}");
    }
    let monitors = Monitors::new();
    let unused = MonitorId::from_raw(0x10).expect("shaped like a handle");
    assert_eq!(monitors.try_enter(unused, ME), Enter::Unknown);
}

#[test]
fn many_lives_of_a_slot_do_not_run_out() {
    let monitors = Monitors::new();
    for _ in 0..if cfg!(miri) { 300 } else { 10_000 } {
        let id = monitors.create(c"short").expect("room");
        assert!(id.raw() < 1 << 31);
        enter(&monitors, id, ME);
        assert_eq!(
            monitors.destroy(id, YOU),
            Some(0),
            "not entered by this one"
        );
    }
    assert!(monitors.free.lock().next < 128, "slots are reused");
}

#[test]
fn a_snapshot_has_everybody() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    let other = monitors.create(c"other").expect("room");
    assert_eq!(monitors.destroy(other, ME), Some(0));
    let see = |owner, depth, entering: &[u64], waiting: &[u64]| loop {
        let all = monitors.snapshot();
        assert_eq!(all.len(), 1);
        let seen = &all[0];
        assert_eq!((seen.id, &*seen.name), (id, c"lock"));
        if (seen.owner, seen.depth, &*seen.entering, &*seen.waiting)
            == (owner, depth, entering, waiting)
        {
            return;
        }
        std::thread::yield_now();
    };
    see(0, 0, &[], &[]);
    enter(&monitors, id, ME);
    enter(&monitors, id, ME);
    see(ME, 2, &[], &[]);
    std::thread::scope(|scope| {
        let monitors = &monitors;
        scope.spawn(move || {
            enter(monitors, id, YOU);
            monitors.wait(id, YOU, None);
            monitors.exit(id, YOU);
        });
        see(ME, 2, &[YOU], &[]);
        monitors.exit(id, ME);
        monitors.exit(id, ME);
        see(0, 0, &[], &[YOU]);
        enter(monitors, id, ME);
        monitors.notify_all(id, ME);
        see(ME, 1, &[YOU], &[]);
        monitors.exit(id, ME);
    });
    see(0, 0, &[], &[]);
    enter(&monitors, id, ME);
    monitors.wait(id, ME, Some(Duration::from_millis(1)));
    see(ME, 1, &[], &[]);
}

#[test]
fn it_excludes() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    let inside = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for me in 1..=4 {
            let (monitors, inside) = (&monitors, &inside);
            scope.spawn(move || {
                for _ in 0..if cfg!(miri) { 50 } else { 5_000 } {
                    enter(monitors, id, me);
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    inside.fetch_sub(1, Ordering::SeqCst);
                    monitors.exit(id, me);
                }
            });
        }
    });
}

#[test]
fn a_handle_names_its_monitor_and_is_recognised_later() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    let other = monitors.create(c"other").expect("room");
    assert_ne!(id.raw(), other.raw());
    assert_eq!(MonitorId::from_raw(id.raw()), Some(id));
    assert_eq!(monitors.name(id).as_deref(), Some(c"lock"));
    assert!(monitors.was_made(id));
    let never = MonitorId::new(7, 0);
    assert_eq!(monitors.name(never), None);
    assert!(!monitors.was_made(never));
    enter(&monitors, id, ME);
    monitors.destroy(id, ME);
    assert_eq!(monitors.name(id), None);
    assert!(monitors.was_made(id));
}

#[test]
fn it_is_contended_for_its_owner_while_others_want_it() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    enter(&monitors, id, ME);
    assert_eq!(monitors.contended(id, ME), None);
    assert!(matches!(monitors.try_enter(id, YOU), Enter::Contended(_)));
    assert_eq!(monitors.contended(id, ME).as_deref(), Some(c"lock"));
    assert_eq!(monitors.contended(id, YOU), None);
}

/// More lives than the slots that are used again have handles for.
#[test]
fn no_two_monitors_have_one_handle() {
    const MANY: usize = 18 * 128;
    let monitors = Monitors::new();
    let mut gone = HashSet::new();
    for _ in 0..MANY {
        let id = monitors.create(c"lock").expect("room");
        assert!(gone.insert(id.raw()), "{id:?} again");
        assert_eq!(monitors.destroy(id, ME), Some(0));
    }
    for id in gone {
        let id = MonitorId::from_raw(id).expect("a handle");
        assert!(monitors.was_made(id));
        assert_eq!(monitors.name(id), None, "{id:?}");
        assert_eq!(monitors.try_enter(id, ME), Enter::Unknown);
        assert_eq!(monitors.destroy(id, ME), None);
    }
    assert!(monitors.snapshot().is_empty());
    let living = monitors.create(c"lock").expect("room");
    assert!(monitors.was_made(living));
    let never = MonitorId::from_raw(living.raw() + (1 << 24)).expect("a handle");
    assert!(!monitors.was_made(never));
}

#[test]
fn a_slot_is_left_alone_for_a_while_and_then_used_again() {
    let monitors = Monitors::new();
    let slots: Vec<_> = std::iter::repeat_with(|| {
        let id = monitors.create(c"lock").expect("room");
        monitors.destroy(id, ME).expect("it lives");
        id.index()
    })
    .take(3 * (LEFT_ALONE + 1))
    .collect();
    let distinct: HashSet<_> = slots[..=LEFT_ALONE].iter().collect();
    assert_eq!(distinct.len(), LEFT_ALONE + 1);
    assert_eq!(slots[LEFT_ALONE + 1..][..=LEFT_ALONE], slots[..=LEFT_ALONE]);
}

#[test]
fn when_all_slots_live_the_next_one_that_ends_is_used() {
    let monitors = Monitors::new();
    let all = u32::try_from(CHUNK * CHUNKS - 1).expect("they fit into a handle");
    monitors.free.lock().next = all - 1;
    let last = monitors.create(c"last").expect("room for one");
    assert_eq!(MonitorId::from_raw(last.raw()), Some(last));
    assert_eq!(monitors.create(c"too many"), None);
    monitors.destroy(last, ME).expect("it lives");
    let again = monitors.create(c"again").expect("its slot");
    assert_eq!(again.index(), last.index());
    assert_eq!(monitors.create(c"too many"), None);
}

#[test]
fn a_handler_that_enters_and_does_not_leave_has_entered_once_more() {
    let monitors = Monitors::new();
    let id = monitors.create(c"lock").expect("room");
    enter(&monitors, id, ME);
    assert!(matches!(monitors.try_enter(id, YOU), Enter::Contended(_)));
    assert!(matches!(monitors.exit(id, ME), Exit::Contended(_)));
    // In the handler of RAW_MONITOR_CONTENDED_ENTER.
    assert_eq!(monitors.try_enter(id, YOU), Enter::Entered);
    assert!(monitors.enter_contended(id, YOU));
    assert_eq!(monitors.exit(id, YOU), Exit::Done);
    assert_eq!(monitors.try_enter(id, ME), Enter::Contended(c"lock".into()));
    assert!(matches!(monitors.exit(id, YOU), Exit::Contended(_)));
    assert_eq!(monitors.exit(id, YOU), Exit::NotOwner);
}
