//! The fast path writes what the slow one does.

use super::{Encoder, Value};
use crate::{BLOCK_HEAD, BlockHead, Space};

/// Two that begin blocks of this length.
fn encoders(len: usize, tick: u64) -> [Encoder; 2] {
    let mut encoder = Encoder::default();
    encoder.begin(&BlockHead {
        capacity: len,
        thread: 0,
        tid: 0,
        sequence: 0,
        tick,
        nanos: 0,
        step: 2,
    });
    [encoder.clone(), encoder]
}

/// Times of all lengths, methods that are new, known and returned from, at the end of a block too.
#[test]
fn methods_are_written_the_same_both_ways() {
    let steps = [0, 1, 3, 4, 511, 512, 65_535, 65_536, 1 << 29];
    let methods = [1 << 40, 7, u64::MAX, (1 << 40) + 8, 0, 1 << 40, 7];
    let mut straight = 0;
    for room in [BLOCK_HEAD + 60, 20_000] {
        let (mut plain, mut short) = (vec![0; room], vec![0; room]);
        let mut encoders = encoders(room, 7);
        let mut tick = 7;
        for env in [5, 5, 9] {
            for time in steps {
                for (number, shift) in [(1, 0), (2, 2), (3, 0), (3, 1), (1, 1), (3, 1)] {
                    for at in 0..methods.len() {
                        tick += time;
                        // Some are left that are not the innermost.
                        let place = if number == 3 {
                            methods.len() - 1 - at
                        } else {
                            at
                        };
                        let method = methods[(place + shift) % methods.len()];
                        let [one, two] = &mut encoders;
                        let both = [Value::Id(method), Value::Id(1)];
                        let values = if number == 2 { &both[..] } else { &both[..1] };
                        let first = one.event(&mut plain, tick, env, number.into(), values);
                        let second = two.line(&mut short, tick, env, number, |line| {
                            line.id(Space::Method, method)?;
                            if number == 2 {
                                line.id(Space::Object, 1)?;
                            }
                            Some(())
                        });
                        straight += usize::from(second.is_some());
                        let again = || two.event(&mut short, tick, env, number.into(), values);
                        let second = second.or_else(again);
                        assert_eq!(format!("{first:?}"), format!("{second:?}"));
                        assert!(one == two);
                    }
                }
            }
        }
        assert!(plain == short);
    }
    assert!(straight > 500, "{straight}");
}

/// Objects of all kinds, with ids that are NULL, near and far.
#[test]
fn objects_are_written_the_same_both_ways() {
    let (mut plain, mut short) = (vec![0; 100_000], vec![0; 100_000]);
    let mut encoders = encoders(plain.len(), 0);
    let (mut tick, mut straight, mut other) = (0_u64, 0, 0);
    for class in [1_u64 << 40, 0, 3, u64::MAX, (1 << 40) + 9] {
        for object in [0_u64, 1 << 40, (1 << 40) + 1, 1 << 60, (1 << 40) + 70_000] {
            for (arena, size, step) in [
                (1, 16, 90),
                (-1, 0, 1 << 20),
                (i32::MIN, i32::MAX, 0),
                (2, 1 << 26, 1 << 27),
            ] {
                tick += step;
                let [one, two] = &mut encoders;
                let values = [
                    Value::Int(arena.into()),
                    Value::Id(class),
                    Value::Int(8),
                    Value::Int(size.into()),
                    Value::Id(object),
                ];
                let first = one.event(&mut plain, tick, 5, 4, &values);
                let second = two.line(&mut short, tick, 5, 4, |line| {
                    line.int(arena);
                    line.id(Space::Class, class)?;
                    line.int(8);
                    line.int(size);
                    line.id(Space::Object, object)
                });
                *(if second.is_some() {
                    &mut straight
                } else {
                    &mut other
                }) += 1;
                let second = second.or_else(|| two.event(&mut short, tick, 5, 4, &values));
                assert_eq!(format!("{first:?}"), format!("{second:?}"));
                assert!(one == two);
            }
        }
    }
    assert!(plain == short);
    assert!(straight > 20 && other > 10, "{straight} {other}");
}

#[test]
fn a_jvmti_line_holds_any_return_value_that_has_room() {
    const METHOD_EXIT: u8 = 66;
    let (mut plain, mut short) = (vec![0; 100_000], vec![0; 100_000]);
    let mut encoders = encoders(plain.len(), 0);
    let (mut straight, mut other) = (0, 0);
    for _ in 0..2 {
        for shift in 0..64 {
            for returned in [1_u64 << shift, u64::MAX >> shift] {
                let [one, two] = &mut encoders;
                let which = (1, METHOD_EXIT);
                let returned = returned.cast_signed();
                let values = [Value::Id(1 << 40), Value::Int(0), Value::Int(returned)];
                let first = one.jvmti_event(&mut plain, 0, 5, which, &values);
                let second = two.jvmti_line(&mut short, 0, 5, which, |line| {
                    line.id(Space::Method, 1 << 40)?;
                    line.long(0);
                    line.long(returned);
                    Some(())
                });
                *(if second.is_some() {
                    &mut straight
                } else {
                    &mut other
                }) += 1;
                let second = second.or_else(|| two.jvmti_event(&mut short, 0, 5, which, &values));
                assert_eq!(format!("{first:?}"), format!("{second:?}"));
                assert!(one == two);
            }
        }
    }
    assert!(plain == short);
    // The first is new; all others have room.
    assert_eq!((straight, other), (255, 1));
}
