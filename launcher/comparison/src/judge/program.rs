//! Names of the program to the last one, those of the JDK as a whole.

use super::{FEW, Pair, difference, is_jdk, pairs, plural, sorted, totals, verdict, within};
use crate::rules::{Noun, Rule};
use crate::side::{Count, Sides};
use crate::verdict::{Difference, Outcome, Verdict};

pub(super) fn judge(rule: &'static Rule, sides: Sides<'_>, bounds: (u64, u64, u64)) -> Verdict {
    let (compiled_from, left_out, jdk_share) = bounds;
    let [old, new] = [sides.old.of(rule.noun), sides.new.of(rule.noun)];
    let (jdk, own): (Vec<Pair<'_>>, Vec<Pair<'_>>) = pairs([&old, &new])
        .into_iter()
        .partition(|(name, _)| is_jdk(rule.noun, name));
    let is_threads = rule.noun.is_of_threads();
    let all = totals(&own);
    let of_jdk = if is_threads { [0; 2] } else { totals(&jdk) };
    let mut tolerated = 0;
    // Arrays that the old agent was told of before their element's class.
    let mut unnamed = old.get("?[]").map_or(0, |count| count.all());
    let mut arrays = 0;
    let mut wrong = Vec::new();
    let mut amounts = Vec::new();
    for (name, both) in &own {
        let counts = both.map(Count::all);
        let may = counts.iter().any(|&count| count >= compiled_from);
        let more = counts[1].saturating_sub(counts[0]);
        if more > 0 && name.ends_with("[]") && more <= unnamed {
            unnamed -= more;
            arrays += 1;
        } else if counts[0] != counts[1] {
            match may && within(counts, left_out) {
                true => tolerated += 1,
                false => wrong.push((*name, counts)),
            }
        } else if amounts_count(rule.noun, sides) && both[0].amount != both[1].amount {
            let what = if rule.noun == Noun::Births {
                "bytes"
            } else {
                "recursion"
            };
            amounts.push(difference(name, both.map(|count| count.amount), what));
        }
    }
    let jdk_differs: Vec<(&str, [u64; 2])> = jdk
        .iter()
        .map(|(name, both)| (*name, both.map(Count::all)))
        .filter(|(_, [old, new])| old != new && !is_threads)
        .collect();
    let jdk_is_wrong = of_jdk[0].abs_diff(of_jdk[1]) > FEW && !within(of_jdk, jdk_share);
    let wrong = sorted(wrong);
    let less = wrong.iter().any(|(_, [old, new])| new < old);
    let more = wrong.iter().any(|(_, [old, new])| new > old);
    let less = less || jdk_is_wrong && of_jdk[1] < of_jdk[0];
    let more = more || jdk_is_wrong && of_jdk[1] > of_jdk[0];
    let outcome = match (less, more) {
        (true, true) => Outcome::Differs,
        (true, false) => Outcome::Misses,
        (false, true) => Outcome::More,
        (false, false) if !amounts.is_empty() => Outcome::Differs,
        (false, false) if tolerated + arrays + jdk_differs.len() > 0 => Outcome::EqualBut,
        (false, false) => Outcome::Equal,
    };
    let mut parts = Vec::new();
    if let Some((name, [old, new])) = wrong.first() {
        let rest = match wrong.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} other name{} of the program", plural(more)),
        };
        parts.push(match new < old {
            true => format!("misses {} of {old} `{name}`{rest}", old - new),
            false => format!("sees {} more than {old} `{name}`{rest}", new - old),
        });
    }
    if !amounts.is_empty() {
        let count = amounts.len();
        let what = if rule.noun == Noun::Births {
            "sizes"
        } else {
            "the deepest recursion"
        };
        parts.push(format!(
            "{what} of {count} name{} of the program differ",
            plural(count)
        ));
    }
    if jdk_is_wrong {
        parts.push(format!(
            "{} and {} of the JDK's, more than {jdk_share} % apart",
            of_jdk[0], of_jdk[1]
        ));
    }
    if parts.is_empty() && tolerated > 0 {
        let s = plural(tolerated);
        parts.push(format!(
            "{tolerated} name{s} with {compiled_from} and more, within {left_out} %"
        ));
    }
    if parts.is_empty() && arrays > 0 {
        parts.push(format!(
            "{arrays} array class{} whose elements' class the old agent did not know yet",
            if arrays == 1 { "" } else { "es" }
        ));
    }
    if parts.is_empty() && !jdk_differs.is_empty() {
        let (count, s) = (jdk_differs.len(), plural(jdk_differs.len()));
        parts.push(format!(
            "{count} name{s} of the JDK ({} and {} in all)",
            of_jdk[0], of_jdk[1]
        ));
    }
    let mut verdict = verdict(rule, outcome, parts.join("; "));
    verdict.all = [all[0] + of_jdk[0], all[1] + of_jdk[1]];
    if outcome.is_difference() {
        let mut shown: Vec<Difference> = Vec::new();
        shown.extend(wrong.iter().map(|(name, both)| difference(name, *both, "")));
        shown.extend(amounts);
        if jdk_is_wrong {
            let names = sorted(jdk_differs);
            shown.extend(names.iter().map(|(name, both)| difference(name, *both, "")));
        }
        verdict.differences = shown;
    }
    verdict
}

/// Bytes of all objects, and how deep a method was in itself, where both sides can say.
fn amounts_count(noun: Noun, sides: Sides<'_>) -> bool {
    let (old, new) = (&sides.old.setup.enabled, &sides.new.setup.enabled);
    let are_left = old.contains(&3) && new.contains(&66);
    noun == Noun::Births || noun == Noun::MethodsEntered && are_left
}
