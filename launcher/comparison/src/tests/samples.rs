//! Stacks.

use recording_format::{Subject, Value, What};

use super::made::{ENV, Made, compared, pair, says, verdict};
use super::threads::{is_called, starts};
use crate::Outcome;

fn old_stack(made: &mut Made, methods: &[u64], asked: i64) {
    let frames = methods.iter().map(|&id| vec![Value::Int(1), Value::Id(id)]);
    let results = vec![
        Value::Int(methods.len() as i64),
        Value::List(frames.collect()),
    ];
    made.add(What::Call {
        slot: 5,
        arguments: vec![Value::Id(ENV), Value::Int(asked)],
        results: Some(results),
    });
}

fn new_stack(made: &mut Made, methods: &[u64], asked: i64) {
    let frames = methods.iter().map(|&id| vec![Value::Id(id), Value::Int(0)]);
    let row = vec![Value::Id(7), Value::Int(5), Value::List(frames.collect())];
    made.call(
        100,
        vec![Value::Int(asked)],
        vec![Value::List(vec![row]), Value::Int(1)],
    );
}

/// Of a hundred samples each: so many are in `One.run`, called by another on one side.
fn shares(old: usize, new: usize) -> [crate::Verdict; 2] {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100).loads("Two", 0x200).starts();
    both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
    for sample in 0..100 {
        // As a sampler finds them: not all of one and then all of the other.
        let place = sample * 61 % 100;
        let leaf = |of: usize| if place < of { 0x101 } else { 0x201 };
        // Deeper than the old agent asks for: cut.
        old_stack(&mut both[0], &[leaf(old), 0x101], 2);
        new_stack(&mut both[1], &[leaf(new), 0x101, 0x201], 8);
    }
    let comparison = compared(&both);
    ["samples by method", "samples by stack"].map(|noun| verdict(&comparison, noun))
}

#[test]
fn shares_agree_within_their_confidence() {
    for found in shares(50, 60) {
        says(&found, Outcome::EqualBut, &["the shares of 2", "99.9 %"]);
    }
    for found in shares(20, 80) {
        says(&found, Outcome::Differs, &["2 of 2", "safepoints"]);
        assert_eq!(found.differences[0].what, "share");
    }
    assert!(shares(20, 80)[0].differences[0].old.starts_with("20.0 % ("));
}

/// Where one is compiled late, its share is another until then.
#[test]
fn shares_of_a_while_are_no_difference() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100).loads("Two", 0x200).starts();
    both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
    for sample in 0..600 {
        let leaf = |is_one| if is_one { 0x101 } else { 0x201 };
        let often = sample * 61 % 100 < 75;
        old_stack(&mut both[0], &[leaf(often)], 2);
        new_stack(
            &mut both[1],
            &[leaf(often && (sample > 150 || sample % 7 == 0))],
            2,
        );
    }
    let found = verdict(&compared(&both), "samples by method");
    let says_so = [
        "the shares of 0 methods agree",
        "but for a third",
        "2 more agree: `One",
    ];
    says(&found, Outcome::EqualBut, &says_so);
}

/// What a port never sees it does not see for a while either.
#[test]
fn what_one_side_hardly_has_is_missed() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100).loads("Two", 0x200).starts();
    both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
    for sample in 0..600 {
        old_stack(&mut both[0], &[if sample < 120 { 0x101 } else { 0x201 }], 2);
        new_stack(&mut both[1], &[0x201], 2);
    }
    let found = verdict(&compared(&both), "samples by method");
    says(&found, Outcome::Differs, &["the shares of 1 of 2 methods"]);
}

/// A list of all threads has those that wait; the port may leave them out, or the old agent may have them, too.
#[test]
fn a_list_of_all_threads_is_of_those_that_run_or_of_all() {
    let port = |function: u8, old_waits: bool| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200).starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        for _ in 0..100 {
            old_stack(&mut both[0], &[0x101], 2);
            if old_waits {
                old_stack(&mut both[0], &[0x201], 2);
            }
            let row = |thread, state, method| {
                let frames = Value::List(vec![vec![Value::Id(method), Value::Int(0)]]);
                vec![Value::Id(thread), Value::Int(state), frames]
            };
            let rows = Value::List(vec![row(7, 5, 0x101), row(8, 0x191, 0x201)]);
            both[1].call(function, vec![Value::Int(2)], vec![rows]);
        }
        verdict(&compared(&both), "samples by method")
    };
    says(
        &port(100, false),
        Outcome::EqualBut,
        &[
            "without the threads that wait",
            "has listed 100 stacks of threads that wait",
        ],
    );
    let found = port(100, true);
    says(&found, Outcome::EqualBut, &["the shares of 2"]);
    assert!(!found.sentence.contains("wait"), "{found:#?}");
    says(&port(101, false), Outcome::Differs, &[]);
}

/// What is cut off where nothing is deeper is not missed.
#[test]
fn stacks_have_to_be_as_deep() {
    let port = |asked: usize| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).starts();
        both[1].starts().names("LOne;", 0x100);
        for _ in 0..60 {
            let frames = [0x101; 3];
            old_stack(&mut both[0], &frames, 16);
            new_stack(&mut both[1], &frames[..asked.min(3)], asked as i64);
        }
        verdict(&compared(&both), "samples by stack")
    };
    says(&port(4), Outcome::EqualBut, &[]);
    says(
        &port(1),
        Outcome::Misses,
        &[
            "deeper than 1 frame: 60 of 60",
            "asks for 16",
            "max_frame_count",
        ],
    );
}

#[test]
fn few_samples_say_nothing() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100);
    old_stack(&mut both[0], &[0x101], 8);
    let found = verdict(&compared(&both), "samples by method");
    says(&found, Outcome::NotCompared, &["1 stacks with frames"]);
}

/// Those that are taken in handlers are of events.
#[test]
fn stacks_in_handlers_are_no_samples() {
    let mut both = pair(&[], &[]);
    both[0].loads("One", 0x100);
    both[0].add(What::Event {
        number: 5,
        requested: false,
        env: ENV,
        values: vec![Value::Id(1)],
        results: None,
    });
    for _ in 0..100 {
        old_stack(&mut both[0], &[0x101], 8);
    }
    both[0].add(What::Leave {
        subject: Subject::Event(5),
        results: vec![],
    });
    let found = verdict(&compared(&both), "samples by method");
    says(
        &found,
        Outcome::NotCompared,
        &["no stack outside of handlers"],
    );
}

/// GetCallTrace leaves out frames of lambdas' classes, JVMTI's functions have them: here in all, on top, and behind what
/// was asked for.
#[test]
fn frames_of_lambdas_are_left_out() {
    let found = |hidden: &'static str, depth: i64| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200).starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        both[1].names(hidden, 0x300);
        for _ in 0..60 {
            let deep = [0x101, 0x101, 0x201, 0x201];
            let asked = usize::try_from(depth).unwrap();
            old_stack(&mut both[0], &deep[..asked.min(4)], depth);
            let with_hidden = [0x101, 0x301, 0x101, 0x201, 0x201];
            new_stack(&mut both[1], &with_hidden[..asked.min(5)], depth);
            old_stack(&mut both[0], &[0x201], depth);
            new_stack(&mut both[1], &[0x301, 0x201], depth);
        }
        let comparison = compared(&both);
        ["samples by method", "samples by stack"].map(|noun| verdict(&comparison, noun).outcome)
    };
    for depth in [3, 16] {
        let lambda = found("LOne$$Lambda.0x00007f;", depth);
        assert_eq!(lambda, [Outcome::EqualBut; 2], "{depth}");
        assert_eq!(found("LOther;", depth), [Outcome::Differs; 2], "{depth}");
    }
}

/// One stack in many that is cut between lambdas is not what all others are cut to.
#[test]
fn a_stack_that_is_cut_by_hidden_frames_is_one() {
    let found = |cut: usize| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200).starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        both[1].names("LOne$$Lambda.0x00007f;", 0x300);
        for sample in 0..100 {
            old_stack(&mut both[0], &[0x101, 0x101, 0x101], 4);
            if sample < cut {
                new_stack(&mut both[1], &[0x301, 0x301, 0x301, 0x101], 4);
            } else {
                // Not called by the same.
                new_stack(&mut both[1], &[0x101, 0x101, 0x201], 4);
            }
        }
        verdict(&compared(&both), "samples by stack")
    };
    says(&found(0), Outcome::Differs, &[]);
    says(&found(1), Outcome::Differs, &[]);
    says(&found(40), Outcome::EqualBut, &[]);
}

/// More than what is kept may be asked for.
#[test]
fn deep_stacks_are_whole() {
    let frames = |deepest: u64| {
        let mut frames = vec![0x101; 60];
        frames[59] = deepest;
        frames
    };
    let found = |deepest: u64| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200).starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        both[1].names("LOne$$Lambda.0x00007f;", 0x300);
        for _ in 0..60 {
            old_stack(&mut both[0], &frames(0x101), 128);
            let mut new = vec![0x301; 10];
            new.extend(frames(deepest));
            new_stack(&mut both[1], &new, 128);
        }
        verdict(&compared(&both), "samples by stack").outcome
    };
    assert_eq!(found(0x101), Outcome::EqualBut);
    assert_eq!(found(0x201), Outcome::Differs);
}

/// Whose only frame is one that the old agent does not have.
#[test]
fn a_port_may_ask_for_too_few_frames() {
    let found = |lambdas: usize, asked: i64| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200).starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        both[1].names("LOne$$Lambda.0x00007f;", 0x300);
        for sample in 0..100 {
            let lambda = sample < lambdas;
            let leaf = if lambda { 0x201 } else { 0x101 };
            old_stack(&mut both[0], &[leaf], 1);
            let frames = if lambda {
                [0x301, 0x201]
            } else {
                [0x101, 0x101]
            };
            let asked_for = usize::try_from(asked).unwrap();
            new_stack(&mut both[1], &frames[..asked_for], asked);
        }
        let comparison = compared(&both);
        ["samples by method", "samples by stack"].map(|noun| verdict(&comparison, noun))
    };
    for blind in found(60, 1) {
        says(
            &blind,
            Outcome::NotCompared,
            &["too few frames (1): 60 of its 100"],
        );
        assert!(blind.unseen, "{blind:#?}");
    }
    for found in found(2, 1) {
        says(&found, Outcome::EqualBut, &[]);
    }
    says(&found(60, 2)[0], Outcome::EqualBut, &[]);
}

/// Of whom only one side takes stacks, and what start_depth leaves out.
#[test]
fn stacks_of_other_threads_and_of_callers_only_are_named() {
    let port = |thread: u64, starts_at: &[i64]| {
        let mut both = pair(&[33], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200);
        starts(&mut both[0], "helper", ENV - 1);
        both[0].starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        is_called(&mut both[1], "helper", 0x30);
        is_called(&mut both[1], "main", 0x40);
        for _ in 0..100 {
            old_stack(&mut both[0], &[0x101, 0x201], 8);
            for &start in starts_at {
                let rows = [0x201].map(|id| vec![Value::Id(id), Value::Int(0)]);
                both[1].call(
                    104,
                    vec![Value::Id(thread), Value::Int(start), Value::Int(8)],
                    vec![Value::List(rows.to_vec()), Value::Int(1)],
                );
            }
        }
        verdict(&compared(&both), "samples by method")
    };
    // Nobody has named this one.
    let found = port(0x50, &[0]);
    assert!(!found.causes.join(" ").contains("no stack"), "{found:#?}");
    let found = port(0x30, &[1]);
    says(&found, Outcome::Differs, &["start_depth of 1"]);
    // A second look from the same depth is no further page.
    assert_eq!(found.all, port(0x30, &[0]).all, "{found:#?}");
    assert!(!found.causes.join(" ").contains("thread"), "{found:#?}");
    // Who reads deep stacks in pages begins with the innermost.
    let found = port(0x30, &[0, 64]);
    let causes = found.causes.join(" ");
    assert_eq!(found.outcome, Outcome::Differs, "{found:#?}");
    assert!(!causes.contains("start_depth"), "{found:#?}");
    says(
        &port(0x40, &[0]),
        Outcome::Differs,
        &[
            "the port has taken no stack of the thread `helper`",
            "only the port has taken stacks of the thread `main`",
        ],
    );
}

/// Deep stacks are read in pages: one sample each, whatever else is read beside them.
#[test]
fn pages_of_a_stack_are_one_sample() {
    let page = |made: &mut Made, [thread, start]: [u64; 2], frames: &[u64]| {
        let rows = frames.iter().map(|&id| vec![Value::Id(id), Value::Int(0)]);
        let arguments = [
            Value::Id(thread),
            Value::Int(start.cast_signed()),
            Value::Int(2),
        ];
        made.call(104, arguments.to_vec(), vec![Value::List(rows.collect())]);
    };
    let port = |pages: &dyn Fn(&mut Made)| {
        let mut both = pair(&[], &[]);
        both[0].loads("One", 0x100).loads("Two", 0x200).starts();
        both[1].starts().names("LOne;", 0x100).names("LTwo;", 0x200);
        for _ in 0..100 {
            old_stack(&mut both[0], &[0x101, 0x101, 0x201, 0x101, 0x201], 8);
            pages(&mut both[1]);
        }
        let comparison = compared(&both);
        ["samples by method", "samples by stack"].map(|noun| verdict(&comparison, noun))
    };
    for found in port(&|made| {
        page(made, [0x30, 0], &[0x101, 0x101]);
        page(made, [0x30, 2], &[0x201, 0x101]);
        page(made, [0x30, 4], &[0x201]);
    }) {
        says(&found, Outcome::EqualBut, &[]);
        assert_eq!(found.all, [100, 100], "{found:#?}");
    }
    // Of another thread, or behind frames that nobody has read.
    for other in [[0x40, 2], [0x30, 3]] {
        let [by_method, _] = port(&|made| {
            page(made, [0x30, 0], &[0x101, 0x101]);
            page(made, other, &[0x201]);
        });
        says(&by_method, Outcome::Differs, &[]);
        assert_eq!(by_method.all, [100, 200], "{by_method:#?}");
    }
}
