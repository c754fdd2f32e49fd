//! What a port tags of what it is told of.

use recording_format::jvmti::Definition;
use recording_format::{Subject, Value, What};

use super::made::{ENV, Made, compared, pair, says, text, verdict};
use crate::{Comparison, Outcome, Verdict};

const SAMPLED: u8 = 86;

fn born(made: &mut Made, class: u64, times: u64) {
    for object in 0..times {
        let [arena, is_array, size] = [1, 0, 16].map(Value::Int);
        let object = Value::Id(class * 0x1000 + object);
        made.event(4, vec![arena, Value::Id(class), is_array, size, object]);
    }
}

/// One is told of by SampledObjectAlloc, and tagged in the callback.
fn told(made: &mut Made, class: u64, tag: Option<i64>) {
    let values = vec![Value::Id(0), Value::Id(class), Value::Int(16)];
    made.jvmti_around(SAMPLED, values, |made| {
        if let Some(tag) = tag {
            made.call(107, vec![Value::Id(0), Value::Int(tag)], vec![]);
        }
    });
}

/// 30 of one class, of which one in so many is tagged, and so many of another one without a tag.
fn port(every: i64, without: u64, other: &'static str) -> Verdict {
    let mut both = pair(&[4], &[SAMPLED]);
    both[0].loads("Work", 0x100).loads("Other", 0x200).starts();
    both[1].names("LWork;", 0x100).names(other, 0x200).starts();
    born(&mut both[0], 0x100, 30);
    born(&mut both[0], 0x200, without);
    for tag in 1..=30 {
        told(
            &mut both[1],
            0x100,
            Some(tag).filter(|tag| tag % every == 0),
        );
    }
    for _ in 0..without {
        told(&mut both[1], 0x200, None);
    }
    verdict(&compared(&both), "objects born")
}

/// Two environments hear of the same births, and those that are given here tag them and hear of their deaths.
fn two_environments(tagging: &[u32]) -> Comparison {
    let mut both = pair(&[4, 5], &[SAMPLED, 83]);
    both[0].loads("Work", 0x100).starts();
    both[1].add(What::Defined {
        definition: Definition::Environment,
        values: vec![Value::Int(2), text("libport.so")],
    });
    both[1].names("LWork;", 0x100).starts();
    born(&mut both[0], 0x100, 30);
    for tag in 1..=30 {
        let object = 0x10_0000 + i64::cast_unsigned(tag) - 1;
        both[0].event(5, vec![Value::Id(object)]);
        for environment in [1, 2] {
            both[1].add(What::JvmtiEvent {
                number: SAMPLED,
                environment,
                env: ENV,
                values: vec![Value::Id(0), Value::Id(0x100), Value::Int(16)],
                results: None,
            });
            if tagging.contains(&environment) {
                both[1].add(What::JvmtiCall {
                    number: 107,
                    environment,
                    arguments: vec![Value::Id(0), Value::Int(tag)],
                    results: Some(vec![Value::Int(0)]),
                });
            }
            both[1].add(What::Leave {
                subject: Subject::JvmtiEvent(SAMPLED),
                results: vec![],
            });
        }
    }
    // The VM tells one environment after the other.
    for &environment in tagging {
        for tag in 1..=30 {
            both[1].add(What::JvmtiEvent {
                number: 83,
                environment,
                env: ENV,
                values: vec![Value::Int(tag)],
                results: Some(vec![]),
            });
        }
    }
    both.iter_mut().for_each(|it| _ = it.ends());
    compared(&both)
}

/// Tags are an environment's own: the one that counts objects uses the numbers that the other one has given to
/// classes.
#[test]
fn tags_of_classes_are_of_one_environment() {
    let mut both = pair(&[4, 5, 43], &[SAMPLED, 83, 56]);
    both[0].loads("Work", 0x100).starts();
    both[1].add(What::Defined {
        definition: Definition::Environment,
        values: vec![Value::Int(2), text("libport.so")],
    });
    both[1].names("LWork;", 0x100);
    let tags_in = |made: &mut Made, environment: u32, object: u64, tag: i64| {
        made.add(What::JvmtiCall {
            number: 107,
            environment,
            arguments: vec![Value::Id(object), Value::Int(tag)],
            results: Some(vec![Value::Int(0)]),
        });
    };
    tags_in(&mut both[1], 2, 0x100, 1);
    both[1].starts();
    born(&mut both[0], 0x100, 1);
    told(&mut both[1], 0x100, Some(1));
    both[0].event(5, vec![Value::Id(0x10_0000)]);
    both[1].jvmti(83, vec![Value::Int(1)]);
    both.iter_mut().for_each(|it| _ = it.ends());
    let found = compared(&both);
    assert_eq!(verdict(&found, "objects freed").all, [1, 1]);
    assert_eq!(verdict(&found, "classes unloaded").all, [0, 0]);
}

/// Ids of what has died are given out again.
#[test]
fn what_is_born_with_the_id_of_a_dead_class_is_no_class() {
    let mut both = pair(&[4, 5, 43], &[SAMPLED, 83]);
    both[0].loads("Work", 0x100).starts();
    both[1].names("LWork;", 0x100).names("LGone;", 0x300);
    both[1].starts();
    born(&mut both[0], 0x100, 1);
    let values = vec![Value::Id(0x300), Value::Id(0x100), Value::Int(16)];
    both[1].jvmti_around(SAMPLED, values, |made| {
        made.call(107, vec![Value::Id(0x300), Value::Int(1)], vec![]);
    });
    both[0].event(5, vec![Value::Id(0x10_0000)]);
    both[1].jvmti(83, vec![Value::Int(1)]);
    both.iter_mut().for_each(|it| _ = it.ends());
    let found = compared(&both);
    assert_eq!(verdict(&found, "objects freed").all, [1, 1]);
    let unloaded = verdict(&found, "classes unloaded");
    says(
        &unloaded,
        Outcome::NotCompared,
        &["the port tags no classes"],
    );
}

#[test]
fn either_environment_may_tag() {
    for tagging in [&[1][..], &[2], &[1, 2]] {
        let found = two_environments(tagging);
        for noun in ["objects born", "objects freed"] {
            let verdict = verdict(&found, noun);
            says(&verdict, Outcome::Equal, &[]);
            assert_eq!(verdict.all, [30, 30]);
        }
        let notes = found.notes.join(" ");
        assert!(notes.contains("heard of 30 events twice"), "{notes}");
    }
}

/// The events came, and a callback that returns early is one that misses.
#[test]
fn a_class_without_a_tag_is_missed() {
    let found = port(1, 5, "LOther;");
    says(
        &found,
        Outcome::Misses,
        &["has tagged none of 5 `Other`", "returns before SetTag"],
    );
    assert_eq!(found.differences[0].what, "tags");
    says(&port(3, 40, "LOther;"), Outcome::Misses, &["of 40 `Other`"]);
}

/// Who tags one in many is told of all the same.
#[test]
fn a_port_may_tag_some() {
    let found = port(3, 4, "LOther;");
    says(
        &found,
        Outcome::EqualBut,
        &["has tagged 10 of the program's 34"],
    );
    says(&port(1, 0, "LOther;"), Outcome::Equal, &[]);
    // It tags nothing at all.
    says(&port(100, 5, "LOther;"), Outcome::Equal, &[]);
}

/// A class that a port does not tag, among others that it does; and an extension event that only has a callback.
#[test]
fn classes_that_a_port_does_not_look_at_are_missed() {
    let mut both = pair(&[43], &[83]);
    both[1].starts();
    both[0].loads("Gone", 0x100).loads("Left", 0x200).starts();
    for id in 0..12 {
        both[0].event(43, vec![Value::Id(0x100)]);
        both[0].event(43, vec![Value::Id(0x200)]);
        both[1].names("LGone;", 0x1000 + id);
        both[1].call(107, vec![Value::Id(0x1000 + id), Value::Int(5)], vec![]);
        both[1].jvmti(83, vec![Value::Int(5)]);
    }
    let found = verdict(&compared(&both), "classes unloaded");
    says(
        &found,
        Outcome::Misses,
        &["misses 12 of 12 `Left`", "not tagged"],
    );
    assert_eq!(found.differences[0].name, "Left");

    let with_event = |is_enabled: bool, told: u64, also: &[u8]| {
        let mut both = pair(&[43], also);
        let row = vec![Value::Int(49), text("com.sun.hotspot.events.ClassUnload")];
        both[1].call(125, vec![], vec![Value::Int(1), Value::List(vec![row])]);
        both[1].call(126, vec![Value::Int(49), Value::Id(7)], vec![]);
        if is_enabled {
            both[1].call(2, vec![Value::Int(1), Value::Int(49), Value::Id(0)], vec![]);
        }
        both[1].starts();
        both[0].loads("Gone", 0x100).loads("Left", 0x200).starts();
        for _ in 0..12 {
            both[0].event(43, vec![Value::Id(0x100)]);
            both[0].event(43, vec![Value::Id(0x200)]);
        }
        for _ in 0..told {
            both[1].jvmti(200, vec![text("LGone;")]);
        }
        verdict(&compared(&both), "classes unloaded")
    };
    let found = with_event(false, 0, &[]);
    says(
        &found,
        Outcome::Misses,
        &["JDK 21", "SetEventNotificationMode"],
    );
    let found = with_event(true, 0, &[]);
    says(&found, Outcome::Misses, &["misses all 24"]);
    assert_eq!(found.causes, Vec::<String>::new());
    // Before JDK 21 the callback is enough: some come.
    let found = with_event(false, 12, &[]);
    assert_eq!(found.outcome, Outcome::Misses, "{found:#?}");
    assert_eq!(found.causes, Vec::<String>::new());
    let found = with_event(false, 12, &[83]);
    says(&found, Outcome::Misses, &["not tagged"]);
    assert!(!found.causes.join(" ").contains("JDK 21"), "{found:#?}");
}
