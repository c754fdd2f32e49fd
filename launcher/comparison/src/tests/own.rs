//! What is the VM's or the port's own.

use recording_format::Value;

use super::made::{Made, compared, pair, says, verdict};
use crate::Outcome;

/// Who has enabled no MonitorWait hears of no beginnings: those of an `int[]` are waits like others.
#[test]
fn a_wait_without_a_beginning_counts_where_nobody_hears_of_beginnings() {
    let port = |begins: Option<bool>| {
        let mut both = pair(&[33, 58], &[74]);
        both[0].starts();
        let hears = |made: &mut Made| {
            let arguments = vec![Value::Int(1), Value::Int(73), Value::Id(0)];
            made.call(2, arguments, vec![]);
        };
        if begins == Some(true) {
            hears(&mut both[1]);
        }
        both[1].starts().names("[I", 0x100);
        if begins == Some(false) {
            hears(&mut both[1]);
        }
        for _ in 0..12 {
            both[1].jvmti(74, vec![Value::Id(0), Value::Id(0x100), Value::Int(0)]);
        }
        verdict(&compared(&both), "waits ended")
    };
    assert_eq!(port(Some(true)).all, [0, 0]);
    for begins in [None, Some(false)] {
        let found = port(begins);
        says(&found, Outcome::More, &["sees 12 more than 0"]);
    }
}
