//! What a port says itself, what the old side was chosen to tell of, and what is not seen at all.

use recording_format::Value;
use recording_format::jvmti::Definition;

use super::made::{Made, NATIVE_BOUND, SAW, SAW_STACK, compared, pair, says, text, verdict};
use crate::rules::Noun;
use crate::{Outcome, Verdict, Wish, compare, suite};

fn runs(made: &mut Made, method: u64, times: u64) {
    for _ in 0..times {
        made.event(1, vec![Value::Id(method)]);
    }
}

fn says_it(made: &mut Made, noun: &'static str, name: &'static str, times: u64) {
    for _ in 0..times {
        let arguments = vec![text(noun), text(name), Value::Int(0)];
        made.call(SAW, arguments, vec![]);
    }
}

/// As in class files or as in Java; events of the same noun do not count then.
#[test]
fn it_stands_in_place_of_events() {
    let port = |times: u64| {
        let mut both = pair(&[1, 3], &[65, 66]);
        both[0].loads("a.Work", 0x100).starts();
        both[1].starts().names("La/Work;", 0x100);
        runs(&mut both[0], 0x101, 3);
        both[1].jvmti(65, vec![Value::Id(0x101)]);
        says_it(&mut both[1], "methods entered", "a/Work.run()V", 1);
        says_it(&mut both[1], "methods entered", "a.Work.run()V", times - 1);
        verdict(&compared(&both), "methods entered")
    };
    says(&port(3), Outcome::Equal, &[]);
    says(
        &port(2),
        Outcome::Misses,
        &["misses 1 of 3 `a.Work.run()V`", "a filter list"],
    );
}

/// Its hooks, and the class that has them, are nobody else's; what they see has to be said.
#[test]
fn native_methods_of_the_port_are_its_own() {
    let port = |says_so: bool| {
        let mut both = pair(&[1, 42], &[56]);
        both[0].loads("a.Work", 0x100).starts();
        both[1].starts().names("La/Work;", 0x100);
        both[1].names("La/Hooks;", 0x200);
        both[1].call(NATIVE_BOUND, vec![Value::Id(0x201), Value::Id(1)], vec![]);
        for class in [0x100, 0x200] {
            both[1].jvmti(56, vec![Value::Id(class)]);
        }
        runs(&mut both[0], 0x101, 3);
        if says_so {
            says_it(&mut both[1], "methods entered", "a/Work.run()V", 3);
            says_it(&mut both[1], "methods entered", "a/Hooks.run()V", 1);
        }
        let comparison = compared(&both);
        says(&verdict(&comparison, "classes loaded"), Outcome::Equal, &[]);
        verdict(&comparison, "methods entered")
    };
    says(&port(true), Outcome::Equal, &[]);
    let calls = "the program's code calls the port's native `a.Hooks.run()V`: what its hooks see";
    says(&port(false), Outcome::NotCompared, &[calls]);
}

/// What the old side does not count before the start, the port's words do not, either.
#[test]
fn what_is_said_before_the_start_counts_where_the_old_side_counts() {
    let mut both = pair(&[1, 4], &[]);
    both[0].loads("Work", 0x100);
    both[1].names("LWork;", 0x100);
    runs(&mut both[0], 0x101, 4);
    both[0].starts();
    runs(&mut both[0], 0x101, 2);
    says_it(&mut both[1], "methods entered", "Work.run()V", 4);
    says_it(&mut both[1], "objects born", "Work", 5);
    says_it(&mut both[1], "code compiled", "Work.run()V", 3);
    both[1].starts();
    says_it(&mut both[1], "methods entered", "Work.run()V", 2);
    let comparison = compared(&both);
    says(
        &verdict(&comparison, "methods entered"),
        Outcome::Equal,
        &[],
    );
    says(&verdict(&comparison, "objects born"), Outcome::Equal, &[]);
    let side = both[1].observed();
    let of = |noun| -> u64 {
        let side = side.ports.values().next().unwrap();
        side.of(noun).values().map(|count| count.all()).sum()
    };
    assert_eq!([of(Noun::MethodsEntered), of(Noun::Compiled)], [2, 3]);
}

/// They are left out on the old side, too.
#[test]
fn stacks_of_the_vms_threads_are_no_samples() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100).starts();
    both[1].starts().names("LOne;", 0x100);
    for (env, name) in [(7, "main"), (8, "Signal Dispatcher")] {
        both[1].add(recording_format::What::Defined {
            definition: Definition::Thread,
            values: vec![Value::Id(env), Value::Id(env + 0x70), text(name)],
        });
        for _ in 0..60 {
            let methods = Value::List(vec![vec![Value::Id(0x101)]]);
            let arguments = vec![Value::Id(env), Value::Int(1), methods];
            both[1].call(SAW_STACK, arguments, vec![]);
        }
    }
    for _ in 0..60 {
        let frames = Value::List(vec![vec![Value::Int(1), Value::Id(0x101)]]);
        both[0].add(recording_format::What::Call {
            slot: 5,
            arguments: vec![Value::Id(7), Value::Int(8)],
            results: Some(vec![Value::Int(1), frames]),
        });
    }
    let found = verdict(&compared(&both), "samples by method");
    assert_eq!(found.all, [60, 60]);
}

#[test]
fn what_is_no_noun_is_said() {
    let mut both = pair(&[1], &[]);
    both[0].starts().ends();
    both[1].starts().ends();
    says_it(&mut both[1], "method entered", "a.Work.run()V", 1);
    let notes = compared(&both).notes;
    assert!(
        matches!(&notes[..], [one] if one.contains("`method entered`, which is no noun")),
        "{notes:?}"
    );
}

#[test]
fn stacks_are_samples() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100).starts();
    both[1].starts().names("LOne;", 0x100);
    for _ in 0..60 {
        let frames = Value::List(vec![vec![Value::Int(1), Value::Id(0x101)]]);
        both[0].add(recording_format::What::Call {
            slot: 5,
            arguments: vec![Value::Id(7), Value::Int(8)],
            results: Some(vec![Value::Int(1), frames]),
        });
        let methods = Value::List(vec![vec![Value::Id(0x101)]]);
        let arguments = vec![Value::Id(0), Value::Int(1), methods];
        both[1].call(SAW_STACK, arguments, vec![]);
    }
    for noun in ["samples by method", "samples by stack"] {
        let found = verdict(&compared(&both), noun);
        says(&found, Outcome::EqualBut, &["the shares of 1"]);
        assert_eq!(found.all, [60, 60]);
    }
}

/// Whoever says its stacks takes them where it will.
#[test]
fn frames_that_are_not_said_are_no_matter_of_safepoints() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100).loads("Two", 0x200).starts();
    both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
    for _ in 0..60 {
        let frames = [0x101, 0x201].map(|method| vec![Value::Int(1), Value::Id(method)]);
        both[0].add(recording_format::What::Call {
            slot: 5,
            arguments: vec![Value::Id(7), Value::Int(8)],
            results: Some(vec![Value::Int(2), Value::List(frames.into())]),
        });
        let methods = Value::List(vec![vec![Value::Id(0x201)]]);
        let arguments = vec![Value::Id(0), Value::Int(1), methods];
        both[1].call(SAW_STACK, arguments, vec![]);
    }
    let found = verdict(&compared(&both), "samples by method");
    says(&found, Outcome::Differs, &["says itself which stacks"]);
    assert_eq!(found.causes.len(), 1, "{found:#?}");
}

#[test]
fn what_the_old_side_leaves_out_is_left_out() {
    let port = |settings| {
        let mut both = [(); 2].map(|()| Made::of("java Work").settings(settings));
        both[0].enables(&[1]).loads("Work", 0x100).starts();
        both[1].listens(&[65]).starts();
        both[1].names("LWork;", 0x100).names("LOther;", 0x200);
        runs(&mut both[0], 0x101, 1);
        both[1].jvmti(65, vec![Value::Id(0x101)]);
        both[1].jvmti(65, vec![Value::Id(0x201)]);
        verdict(&compared(&both), "methods entered")
    };
    says(&port("include=Work"), Outcome::Equal, &[]);
    says(&port("exclude=Other"), Outcome::Equal, &[]);
    says(&port(""), Outcome::More, &["`Other.run()V`"]);
}

/// The old side's choice makes a port see more, and never less.
#[test]
fn what_all_missed_methods_have_in_common_is_said() {
    let port = |old: [u64; 2], new: [u64; 2]| {
        let mut both = [(); 2].map(|()| Made::of("java Work").settings("include=Work"));
        both[0].enables(&[1]).loads("Work", 0x100).starts();
        both[0].loads("Work$A", 0x200);
        both[1].starts();
        let names = [(0x101, "Work.run()V"), (0x201, "Work$A.run()V")];
        for ((id, name), (old, new)) in names.into_iter().zip(old.into_iter().zip(new)) {
            runs(&mut both[0], id, old);
            says_it(&mut both[1], "methods entered", name, new);
        }
        verdict(&compared(&both), "methods entered")
    };
    let once = port([3, 20], [1, 1]);
    says(&once, Outcome::Misses, &["tells of each method once"]);
    let some = port([3, 20], [1, 19]);
    says(&some, Outcome::Misses, &["a filter list"]);
    for verdict in [once, some] {
        let causes = verdict.causes.join(" ");
        assert!(!causes.contains("include="), "{causes}");
    }
}

/// What is missed is judged by what is not, too.
#[test]
fn what_a_few_methods_have_in_common_says_nothing_if_others_have_it_not() {
    let port = |noun: &'static str, counts: &[(&'static str, u64, u64)]| {
        let mut both = [(); 2].map(|()| Made::of("java Work"));
        both[0].enables(&[1, 3]).loads("Work", 0x100).starts();
        both[1].starts();
        for (id, &(name, old, new)) in (0x201..).step_by(0x100).zip(counts) {
            let (class, method) = name.split_once('.').unwrap();
            let method = method.strip_suffix("()V").unwrap();
            let method = vec![
                text(method),
                text("()V"),
                Value::Int(1),
                Value::Int(2),
                Value::Id(id),
            ];
            let none = || Value::List(vec![]);
            let values = vec![
                text(class),
                text("X.java"),
                Value::Int(0),
                Value::List(vec![method]),
                none(),
                none(),
                Value::Id(id - 1),
            ];
            both[0].event(42, values);
            for _ in 0..old {
                let number = if noun == "methods left" { 3 } else { 1 };
                both[0].event(number, vec![Value::Id(id)]);
            }
            says_it(&mut both[1], noun, name, new);
        }
        verdict(&compared(&both), noun)
    };
    let says_not = |found: &Verdict, words: &str| {
        let causes = found.causes.join(" ");
        assert_eq!(found.outcome, Outcome::Misses, "{found:#?}");
        assert!(!causes.contains(words), "{causes}");
    };
    let (once, constructors) = ("tells of each method once", "leaves constructors out");
    let few = [("A.run()V", 2, 1), ("B.run()V", 5, 1)];
    for noun in ["methods entered", "methods left"] {
        let found = port(noun, &few);
        says(&found, Outcome::Misses, &[once]);
        says_not(&found, "METHOD_ENTRY");
        let others = [("C.run()V", 1000, 1000), ("D.run()V", 1000, 1000)];
        says_not(&port(noun, &[&few[..], &others].concat()), once);
    }
    let missed = [("A.<init>()V", 3, 0), ("A.run()V", 3, 3)];
    says(
        &port("methods entered", &missed),
        Outcome::Misses,
        &[constructors],
    );
    let other = [("B.<init>()V", 7, 7)];
    says_not(
        &port("methods entered", &[&missed[..], &other].concat()),
        constructors,
    );
}

#[test]
fn events_for_some_threads_or_from_some_moment_on() {
    let port = |thread: u64, late: bool| {
        let mut both = pair(&[1], &[]);
        both[0].loads("Work", 0x100).starts();
        runs(&mut both[0], 0x101, 2);
        both[1].listens(&[]).names("LWork;", 0x100);
        let enable = |made: &mut Made| {
            let arguments = vec![Value::Int(1), Value::Int(65), Value::Id(thread)];
            made.call(2, arguments, vec![]);
        };
        both[1].jvmti_around(50, vec![Value::Id(7)], |made| {
            if !late {
                enable(made);
            }
        });
        if late {
            enable(&mut both[1]);
        }
        both[1].jvmti(65, vec![Value::Id(0x101)]);
        verdict(&compared(&both), "methods entered")
    };
    says(&port(7, false), Outcome::Misses, &["single threads"]);
    says(&port(0, true), Outcome::Misses, &["after VMInit"]);
    assert_eq!(port(0, false).causes, [""; 0]);
}

/// Its first environment says when it came.
#[test]
fn a_port_that_is_attached_misses_what_came_before() {
    let port = |late: bool, settings: &str| {
        let mut both = pair(&[1], &[]);
        both[0].loads("Work", 0x100).starts();
        runs(&mut both[0], 0x101, 2);
        let mut new = Made::of("java Work").settings(settings);
        if late {
            new.starts().listens(&[65]);
        } else {
            new.listens(&[65]).starts();
        }
        new.names("LWork;", 0x100);
        new.jvmti(65, vec![Value::Id(0x101)]);
        both[1] = new;
        verdict(&compared(&both), "methods entered")
            .causes
            .join(" ")
    };
    assert!(port(true, "").contains("was attached"));
    assert!(!port(false, "").contains("was attached"));
    // Perhaps it was the recorder that came late.
    assert!(!port(true, "log=info,attached=on").contains("was attached"));
}

/// A port that enables nothing misses nothing, but if one is strict.
#[test]
fn what_is_not_seen_is_a_difference_if_one_is_strict() {
    let mut both = pair(&[1], &[52]);
    both[0].starts();
    let [old, new] = [both[0].observed(), both[1].observed()];
    for strict in [false, true] {
        let wish = Wish {
            strict,
            ..Wish::default()
        };
        let comparison = compare(&old, Some(&new), wish).unwrap();
        assert_eq!(comparison.differs(), strict);
        let suite = suite(&comparison);
        assert_eq!(suite.findings.len(), usize::from(strict));
        assert_eq!(suite.ended.exit_code, if strict { 3 } else { 0 });
        let found = verdict(&comparison, "methods entered");
        says(
            &found,
            Outcome::NotCompared,
            &["has not enabled MethodEntry"],
        );
        assert!(found.unseen);
    }
}
