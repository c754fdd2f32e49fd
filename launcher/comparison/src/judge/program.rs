//! Names of the program to the last one, those of the JDK as a whole.

use event_translate::EventKind;
use recording_format::jvmti;

use super::{
    FEW, Pair, difference, intrinsics, is_jdk, pairs, plural, sorted, totals, verdict, within,
};
use crate::known::{is_of_a_hidden_class, is_of_a_pool};
use crate::rules::{Noun, Rule};
use crate::side::{Count, Sides};
use crate::verdict::{Difference, Outcome, Verdict};

/// So many workers of pools on the one side and none on the other are no chance.
const WORKERS: u64 = 4;

pub(super) fn judge(rule: &'static Rule, sides: Sides<'_>, bounds: (u64, u64, u64)) -> Verdict {
    let (compiled_from, left_out, jdk_share) = bounds;
    let [old, new] = [sides.old.of(rule.noun), sides.new.of(rule.noun)];
    // Those that every VM has before VMInit, and that a port knows if it asks.
    let is_awaited = |name: &str| {
        let asks = sides.new.setup.asked_for_threads;
        rule.noun == Noun::ThreadsStarted
            && !asks
            && matches!(name, "Finalizer" | "Reference Handler")
    };
    let is_chosen = |pair: &Pair<'_>| {
        let is_method = rule.noun.is_of_methods();
        let is_taken = !is_method || sides.chose(pair.0) && !is_of_a_hidden_class(pair.0);
        is_taken && !sides.is_ports_own(rule.noun, pair.0)
    };
    let (jdk, own): (Vec<Pair<'_>>, Vec<Pair<'_>>) = pairs([&old, &new])
        .into_iter()
        .filter(is_chosen)
        .partition(|(name, _)| is_jdk(rule.noun, name) && !is_awaited(name));
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
            continue;
        }
        let differ = counts[0] != counts[1];
        if differ && !(may && within(counts, left_out)) {
            wrong.push((*name, counts));
            continue;
        }
        tolerated += usize::from(differ);
        let share = if differ { left_out } else { 0 };
        let is_same = is_as_much(rule.noun, name, *both, (sides, share));
        if amounts_count(rule.noun, sides) && !is_same {
            let what = amount_of(rule.noun).0;
            amounts.push(difference(name, both.map(|count| count.amount), what));
        }
    }
    let jdk_differs: Vec<(&str, [u64; 2])> = jdk
        .iter()
        .map(|(name, both)| (*name, both.map(Count::all)))
        .filter(|(_, [old, new])| old != new && !is_threads)
        .collect();
    // Calls that compiled code makes by intrinsics come on the new side alone, and not only a few.
    let has_intrinsics =
        matches!(rule.noun, Noun::MethodsEntered | Noun::MethodsLeft) && !sides.in_one;
    let held = match has_intrinsics && of_jdk[1] > of_jdk[0] {
        true => intrinsics::without(&jdk),
        false => of_jdk,
    };
    let jdk_is_wrong = held[0].abs_diff(held[1]) > FEW && !within(held, jdk_share);
    let workers: Vec<(&str, [u64; 2])> = jdk
        .iter()
        .filter(|(name, _)| is_threads && is_of_a_pool(name))
        .map(|(name, both)| (*name, both.map(Count::all)))
        .collect();
    let of_pools = workers
        .iter()
        .fold([0; 2], |[old, new], (_, [of_old, of_new])| {
            [old + of_old, new + of_new]
        });
    let pools_are_wrong = of_pools.contains(&0) && of_pools.iter().any(|&all| all >= WORKERS);
    let pools_differ = workers.iter().any(|(_, [old, new])| old != new);
    let wrong = sorted(wrong);
    let less = wrong.iter().any(|(_, [old, new])| new < old);
    let more = wrong.iter().any(|(_, [old, new])| new > old);
    let less = less || jdk_is_wrong && held[1] < held[0];
    let more = more || jdk_is_wrong && held[1] > held[0];
    let less = less || pools_are_wrong && of_pools[1] == 0;
    let more = more || pools_are_wrong && of_pools[0] == 0;
    let outcome = match (less, more) {
        (true, true) => Outcome::Differs,
        (true, false) => Outcome::Misses,
        (false, true) => Outcome::More,
        (false, false) if !amounts.is_empty() => Outcome::Differs,
        (false, false) if pools_differ => Outcome::EqualBut,
        (false, false) if tolerated + arrays + jdk_differs.len() > 0 => Outcome::EqualBut,
        (false, false) => Outcome::Equal,
    };
    let mut parts = Vec::new();
    if let Some((name, [old, new])) = wrong.first() {
        let rest = match wrong.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} other name{} of the program", plural(more)),
        };
        let which = match rule.noun.is_counted_in_all() {
            true => String::new(),
            false => format!(" `{name}`{rest}"),
        };
        parts.push(match new < old {
            true => format!("misses {} of {old}{which}", old - new),
            false => format!("sees {} more than {old}{which}", new - old),
        });
    }
    if !amounts.is_empty() {
        let count = amounts.len();
        let what = amount_of(rule.noun).1;
        let differ = if what == "sizes" { "differ" } else { "differs" };
        parts.push(format!(
            "{what} of {count} name{} of the program {differ}",
            plural(count)
        ));
    }
    if jdk_is_wrong {
        let rest = match held == of_jdk {
            true => "",
            false => ", without what intrinsics may add",
        };
        parts.push(format!(
            "{} and {} of the JDK's{rest}, more than {jdk_share} % apart",
            held[0], held[1]
        ));
    }
    if pools_are_wrong {
        let [old, new] = of_pools;
        parts.push(match new {
            0 => format!("misses all {old} workers of pools"),
            _ => format!("sees {new} workers of pools, the old agent none"),
        });
    }
    if parts.is_empty() && pools_differ {
        let [old, new] = of_pools;
        parts.push(format!("workers of pools: {old} and {new}"));
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
    let outcome = match outcome {
        Outcome::Equal | Outcome::EqualBut => {
            one_by_one(rule, sides, &own, &mut parts).unwrap_or(outcome)
        }
        Outcome::Misses | Outcome::More | Outcome::Differs | Outcome::NotCompared => outcome,
    };
    let mut verdict = verdict(rule, outcome, parts.join("; "));
    verdict.all = [all[0] + of_jdk[0], all[1] + of_jdk[1]];
    if rule.noun == Noun::Births && !outcome.is_difference() {
        super::tagged::look(&mut verdict, sides);
        return verdict;
    }
    if outcome.is_difference() {
        let mut shown: Vec<Difference> = Vec::new();
        shown.extend(wrong.iter().map(|(name, both)| difference(name, *both, "")));
        shown.extend(amounts);
        if jdk_is_wrong {
            let names = sorted(jdk_differs);
            shown.extend(names.iter().map(|(name, both)| difference(name, *both, "")));
        }
        if pools_are_wrong {
            let names = sorted(workers);
            shown.extend(names.iter().map(|(name, both)| difference(name, *both, "")));
        }
        verdict.differences = shown;
    }
    verdict
}

/// In one recording the same number of a name has to be the same ones.
fn one_by_one(
    rule: &'static Rule,
    sides: Sides<'_>,
    own: &[Pair<'_>],
    parts: &mut Vec<String>,
) -> Option<Outcome> {
    let matched = sides.new.matched.get(&rule.noun)?;
    let setup = &sides.new.setup;
    // Events of births have no ids: only what is tagged has one.
    let has_no_ids = rule.noun == Noun::Births && !setup.tags;
    if has_no_ids || setup.says.contains(&rule.noun) {
        return None;
    }
    for (name, both) in own {
        let [old, new] = both.map(Count::all);
        let others = matched.others.get(*name).copied().unwrap_or(0);
        // A birth that the old agent could not name is another name's on its side.
        let others = others.saturating_sub(old.abs_diff(new));
        if others > 0 {
            parts.clear();
            parts.push(format!(
                "as many `{name}`, but not the same ones: {others} that one side alone was told of"
            ));
            return Some(Outcome::Differs);
        }
    }
    if matched.same > 0 {
        parts.push(format!("{} matched one by one", matched.same));
    }
    None
}

/// Bytes of all objects, and how deep a method was in itself, where both sides can say.
fn amounts_count(noun: Noun, sides: Sides<'_>) -> bool {
    let (old, new) = (&sides.old.setup.jvmpi, &sides.new.setup.jvmti);
    let are_left =
        old.has_any(&[EventKind::MethodExit]) && new.has_any(&[jvmti::EventKind::MethodExit]);
    if sides.new.setup.says.contains(&noun) {
        // A port may say how many, and nothing else.
        return sides.new.of(noun).values().any(|count| count.amount > 0);
    }
    matches!(noun, Noun::Births | Noun::Instructions) || noun == Noun::MethodsEntered && are_left
}

/// What the amount of a noun is, of one name and of several.
const fn amount_of(noun: Noun) -> (&'static str, &'static str) {
    if matches!(noun, Noun::Births) {
        ("bytes", "sizes")
    } else if matches!(noun, Noun::Instructions) {
        ("runs", "how often the instructions run")
    } else {
        ("recursion", "the deepest recursion")
    }
}

/// Of instructions the VM steps over some pairs at once. On carriers, where virtual threads take turns, a method is as
/// often begun as those are many. Bytes count of each object, within so many hundredths.
fn is_as_much(
    noun: Noun,
    name: &str,
    both: [Count; 2],
    (sides, hundredths): (Sides<'_>, u64),
) -> bool {
    let [old, new] = both;
    if noun == Noun::Instructions {
        new.amount <= old.amount && old.amount <= 2 * new.amount
    } else if noun == Noun::MethodsEntered && sides.new.takes_turns.contains(name) {
        new.amount <= old.amount
    } else {
        let of_each = |of: Count, other: Count| u128::from(of.amount) * u128::from(other.all());
        within([of_each(old, new), of_each(new, old)], hundredths)
    }
}
