//! Lines that C helpers print: `ok NAME` and `FAIL NAME: …`.

/// Asserts that a report has no FAIL and exactly `count` checks: a helper that
/// stops half-way must not pass.
///
/// # Panics
/// If it does not hold.
pub fn assert_checks(report: &str, count: usize) {
    let failed: Vec<&str> = report
        .lines()
        .filter(|line| line.starts_with("FAIL"))
        .collect();
    let passed = report
        .lines()
        .filter(|line| line.starts_with("ok "))
        .count();
    assert!(
        failed.is_empty(),
        "{} of {} checks failed:\n{}",
        failed.len(),
        passed + failed.len(),
        failed.join("\n")
    );
    assert_eq!(
        passed, count,
        "another number of checks than expected:\n{report}"
    );
}

/// The value of `key=` in a line of `key=value` words.
pub fn field<'line>(line: &'line str, key: &str) -> Option<&'line str> {
    line.split_whitespace()
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::{assert_checks, field};

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field("X env=1 tenv=2", "env"), Some("1"));
        assert_eq!(field("X tenv=2", "env"), None);
    }

    #[test]
    #[should_panic(expected = "another number")]
    fn half_a_report_fails() {
        assert_checks("ok a\n", 2);
    }

    #[test]
    #[should_panic(expected = "FAIL b: 1")]
    fn a_failed_check_fails() {
        assert_checks("ok a\nFAIL b: 1\n", 2);
    }
}
