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
        both.enables(&[4, 5]).listens(&[SAMPLED, 83]);
        if let Some(interval) = interval {
            both.call(156, vec![Value::Int(interval)], vec![]);
        }
        both.loads("Work$Bar", 0x100)
            .starts()
            .names("LWork$Bar;", 0x100);
        born(&mut both, 0x100, 7, 16);
        told(&mut both, SAMPLED, 0x100, 6, 16);
        let made = vec![Value::Id(0), Value::Id(0x100), Value::Int(16)];
        both.jvmti_around(SAMPLED, made, |made| {
            made.call(107, vec![Value::Id(0), Value::Int(1)], vec![]);
        });
        both.ends();
        let comparison = compare(&both.observed(), None, Wish::default()).unwrap();
        ["objects born", "objects freed"].map(|noun| verdict(&comparison, noun))
    };
    let is_told_by_chance = |interval, settings, words: &str| {
        for alone in found(interval, settings) {
            says(&alone, Outcome::NotCompared, &["record each for itself"]);
            says(&alone, Outcome::NotCompared, &[words]);
            assert!(alone.unseen, "{alone:#?}");
        }
    };
    for settings in [
        "",
        "alloc-interval=0",
        "xalloc-interval=4k,sample=0,resample=8",
    ] {
        is_told_by_chance(None, settings, "in 512 KB");
        is_told_by_chance(Some(4096), settings, "of a sample");
    }
    for (interval, settings) in [
        (Some(0), ""),
        (Some(4096), "alloc-interval=4096"),
        (Some(4096), "attached=on,sample=4k"),
        (None, "alloc-interval=512k"),
    ] {
        for wanted in found(interval, settings) {
            assert!(!wanted.unseen, "{wanted:#?}");
        }
    }
}

/// The collection with which births begin is nobody's but ours.
#[test]
fn in_one_vm_a_port_hears_of_the_collection_with_which_births_begin() {
    let found = |old: &[i32], pauses: usize, settings: &str| {
        let mut both = Made::of("java Work").settings(settings);
        both.enables(old).listens(&[81]).starts();
        both.event(60, vec![]);
        (0..pauses).for_each(|_| _ = both.jvmti(81, vec![]));
        both.ends();
        let comparison = compare(&both.observed(), None, Wish::default()).unwrap();
        verdict(&comparison, "collections")
    };
    let ours = ["1 and 2: one may be xrun's own"];
    says(&found(&[4, 60], 2, ""), Outcome::EqualBut, &ours);
    says(&found(&[60], 2, ""), Outcome::EqualBut, &["within 50 %"]);
    let of_a_sample = found(&[4, 60], 2, "alloc-interval=512k");
    says(&of_a_sample, Outcome::EqualBut, &["within 50 %"]);
    says(&found(&[4, 60], 1, ""), Outcome::Equal, &[]);
}
