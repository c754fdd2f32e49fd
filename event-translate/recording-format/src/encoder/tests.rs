//! The fast path writes what the slow one does.

use super::{Encoder, Value};
use crate::{BLOCK_HEAD, Space};

/// Times and methods of all lengths, at the end of a block too.
#[test]
fn methods_are_written_the_same_both_ways() {
    let steps = [
        0,
        1,
        62,
        63,
        64,
        127,
        128,
        8190,
        16383,
        16384,
        2_097_151,
        2_097_152,
        1 << 29,
    ];
    let mut straight = 0;
    for room in [BLOCK_HEAD + 5, 20_000] {
        let (mut plain, mut short) = (vec![0; room], vec![0; room]);
        let mut encoders = [Encoder::new(7, 0), Encoder::new(7, 0)];
        let (mut tick, mut method) = (7_u64, 1_u64 << 40);
        for env in [5, 5, 9] {
            for time in steps {
                for step in steps {
                    for sign in [1, -1] {
                        tick += i64::unsigned_abs(time);
                        method = method.wrapping_add_signed(step * sign);
                        let [one, two] = &mut encoders;
                        let values = [Value::Id(method)];
                        let first = one.event(&mut plain, tick, env, 3, &values);
                        let second = two.line(&mut short, tick, env, 3, |line| {
                            line.id(Space::Method, method)
                        });
                        straight += usize::from(second.is_some());
                        let second =
                            second.or_else(|| two.event(&mut short, tick, env, 3, &values));
                        assert_eq!(format!("{first:?}"), format!("{second:?}"));
                        assert_eq!(format!("{one:?}"), format!("{two:?}"));
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
    let mut encoders = [Encoder::new(0, 0), Encoder::new(0, 0)];
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
                    line.int(arena)?
                        .id(Space::Class, class)?
                        .int(8)?
                        .int(size)?
                        .id(Space::Object, object)
                });
                *(if second.is_some() {
                    &mut straight
                } else {
                    &mut other
                }) += 1;
                let second = second.or_else(|| two.event(&mut short, tick, 5, 4, &values));
                assert_eq!(format!("{first:?}"), format!("{second:?}"));
                assert_eq!(format!("{one:?}"), format!("{two:?}"));
            }
        }
    }
    assert!(plain == short);
    assert!(straight > 20 && other > 20, "{straight} {other}");
}
