//! How often is chance.

use std::collections::BTreeMap;

use event_translate::EventKind;
use recording_format::jvmti;

use super::{Pair, difference, is_jdk, is_of_some, pairs, sorted, totals, verdict, within};
use crate::known::is_of_the_jdk;
use crate::rules::{Noun, Rule};
use crate::side::{Count, Side, Sides};
use crate::verdict::{Outcome, Verdict};

/// So far apart names may be in one recording of both.
const CLOSE: u64 = 2;

/// Of one recording the names that are too small for the share, if all of them together are further apart than if chance
/// moved each to either side by [`CLOSE`].
fn small_ones<'a>(names: &[Pair<'a>], share: u64) -> Vec<(&'a str, [u64; 2])> {
    let counts = names
        .iter()
        .map(|(name, both)| (*name, both.map(Count::all)));
    let is_small = |[old, new]: [u64; 2]| old.max(new) * share < CLOSE * 100;
    let mut small: Vec<_> = counts.filter(|(_, both)| is_small(*both)).collect();
    let [old, new] = small.iter().fold([0; 2], |[old, new], (_, both)| {
        [old + both[0], new + both[1]]
    });
    let off = u128::from(old.abs_diff(new));
    let most = u128::from(CLOSE * CLOSE) * small.len() as u128;
    if off * off <= most || within([old, new], share) {
        return Vec::new();
    }
    small.retain(|(_, [old, new])| old != new);
    sorted(small)
}

/// So often something has to come on one side before that it never does on the other says
/// anything: of monitors more often, for one side may be held up where the other is not.
const fn sure(noun: Noun) -> u64 {
    if matches!(noun, Noun::Contended | Noun::Entered) {
        100
    } else {
        10
    }
}

/// The same where the port itself has disabled the event: of collections three say enough then.
const fn sure_if_stopped(noun: Noun) -> u64 {
    if matches!(noun, Noun::Collections) {
        3
    } else {
        sure(noun)
    }
}

/// Classes that went that often on the old side, from as many loaders, and never on the new one, though it hears of most
/// of the others: a port that leaves some out. What a collector finds later would be missing of all of them.
fn never_unloaded<'a>(noun: Noun, names: &[Pair<'a>]) -> Vec<(&'a str, [u64; 2])> {
    let [old, new] = totals(names);
    if noun != Noun::ClassesUnloaded || new * 2 < old {
        return Vec::new();
    }
    let counts = names
        .iter()
        .map(|(name, both)| (*name, both.map(Count::all)));
    let is_missed = |(name, [old, new]): &(&str, [u64; 2])| {
        *old >= sure(noun) && *new == 0 && !is_of_the_jdk(name)
    };
    sorted(counts.filter(is_missed).collect())
}

/// One of the two is told of virtual threads.
fn are_virtual(sides: Sides<'_>) -> bool {
    let mut both = [sides.old, sides.new].into_iter();
    both.any(|side| side.nouns.contains_key(&Noun::VirtualStarted))
}

/// Of monitors only the thread counts where a side does not know the class, and only the class where one
/// side is told of virtual threads, which may have waited: JVMTI's events come with the JNIEnv of the carrier.
fn plain(noun: Noun, sides: Sides<'_>, side: &Side) -> BTreeMap<String, Count> {
    let counts = side.of(noun);
    let is_unknown = sides.old.unknown_monitors || sides.new.unknown_monitors;
    let are_virtual = are_virtual(sides);
    if !noun.is_of_monitors() || !(is_unknown || are_virtual) {
        return counts;
    }
    let mut plain: BTreeMap<String, Count> = BTreeMap::new();
    for (name, count) in counts {
        let (thread, class) = name.rsplit_once(" at ").unwrap_or((&name, "?"));
        let name = match (is_unknown, are_virtual) {
            (false, _) => class,
            (true, false) => thread,
            (true, true) => "all",
        };
        plain.entry(name.to_owned()).or_default().times += count.times;
    }
    plain
}

/// What a port has chosen not to hear of: by name, with what was told on both sides.
///
/// If it has disabled the event while the program ran, and the old agent has not, that is all if half are missed; if it
/// has enabled it for single threads alone, the names of those threads of which the old agent was told often, and it never.
/// Which worker of a pool waits is chance, and so is whether there is one of that name: a port that hears of starts must
/// have been told of the thread's.
fn not_by_chance<'a>(
    rule: &Rule,
    sides: Sides<'_>,
    names: &[Pair<'a>],
) -> Vec<(&'a str, [u64; 2])> {
    let [old, new] = totals(names);
    let counts = names
        .iter()
        .map(|(name, both)| (*name, both.map(Count::all)));
    let counts = counts.filter(|(_, [old, new])| old > new);
    let few = sure_if_stopped(rule.noun);
    if has_stopped(rule, sides) && old.saturating_sub(new) >= few && new * 2 < old {
        return sorted(counts.collect());
    }
    let never = never_unloaded(rule.noun, names);
    if !never.is_empty() {
        return never;
    }
    let setup = &sides.new.setup;
    if !rule.noun.is_of_monitors() || !setup.is_for_some(rule.new) || are_virtual(sides) {
        return Vec::new();
    }
    let started = sides.new.of(Noun::ThreadsStarted);
    let hears_of_starts = setup.jvmti.enabled.contains(&jvmti::EventKind::ThreadStart);
    let is_sure_to_run = |thread: &str| {
        let is_there = !hears_of_starts || started.contains_key(thread);
        is_there && !is_jdk(Noun::ThreadsStarted, thread)
    };
    let thread = |name: &'a str| name.rsplit_once(" at ").map_or(name, |(thread, _)| thread);
    let mut threads: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (name, both) in names {
        let sum = threads.entry(thread(name)).or_default();
        for (sum, count) in sum.iter_mut().zip(both) {
            *sum += count.all();
        }
    }
    let is_missed = |name: &'a str| {
        let [old, new] = threads.get(thread(name)).copied().unwrap_or_default();
        old >= sure(rule.noun) && new == 0 && is_sure_to_run(thread(name))
    };
    sorted(counts.filter(|(name, _)| is_missed(name)).collect())
}

/// The port has disabled the events of a noun while the program ran, and the old agent has disabled none.
fn has_stopped(rule: &Rule, sides: Sides<'_>) -> bool {
    let (old, new) = (&sides.old.setup, &sides.new.setup);
    let old_has_stopped = rule.old.iter().any(|kind| old.jvmpi.stopped.contains(kind));
    new.jvmti.has_stopped(rule.new) && !old_has_stopped
}

/// The port was told from the start and of one collection more, and the old agent wants all births: those begin with one.
fn may_have_ours(rule: &Rule, sides: Sides<'_>, [old, new]: [u64; 2]) -> bool {
    let wants_births = sides.old.setup.jvmpi.has_any(&[EventKind::ObjectAlloc]);
    let wants_all = wants_births && !sides.settings.split(',').any(is_of_some);
    let late = &sides.new.setup.late;
    let is_late = rule.new.iter().any(|kind| late.contains(kind));
    rule.noun == Noun::Collections && sides.in_one && wants_all && !is_late && new == old + 1
}

pub(super) fn judge(rule: &'static Rule, sides: Sides<'_>, share: u64) -> Verdict {
    let mut counts = [sides.old, sides.new].map(|side| plain(rule.noun, sides, side));
    if rule.noun == Noun::Collections {
        let forced = [sides.old, sides.new].map(|side| side.setup.forced);
        for (counts, own) in counts.iter_mut().zip(forced) {
            if let Some(count) = counts.get_mut("all") {
                // In one VM both hear of those of either.
                let forced = if sides.in_one {
                    forced.iter().sum()
                } else {
                    own
                };
                count.times = count.times.saturating_sub(forced);
            }
        }
    }
    let both = pairs([&counts[0], &counts[1]]);
    let all = totals(&both);
    let mut wrong = Vec::new();
    if sides.in_one {
        let off = both
            .iter()
            .map(|(name, both)| (*name, both.map(Count::all)));
        let off =
            off.filter(|(_, both)| both[0].abs_diff(both[1]) > CLOSE && !within(*both, share));
        wrong = sorted(off.collect());
        // When classes go and methods are compiled, one side alone may have many of the last or the first.
        if wrong.is_empty() && rule.noun.is_of_monitors() {
            wrong = small_ones(&both, share);
        }
    }
    let lost = not_by_chance(rule, sides, &both);
    let is_lost = !lost.is_empty();
    let of_lost = lost.iter().fold([0; 2], |[old, new], (_, both)| {
        [old + both[0], new + both[1]]
    });
    let names = lost.len();
    if wrong.is_empty() {
        wrong = lost;
    }
    let outcome = match all {
        [old, 0] if old >= sure(rule.noun) => Outcome::Misses,
        _ if is_lost => Outcome::Misses,
        [0, new] if new >= sure(rule.noun) => Outcome::More,
        _ if !wrong.is_empty() => {
            let less = wrong.iter().any(|(_, [old, new])| new < old);
            let more = wrong.iter().any(|(_, [old, new])| new > old);
            match (less, more) {
                (true, false) => Outcome::Misses,
                (false, true) => Outcome::More,
                _ => Outcome::Differs,
            }
        }
        [old, new] if old == new => Outcome::Equal,
        _ => Outcome::EqualBut,
    };
    let [old, new] = all;
    let sentence = match outcome {
        Outcome::Equal if sides.in_one => String::new(),
        Outcome::Equal => "how often is chance".to_owned(),
        Outcome::EqualBut if may_have_ours(rule, sides, all) => {
            format!("{old} and {new}: one may be xrun's own, with which OBJECT_ALLOC begins")
        }
        Outcome::EqualBut if sides.in_one && within(all, share) => {
            format!("{old} and {new}, within {share} %")
        }
        Outcome::EqualBut if sides.in_one => {
            format!("{old} and {new}, each name within {CLOSE} or {share} %")
        }
        Outcome::EqualBut if old == 0 || new == 0 => {
            format!("how often: {old} and {new}, too few to tell one that never comes from chance")
        }
        Outcome::EqualBut => format!("how often: {old} and {new}, which is chance"),
        Outcome::Misses if new == 0 => format!("misses all {old}"),
        Outcome::Misses if is_lost => {
            let [old, new] = of_lost;
            let which = match &wrong[..] {
                [(name, _)] => format!("`{name}`"),
                _ => format!("of {names} names"),
            };
            format!("misses {} of {old} {which}", old - new)
        }
        Outcome::Misses => format!("misses {} of {old}", old.saturating_sub(new)),
        Outcome::More => format!("sees {} more than {old}", new.saturating_sub(old)),
        Outcome::Differs | Outcome::NotCompared => {
            format!("{} names more than {share} % apart", wrong.len())
        }
    };
    let mut verdict = verdict(rule, outcome, sentence);
    verdict.all = all;
    verdict.differences = wrong
        .iter()
        .map(|(name, both)| difference(name, *both, ""))
        .collect();
    verdict
}
