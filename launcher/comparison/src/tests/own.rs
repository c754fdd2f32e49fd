//! What is the VM's or the port's own.

use recording_format::Value;

use super::made::{ATTACHED, Made, compared, ids, pair, says, verdict};
use super::threads::{is_called, starts};
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

/// A thread that the port has attached has no name of its own: however it hears of it, it is not the program's.
#[test]
fn a_port_s_own_thread_is_left_out_however_it_is_known() {
    let port = |hears: fn(&mut Made)| {
        let mut both = pair(&[33, 34], &[52, 53]);
        both.iter_mut().for_each(|made| _ = made.starts());
        starts(&mut both[0], "Thread-0", 0x20);
        is_called(&mut both[1], "Thread-0", 0x20);
        both[1].jvmti(52, vec![Value::Id(0x20)]);
        hears(&mut both[1]);
        // Once more, when it is attached already.
        for _ in 0..2 {
            both[1].call(ATTACHED, vec![Value::Id(0x40)], vec![]);
        }
        verdict(&compared(&both), "threads started")
    };
    let by_list: fn(&mut Made) = |made| {
        is_called(made, "Thread-1", 0x40);
        made.call(4, vec![], vec![Value::Int(2), ids(&[0x20, 0x40])]);
    };
    let before_its_name: fn(&mut Made) = |made| {
        made.jvmti(52, vec![Value::Id(0x40)]);
        is_called(made, "Thread-1", 0x40);
    };
    let by_both: fn(&mut Made) = |made| {
        is_called(made, "Thread-1", 0x40);
        made.jvmti(52, vec![Value::Id(0x40)]);
        made.call(4, vec![], vec![Value::Int(2), ids(&[0x20, 0x40])]);
    };
    for hears in [by_list, before_its_name, by_both] {
        let found = port(hears);
        says(&found, Outcome::Equal, &[]);
        assert_eq!(found.all, [1, 1]);
    }
}
