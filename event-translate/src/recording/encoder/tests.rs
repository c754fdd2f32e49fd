//! The short way writes what the long one does.

use super::{Encoder, Value};
use crate::recording::BLOCK_HEAD;

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
                        let second = two.method(&mut short, tick, env, 3, method);
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

#[test]
fn null_is_no_method() {
    let mut block = vec![0; 1000];
    let mut encoder = Encoder::new(0, 0);
    assert!(encoder.method(&mut block, 1, 0, 1, 0).is_none());
    assert!(block.iter().all(|&byte| byte == 0));
}
