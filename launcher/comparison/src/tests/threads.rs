//! Threads: those that started and ended, virtual ones, and who waits.

use recording_format::jvmti::Definition;
use recording_format::{Value, What};

use super::made::{ATTACHED, ENV, Made, compared, ids, pair, says, text, verdict};
use crate::{Outcome, Wish, compare};

pub(super) fn starts(made: &mut Made, name: &'static str, id: u64) {
    let values = vec![
        text(name),
        text("main"),
        text("system"),
        Value::Id(id),
        Value::Id(id + 1),
    ];
    made.event(33, values);
}

/// In a group of that name, which is in this one.
fn starts_in(made: &mut Made, [name, parent]: [&'static str; 2], id: u64, env: u64) {
    let [name, group, parent] = [name, "VirtualThreads", parent].map(text);
    made.event(33, vec![name, group, parent, Value::Id(id), Value::Id(env)]);
}

fn starts_virtual(made: &mut Made, id: u64, env: u64) {
    starts_in(made, ["", "system"], id, env);
}

pub(super) fn is_called(made: &mut Made, name: &'static str, id: u64) {
    made.add(What::Defined {
        definition: Definition::Thread,
        values: vec![Value::Id(id + 1), Value::Id(id), text(name)],
    });
}

#[test]
fn ends_before_the_event_was_on_are_missed() {
    let mut both = pair(&[33, 34], &[52]);
    for (name, id) in [("first", 0x30), ("second", 0x40)] {
        starts(&mut both[0], name, id);
        is_called(&mut both[1], name, id);
    }
    both.iter_mut().for_each(|made| _ = made.starts());
    for id in [0x30, 0x40] {
        both[0].add(What::Event {
            number: 34,
            requested: false,
            env: id + 1,
            values: vec![],
            results: Some(vec![]),
        });
    }
    let all = vec![Value::Int(1), Value::Int(53), Value::Id(0)];
    both[1].call(2, all, vec![]);
    both[1].jvmti(53, vec![Value::Id(0x40)]);
    both.iter_mut().for_each(|made| _ = made.ends());
    let ended = verdict(&compared(&both), "threads ended");
    says(&ended, Outcome::Misses, &["`first`", "after VMInit"]);
}

#[test]
fn threads_that_were_there_have_to_be_asked_for() {
    let port = |asks: bool| {
        let mut both = pair(&[33], &[52]);
        starts(&mut both[0], "main", 0x20);
        starts(&mut both[0], "Finalizer", 0x30);
        both[0].starts();
        starts(&mut both[0], "worker", 0x40);
        both[1].starts();
        if asks {
            let list = ids(&[0x20, 0x30]);
            both[1].call(4, vec![], vec![Value::Int(2), list]);
        }
        is_called(&mut both[1], "main", 0x20);
        is_called(&mut both[1], "worker", 0x40);
        both[1].jvmti(52, vec![Value::Id(0x40)]);
        verdict(&compared(&both), "threads started")
    };
    says(&port(true), Outcome::Equal, &[]);
    says(
        &port(false),
        Outcome::Misses,
        &["misses 1 of 1 `Finalizer` and 1 other", "GetAllThreads"],
    );
}

/// It asks for what was there: what it misses is what its list has not.
#[test]
fn a_list_has_what_came_before_the_event_was_on() {
    let port = |list: &[u64]| {
        let mut both = pair(&[33], &[]);
        both.iter_mut().for_each(|made| _ = made.starts());
        for (name, id) in [("first", 0x30), ("second", 0x40), ("third", 0x50)] {
            starts(&mut both[0], name, id);
            is_called(&mut both[1], name, id);
        }
        let all = vec![Value::Int(1), Value::Int(52), Value::Id(0)];
        both[1].call(2, all, vec![]);
        if !list.is_empty() {
            let all = i64::try_from(list.len()).unwrap();
            both[1].call(4, vec![], vec![Value::Int(all), ids(list)]);
        }
        both[1].jvmti(52, vec![Value::Id(0x50)]);
        verdict(&compared(&both), "threads started")
    };
    says(&port(&[0x30, 0x40]), Outcome::Equal, &[]);
    let words = ["`first`", "after VMInit", "not in its list"];
    says(&port(&[0x40]), Outcome::Misses, &words);
    let words = ["what came before is missed"];
    says(&port(&[]), Outcome::Misses, &words);
}

/// Which number one gets that has no name hangs on the moment; one that the port has made is not the program's.
#[test]
fn threads_without_a_name_are_counted() {
    let port = |attaches: bool, function: u8| {
        let mut both = pair(&[33, 34], &[52, 53]);
        both.iter_mut().for_each(|made| _ = made.starts());
        for (name, id) in [("Thread-0", 0x20), ("Thread-1", 0x30)] {
            starts(&mut both[0], name, id);
        }
        let all = [("Thread-1", 0x20), ("Thread-2", 0x30), ("Thread-0", 0x40)];
        for (name, id) in all {
            is_called(&mut both[1], name, id);
            both[1].jvmti(52, vec![Value::Id(id)]);
        }
        if attaches {
            both[1].call(function, vec![Value::Id(0x40)], vec![]);
        }
        verdict(&compared(&both), "threads started")
    };
    for function in [ATTACHED, 12] {
        says(&port(true, function), Outcome::Equal, &[]);
    }
    says(
        &port(false, ATTACHED),
        Outcome::More,
        &["sees 1 more than 2 `Thread-N`"],
    );
}

/// ThreadEnd comes for the thread that ends the VM, by System.exit; not so if it ends and another one ends the VM.
#[test]
fn the_thread_that_ends_the_vm_has_no_end() {
    let port = |by_another_thread: bool, hears_death: bool| {
        let mut both = pair(&[33, 34], &[52, 53]);
        for made in &mut both {
            made.starts();
        }
        for (name, id) in [("main", 0x20), ("ends it", 0x30)] {
            starts(&mut both[0], name, id);
            is_called(&mut both[1], name, id);
            both[1].jvmti(52, vec![Value::Id(id)]);
        }
        both[1].jvmti(53, vec![Value::Id(0x30)]);
        if by_another_thread {
            is_called(&mut both[1], "DestroyJavaVM", 0x40);
            both[1].jvmti(52, vec![Value::Id(0x40)]);
            both[1].jvmti(53, vec![Value::Id(0x40)]);
        }
        if hears_death {
            both[1].jvmti(51, vec![]);
        }
        both.iter_mut().for_each(|made| _ = made.ends());
        verdict(&compared(&both), "threads ended")
    };
    for hears_death in [false, true] {
        says(&port(false, hears_death), Outcome::Equal, &[]);
        says(
            &port(true, hears_death),
            Outcome::More,
            &["sees 1 more than 0 `ends it`"],
        );
    }
}

/// JVM_SHUT_DOWN comes before that ThreadEnd from JDK 26 on. Main ends the VM, by System.exit, or has ended before
/// DestroyJavaVM does, and then its end counts.
#[test]
fn behind_the_vms_end_nothing_counts() {
    const MAIN: u64 = 0x20;
    const DESTROYER: u64 = 0x40;
    for main_has_ended in [false, true] {
        let mut both = pair(&[33, 34], &[52, 53]);
        both.iter_mut().for_each(|made| _ = made.starts());
        starts(&mut both[0], "main", MAIN);
        is_called(&mut both[1], "main", MAIN);
        both[1].jvmti(52, vec![Value::Id(MAIN)]);
        let last = if main_has_ended {
            both[0].add(What::Event {
                number: 34,
                requested: false,
                env: MAIN + 1,
                values: vec![],
                results: Some(vec![]),
            });
            both[1].jvmti(53, vec![Value::Id(MAIN)]);
            is_called(&mut both[1], "DestroyJavaVM", DESTROYER);
            DESTROYER
        } else {
            MAIN
        };
        both.iter_mut().for_each(|made| _ = made.ends());
        both[1].jvmti(53, vec![Value::Id(last)]);
        both[1].jvmti(51, vec![]);
        says(
            &verdict(&compared(&both), "threads ended"),
            Outcome::Equal,
            &[],
        );
    }
}

/// Main's end is told of on the system's thread that ends the VM as DestroyJavaVM, and counts on both sides.
#[test]
fn an_end_before_the_last_thread_counts() {
    const MAIN: u64 = 0x20;
    let tells = |made: &mut Made, number: u8, env: u64, values: Vec<Value<'static>>| {
        made.add(What::JvmtiEvent {
            number,
            environment: 1,
            env,
            values,
            results: Some(vec![]),
        });
    };
    // Behind main's ThreadEnd, the JNIEnv of VMDeath, and whether main has not ended for JVMPI.
    let port = |then: &[u8], in_callback: bool, last_env: u64, is_last: bool| {
        let mut both = pair(&[33, 34], &[52, 53, 83, 65]);
        both.iter_mut().for_each(|made| _ = made.starts());
        starts(&mut both[0], "main", MAIN);
        if !is_last {
            both[0].add(What::Event {
                number: 34,
                requested: false,
                env: MAIN + 1,
                values: vec![],
                results: Some(vec![]),
            });
        }
        is_called(&mut both[1], "main", MAIN);
        is_called(&mut both[1], "DestroyJavaVM", 0x40);
        both[1].jvmti(52, vec![Value::Id(MAIN)]);
        let then = |made: &mut Made| {
            for &event in then {
                tells(made, event, ENV, vec![Value::Id(0x40)]);
            }
        };
        if in_callback {
            both[1].jvmti_around(53, vec![Value::Id(MAIN)], then);
        } else {
            both[1].jvmti(53, vec![Value::Id(MAIN)]);
            then(&mut both[1]);
        }
        tells(&mut both[1], 51, last_env, vec![]);
        both.iter_mut().for_each(|made| _ = made.ends());
        says(
            &verdict(&compared(&both), "threads ended"),
            Outcome::Equal,
            &[],
        );
    };
    port(&[52], false, ENV, false);
    port(&[], false, ENV + 1, false);
    port(&[52, 53], false, ENV, false);
    // System.exit in main: what comes at the VM's end, and what the callback does, is no life of it.
    port(&[83], false, ENV, true);
    port(&[65], true, ENV, true);
    port(&[], false, 0, true);
}

/// As many as it takes, but not many against none.
#[test]
fn how_many_work_for_all_is_chance() {
    let port = |old: u64, new: u64| {
        let mut both = pair(&[33], &[52]);
        both.iter_mut().for_each(|made| _ = made.starts());
        for worker in 0..old {
            let id = 0x20 + worker * 0x10;
            starts(&mut both[0], "ForkJoinPool.commonPool-worker-1", id);
        }
        for worker in 0..new {
            let id = 0x20 + worker * 0x10;
            is_called(&mut both[1], "ForkJoinPool-1-worker-1", id);
            both[1].jvmti(52, vec![Value::Id(id)]);
        }
        verdict(&compared(&both), "threads started")
    };
    says(&port(1, 0), Outcome::EqualBut, &["pools: 1 and 0"]);
    says(&port(9, 2), Outcome::EqualBut, &["pools: 9 and 2"]);
    let found = port(4, 0);
    says(&found, Outcome::Misses, &["misses all 4 workers"]);
    assert_eq!(found.differences.len(), 1);
    says(&port(0, 4), Outcome::More, &["sees 4 workers of pools"]);
    says(&port(0, 0), Outcome::Equal, &[]);
}

/// A group of the program's may have the name of that of virtual threads.
#[test]
fn a_group_of_the_program_s_has_threads_like_others() {
    let mut both = pair(&[33, 34], &[52, 53]);
    both.iter_mut().for_each(|made| _ = made.starts());
    starts_in(&mut both[0], ["worker", "main"], 0x20, ENV);
    both[0].event(34, vec![]);
    is_called(&mut both[1], "worker", 0x20);
    both[1].jvmti(52, vec![Value::Id(0x20)]);
    both[1].jvmti(53, vec![Value::Id(0x20)]);
    let found = compared(&both);
    for noun in ["threads started", "threads ended"] {
        says(&verdict(&found, noun), Outcome::Equal, &[]);
    }
    let none = verdict(&found, "virtual threads started");
    says(&none, Outcome::NotCompared, &["told of none"]);
}

/// A THREAD_END has a JNIEnv and no more.
#[test]
fn ends_of_threads_that_nobody_has_named_are_not_compared() {
    let mut both = pair(&[34], &[52, 53, 87, 88]);
    both.iter_mut().for_each(|made| _ = made.starts());
    both[0].event(34, vec![]);
    is_called(&mut both[1], "worker", 0x20);
    both[1].jvmti(52, vec![Value::Id(0x20)]);
    both[1].jvmti(53, vec![Value::Id(0x20)]);
    let found = compared(&both);
    for noun in ["threads ended", "virtual threads ended"] {
        says(
            &verdict(&found, noun),
            Outcome::NotCompared,
            &["THREAD_START"],
        );
    }
}

/// Virtual threads are no threads that ThreadStart tells of; VirtualThreadStart does.
#[test]
fn virtual_threads_are_counted_by_themselves() {
    let port = |port: &[u8], told: u64| {
        let mut both = pair(&[33, 34], port);
        both.iter_mut().for_each(|made| _ = made.starts());
        for id in [0x20, 0x30] {
            starts_virtual(&mut both[0], id, ENV);
            both[0].event(34, vec![]);
        }
        for id in 1..=told {
            both[1].jvmti(87, vec![Value::Id(id)]);
            both[1].jvmti(88, vec![Value::Id(id)]);
        }
        both
    };
    let all = [52, 53, 87, 88];
    let equal = compared(&port(&all, 2));
    for noun in [
        "threads started",
        "threads ended",
        "virtual threads started",
        "virtual threads ended",
    ] {
        says(&verdict(&equal, noun), Outcome::Equal, &[]);
    }
    for (told, outcome, words) in [
        (1, Outcome::Misses, "misses 1 of 2"),
        (3, Outcome::More, "sees 1 more than 2"),
    ] {
        let found = compared(&port(&all, told));
        says(
            &verdict(&found, "virtual threads started"),
            outcome,
            &[words],
        );
    }
    let blind = compared(&port(&[52, 53], 0));
    says(&verdict(&blind, "threads started"), Outcome::Equal, &[]);
    let found = verdict(&blind, "virtual threads started");
    says(&found, Outcome::NotCompared, &["VirtualThreadStart"]);
    assert!(found.unseen);
    let mut none = pair(&[33, 34], &[52, 53]);
    none.iter_mut().for_each(|made| _ = made.starts());
    let found = verdict(&compared(&none), "virtual threads started");
    says(&found, Outcome::NotCompared, &["told of none"]);
    assert!(!found.unseen);
    let mut carriers = port(&all, 2);
    carriers[0] = Made::of("java Work").settings("virtual-threads=carriers");
    carriers[0].enables(&[33, 34]).starts();
    let found = verdict(&compared(&carriers), "virtual threads started");
    says(
        &found,
        Outcome::More,
        &["sees 2 more than 0", "virtual-threads=carriers"],
    );
}

/// Not the thread that is the monitor: that is what Thread.join waits for.
#[test]
fn who_waits_is_the_thread_of_the_jnienv() {
    const WORKER: u64 = 0x60;
    let waited = |old_env: u64, is_virtual: bool| {
        let mut made = Made::of("java Work");
        made.enables(&[33, 57]).listens(&[73]);
        made.loads("Worker", 0x100).starts();
        made.names("LWorker;", 0x100);
        starts(&mut made, "main", ENV - 1);
        starts(&mut made, "worker", WORKER);
        if is_virtual {
            starts_virtual(&mut made, 0x70, 0x71);
        }
        let born = [
            Value::Int(1),
            Value::Id(0x100),
            Value::Int(0),
            Value::Int(16),
        ];
        made.event(4, born.into_iter().chain([Value::Id(WORKER)]).collect());
        for _ in 0..10 {
            made.add(What::Event {
                number: 57,
                requested: false,
                env: old_env,
                values: vec![Value::Id(WORKER), Value::Int(0)],
                results: Some(vec![]),
            });
            let values = vec![Value::Id(WORKER), Value::Id(0x100), Value::Int(0)];
            made.jvmti(73, values);
        }
        let found = compare(&made.observed(), None, Wish::default()).unwrap();
        verdict(&found, "waits begun")
    };
    says(&waited(ENV, false), Outcome::Equal, &[]);
    says(&waited(0x71, false), Outcome::Differs, &[]);
    // A virtual one's event has the carrier's.
    says(&waited(0x71, true), Outcome::Equal, &[]);
}
