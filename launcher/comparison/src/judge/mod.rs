//! A verdict from two counts.

mod chance;
mod intrinsics;
mod program;
mod shares;
mod tagged;

use std::collections::{BTreeMap, BTreeSet};

use event_translate::EventKind;
use recording_format::jvmti;

use crate::causes;
use crate::known::{is_of_a_pool, is_of_the_jdk, is_of_the_vm};
use crate::rules::{Bounds, Noun, Rule};
use crate::side::{Count, Side, Sides};
use crate::verdict::{Difference, Outcome, Verdict};

/// Differences that are shown of each noun.
const SHOWN: usize = 10;
/// So few of the JDK's are none.
const FEW: u64 = 16;

/// One name with its counts on both sides.
type Pair<'a> = (&'a str, [Count; 2]);

/// The verdict of a rule.
pub(crate) fn judge(rule: &'static Rule, sides: Sides<'_>) -> Verdict {
    let mut verdict = match not_compared(rule, sides) {
        Some(Nothing { why, unseen }) => Verdict {
            unseen,
            ..verdict(rule, Outcome::NotCompared, why)
        },
        None => match rule.bounds {
            Bounds::Program {
                compiled_from,
                left_out,
                jdk,
            } => by_load(
                program::judge(rule, sides, (compiled_from, left_out, jdk)),
                sides,
            ),
            Bounds::Chance(share) => chance::judge(rule, sides, share),
            Bounds::InAll(share) => in_all(rule, sides, share),
            Bounds::Shares => shares::judge(rule, sides),
            Bounds::Calls => calls(rule, sides),
        },
    };
    causes::find(&mut verdict, sides);
    let shown = verdict.differences.len().min(SHOWN);
    verdict.left_out = verdict.differences.len() - shown;
    verdict.differences.truncate(shown);
    verdict
}

/// As many classes are not the same ones' members: with ClassLoad alone a port hears of them before there are any.
fn by_load(mut verdict: Verdict, sides: Sides<'_>) -> Verdict {
    let setup = &sides.new.setup;
    let has = |event| setup.jvmti.enabled.contains(&event);
    let is_early = has(jvmti::EventKind::ClassLoad)
        && !has(jvmti::EventKind::ClassPrepare)
        && !setup.says.contains(&Noun::ClassesLoaded);
    if verdict.rule.noun == Noun::ClassesLoaded && is_early && !verdict.outcome.is_difference() {
        verdict.outcome = Outcome::Differs;
        verdict.sentence = "as many, but by ClassLoad: before they have fields and methods, and of some that never have"
            .to_owned();
    }
    verdict
}

fn verdict(rule: &'static Rule, outcome: Outcome, sentence: impl Into<String>) -> Verdict {
    Verdict {
        rule,
        outcome,
        sentence: sentence.into(),
        unseen: false,
        all: [0; 2],
        differences: Vec::new(),
        left_out: 0,
        causes: Vec::new(),
    }
}

/// Why there is nothing to compare.
struct Nothing {
    why: String,
    /// The old agent has something.
    unseen: bool,
}

fn not_compared(rule: &Rule, sides: Sides<'_>) -> Option<Nothing> {
    let nothing = |unseen: bool, why: &str| {
        let why = why.to_owned();
        Some(Nothing { why, unseen })
    };
    if rule.noun == Noun::Dumped {
        return dumped_not_compared(sides);
    }
    if rule.old.is_empty() || rule.new.is_empty() {
        return None;
    }
    let (old, new) = (&sides.old.setup, &sides.new.setup);
    let has_old = old.jvmpi.has_any(rule.old);
    let says = new.says.contains(&rule.noun);
    // Also if no event but hooks have shown it what it tags.
    let tags = rule.noun == Noun::Births && new.tags;
    let has_new = says || tags || new.jvmti.has_any(rule.new);
    if !has_old {
        let names: Vec<&str> = rule.old.iter().map(|kind| kind.name()).collect();
        let who = if has_new {
            "the old agent has not"
        } else {
            "neither agent has"
        };
        return nothing(false, &format!("{who} enabled {}", names.join(" or ")));
    }
    if rule.noun.is_of_ends() && !old.jvmpi.enabled.contains(&EventKind::ThreadStart) {
        return nothing(
            false,
            "the old agent has not enabled THREAD_START, which tells what a thread is called and who is a virtual one",
        );
    }
    if rule.noun.is_of_virtual_threads() && !has_new && sides.old.of(rule.noun).is_empty() {
        return nothing(
            false,
            "the old agent was told of none, and the port does not ask",
        );
    }
    if !has_new {
        let refused = rule.new.iter().find_map(|kind| {
            let code = new.jvmti.refused.get(kind)?;
            let name = kind.name();
            Some(format!("the VM has refused the port {name} (error {code})"))
        });
        let why = refused.unwrap_or_else(|| {
            let names: Vec<&str> = rule.new.iter().map(|kind| kind.name()).collect();
            format!("the port has not enabled {}", names.join(" or "))
        });
        return nothing(true, &why);
    }
    if says {
        return None;
    }
    let hears_of_unloads = new.jvmti.enabled.contains(&jvmti::EventKind::ClassUnload);
    if rule.noun == Noun::ClassesUnloaded && !new.tags_classes && !hears_of_unloads {
        return nothing(
            true,
            "the port tags no classes, and does not listen to the extension event ClassUnload",
        );
    }
    if rule.noun == Noun::Deaths && !new.tags {
        return nothing(
            true,
            "the port tags nothing in callbacks of births, so that nobody knows what dies",
        );
    }
    if rule.noun == Noun::Deaths && new.shares_tags {
        return nothing(
            true,
            "the port gives one tag to objects of several classes, so that nobody knows what dies",
        );
    }
    let is_of_objects = matches!(rule.noun, Noun::Births | Noun::Deaths);
    if is_of_objects && sides.in_one && has_the_old_sides_interval(sides) {
        let (called, hears) = match new.interval {
            None => (
                "not called SetHeapSamplingInterval(0)".to_owned(),
                "one object in 512 KB",
            ),
            Some(interval) => (
                format!("called SetHeapSamplingInterval({interval})"),
                "a sample",
            ),
        };
        let why = format!(
            "the port has {called}, and hears of all births only because the old side is in the same VM; alone it hears of {hears}: record each for itself"
        );
        return nothing(true, &why);
    }
    if rule.noun == Noun::Instructions && sides.in_one {
        return nothing(
            false,
            "the hooks of the one are steps for the other: record each for itself",
        );
    }
    if rule.noun.is_of_methods() && sides.in_one && !sides.settings.contains("method-events=exact")
    {
        return nothing(
            false,
            "the hooks of the one are calls for the other: record each for itself, or with --set method-events=exact",
        );
    }
    None
}

/// In one VM only one can have sampled allocations, at its own interval: all of them, unless the user wants less.
fn has_the_old_sides_interval(sides: Sides<'_>) -> bool {
    let setup = &sides.new.setup;
    let events = &setup.jvmti.enabled;
    events.contains(&jvmti::EventKind::SampledObjectAlloc)
        && setup.interval != Some(0)
        && !sides.settings.split(',').any(is_of_some)
}

/// Whether an option of libjvmpi's or of HPROF's leaves births out: by an interval that is not 0.
fn is_of_some(option: &str) -> bool {
    let Some((key, value)) = option.split_once('=') else {
        return false;
    };
    let value = value.trim();
    let is_unit = |it: char| !it.is_ascii_digit();
    let number = value.split(is_unit).next().unwrap_or_default();
    matches!(key.trim(), "alloc-interval" | "sample") && number.bytes().any(|digit| digit != b'0')
}

/// The same of what is in dumps.
fn dumped_not_compared(sides: Sides<'_>) -> Option<Nothing> {
    let (old, new) = (&sides.old.setup, &sides.new.setup);
    let has = |side: &Side| side.nouns.contains_key(&Noun::Dumped);
    let (unseen, why) = if old.nameless_dumps > 0 {
        (
            false,
            "dumps of level 0 name no classes, and of others the recording needs CLASS_LOAD: ask for level 1 or 2",
        )
    } else if !has(sides.old) {
        (false, "the old agent has no HEAP_DUMP")
    } else if !new.says.contains(&Noun::Dumped) {
        (
            true,
            "what the callbacks of walks are given is not in a recording: the port says it by xrun_saw(\"dumped objects\", class, how many), or both write HPROF's format, and the files are compared",
        )
    } else {
        return None;
    };
    let why = why.to_owned();
    Some(Nothing { why, unseen })
}

/// Both sides of all names.
fn pairs<'a>(counts: [&'a BTreeMap<String, Count>; 2]) -> Vec<Pair<'a>> {
    let [old, new] = counts;
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).map(String::as_str).collect();
    let of = |counts: &BTreeMap<String, Count>, name| counts.get(name).copied().unwrap_or_default();
    let both = names
        .into_iter()
        .map(|name| (name, [of(old, name), of(new, name)]));
    both.collect()
}

fn is_jdk(noun: Noun, name: &str) -> bool {
    if noun.is_of_threads() {
        return is_of_the_vm(name) || is_of_a_pool(name);
    }
    is_of_the_jdk(name)
}

/// Within so many hundredths of the larger.
fn within(both: [impl Into<u128>; 2], hundredths: u64) -> bool {
    let [old, new]: [u128; 2] = both.map(Into::into);
    let [off, most] = [old.abs_diff(new), old.max(new)];
    off.saturating_mul(100) <= most.saturating_mul(hundredths.into())
}

fn difference(name: &str, both: [u64; 2], what: &'static str) -> Difference {
    let [old, new] = both.map(|count| count.to_string());
    Difference {
        what,
        name: name.to_owned(),
        old,
        new,
    }
}

/// The largest first.
fn sorted(mut found: Vec<(&str, [u64; 2])>) -> Vec<(&str, [u64; 2])> {
    found.sort_by_key(|(name, [old, new])| (std::cmp::Reverse(old.abs_diff(*new)), *name));
    found
}

fn totals(pairs: &[Pair<'_>]) -> [u64; 2] {
    [0, 1].map(|side: usize| {
        let counts = pairs.iter().filter_map(|(_, both)| both.get(side));
        counts.map(|count| count.all()).sum()
    })
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn in_all(rule: &'static Rule, sides: Sides<'_>, share: u64) -> Verdict {
    let counts = [sides.old.of(rule.noun), sides.new.of(rule.noun)];
    let (jdk, own): (Vec<Pair<'_>>, Vec<Pair<'_>>) = pairs([&counts[0], &counts[1]])
        .into_iter()
        .partition(|(name, _)| is_jdk(rule.noun, name));
    let (all, of_jdk) = (totals(&own), totals(&jdk));
    let [old, new] = all;
    let outcome = if of_jdk[1] == 0 && of_jdk[0] > FEW {
        Outcome::Misses
    } else if old == new && of_jdk[0] == of_jdk[1] {
        Outcome::Equal
    } else if old.abs_diff(new) <= FEW || within(all, share) {
        Outcome::EqualBut
    } else if old > new {
        Outcome::Misses
    } else {
        Outcome::More
    };
    let sentence = match outcome {
        Outcome::Misses if old > new => format!("misses {} of {old} of the program", old - new),
        Outcome::Misses => format!("misses all {} of the JDK's", of_jdk[0]),
        Outcome::More => format!("sees {} more than {old} of the program", new - old),
        Outcome::EqualBut => format!(
            "chance: {old} and {new} of the program, {} and {} of the JDK's",
            of_jdk[0], of_jdk[1]
        ),
        Outcome::Equal | Outcome::Differs | Outcome::NotCompared => String::new(),
    };
    let mut verdict = verdict(rule, outcome, sentence);
    verdict.all = [old + of_jdk[0], new + of_jdk[1]];
    if outcome.is_difference() {
        let names = own.iter().chain(&jdk);
        let names = names.map(|(name, both)| (*name, both.map(Count::all)));
        let names = sorted(names.filter(|(_, [old, new])| old != new).collect());
        let names = names.iter().map(|(name, both)| difference(name, *both, ""));
        verdict.differences = names.collect();
    }
    verdict
}

fn calls(rule: &'static Rule, sides: Sides<'_>) -> Verdict {
    let [old, new] = [sides.old, sides.new].map(|side| {
        let counts = side.of(rule.noun);
        counts.values().map(|count| count.all()).sum::<u64>()
    });
    let (outcome, sentence) = match (old, new) {
        (0, _) => (
            Outcome::NotCompared,
            "the old agent has made none".to_owned(),
        ),
        (_, 0) if !sides.old.of(rule.noun).contains_key("HEAP_DUMP") => (
            Outcome::NotCompared,
            "OBJECT_DUMP is of one object, which a port reads by whatever functions it likes"
                .to_owned(),
        ),
        (_, 0) => (
            Outcome::Misses,
            format!("misses all {old}: the port has not walked the heap"),
        ),
        _ => (
            Outcome::EqualBut,
            format!("how many: {old} dumps and {new} walks"),
        ),
    };
    let mut verdict = verdict(rule, outcome, sentence);
    verdict.unseen = outcome == Outcome::NotCompared && old > 0;
    verdict.all = [old, new];
    verdict
}
