//! What can be wrong with attaching, an exit code for each.

use crate::base::say::Failure;

/// Why nothing was attached or detached. The number is the exit code (README.md has the table).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Trouble {
    /// There is no such process, or it ends at this moment.
    NoProcess = 10,
    /// It is there, and is no VM that can be attached to.
    NoVm = 11,
    /// Its owner is another user.
    NotYours = 12,
    /// It does not answer, or was told not to.
    NoAnswer = 13,
    /// It was told to load no agents late.
    Forbidden = 14,
    /// Another attach is under way.
    Busy = 15,
    /// It has an agent.
    Taken = 16,
    /// The agent is none that can come late.
    Unfit = 17,
    /// The program has ended before the time was over.
    Ended = 18,
    /// There is no agent to detach.
    Nothing = 19,
    /// Another agent is there than the one to detach.
    Other = 20,
}

/// Somebody has interrupted xrun by this signal before that was done: the exit code that shells
/// have for it.
pub(crate) fn interrupted(signal: i32, text: impl Into<String>) -> Failure {
    Failure {
        code: u8::try_from(128 + signal).unwrap_or(1),
        text: text.into(),
    }
}

impl Trouble {
    /// With the line that says so.
    pub(crate) fn because(self, text: impl Into<String>) -> Failure {
        Failure {
            code: self as u8,
            text: text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The numbers in a text's lines that `of_line` finds.
    fn codes(text: &str, of_line: impl Fn(&str) -> Option<&str>) -> BTreeSet<u8> {
        let numbers = text.lines().filter_map(of_line);
        numbers.filter_map(|number| number.parse().ok()).collect()
    }

    /// README has a row for each, and for none that there is not.
    #[test]
    fn the_table_has_them_all() {
        let known = codes(include_str!("trouble.rs"), |line| {
            line.trim()
                .strip_suffix(',')?
                .rsplit_once(" = ")
                .map(|(_, number)| number)
        });
        assert_eq!(known.first(), Some(&10));
        let readme = include_str!("../../../../README.md");
        let (_, table) = readme.split_once("\n## Exit codes\n").unwrap();
        let (table, _) = table.split_once("\n## ").unwrap();
        let rows = codes(table, |line| line.strip_prefix("| ")?.split(" |").next());
        let of_attach: BTreeSet<u8> = rows.range(10..100).copied().collect();
        assert_eq!(of_attach, known);
    }
}
