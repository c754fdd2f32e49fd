//! Whether a port that tags what is born tags all that it is told of.

use super::{difference, is_jdk, sorted, within};
use crate::rules::Noun;
use crate::side::Sides;
use crate::verdict::{Outcome, Verdict};

/// A class without a tag says something where so many tags were to be expected.
const EXPECTED: u128 = 10;

/// Its events tell of all, but a callback can return before it counts.
pub(super) fn look(verdict: &mut Verdict, sides: Sides<'_>) {
    if sides.new.setup.says.contains(&Noun::Births) {
        return;
    }
    let own =
        sides.new.tagged.iter().filter(|(name, _)| {
            !is_jdk(Noun::Births, name) && !sides.is_ports_own(Noun::Births, name)
        });
    let (without, with): (Vec<_>, Vec<_>) = own.partition(|(_, [tags, _])| *tags == 0);
    let sum = |of: &[(&String, &[u64; 2])]| {
        of.iter().fold([0; 2], |[tags, births], (_, [of_it, all])| {
            [tags + of_it, births + all]
        })
    };
    let [tags, births] = sum(&with);
    if tags == 0 {
        // What it tags is of the JDK: threads, say.
        return;
    }
    // Who tags one in many may have met none of a class that has few.
    let is_expected = |of_class: u64| {
        within([births, tags], 1)
            || u128::from(of_class) * u128::from(tags) >= EXPECTED * u128::from(births)
    };
    let missed = without
        .iter()
        .filter(|(_, [_, births])| is_expected(*births));
    let missed = missed.map(|(name, [_, births])| (name.as_str(), [*births, 0]));
    let missed = sorted(missed.collect());
    let [_, of_others] = sum(&without);
    let all = births + of_others;
    if let Some((name, [of_class, _])) = missed.first() {
        verdict.outcome = Outcome::Misses;
        verdict.sentence =
            format!("has tagged none of {of_class} `{name}`, of which it was told, and others");
        verdict.differences = missed
            .iter()
            .map(|(name, both)| difference(name, *both, "tags"))
            .collect();
    } else if tags < all {
        verdict.outcome = Outcome::EqualBut;
        let before = match verdict.sentence.as_str() {
            "" => String::new(),
            sentence => format!("{sentence}; "),
        };
        verdict.sentence = format!("{before}the port has tagged {tags} of the program's {all}");
    }
}
