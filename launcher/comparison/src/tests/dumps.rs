//! Dumps, and what is in them.

use dump_format::{Detail, HeapWriter, Primitive};
use recording_format::Value;

use super::made::{Made, SAW, compared, pair, says, text, verdict};
use crate::Outcome;

fn dump(made: &mut Made, level: i64, bytes: &[u8]) {
    // A test's bytes may live as long as it does.
    let bytes: &'static [u8] = bytes.to_vec().leak();
    made.event(
        37,
        vec![
            Value::Int(level),
            Value::Bytes(bytes),
            Value::List(Vec::new()),
        ],
    );
}

#[test]
fn a_port_has_to_walk() {
    let port = |walks: bool| {
        let mut both = pair(&[], &[]);
        both[0].starts();
        dump(&mut both[0], 1, b"");
        if walks {
            let arguments = vec![Value::Int(0), Value::Id(0), Value::Id(1), Value::Id(0)];
            both[1].call(116, arguments, vec![]);
        }
        verdict(&compared(&both), "dumps")
    };
    says(&port(true), Outcome::EqualBut, &["1 dumps and 1 walks"]);
    says(
        &port(false),
        Outcome::Misses,
        &["has not walked the heap", "FollowReferences"],
    );
}

/// Three of one class, an array of four of them, and numbers.
fn heap() -> Vec<u8> {
    let mut writer = HeapWriter::new(Vec::new(), Detail::References);
    for object in 1..=3 {
        writer.instance(object, 0x100, &[]).unwrap();
    }
    writer.object_array(4, 0x100, &[1, 2, 3, 0]).unwrap();
    writer.primitive_array(5, Primitive::Int, 7, &[]).unwrap();
    writer.into_sink()
}

#[test]
fn what_is_in_a_dump_is_counted_by_class() {
    let port = |level: i64, said: &[(&'static str, i64)]| {
        let mut both = pair(&[42], &[]);
        both[0].loads("Work$Bar", 0x100).starts();
        dump(&mut both[0], level, &heap());
        both[1].starts();
        for &(class, count) in said {
            let arguments = vec![text("dumped objects"), text(class), Value::Int(count)];
            both[1].call(SAW, arguments, vec![]);
        }
        verdict(&compared(&both), "dumped objects")
    };
    let all = [("LWork$Bar;", 3), ("[LWork$Bar;", 1), ("[I", 1)];
    let found = port(1, &all);
    says(&found, Outcome::Equal, &[]);
    assert_eq!(found.all, [5, 5]);
    says(
        &port(1, &all[1..]),
        Outcome::Misses,
        &["misses 3 of 3 `Work$Bar`", "the walk ends early"],
    );
    says(
        &port(1, &[("Work$Bar", 9), ("Work$Bar[]", 1)]),
        Outcome::More,
        &["6 more than 3 `Work$Bar`", "garbage already"],
    );
    let found = port(1, &[]);
    says(
        &found,
        Outcome::NotCompared,
        &["the port says it by xrun_saw"],
    );
    assert!(found.unseen);
    says(&port(0, &all), Outcome::NotCompared, &["level 0 name no"]);
}

/// Why a walk says something else than the dump: it was another moment, there were more of them, or it tells of garbage.
#[test]
fn a_walk_has_its_moment_and_its_kind() {
    const VM_INIT: u8 = 50;
    const ITERATE: u8 = 116;
    const FOLLOW: u8 = 115;
    let port = |walk: u8, times: i64, is_early: bool| {
        let mut both = pair(&[42], &[]);
        both[0].loads("Work$Bar", 0x100).starts();
        dump(&mut both[0], 1, &heap());
        let walks = |made: &mut Made| {
            for _ in 0..times {
                made.call(walk, vec![], vec![]);
                let bars = if is_early { 1 } else { 4 };
                for (class, count) in [("Work$Bar", bars), ("Work$Bar[]", 1)] {
                    let arguments = vec![text("dumped objects"), text(class), Value::Int(count)];
                    made.call(SAW, arguments, vec![]);
                }
            }
        };
        match is_early {
            true => _ = both[1].jvmti_around(VM_INIT, vec![], walks),
            false => walks(both[1].starts()),
        }
        verdict(&compared(&both), "dumped objects")
    };
    says(
        &port(ITERATE, 1, false),
        Outcome::More,
        &["garbage already"],
    );
    let twice = port(FOLLOW, 2, false);
    says(
        &twice,
        Outcome::More,
        &["walks the heap 2 times for 1 HEAP_DUMP"],
    );
    assert_eq!(twice.causes.len(), 1, "{twice:#?}");
    let early = port(FOLLOW, 1, true);
    says(&early, Outcome::Misses, &["in VMInit or before"]);
    assert_eq!(early.causes.len(), 1, "{early:#?}");
}
