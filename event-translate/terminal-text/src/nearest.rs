//! The word that somebody meant.

/// The candidate that is written most like `word`: at most one letter in three is wrong, missing,
/// too much or changed places with its neighbour. `None` if there is none, or `word` is one.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| (1..=allowed).contains(distance))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean WORD?)`, or nothing.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, candidates) {
        Some(found) => format!(" (did you mean {found}?)"),
        None => String::new(),
    }
}

/// How many letters have to be changed, added, left out or swapped with the next one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // No column is beyond its row.
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or_default();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &to) in b.iter().enumerate() {
            let change = at(&last, j) + usize::from(from != to);
            let mut best = change.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped =
                i > 0 && j > 0 && a.get(i - 1) == Some(&to) && b.get(j - 1) == Some(&from);
            if swapped {
                best = best.min(at(&before_last, j - 1) + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    at(&last, b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_seen() {
        let words = ["hprof", "jvmpi_sampler", "--agents", "samples", "stats"];
        for (word, meant) in [
            ("hporf", Some("hprof")),
            ("hprof", None),
            ("--agnets", Some("--agents")),
            ("sample", Some("samples")),
            ("stat", Some("stats")),
            ("hproof", Some("hprof")),
            ("jvmpi_smapelr", Some("jvmpi_sampler")),
            ("optimizeit", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, words), meant, "{word}");
        }
        assert_eq!(did_you_mean("hporf", words), " (did you mean hprof?)");
    }
}
