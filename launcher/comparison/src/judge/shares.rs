//! Shares of samples.

use std::collections::BTreeSet;

use super::{plural, verdict};
use crate::course::{Course, OUTSIDE, outside_of_a_while};
use crate::rules::{Noun, Rule};
use crate::samples::{Samples, interval};
use crate::side::Sides;
use crate::verdict::{Difference, Outcome, Verdict};

/// So many samples say something.
const SAMPLES: u64 = 50;
/// Smaller shares are not looked at.
const SHARE: f64 = 0.02;

/// A side that has so many times less than the other hardly has it at all: that is no matter of a while.
const HARDLY: f64 = 10.0;

/// With threads that wait, which GetAllStackTraces lists as well, or without them: what the port makes of that list
/// is its own.
pub(super) fn judge(rule: &'static Rule, sides: Sides<'_>) -> Verdict {
    let all = held(rule, sides, &sides.new.stacks);
    let Some(running) = sides
        .new
        .running
        .as_ref()
        .filter(|_| all.outcome.is_difference())
    else {
        return all;
    };
    let mut chosen = held(rule, sides, running);
    if chosen.outcome != Outcome::EqualBut {
        return all;
    }
    chosen.sentence += ", without the threads that wait of those that GetAllStackTraces lists";
    let listed = sides.new.stacks.all().saturating_sub(running.all());
    chosen.causes.push(format!(
        "the port has listed {listed} stack{} of threads that wait; see that it leaves them out",
        if listed == 1 { "" } else { "s" }
    ));
    chosen
}

/// The port sees nothing of some stacks but frames that the old agent does not have, and does not ask for more.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn is_blind(rule: &'static Rule, all: [u64; 2], new: &Samples) -> Option<Verdict> {
    let of = all[1] + new.blind;
    if new.blind as f64 <= SHARE * of as f64 {
        return None;
    }
    let sentence = format!(
        "the port asks for too few frames ({}): {} of its {of} stacks have none but hidden ones, of lambdas say, which GetCallTrace leaves out",
        new.depth, new.blind
    );
    let mut verdict = verdict(rule, Outcome::NotCompared, sentence);
    verdict.all = all;
    verdict.unseen = all[0] >= SAMPLES;
    Some(verdict)
}

#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn held(rule: &'static Rule, sides: Sides<'_>, new: &Samples) -> Verdict {
    let both = [&sides.old.stacks, new];
    let all = both.map(Samples::all);
    let by_method = rule.noun == Noun::Leaves;
    let blind = is_blind(rule, all, new);
    if let Some(blind) = blind.as_ref().filter(|_| by_method || all[1] < SAMPLES) {
        return blind.clone();
    }
    for (side, count) in ["the old agent", "the port"].iter().zip(all) {
        if count < SAMPLES {
            let stacks = [&sides.old.setup, &sides.new.setup].map(|setup| setup.stacks_in_handlers);
            let why = match count {
                0 if stacks.iter().sum::<u64>() > 0 => {
                    format!("{side} has taken no stack outside of handlers")
                }
                0 => format!("{side} has taken no stack"),
                _ => {
                    format!("{side} has taken {count} stacks with frames, {SAMPLES} say something")
                }
            };
            let mut verdict = verdict(rule, Outcome::NotCompared, why);
            verdict.all = all;
            verdict.unseen = all[0] >= SAMPLES && all[1] == 0;
            return verdict;
        }
    }
    let [old_depth, new_depth] = both.map(|side| side.depth);
    if !by_method && new_depth < old_depth {
        let cut = sides.old.stacks.deeper_than(new_depth);
        if cut as f64 / all[0] as f64 > SHARE {
            let sentence = format!(
                "misses what is deeper than {new_depth} frame{}: {cut} of {} stacks of the old agent, which asks for {old_depth}",
                plural(new_depth),
                all[0]
            );
            let mut verdict = verdict(rule, Outcome::Misses, sentence);
            verdict.all = all;
            return verdict;
        }
    }
    if let Some(blind) = blind {
        return blind;
    }
    let [of_old, of_new] = both.map(Samples::common_depth);
    let depth = of_old.min(of_new);
    let [old, new] = both.map(|side| match by_method {
        true => side.leaves().clone(),
        false => side.cut_to(depth),
    });
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let nothing = Course::default();
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    let mut for_a_while = Vec::new();
    let are_apart = |shares: [f64; 2], part: f64| {
        let of = [(shares[0], all[0], both[0]), (shares[1], all[1], both[1])];
        let intervals =
            of.map(|(share, all, side)| interval(share, all as f64 * part, side.weight));
        let [(from, to), (other_from, other_to)] = intervals;
        (to < other_from || other_to < from, intervals)
    };
    for name in names {
        let courses = [&old, &new].map(|side| side.get(name).unwrap_or(&nothing));
        let [of_old, of_new] = courses.map(Course::times);
        let shares = [(of_old, all[0]), (of_new, all[1])].map(|(it, all)| it as f64 / all as f64);
        if shares.iter().all(|share| *share < SHARE) {
            continue;
        }
        looked_at += 1;
        let (is_apart, intervals) = are_apart(shares, 1.0);
        if !is_apart {
            continue;
        }
        let shown = |share: f64, (from, to): (f64, f64)| {
            let [share, from, to] = [share, from, to].map(|part| part * 100.0);
            format!("{share:.1} % ({from:.1} to {to:.1})")
        };
        let difference = Difference {
            what: "share",
            name: name.clone(),
            old: shown(shares[0], intervals[0]),
            new: shown(shares[1], intervals[1]),
        };
        let rest = outside_of_a_while(courses, both.map(|side| &side.length));
        let [less, more] = [shares[0].min(shares[1]), shares[0].max(shares[1])];
        if less * HARDLY > more && !are_apart(rest, OUTSIDE).0 {
            for_a_while.push(difference);
        } else {
            wrong.push(((shares[0] - shares[1]).abs(), difference));
        }
    }
    wrong.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let what = if by_method { "methods" } else { "stacks" };
    let (outcome, sentence) = match wrong.len() {
        0 => (
            Outcome::EqualBut,
            format!(
                "chance: the shares of {} {what} agree with 99.9 % confidence",
                looked_at - for_a_while.len()
            ),
        ),
        count => (
            Outcome::Differs,
            format!("the shares of {count} of {looked_at} {what} do not agree"),
        ),
    };
    let mut verdict = verdict(rule, outcome, sentence);
    if !for_a_while.is_empty() {
        let named = for_a_while.iter().take(3);
        let named = named.map(|it| format!("`{}` {}, {}", it.name, it.old, it.new));
        verdict.sentence += &format!(
            "; but for a third of the recordings those of {} more agree: {}",
            for_a_while.len(),
            named.collect::<Vec<_>>().join("; ")
        );
    }
    verdict.all = all;
    verdict.differences = wrong
        .into_iter()
        .map(|(_, difference)| difference)
        .collect();
    verdict
}
