//! Objects: born and freed.
//!
//! Longer than most: many short cases on one pair of recordings.

use recording_format::{Value, What};

use super::made::{Made, NATIVE_BOUND, TAGS, compared, ids, pair, says, verdict};
use crate::Outcome;

pub(super) const SAMPLED: u8 = 86;
const BY_VM: u8 = 84;

pub(super) fn born(made: &mut Made, class: u64, times: u64, size: i64) {
    for object in 0..times {
        made.event(
            4,
            vec![
                Value::Int(1),
                Value::Id(class),
                Value::Int(0),
                Value::Int(size),
                Value::Id(0x1000 + object),
            ],
        );
    }
}

pub(super) fn told(made: &mut Made, event: u8, class: u64, times: u64, size: i64) {
    for _ in 0..times {
        made.jvmti(
            event,
            vec![Value::Id(0), Value::Id(class), Value::Int(size)],
        );
    }
}

/// The old agent is told of so many, the port by these events.
fn counted(old: u64, new: &[(u8, u64, i64)], interval: Option<i64>) -> crate::Verdict {
    let events: Vec<u8> = new.iter().map(|(event, ..)| *event).collect();
    let mut both = pair(&[4], &events);
    both[0].loads("Work$Bar", 0x100).starts();
    born(&mut both[0], 0x100, old, 16);
    if let Some(interval) = interval {
        both[1].call(156, vec![Value::Int(interval)], vec![]);
    }
    both[1].starts().names("LWork$Bar;", 0x100);
    for &(event, times, size) in new {
        told(&mut both[1], event, 0x100, times, size);
    }
    both.iter_mut().for_each(|it| _ = it.ends());
    verdict(&compared(&both), "objects born")
}

#[test]
fn as_many_are_equal() {
    says(
        &counted(7, &[(SAMPLED, 7, 16)], Some(0)),
        Outcome::Equal,
        &[],
    );
}

#[test]
fn the_vm_alone_does_not_tell_of_new() {
    let found = counted(1004, &[(BY_VM, 502, 16)], None);
    says(
        &found,
        Outcome::Misses,
        &["misses 502 of 1004 `Work$Bar`", "VMObjectAlloc alone"],
    );
    assert_eq!(found.all, [1004, 502]);
}

#[test]
fn an_interval_is_a_sample() {
    let found = counted(1000, &[(SAMPLED, 2, 16)], None);
    says(&found, Outcome::Misses, &["one object in 512 KB"]);
    let found = counted(1000, &[(SAMPLED, 2, 16)], Some(1000));
    says(&found, Outcome::Misses, &["more than 0"]);
    let found = counted(1000, &[(SAMPLED, 990, 16)], Some(0));
    says(&found, Outcome::Misses, &["ForceGarbageCollection"]);
}

#[test]
fn both_events_count_clones_twice() {
    let found = counted(502, &[(SAMPLED, 502, 16), (BY_VM, 500, 16)], Some(0));
    says(
        &found,
        Outcome::More,
        &["sees 500 more than 502 `Work$Bar`", "has no tags"],
    );
}

#[test]
fn compiled_code_leaves_some_out() {
    let found = counted(20_000, &[(SAMPLED, 19_500, 16)], Some(0));
    says(&found, Outcome::EqualBut, &["within 5 %"]);
    let found = counted(20_000, &[(SAMPLED, 15_000, 16)], Some(0));
    says(&found, Outcome::Misses, &["5000 of 20000"]);
    let found = counted(20_000, &[(SAMPLED, 19_500, 24)], Some(0));
    says(&found, Outcome::Differs, &["sizes of 1 name"]);
    assert_eq!(found.differences[0].what, "bytes");
}

#[test]
fn bytes_count_as_well() {
    says(
        &counted(5, &[(SAMPLED, 5, 24)], Some(0)),
        Outcome::Differs,
        &["sizes"],
    );
}

/// What was there, and what was asked for, is not born.
#[test]
fn only_what_comes_after_the_start_is_born() {
    let mut both = pair(&[4], &[SAMPLED]);
    both[0].loads("Work$Bar", 0x100);
    born(&mut both[0], 0x100, 40, 16);
    both[0].starts();
    born(&mut both[0], 0x100, 3, 16);
    both[1].starts().names("LWork$Bar;", 0x100);
    told(&mut both[1], SAMPLED, 0x100, 3, 16);
    says(
        &verdict(&compared(&both), "objects born"),
        Outcome::Equal,
        &[],
    );
}

/// An array that is older than its elements' class has no name in JVMPI.
#[test]
fn early_arrays_have_no_name() {
    let port = |unnamed: u64| {
        let mut both = pair(&[4], &[SAMPLED]);
        both[0].starts();
        for object in 0..unnamed {
            let array = [1, 0, 2, 24].map(Value::Int);
            let [arena, _, is_array, size] = array;
            let values = vec![arena, Value::Id(0), is_array, size, Value::Id(object + 1)];
            both[0].event(4, values);
        }
        both[1].starts().names("[LWork;", 0x100);
        told(&mut both[1], SAMPLED, 0x100, 1, 24);
        verdict(&compared(&both), "objects born")
    };
    says(&port(1), Outcome::EqualBut, &["1 array class whose"]);
    says(&port(0), Outcome::More, &["`Work[]`"]);
}

/// A port that tags knows what it tags: the second event of the same object is none.
#[test]
fn tags_tell_births_and_deaths() {
    let mut both = pair(&[4, 5], &[SAMPLED, BY_VM, 83]);
    both[0].loads("Work$Bar", 0x100).starts();
    born(&mut both[0], 0x100, 30, 16);
    for object in 0..30 {
        both[0].event(5, vec![Value::Id(0x1000 + object)]);
    }
    both[1].starts().names("LWork$Bar;", 0x100);
    for object in 1..=30 {
        let born = || vec![Value::Id(0), Value::Id(0x100), Value::Int(16)];
        both[1].jvmti_around(SAMPLED, born(), |made| {
            made.call(107, vec![Value::Id(0), Value::Int(object)], vec![]);
        });
        both[1].jvmti(BY_VM, born());
    }
    let lost = |freed: i64| {
        let mut both = [&both[0], &both[1]].map(Made::again);
        for tag in 1..=freed {
            both[1].jvmti(83, vec![Value::Int(tag)]);
        }
        let comparison = compared(&both);
        says(&verdict(&comparison, "objects born"), Outcome::Equal, &[]);
        verdict(&comparison, "objects freed")
    };
    says(&lost(30), Outcome::Equal, &[]);
    says(&lost(25), Outcome::EqualBut, &["30 and 25 of the program"]);
    says(&lost(3), Outcome::Misses, &["misses 27 of 30"]);
}

/// It hears of all, whatever it tags; how much that was is said.
#[test]
fn births_of_one_event_count_without_tags() {
    let mut both = pair(&[4, 5], &[SAMPLED, 83]);
    both[0].loads("Work$Bar", 0x100).starts();
    born(&mut both[0], 0x100, 30, 16);
    both[1].starts().names("LWork$Bar;", 0x100);
    told(&mut both[1], SAMPLED, 0x100, 20, 16);
    for tag in 1..=10 {
        let born = vec![Value::Id(0), Value::Id(0x100), Value::Int(16)];
        both[1].jvmti_around(SAMPLED, born, |made| tags(made, tag));
    }
    let found = verdict(&compared(&both), "objects born");
    says(
        &found,
        Outcome::EqualBut,
        &["has tagged 10 of the program's 30"],
    );
}

/// What the VM makes it hears of, and what the program makes hooks show it.
#[test]
fn hooks_stand_beside_births_by_the_vm() {
    let port = |shown_ones: i64| {
        let mut both = pair(&[4], &[BY_VM]);
        both[0].loads("Work$Bar", 0x100).starts();
        born(&mut both[0], 0x100, 30, 16);
        rewrites(&mut both[1]);
        both[1].starts().names("LWork$Bar;", 0x100);
        for tag in 1..=10 {
            let born = vec![Value::Id(0), Value::Id(0x100), Value::Int(16)];
            both[1].jvmti_around(BY_VM, born, |made| {
                shown(made);
                tags(made, tag);
            });
        }
        for tag in 0..shown_ones {
            shown(&mut both[1]);
            tags(&mut both[1], 100 + tag);
        }
        verdict(&compared(&both), "objects born")
    };
    says(&port(20), Outcome::Equal, &[]);
    says(&port(5), Outcome::Misses, &["misses 15 of 30 `Work$Bar`"]);
}

/// From JDK 21 on the VM has lost the tag of a clone by the second event: a port that gives minus the first one knows it.
#[test]
fn minus_a_tag_is_the_same_object() {
    let mut both = pair(&[4, 5], &[SAMPLED, BY_VM, 83]);
    both[0].loads("Work$Bar", 0x100).starts();
    born(&mut both[0], 0x100, 30, 16);
    both[1].starts().names("LWork$Bar;", 0x100);
    for object in 1..=30_i64 {
        for (event, tag) in [(SAMPLED, object), (BY_VM, -object)] {
            let born = vec![Value::Id(0), Value::Id(0x100), Value::Int(16)];
            both[1].jvmti_around(event, born, |made| {
                made.call(107, vec![Value::Id(0), Value::Int(tag)], vec![]);
            });
        }
    }
    for object in 1..=30_u64 {
        both[0].event(5, vec![Value::Id(0x1000 + object - 1)]);
        for tag in [object.cast_signed(), -object.cast_signed()] {
            both[1].jvmti(83, vec![Value::Int(tag)]);
        }
    }
    let comparison = compared(&both);
    for noun in ["objects born", "objects freed"] {
        says(&verdict(&comparison, noun), Outcome::Equal, &[]);
    }
}

/// A hook has shown it a `Work$Bar`.
fn shown(made: &mut Made) {
    made.call(TAGS, vec![Value::Id(0x100), Value::Int(16)], vec![]);
}

fn tags(made: &mut Made, tag: i64) {
    made.call(107, vec![Value::Id(0), Value::Int(tag)], vec![]);
}

fn rewrites(made: &mut Made) {
    made.call(152, vec![Value::Int(1), ids(&[0x100])], vec![]);
}

fn has_natives(made: &mut Made) {
    made.call(
        NATIVE_BOUND,
        vec![Value::Id(0x101), Value::Id(0x7000)],
        vec![],
    );
}

/// An old agent that was told of 30, and a port that hears of no births.
fn hears_of_none() -> [Made; 2] {
    let mut both = pair(&[4, 5], &[83]);
    both[0].loads("Work$Bar", 0x100).starts();
    born(&mut both[0], 0x100, 30, 16);
    both[1].names("LWork$Bar;", 0x100);
    both
}

/// It tags what it likes: threads, and locks of its own. That is no port of births.
#[test]
fn what_is_tagged_without_hooks_is_not_compared() {
    let port = |hooks: Option<fn(&mut Made)>| {
        let mut both = hears_of_none();
        if let Some(hooks) = hooks {
            hooks(&mut both[1]);
        }
        both[1].starts();
        for tag in 1..=30 {
            shown(&mut both[1]);
            tags(&mut both[1], tag);
        }
        compared(&both)
    };
    let found = port(None);
    for noun in ["objects born", "objects freed"] {
        says(&verdict(&found, noun), Outcome::NotCompared, &[]);
    }
    for hooks in [rewrites, has_natives] {
        let found = verdict(&port(Some(hooks)), "objects born");
        says(&found, Outcome::Equal, &[]);
    }
}

/// What the VM has refused to tag leaves nothing behind.
#[test]
fn what_could_not_be_tagged_is_not_the_next_one() {
    let mut both = hears_of_none();
    rewrites(&mut both[1]);
    both[1].starts();
    for tag in 1..=30 {
        shown(&mut both[1]);
        tags(&mut both[1], tag);
    }
    shown(&mut both[1]);
    both[1].add(What::JvmtiCall {
        number: 107,
        environment: 1,
        arguments: vec![Value::Id(0), Value::Int(31)],
        results: Some(vec![Value::Int(110)]),
    });
    // Its own object has a tag already: nothing was shown.
    tags(&mut both[1], 32);
    let found = verdict(&compared(&both), "objects born");
    says(&found, Outcome::Equal, &[]);
}

/// Hooks in constructors are no events: what the port tags there is born, but for what no constructor makes.
#[test]
fn what_is_tagged_outside_of_callbacks_is_born() {
    let port = |tagged: i64| {
        let mut both = hears_of_none();
        let tag = |made: &mut Made, tag: i64| {
            shown(made);
            tags(made, tag);
        };
        rewrites(&mut both[1]);
        tag(&mut both[1], 1000);
        both[1].starts();
        for object in 1..=tagged {
            tag(&mut both[1], object);
        }
        both[1].jvmti_around(52, vec![Value::Id(7)], |made| tag(made, 1001));
        verdict(&compared(&both), "objects born")
    };
    says(&port(30), Outcome::Equal, &[]);
    says(
        &port(10),
        Outcome::Misses,
        &["misses 20 of 30 `Work$Bar`", "no constructor makes"],
    );
}

/// How many of the JDK's die says nothing, but that none does.
#[test]
fn deaths_of_the_jdk_are_chance() {
    let port = |freed: u64| {
        let mut both = pair(&[4, 5], &[SAMPLED, 83]);
        both[0].loads("java.util.Map", 0x100).starts();
        born(&mut both[0], 0x100, 100, 16);
        for object in 0..100 {
            both[0].event(5, vec![Value::Id(0x1000 + object)]);
        }
        both[1].starts().names("Ljava/util/Map;", 0x100);
        for object in 1..=100 {
            let values = vec![Value::Id(0), Value::Id(0x100), Value::Int(16)];
            both[1].jvmti_around(SAMPLED, values, |made| {
                made.call(107, vec![Value::Id(0), Value::Int(object)], vec![]);
            });
        }
        for tag in 1..=freed {
            both[1].jvmti(83, vec![Value::Int(tag.cast_signed())]);
        }
        verdict(&compared(&both), "objects freed")
    };
    says(&port(20), Outcome::EqualBut, &["100 and 20 of the JDK's"]);
    says(&port(0), Outcome::Misses, &["misses all 100"]);
}

/// A class that dies is an object with a tag.
#[test]
fn tagged_classes_are_unloaded() {
    let unloaded = |tags: bool| {
        let mut both = pair(&[43], &[83]);
        both[1].starts().names("LGone;", 0x100);
        both[0].loads("Gone", 0x100).starts();
        for _ in 0..12 {
            both[0].event(43, vec![Value::Id(0x100)]);
        }
        if tags {
            both[1].call(107, vec![Value::Id(0x100), Value::Int(5)], vec![]);
            both[1].jvmti(83, vec![Value::Int(5)]);
        }
        verdict(&compared(&both), "classes unloaded")
    };
    says(&unloaded(true), Outcome::EqualBut, &["12 and 1"]);
    says(&unloaded(false), Outcome::NotCompared, &["tags no classes"]);
}
