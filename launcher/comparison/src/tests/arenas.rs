//! Objects that move, and such as go with their arena (arenas=two-space, ids=renumber).

use recording_format::{Value, What};

use super::births::{SAMPLED, born, told};
use super::made::{ENV, Made, compared, pair, says, text, verdict};
use crate::{Outcome, Verdict};

const CLASS: u64 = 0x100;
/// The id that [`born`] gives to the first one.
const FIRST: u64 = 0x1000;

fn moves(made: &mut Made, object: u64, to: u64, arenas: [i64; 2]) {
    let [from, into] = arenas.map(Value::Int);
    made.event(6, vec![from, Value::Id(object), into, Value::Id(to)]);
}

fn deletes(made: &mut Made, arena: i64) {
    made.event(49, vec![Value::Int(arena)]);
}

/// A port is told of the deaths of so many of 30.
fn freed(old: impl FnOnce(&mut Made), dead: i64) -> Verdict {
    let mut both = pair(&[4, 5, 6, 49], &[SAMPLED, 83]);
    both[0].loads("Work$Bar", CLASS).starts();
    born(&mut both[0], CLASS, 30, 16);
    old(&mut both[0]);
    both[1].starts().names("LWork$Bar;", CLASS);
    for tag in 1..=30 {
        let born = vec![Value::Id(0), Value::Id(CLASS), Value::Int(16)];
        both[1].jvmti_around(SAMPLED, born, |made| {
            made.call(107, vec![Value::Id(0), Value::Int(tag)], vec![]);
        });
    }
    for tag in 1..=dead {
        both[1].jvmti(83, vec![Value::Int(tag)]);
    }
    both.iter_mut().for_each(|made| _ = made.ends());
    verdict(&compared(&both), "objects freed")
}

#[test]
fn what_is_left_in_an_arena_goes_with_it() {
    let two_space = |made: &mut Made| {
        for object in 0..10 {
            moves(made, FIRST + object, FIRST + object, [1, 2]);
        }
        deletes(made, 1);
        // Created anew, and empty.
        deletes(made, 1);
    };
    let found = freed(two_space, 20);
    says(&found, Outcome::Equal, &[]);
    assert_eq!(found.all, [20, 20], "{found:#?}");
    says(
        &freed(two_space, 3),
        Outcome::Misses,
        &["misses 17 of 20 of the program"],
    );
    let both_spaces = |made: &mut Made| {
        two_space(made);
        deletes(made, 2);
    };
    says(&freed(both_spaces, 30), Outcome::Equal, &[]);
}

/// Twice, by the id that it got the first time.
#[test]
fn what_has_moved_is_freed_by_its_new_id() {
    let renumbered = |made: &mut Made| {
        for object in 0..30 {
            moves(made, FIRST + object, 0x2000 + object, [1, 2]);
            moves(made, 0x2000 + object, 0x3000 + object, [2, 2]);
            made.event(5, vec![Value::Id(0x3000 + object)]);
        }
    };
    says(&freed(renumbered, 30), Outcome::Equal, &[]);
    says(
        &freed(renumbered, 3),
        Outcome::Misses,
        &["misses 27 of 30 of the program"],
    );
}

/// Objects that are born later name it by that.
#[test]
fn a_class_that_has_moved_is_the_same() {
    let mut both = pair(&[4, 42], &[SAMPLED, 56]);
    both[0].loads("Work$Bar", CLASS).starts();
    moves(&mut both[0], CLASS, 0x2000, [1, 1]);
    born(&mut both[0], 0x2000, 30, 16);
    // As JVMPI's hosts tell of it when somebody asks.
    both[0].add(What::Event {
        number: 42,
        requested: true,
        env: ENV,
        values: vec![
            text("Work$Bar"),
            text("X.java"),
            Value::Int(0),
            Value::List(vec![]),
            Value::List(vec![]),
            Value::List(vec![]),
            Value::Id(0x2000),
        ],
        results: Some(vec![]),
    });
    both[1].names("LWork$Bar;", CLASS);
    both[1].jvmti(56, vec![Value::Id(CLASS)]).starts();
    told(&mut both[1], SAMPLED, CLASS, 30, 16);
    both.iter_mut().for_each(|made| _ = made.ends());
    let comparison = compared(&both);
    for noun in ["objects born", "classes loaded"] {
        says(&verdict(&comparison, noun), Outcome::Equal, &[]);
    }
}
