//! Both in one VM, where they share what only one can have.

use recording_format::Value;

use super::births::{SAMPLED, born, told};
use super::made::{Made, says, verdict};
use crate::{Outcome, Wish, compare};

/// It is the old side that has asked for all.
#[test]
fn in_one_vm_a_port_hears_of_what_it_has_not_asked_for() {
    let found = |interval: Option<i64>, settings: &str| {
        let mut both = Made::of("java Work").settings(settings);
        both.enables(&[4]).listens(&[SAMPLED]);
        if let Some(interval) = interval {
            both.call(156, vec![Value::Int(interval)], vec![]);
        }
        both.loads("Work$Bar", 0x100)
            .starts()
            .names("LWork$Bar;", 0x100);
        born(&mut both, 0x100, 7, 16);
        told(&mut both, SAMPLED, 0x100, 7, 16);
        both.ends();
        let comparison = compare(&both.observed(), None, Wish::default()).unwrap();
        verdict(&comparison, "objects born")
    };
    for interval in [None, Some(4096)] {
        let alone = found(interval, "");
        says(&alone, Outcome::NotCompared, &["record each for itself"]);
        assert!(alone.unseen, "{alone:#?}");
    }
    assert!(!found(Some(0), "").unseen);
    let wanted = found(Some(4096), "alloc-interval=4096");
    assert!(!wanted.unseen, "{wanted:#?}");
}
