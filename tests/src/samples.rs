//! Samples by method, and whether two profilers, or two runs, agree on them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How often each method was on top.
pub type Samples = BTreeMap<String, u64>;

/// The ten hottest.
fn ten(samples: &Samples) -> Vec<&str> {
    let mut all: Vec<_> = samples.iter().collect();
    all.sort_by_key(|(name, count)| (Reverse(**count), *name));
    let names = all.into_iter().map(|(name, _)| &**name);
    names.take(10).collect()
}

/// Of the ten hottest methods eight are the same, and no share is further off than three points, as far as
/// so many samples can tell.
///
/// # Panics
/// If that is not so.
#[allow(
    clippy::cast_precision_loss,
    reason = "fewer samples than a fraction has bits"
)]
pub fn assert_agree(what: &str, both: &[Samples; 2]) {
    let said = format!("{what}: {both:?}");
    let tops = both.each_ref().map(ten);
    let same = tops[0].iter().filter(|name| tops[1].contains(name)).count();
    assert!(same >= 8, "{same} of {tops:?}: {said}");
    let all = both.each_ref().map(|it| it.values().sum::<u64>() as f64);
    for name in tops.iter().flatten() {
        let [a, b] = both
            .each_ref()
            .map(|it| it.get(*name).copied().unwrap_or(0) as f64);
        let share = (a + b) / (all[0] + all[1]);
        let error = (share * (1.0 - share) * (1.0 / all[0] + 1.0 / all[1])).sqrt();
        let apart = (a / all[0] - b / all[1]).abs();
        assert!(apart < 0.03 + 4.0 * error, "{name}: {apart}, {said}");
    }
}

#[cfg(test)]
mod tests {
    use super::{Samples, assert_agree};

    /// Ten methods of which the first has so many of 10,000.
    fn samples(first: u64, names: &str) -> Samples {
        let others = (1..10).map(|at| (format!("{names}{at}"), (10_000 - first) / 9));
        others.chain([("first".to_owned(), first)]).collect()
    }

    fn agree(first: u64, names: &str) -> bool {
        let both = [samples(3000, "a"), samples(first, names)];
        std::panic::catch_unwind(|| assert_agree("both", &both)).is_ok()
    }

    #[test]
    fn what_is_too_far_apart_is_found() {
        assert!(agree(3000, "a") && agree(3250, "a"));
        assert!(!agree(3650, "a") && !agree(3000, "b"));
    }
}
