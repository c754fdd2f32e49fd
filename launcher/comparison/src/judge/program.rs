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
    let bounds = Bounds {
        compiled_from,
        left_out,
        jdk_share,
    };
    let unnamed = old.get("?[]").map_or(0, |count| count.all());
    let names = Names::of(rule.noun, sides, &own, &bounds, unnamed);
    let seen = match rule.noun.is_of_threads() {
        false => Seen {
            names,
            jdk: Jdk::of(rule.noun, sides, &jdk, jdk_share),
            pools: Pools::default(),
        },
        true => Seen {
            names,
            jdk: Jdk::default(),
            pools: Pools::of(&jdk),
        },
    };
    let mut parts = seen.parts(rule.noun, &bounds);
    let outcome = seen.outcome();
    let outcome = match outcome {
        Outcome::Equal | Outcome::EqualBut => {
            one_by_one(rule, sides, &own, &mut parts).unwrap_or(outcome)
        }
        Outcome::Misses | Outcome::More | Outcome::Differs | Outcome::NotCompared => outcome,
    };
    let mut verdict = verdict(rule, outcome, parts.join("; "));
    let (all, of_jdk) = (totals(&own), seen.jdk.all);
    verdict.all = [all[0] + of_jdk[0], all[1] + of_jdk[1]];
    if rule.noun == Noun::Births && !outcome.is_difference() {
        super::tagged::look(&mut verdict, sides);
        return verdict;
    }
    if outcome.is_difference() {
        verdict.differences = seen.differences();
    }
    verdict
}

/// What is no difference.
struct Bounds {
    /// So often called, a method may have been compiled.
    compiled_from: u64,
    /// Percent of such a method's.
    left_out: u64,
    /// Percent of all that is the JDK's.
    jdk_share: u64,
}

/// Names, and how much each side has of them.
type Counted<'a> = Vec<(&'a str, [u64; 2])>;

/// Those of the program.
struct Names<'a> {
    /// The largest difference first.
    wrong: Counted<'a>,
    amounts: Vec<Difference>,
    /// How many differ within the bounds.
    tolerated: usize,
    /// How many are arrays that the old agent was told of before their element's class.
    arrays: usize,
}

impl<'a> Names<'a> {
    /// `unnamed` is how many arrays of the old side's have no name.
    fn of(
        noun: Noun,
        sides: Sides<'_>,
        own: &[Pair<'a>],
        bounds: &Bounds,
        mut unnamed: u64,
    ) -> Self {
        let mut names = Self {
            wrong: Vec::new(),
            amounts: Vec::new(),
            tolerated: 0,
            arrays: 0,
        };
        for (name, both) in own {
            let counts = both.map(Count::all);
            let may = counts.iter().any(|&count| count >= bounds.compiled_from);
            let more = counts[1].saturating_sub(counts[0]);
            if more > 0 && name.ends_with("[]") && more <= unnamed {
                unnamed -= more;
                names.arrays += 1;
                continue;
            }
            let differ = counts[0] != counts[1];
            if differ && !(may && within(counts, bounds.left_out)) {
                names.wrong.push((*name, counts));
                continue;
            }
            names.tolerated += usize::from(differ);
            let share = if differ { bounds.left_out } else { 0 };
            let is_same = is_as_much(noun, name, *both, (sides, share));
            if amounts_count(noun, sides) && !is_same {
                let what = amount_of(noun).0;
                let amounts = both.map(|count| count.amount);
                names.amounts.push(difference(name, amounts, what));
            }
        }
        names.wrong = sorted(names.wrong);
        names
    }
}

/// The JDK as a whole.
#[derive(Default)]
struct Jdk<'a> {
    all: [u64; 2],
    /// All but what intrinsics may add.
    held: [u64; 2],
    is_wrong: bool,
    /// Those that differ.
    differing: Counted<'a>,
}

impl<'a> Jdk<'a> {
    fn of(noun: Noun, sides: Sides<'_>, jdk: &[Pair<'a>], share: u64) -> Self {
        let all = totals(jdk);
        // Calls that compiled code makes by intrinsics come on the new side alone, and not only a few.
        let has_intrinsics =
            matches!(noun, Noun::MethodsEntered | Noun::MethodsLeft) && !sides.in_one;
        let held = match has_intrinsics && all[1] > all[0] {
            true => intrinsics::without(jdk),
            false => all,
        };
        let counted = jdk.iter().map(|(name, both)| (*name, both.map(Count::all)));
        Self {
            all,
            held,
            is_wrong: held[0].abs_diff(held[1]) > FEW && !within(held, share),
            differing: counted.filter(|(_, [old, new])| old != new).collect(),
        }
    }
}

/// Threads of pools as a whole.
#[derive(Default)]
struct Pools<'a> {
    workers: Counted<'a>,
    all: [u64; 2],
}

impl<'a> Pools<'a> {
    fn of(jdk: &[Pair<'a>]) -> Self {
        let workers = jdk.iter().filter(|(name, _)| is_of_a_pool(name));
        let workers: Counted<'a> = workers
            .map(|(name, both)| (*name, both.map(Count::all)))
            .collect();
        let all = workers.iter().fold([0; 2], |[old, new], (_, both)| {
            [old + both[0], new + both[1]]
        });
        Self { workers, all }
    }

    fn are_wrong(&self) -> bool {
        self.all.contains(&0) && self.all.iter().any(|&all| all >= WORKERS)
    }

    fn differ(&self) -> bool {
        self.workers.iter().any(|(_, [old, new])| old != new)
    }
}

struct Seen<'a> {
    names: Names<'a>,
    jdk: Jdk<'a>,
    pools: Pools<'a>,
}

impl Seen<'_> {
    fn outcome(&self) -> Outcome {
        let Self { names, jdk, pools } = self;
        let less = names.wrong.iter().any(|(_, [old, new])| new < old)
            || jdk.is_wrong && jdk.held[1] < jdk.held[0]
            || pools.are_wrong() && pools.all[1] == 0;
        let more = names.wrong.iter().any(|(_, [old, new])| new > old)
            || jdk.is_wrong && jdk.held[1] > jdk.held[0]
            || pools.are_wrong() && pools.all[0] == 0;
        let is_exact = names.tolerated + names.arrays + jdk.differing.len() == 0;
        match (less, more) {
            (true, true) => Outcome::Differs,
            (true, false) => Outcome::Misses,
            (false, true) => Outcome::More,
            (false, false) if !names.amounts.is_empty() => Outcome::Differs,
            (false, false) if pools.differ() || !is_exact => Outcome::EqualBut,
            (false, false) => Outcome::Equal,
        }
    }

    /// The verdict in words: what is wrong, or else the first of what is not.
    fn parts(&self, noun: Noun, bounds: &Bounds) -> Vec<String> {
        let mut parts = self.wrong_parts(noun, bounds);
        if parts.is_empty() {
            parts.extend(self.harmless_part(bounds));
        }
        parts
    }

    fn wrong_parts(&self, noun: Noun, bounds: &Bounds) -> Vec<String> {
        let Self { names, jdk, pools } = self;
        let mut parts = Vec::new();
        if let Some((name, [old, new])) = names.wrong.first() {
            let rest = match names.wrong.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} other name{} of the program", plural(more)),
            };
            let which = match noun.is_counted_in_all() {
                true => String::new(),
                false => format!(" `{name}`{rest}"),
            };
            parts.push(match new < old {
                true => format!("misses {} of {old}{which}", old - new),
                false => format!("sees {} more than {old}{which}", new - old),
            });
        }
        if !names.amounts.is_empty() {
            let count = names.amounts.len();
            let what = amount_of(noun).1;
            let differ = if what == "sizes" { "differ" } else { "differs" };
            parts.push(format!(
                "{what} of {count} name{} of the program {differ}",
                plural(count)
            ));
        }
        if jdk.is_wrong {
            let [old, new] = jdk.held;
            let rest = match jdk.held == jdk.all {
                true => "",
                false => ", without what intrinsics may add",
            };
            parts.push(format!(
                "{old} and {new} of the JDK's{rest}, more than {} % apart",
                bounds.jdk_share
            ));
        }
        if pools.are_wrong() {
            let [old, new] = pools.all;
            parts.push(match new {
                0 => format!("misses all {old} workers of pools"),
                _ => format!("sees {new} workers of pools, the old agent none"),
            });
        }
        parts
    }

    fn harmless_part(&self, bounds: &Bounds) -> Option<String> {
        let Self { names, jdk, pools } = self;
        if pools.differ() {
            let [old, new] = pools.all;
            return Some(format!("workers of pools: {old} and {new}"));
        }
        if names.tolerated > 0 {
            let (count, s) = (names.tolerated, plural(names.tolerated));
            return Some(format!(
                "{count} name{s} with {} and more, within {} %",
                bounds.compiled_from, bounds.left_out
            ));
        }
        if names.arrays > 0 {
            let es = if names.arrays == 1 { "" } else { "es" };
            return Some(format!(
                "{} array class{es} whose elements' class the old agent did not know yet",
                names.arrays
            ));
        }
        let count = jdk.differing.len();
        let [old, new] = jdk.all;
        (count > 0).then(|| {
            let s = plural(count);
            format!("{count} name{s} of the JDK ({old} and {new} in all)")
        })
    }

    fn differences(self) -> Vec<Difference> {
        let Self { names, jdk, pools } = self;
        let are_wrong = pools.are_wrong();
        let shown = |names: Counted<'_>| -> Vec<Difference> {
            let shown = names.iter();
            shown
                .map(|(name, both)| difference(name, *both, ""))
                .collect()
        };
        let mut all = shown(names.wrong);
        all.extend(names.amounts);
        if jdk.is_wrong {
            all.extend(shown(sorted(jdk.differing)));
        }
        if are_wrong {
            all.extend(shown(sorted(pools.workers)));
        }
        all
    }
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
