//! Classes, methods, monitors, collections, code and dumps. One place for every noun that the judge knows, each with what it
//! takes for equal and what not, so it is long.

use recording_format::jvmti::Definition;
use recording_format::{Value, What};

use super::made::{ENV, Made, compared, ids, pair, says, text, verdict};
use super::threads::{is_called, starts};
use crate::{Outcome, Wish, compare};

#[test]
fn classes_are_those_of_events_and_of_lists_once_each() {
    let port = |events: &[u8], lists: bool, prepared: i64| {
        let mut both = pair(&[42], events);
        both[0].loads("Work", 0x100).starts();
        both[0].loads("Work$$Lambda$14/0x0000700", 0x200);
        both[1].starts();
        both[1]
            .names("LWork;", 0x100)
            .names("LWork$$Lambda$3.0x99;", 0x200)
            .names("LOther;", 0x300);
        if lists {
            both[1].call(78, vec![], vec![Value::Int(2), ids(&[0x100, 0x300])]);
            both[1].call(49, vec![Value::Id(0x300)], vec![Value::Int(prepared)]);
        }
        for &event in events {
            both[1].jvmti(event, vec![Value::Id(0x200)]);
        }
        verdict(&compared(&both), "classes loaded")
    };
    says(&port(&[56], true, 1), Outcome::Equal, &[]);
    says(&port(&[56, 55], true, 0), Outcome::Equal, &[]);
    says(
        &port(&[56], true, 3),
        Outcome::More,
        &["`Other`", "GetClassStatus"],
    );
    says(
        &port(&[55], false, 0),
        Outcome::Misses,
        &["GetLoadedClasses", "ClassPrepare"],
    );
}

#[test]
fn methods_count_with_their_recursion() {
    let port = |deep: bool| {
        let mut both = pair(&[1, 3], &[65, 66]);
        both[0].loads("Work", 0x100).starts();
        both[1].starts().names("LWork;", 0x100);
        let method = || vec![Value::Id(0x101)];
        let left = || vec![Value::Id(0x101), Value::Int(0), Value::Int(0)];
        for event in [1, 1, 3, 3] {
            both[0].event(event, method());
        }
        let order = if deep {
            [65, 65, 66, 66]
        } else {
            [65, 66, 65, 66]
        };
        for event in order {
            both[1].jvmti(event, if event == 65 { method() } else { left() });
        }
        verdict(&compared(&both), "methods entered")
    };
    says(&port(true), Outcome::Equal, &[]);
    let found = port(false);
    says(&found, Outcome::Differs, &["recursion of 1 name"]);
    assert_eq!(found.differences[0].name, "Work.run()V");
}

/// Each of several virtual threads is in the method once, and on their carrier it is begun as often as they are many.
#[test]
fn virtual_threads_take_turns_on_their_carrier() {
    let port = |carrier: &'static str, is_virtual: bool, order: &[u8]| {
        let mut both = pair(&[1, 3], &[65, 66, 87]);
        both[0].loads("Work", 0x100).starts();
        both[1].starts().names("LWork;", 0x100);
        is_called(&mut both[1], carrier, ENV - 1);
        for event in [1, 1, 3, 3] {
            both[0].event(event, vec![Value::Id(0x101)]);
        }
        if is_virtual {
            both[1].jvmti(87, vec![Value::Id(0x70)]);
        }
        for &event in order {
            let values = vec![Value::Id(0x101), Value::Int(0), Value::Int(0)];
            both[1].jvmti(event, values);
        }
        verdict(&compared(&both), "methods entered")
    };
    let (deep, flat) = ([65, 65, 66, 66], [65, 66, 65, 66]);
    let carrier = "ForkJoinPool-1-worker-1";
    says(&port(carrier, true, &flat), Outcome::Equal, &[]);
    says(&port(carrier, true, &deep), Outcome::Equal, &[]);
    // On others, and where none is virtual, it is what it is elsewhere.
    for (thread, is_virtual) in [
        ("main", true),
        ("ForkJoinPool.commonPool-worker-1", true),
        (carrier, false),
    ] {
        says(
            &port(thread, is_virtual, &flat),
            Outcome::Differs,
            &["recursion of 1 name of the program differs"],
        );
        says(&port(thread, is_virtual, &deep), Outcome::Equal, &[]);
    }
    // Who does not listen to VirtualThreadStart hears of what their class does.
    let mut both = pair(&[1, 3], &[65, 66]);
    both[0]
        .loads("Work", 0x100)
        .loads("java.lang.VirtualThread", 0x200);
    both[1].names("LWork;", 0x100);
    both[1].names("Ljava/lang/VirtualThread;", 0x200);
    is_called(&mut both[1], carrier, ENV - 1);
    both.iter_mut().for_each(|made| _ = made.starts());
    for (event, method) in [(1, 0x201), (1, 0x101), (1, 0x101), (3, 0x101), (3, 0x101)] {
        both[0].event(event, vec![Value::Id(method)]);
    }
    for (event, method) in [65, 65, 66, 65, 66]
        .into_iter()
        .zip([0x201, 0x101, 0x101, 0x101, 0x101])
    {
        let values = vec![Value::Id(method), Value::Int(0), Value::Int(0)];
        both[1].jvmti(event, values);
    }
    says(
        &verdict(&compared(&both), "methods entered"),
        Outcome::Equal,
        &[],
    );
}

/// Even if all of them agree: there are no members yet.
#[test]
fn class_load_alone_is_too_early() {
    let port = |events: &[u8]| {
        let mut both = pair(&[42], events);
        both[0].starts().loads("Work", 0x100);
        both[1].starts().names("LWork;", 0x100);
        for &event in events {
            both[1].jvmti(event, vec![Value::Id(0x100)]);
        }
        verdict(&compared(&both), "classes loaded")
    };
    says(&port(&[56]), Outcome::Equal, &[]);
    says(&port(&[55, 56]), Outcome::Equal, &[]);
    says(
        &port(&[55]),
        Outcome::Differs,
        &["as many, but by ClassLoad", "ClassPrepare is what"],
    );
}

/// The JDK's names have more room than the program's.
#[test]
fn the_jdk_is_compared_as_a_whole() {
    let port_of = |[name, signature]: [&'static str; 2], times: u64| {
        let mut both = pair(&[1], &[65]);
        both[0].loads(name, 0x100).starts();
        both[1].starts().names(signature, 0x100);
        for _ in 0..200 {
            both[0].event(1, vec![Value::Id(0x101)]);
        }
        for _ in 0..times {
            both[1].jvmti(65, vec![Value::Id(0x101)]);
        }
        verdict(&compared(&both), "methods entered")
    };
    let port = |times: u64| port_of(["java.util.Map", "Ljava/util/Map;"], times);
    says(
        &port(195),
        Outcome::EqualBut,
        &["1 name of the JDK (200 and 195"],
    );
    says(&port(120), Outcome::Misses, &["200 and 120 of the JDK's"]);
    says(&port(300), Outcome::More, &["200 and 300", "intrinsics"]);
    // Compiled code calls these by intrinsics, which the old side does not see.
    let by_intrinsics = |times| port_of(["java.lang.Math", "Ljava/lang/Math;"], times);
    says(&by_intrinsics(500), Outcome::EqualBut, &["(200 and 500"]);
    says(&by_intrinsics(120), Outcome::Misses, &["200 and 120"]);
}

#[test]
fn what_is_not_enabled_is_not_compared() {
    let both = pair(&[1], &[]);
    says(
        &verdict(&compared(&both), "methods entered"),
        Outcome::NotCompared,
        &["the port has not enabled MethodEntry"],
    );
    let both = pair(&[33], &[65]);
    says(
        &verdict(&compared(&both), "methods entered"),
        Outcome::NotCompared,
        &["the old agent has not enabled METHOD_ENTRY"],
    );
    let both = pair(&[33], &[52]);
    says(
        &verdict(&compared(&both), "methods entered"),
        Outcome::NotCompared,
        &["neither agent has enabled METHOD_ENTRY or METHOD_ENTRY2"],
    );
    let mut both = pair(&[1], &[]);
    both[1].add(What::JvmtiCall {
        number: 2,
        environment: 1,
        arguments: vec![Value::Int(1), Value::Int(65), Value::Id(0)],
        results: Some(vec![Value::Int(99)]),
    });
    both[1].call(152, vec![Value::Int(1), ids(&[1])], vec![]);
    says(
        &verdict(&compared(&both), "methods entered"),
        Outcome::NotCompared,
        &[
            "refused the port MethodEntry (error 99)",
            "MUST_POSSESS",
            "rewrites classes",
        ],
    );
}

fn waits(both: &mut [Made; 2], old: u64, new: u64) {
    both[0].loads("Lock", 0x100).starts();
    both[1].starts().names("LLock;", 0x100);
    is_called(&mut both[1], "w", ENV - 1);
    starts(&mut both[0], "w", ENV - 1);
    for _ in 0..old {
        both[0].event(54, vec![Value::Id(0x900)]);
    }
    for _ in 0..new {
        both[1].jvmti(75, vec![Value::Id(0), Value::Id(0x100)]);
    }
}

#[test]
fn who_has_to_wait_is_chance() {
    let port = |old, new| {
        let mut both = pair(&[33, 54], &[75]);
        waits(&mut both, old, new);
        verdict(&compared(&both), "monitors contended")
    };
    says(&port(30, 50), Outcome::EqualBut, &["chance"]);
    says(&port(300, 0), Outcome::Misses, &["misses all 300"]);
    says(&port(50, 0), Outcome::EqualBut, &[]);
    says(&port(0, 200), Outcome::More, &[]);
}

/// In one run it is none.
#[test]
fn both_in_one_recording() {
    let port = |old, new, settings| {
        let mut both = [(); 2].map(|()| Made::of("java Work").settings(settings));
        both[0].enables(&[1, 33, 54]).listens(&[65, 75]);
        let [one, _] = &mut both;
        one.loads("Lock", 0x100).starts();
        one.names("LLock;", 0x100);
        starts(one, "w", ENV - 1);
        for _ in 0..old {
            one.event(54, vec![Value::Id(0x900)]);
        }
        for _ in 0..new {
            one.jvmti(75, vec![Value::Id(0), Value::Id(0x100)]);
        }
        compare(&one.observed(), None, Wish::default()).unwrap()
    };
    let monitors = |old, new| verdict(&port(old, new, ""), "monitors contended");
    says(&monitors(30, 30), Outcome::Equal, &[]);
    says(&monitors(100, 97), Outcome::EqualBut, &["within 5 %"]);
    says(
        &monitors(8, 6),
        Outcome::EqualBut,
        &["each name within 2 or 5 %"],
    );
    says(&monitors(30, 20), Outcome::Misses, &["misses 10 of 30"]);
    says(
        &verdict(&port(1, 1, ""), "methods entered"),
        Outcome::NotCompared,
        &["method-events=exact"],
    );
    says(
        &verdict(&port(1, 1, "method-events=exact"), "methods entered"),
        Outcome::Equal,
        &[],
    );
}

/// What each name may be off by chance all of them may not be together.
#[test]
fn many_small_names_are_held_together() {
    let port = |counts: &[[u64; 2]]| {
        let mut one = Made::of("java Work");
        one.enables(&[33, 54]).listens(&[75]);
        one.loads("Lock", 0x100).starts();
        one.names("LLock;", 0x100);
        for (env, name) in (ENV - 9..).zip(["a", "b", "c", "d", "e", "f", "g", "h"]) {
            starts(&mut one, name, env);
        }
        for (env, &[old, new]) in (ENV - 9..).zip(counts) {
            for _ in 0..old {
                one.add(What::Event {
                    number: 54,
                    requested: false,
                    env,
                    values: vec![Value::Id(0x900)],
                    results: Some(vec![]),
                });
            }
            for _ in 0..new {
                one.add(What::JvmtiEvent {
                    number: 75,
                    environment: 1,
                    env,
                    values: vec![Value::Id(0), Value::Id(0x100)],
                    results: Some(vec![]),
                });
            }
        }
        let comparison = compare(&one.observed(), None, Wish::default()).unwrap();
        verdict(&comparison, "monitors contended")
    };
    let even = [
        [2, 1],
        [1, 2],
        [2, 0],
        [0, 2],
        [3, 1],
        [2, 2],
        [4, 3],
        [1, 1],
    ];
    says(&port(&even), Outcome::EqualBut, &["each name within 2"]);
    says(&port(&[[2, 0]; 8]), Outcome::Misses, &["misses all 16"]);
    says(&port(&[[3, 1]; 8]), Outcome::Misses, &["misses 16 of 24"]);
    says(&port(&[[1, 3]; 8]), Outcome::More, &["sees 16 more than 8"]);
}

#[test]
fn collections_that_an_agent_forces_do_not_count() {
    let mut both = pair(&[60], &[81]);
    both[0].starts();
    both[1].starts();
    both[0].event(60, vec![]);
    both[1].call(108, vec![], vec![]);
    both[1].jvmti(81, vec![]).jvmti(81, vec![]);
    let found = verdict(&compared(&both), "collections");
    says(&found, Outcome::Equal, &[]);
    assert_eq!(found.all, [1, 1]);
}

/// One of the two events is enough.
#[test]
fn collections_have_a_beginning_and_an_end() {
    let sides = |old: &[i32], new: &[u8]| {
        let mut both = pair(old, new);
        both.iter_mut().for_each(|it| _ = it.starts());
        for _ in 0..12 {
            old.iter()
                .for_each(|&event| _ = both[0].event(event, vec![]));
            new.iter()
                .for_each(|&event| _ = both[1].jvmti(event, vec![]));
        }
        verdict(&compared(&both), "collections")
    };
    for (old, new) in [
        (&[60][..], &[82][..]),
        (&[61], &[81]),
        (&[60, 61], &[81, 82]),
    ] {
        let found = sides(old, new);
        says(&found, Outcome::Equal, &[]);
        assert_eq!(found.all, [12, 12]);
    }
    says(
        &sides(&[61], &[]),
        Outcome::NotCompared,
        &["GarbageCollectionFinish"],
    );
}

/// By the frames that it wants to hear of, where it has no MethodExit.
#[test]
fn methods_are_left_by_their_frames() {
    let port = |frames: u64| {
        let mut both = pair(&[1, 3], &[65, 61]);
        both[0].loads("Work", 0x100).starts();
        both[1].starts().names("LWork;", 0x100);
        for _ in 0..3 {
            both[0].event(3, vec![Value::Id(0x101)]);
        }
        for _ in 0..frames {
            both[1].jvmti(61, vec![Value::Id(0x101), Value::Int(0)]);
        }
        verdict(&compared(&both), "methods left")
    };
    says(&port(3), Outcome::Equal, &[]);
    let words = ["misses 2 of 3 `Work.run()V`", "FramePop alone"];
    says(&port(1), Outcome::Misses, &words);
}

/// The VM's own for a class that another thread initialises has no beginning, and JVMPI has none of it.
#[test]
fn a_wait_for_a_class_is_none() {
    let mut both = pair(&[33, 57, 58], &[73, 74]);
    both[0].starts();
    both[1].starts().names("[I", 0x100);
    for _ in 0..12 {
        both[1].jvmti(74, vec![Value::Id(0), Value::Id(0x100), Value::Int(0)]);
    }
    let found = verdict(&compared(&both), "waits ended");
    says(&found, Outcome::Equal, &[]);
    assert_eq!(found.all, [0, 0]);
    let waits = vec![Value::Id(0), Value::Id(0x100), Value::Int(0)];
    both[1].jvmti(73, waits.clone()).jvmti(74, waits);
    assert_eq!(verdict(&compared(&both), "waits ended").all, [0, 1]);
}

/// The old side can have no hooks there.
#[test]
fn methods_of_hidden_classes_are_left_out() {
    let mut both = pair(&[1], &[65]);
    both[0].loads("Work", 0x100).starts();
    both[1].starts();
    for (name, id) in [
        ("LWork$$Lambda.0x99;", 0x200),
        ("Ljava/lang/invoke/LambdaForm$MH.0x12;", 0x300),
    ] {
        both[1].names(name, id);
        for _ in 0..100 {
            both[1].jvmti(65, vec![Value::Id(id + 1)]);
        }
    }
    let found = verdict(&compared(&both), "methods entered");
    says(&found, Outcome::Equal, &[]);
}

/// It is one event all the same, also where a method calls itself.
#[test]
fn what_two_environments_are_told_of_counts_once() {
    let port = |environments: &[u32]| {
        let mut both = pair(&[1, 33], &[65, 52]);
        both[0].loads("Work", 0x100).starts();
        starts(&mut both[0], "w", 0x20);
        both[1].add(What::Defined {
            definition: Definition::Environment,
            values: vec![Value::Int(2), text("libport.so")],
        });
        both[1].starts().names("LWork;", 0x100);
        is_called(&mut both[1], "w", 0x20);
        for event in [(52, 0x20), (65, 0x101), (65, 0x101)] {
            if event.0 == 65 {
                both[0].event(1, vec![Value::Id(event.1)]);
            }
            for &environment in environments {
                both[1].add(What::JvmtiEvent {
                    number: event.0,
                    environment,
                    env: ENV,
                    values: vec![Value::Id(event.1)],
                    results: Some(vec![]),
                });
            }
        }
        compared(&both)
    };
    for environments in [&[1][..], &[1, 2]] {
        let found = port(environments);
        for noun in ["threads started", "methods entered"] {
            says(&verdict(&found, noun), Outcome::Equal, &[]);
        }
    }
}

/// Of one object: any function may read it.
#[test]
fn a_dump_of_an_object_takes_no_walk() {
    let found = |dump: i32| {
        let mut both = pair(&[dump], &[65]);
        both.iter_mut().for_each(|it| _ = it.starts());
        both[0].event(dump, vec![]);
        verdict(&compared(&both), "dumps")
    };
    let of_one = found(50);
    says(&of_one, Outcome::NotCompared, &["of one object"]);
    assert!(of_one.unseen);
    assert!(!found(3).unseen);
    says(&found(37), Outcome::Misses, &["has not walked"]);
}

/// In one recording as many of a name have to be the same ones.
#[test]
fn ones_are_matched() {
    let port = |told: u64, tags: bool, late: bool| {
        let mut one = Made::of("java Work");
        one.enables(&[4]);
        if late {
            one.loads("Work$Bar", 0x100).listens(&[86]).starts();
        } else {
            one.listens(&[86]).loads("Work$Bar", 0x100).starts();
        }
        one.names("LWork$Bar;", 0x100);
        one.call(156, vec![Value::Int(0)], vec![]);
        for object in [0x900, 0x910] {
            let born = [1, 0x100, 0, 16, object].map(|it| Value::Int(it as i64));
            let mut born = born.to_vec();
            born[1] = Value::Id(0x100);
            born[4] = Value::Id(object);
            one.event(4, born);
        }
        for object in [0x900, told] {
            let born = vec![Value::Id(object), Value::Id(0x100), Value::Int(16)];
            one.jvmti_around(86, born, |made| {
                let arguments = vec![Value::Id(object), Value::Int(object as i64)];
                if tags {
                    made.call(107, arguments, vec![]);
                }
            });
        }
        one.ends();
        let comparison = compare(&one.observed(), None, Wish::default()).unwrap();
        verdict(&comparison, "objects born")
    };
    says(
        &port(0x910, true, false),
        Outcome::Equal,
        &["2 matched one by one"],
    );
    says(
        &port(0x920, true, false),
        Outcome::Differs,
        &["as many `Work$Bar`, but not the same ones: 2 that one side"],
    );
    // What is not tagged has no id, and what was told before the port came is not among those
    // with one.
    for found in [port(0x910, false, false), port(0x920, true, true)] {
        says(&found, Outcome::Equal, &[]);
        assert_eq!(found.sentence, "");
    }
}
