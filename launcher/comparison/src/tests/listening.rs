//! What is told by chance, and not where a port does not listen, or no more.
//!
//! Longer than most: many short cases of one port.

use recording_format::jvmti::Definition;
use recording_format::{Value, What};

use super::made::{Made, compared, pair, says, text, verdict};
use super::threads::{is_called, starts};
use crate::{Outcome, Verdict};

const WAIT: u8 = 73;

fn sets_in(made: &mut Made, environment: u32, [on, event, thread]: [u64; 3], code: i64) {
    made.add(What::JvmtiCall {
        number: 2,
        environment,
        arguments: vec![
            Value::Int(on.cast_signed()),
            Value::Int(event.cast_signed()),
            Value::Id(thread),
        ],
        results: Some(vec![Value::Int(code)]),
    });
}

/// SetEventNotificationMode of MonitorWait.
fn sets(made: &mut Made, is_on: bool, thread: u64) {
    sets_in(made, 1, [u64::from(is_on), WAIT.into(), thread], 0);
}

fn disposes(made: &mut Made, environment: u32) {
    made.add(What::JvmtiCall {
        number: 127,
        environment,
        arguments: vec![],
        results: Some(vec![Value::Int(0)]),
    });
}

fn waits(made: &mut Made, thread: u64, times: usize) {
    for _ in 0..times {
        made.add(What::JvmtiEvent {
            number: WAIT,
            environment: 1,
            env: thread + 1,
            values: vec![Value::Id(0), Value::Id(0x90), Value::Int(5)],
            results: Some(vec![]),
        });
    }
}

/// What a port does.
struct Port<'a> {
    /// How often main is told to wait, and the other thread.
    told: [usize; 2],
    /// What the other is called.
    other: &'static str,
    /// ThreadStart comes of both.
    hears_of_starts: bool,
    /// At the start.
    listens: &'a dyn Fn(&mut Made),
    /// While the program runs.
    stops: &'a dyn Fn(&mut Made),
    /// The old agent does.
    old_stops: bool,
}

impl Default for Port<'_> {
    fn default() -> Self {
        Self {
            told: [3, 2],
            other: "other",
            hears_of_starts: true,
            listens: &for_all,
            stops: &|_| (),
            old_stops: false,
        }
    }
}

impl Port<'_> {
    /// Each thread waits 20 times for the old agent.
    fn waits(&self) -> Verdict {
        let mut both = [Made::of("java Work"), Made::of("java Work")];
        both[0].enables(&[33, 57]);
        both[1].listens(&[52]);
        both[1].add(What::Defined {
            definition: Definition::Environment,
            values: vec![Value::Int(2), text("libport.so")],
        });
        (self.listens)(&mut both[1]);
        both.iter_mut().for_each(|made| _ = made.starts());
        for (name, id) in [("main", 0x20), (self.other, 0x30)] {
            starts(&mut both[0], name, id);
            if self.hears_of_starts {
                is_called(&mut both[1], name, id);
                both[1].jvmti(52, vec![Value::Id(id)]);
            }
            for _ in 0..20 {
                both[0].add(What::Event {
                    number: 57,
                    requested: false,
                    env: id + 1,
                    values: vec![Value::Id(0x90), Value::Int(5)],
                    results: Some(vec![]),
                });
            }
        }
        waits(&mut both[1], 0x20, self.told[0]);
        waits(&mut both[1], 0x30, self.told[1]);
        if self.old_stops {
            both[0].add(What::Call {
                slot: 3,
                arguments: vec![Value::Int(57), Value::Id(0)],
                results: Some(vec![Value::Int(0)]),
            });
        }
        (self.stops)(&mut both[1]);
        both.iter_mut().for_each(|made| _ = made.ends());
        verdict(&compared(&both), "waits begun")
    }
}

fn for_one(made: &mut Made) {
    sets(made, true, 0x20);
}

fn for_all(made: &mut Made) {
    sets(made, true, 0);
}

fn for_none(made: &mut Made) {
    sets(made, false, 0);
}

/// Of a port that is told of waits of main alone.
fn of_main(told: [usize; 2], listens: &dyn Fn(&mut Made)) -> Verdict {
    Port {
        told,
        listens,
        ..Port::default()
    }
    .waits()
}

#[test]
fn threads_that_a_port_does_not_listen_to_are_missed() {
    let missed = of_main([25, 0], &for_one);
    says(&missed, Outcome::Misses, &["single threads"]);
    assert!(
        missed.differences[0].name.starts_with("other"),
        "{missed:#?}"
    );
    // However often the others wait, what is missed is said of those that are.
    for main in [25, 60] {
        let missed = of_main([main, 0], &for_one);
        says(&missed, Outcome::Misses, &["misses 20 of 20 `other"]);
    }
    // Each by itself, as it starts; and for all, where it is chance.
    says(&of_main([25, 1], &for_one), Outcome::EqualBut, &[]);
    says(&of_main([25, 0], &for_all), Outcome::EqualBut, &[]);
}

/// Which of a pool waits is chance, and whether a thread of this name starts at all.
#[test]
fn a_thread_that_need_not_be_there_is_not_missed() {
    for (other, hears_of_starts) in [
        ("ForkJoinPool-1-worker-3", true),
        ("Read-Poller", true),
        ("Common-Cleaner", true),
        ("other", false),
    ] {
        let port = Port {
            told: [25, 0],
            other,
            hears_of_starts,
            listens: &for_one,
            ..Port::default()
        };
        says(&port.waits(), Outcome::EqualBut, &[]);
    }
}

/// That of NULL goes, those of single threads stay; what the VM refuses changes nothing.
#[test]
fn modes_of_all_and_of_single_threads_are_two() {
    let turns = |made: &mut Made| {
        for_all(made);
        for_none(made);
        for_one(made);
    };
    says(
        &of_main([25, 0], &turns),
        Outcome::Misses,
        &["single threads"],
    );
    let refused = |made: &mut Made| {
        for_all(made);
        sets_in(made, 1, [1, WAIT.into(), 0x20], 10);
    };
    says(&of_main([25, 0], &refused), Outcome::EqualBut, &[]);
    let refused_for_all = |made: &mut Made| {
        for_one(made);
        sets_in(made, 1, [1, WAIT.into(), 0], 99);
    };
    says(&of_main([25, 0], &refused_for_all), Outcome::Misses, &[]);
    // Main's own mode is left, whatever becomes of that for all.
    let both = |made: &mut Made| {
        for_all(made);
        for_one(made);
    };
    let port = Port {
        listens: &both,
        stops: &for_none,
        ..Port::default()
    };
    says(&port.waits(), Outcome::EqualBut, &[]);
}

/// How often is chance, but not that a port stops to listen.
#[test]
fn a_port_that_stops_to_listen_misses() {
    let port = |told: [usize; 2], stops: &dyn Fn(&mut Made), old_stops: bool| {
        Port {
            told,
            stops,
            old_stops,
            ..Port::default()
        }
        .waits()
    };
    let dispose = |made: &mut Made| disposes(made, 1);
    for stops in [&for_none as &dyn Fn(&mut Made), &dispose] {
        says(
            &port([3, 2], stops, false),
            Outcome::Misses,
            &["misses 35 of 40 of 2 names", "has disabled the event"],
        );
        says(&port([3, 2], stops, true), Outcome::EqualBut, &[]);
        says(&port([15, 15], stops, false), Outcome::EqualBut, &[]);
    }
    let again = |made: &mut Made| {
        for_none(made);
        for_all(made);
    };
    says(&port([3, 2], &again, false), Outcome::EqualBut, &[]);
}

/// It hears as long as one of its environments does.
#[test]
fn of_two_environments_one_may_stop() {
    let stops = |stops: &dyn Fn(&mut Made)| {
        let two = |made: &mut Made| {
            for environment in [1, 2] {
                sets_in(made, environment, [1, WAIT.into(), 0], 0);
            }
        };
        Port {
            listens: &two,
            stops,
            ..Port::default()
        }
        .waits()
    };
    says(&stops(&for_none), Outcome::EqualBut, &[]);
    says(&stops(&|made| disposes(made, 2)), Outcome::EqualBut, &[]);
    let both = |made: &mut Made| {
        for_none(made);
        disposes(made, 2);
    };
    says(&stops(&both), Outcome::Misses, &["disposed of"]);
}

/// Of two events that tell of the same the other one is left.
#[test]
fn one_of_two_events_may_stop() {
    let port = |stopped: &[u64]| {
        let mut both = pair(&[60], &[81, 82]);
        both.iter_mut().for_each(|made| _ = made.starts());
        for _ in 0..40 {
            both[0].event(60, vec![]);
        }
        for _ in 0..5 {
            both[1].jvmti(81, vec![]).jvmti(82, vec![]);
        }
        for &event in stopped {
            sets_in(&mut both[1], 1, [0, event, 0], 0);
        }
        both.iter_mut().for_each(|made| _ = made.ends());
        verdict(&compared(&both), "collections")
    };
    says(&port(&[82]), Outcome::EqualBut, &[]);
    says(&port(&[81]), Outcome::EqualBut, &[]);
    says(&port(&[81, 82]), Outcome::Misses, &["has disabled"]);
}

/// From then on the other one tells of what both have told of; it is no matter when that was.
#[test]
fn what_has_stopped_hides_nothing() {
    let mut both = pair(&[2, 1, 42, 60, 61], &[65, 82, 81, 55, 56]);
    let stops = |both: &mut [Made; 2], old: i64, new: u64| {
        both[0].add(What::Call {
            slot: 3,
            arguments: vec![Value::Int(old), Value::Id(0)],
            results: Some(vec![Value::Int(0)]),
        });
        sets_in(&mut both[1], 1, [0, new, 0], 0);
    };
    stops(&mut both, 1, 56);
    both[0].loads("Work", 0x100);
    both[1].names("LWork;", 0x100);
    both.iter_mut().for_each(|made| _ = made.starts());
    let collect = |both: &mut [Made; 2], old: &[i32], new: &[u8]| {
        for _ in 0..20 {
            old.iter()
                .for_each(|&event| _ = both[0].event(event, vec![]));
            new.iter()
                .for_each(|&event| _ = both[1].jvmti(event, vec![]));
        }
    };
    collect(&mut both, &[60, 61], &[81, 82]);
    stops(&mut both, 60, 81);
    collect(&mut both, &[61], &[82]);
    both[0].enables(&[60]);
    sets_in(&mut both[1], 1, [1, 81, 0], 0);
    collect(&mut both, &[60, 61], &[81, 82]);
    for _ in 0..5 {
        both[0].event(2, vec![Value::Id(0x101), Value::Id(0x900)]);
        both[1].jvmti(65, vec![Value::Id(0x101)]);
    }
    both[1].jvmti(55, vec![Value::Id(0x100)]);
    both.iter_mut().for_each(|made| _ = made.ends());
    let comparison = compared(&both);
    assert_eq!(verdict(&comparison, "collections").all, [60, 60]);
    for noun in ["methods entered", "classes loaded"] {
        says(&verdict(&comparison, noun), Outcome::Equal, &[]);
    }
}

/// Few are enough, where the port itself has said that it wants no more.
#[test]
fn few_collections_are_missed_by_whom_has_stopped() {
    let port = |stops: bool| {
        let mut both = pair(&[60], &[81]);
        both.iter_mut().for_each(|made| _ = made.starts());
        if stops {
            sets_in(&mut both[1], 1, [0, 81, 0], 0);
        }
        for _ in 0..4 {
            both[0].event(60, vec![]);
        }
        both.iter_mut().for_each(|made| _ = made.ends());
        verdict(&compared(&both), "collections")
    };
    says(
        &port(true),
        Outcome::Misses,
        &["misses all 4", "has disabled"],
    );
    says(
        &port(false),
        Outcome::EqualBut,
        &["4 and 0, too few to tell"],
    );
}

/// What the VM answers to SetEventNotificationMode in VMStart.
#[test]
fn a_wrong_phase_is_explained() {
    let mut both = pair(&[33], &[]);
    sets_in(&mut both[1], 1, [1, 52, 0], 112);
    both.iter_mut().for_each(|made| _ = made.starts());
    let found = verdict(&compared(&both), "threads started");
    says(&found, Outcome::NotCompared, &["error 112", "WRONG_PHASE"]);
}

/// An old agent hears of more than there are nouns.
#[test]
fn events_without_a_noun_are_named() {
    let mut both = pair(&[33, 38], &[52]);
    both.iter_mut().for_each(|made| _ = made.starts());
    both[0].event(38, vec![Value::Id(1), Value::Id(2)]);
    both.iter_mut().for_each(|made| _ = made.ends());
    let notes = compared(&both).notes.join(" ");
    assert!(notes.contains("told of JNI_GLOBALREF_ALLOC (1)"), "{notes}");
}

/// It is enabled, and nobody is there.
#[test]
fn an_event_without_a_callback_is_named() {
    let port = |has_callback: bool| {
        let mut both = pair(&[33, 34], &[52, 53]);
        let events: &[i64] = if has_callback { &[52, 53] } else { &[52] };
        let rows = events
            .iter()
            .map(|&event| vec![Value::Int(event)])
            .collect();
        both[1].call(122, vec![Value::List(rows), Value::Int(312)], vec![]);
        both.iter_mut().for_each(|made| _ = made.starts());
        starts(&mut both[0], "worker", 0x40);
        both[0].add(What::Event {
            number: 34,
            requested: false,
            env: 0x41,
            values: vec![],
            results: Some(vec![]),
        });
        both.iter_mut().for_each(|made| _ = made.ends());
        verdict(&compared(&both), "threads ended")
    };
    let found = port(false);
    says(
        &found,
        Outcome::Misses,
        &["ThreadEnd, but SetEventCallbacks"],
    );
    assert_eq!(port(true).causes, Vec::<String>::new());
}
