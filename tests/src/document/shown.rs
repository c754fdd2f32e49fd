//! Whether a program has said what stands in a document. What differs from run to run may differ:
//! numbers, days, and in tables and stacks names of methods and places in sources.

/// Whether a line that was said is one like that which is shown. A number that stands in the command
/// is none that may differ.
fn fits(shown: &str, said: &str, command: &str) -> bool {
    let given: Vec<&str> = pieces(command, false)
        .into_iter()
        .filter_map(Piece::number)
        .collect();
    let is_row = shown.starts_with([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let (shown, said) = (pieces(shown, is_row), pieces(said, is_row));
    // Numbers stand at the right of their columns, all else where it is.
    let is_aligned = match (shown.as_slice(), said.as_slice()) {
        ([Piece::Blank(_), Piece::Number(_), ..], _) => true,
        ([Piece::Blank(one), ..], [Piece::Blank(other), ..]) => one == other,
        _ => true,
    };
    let is_like = |(shown, said): (&Piece<'_>, &Piece<'_>)| match (shown, said) {
        (Piece::Number(shown), Piece::Number(said)) => {
            let is_given = given.contains(shown);
            let parts = |it: &str| it.contains([':', '-']);
            shown == said || !is_given && parts(shown) == parts(said)
        }
        (Piece::Blank(_), Piece::Blank(_)) => true,
        (shown, said) => shown == said,
    };
    is_aligned && shown.len() == said.len() && shown.iter().zip(&said).all(is_like)
}

/// Whether that is all that was said. A line `…` stands for any lines, or none.
#[must_use]
pub fn all_fits(shown: &[String], said: &[&str], command: &str) -> bool {
    let Some((first, shown_after)) = shown.split_first() else {
        return said.is_empty();
    };
    if first == "…" {
        return (0..=said.len()).any(|left_out| {
            let after = said.get(left_out..).unwrap_or_default();
            all_fits(shown_after, after, command)
        });
    }
    said.split_first().is_some_and(|(line, said_after)| {
        fits(first, line, command) && all_fits(shown_after, said_after, command)
    })
}

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Blank(usize),
    /// `12`, `3.5`, `09:37:30`.
    Number(&'a str),
    /// `Sun`, `Nov`.
    Day,
    /// `java.lang.Object.wait`.
    Method,
    /// `(Object.java:12)`, `(native)`.
    Place,
    Text(&'a str),
}

impl<'a> Piece<'a> {
    fn number(self) -> Option<&'a str> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }
}

const DAYS: [&str; 19] = [
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The parts of a line; methods and places only in a row of a table, or of a stack.
fn pieces(line: &str, is_row: bool) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let is_blank = first == ' ';
        let end = rest.find(|letter| (letter == ' ') != is_blank);
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        if is_blank {
            pieces.push(Piece::Blank(word.len()));
        } else if DAYS.contains(&word) {
            pieces.push(Piece::Day);
        } else if is_row && word.starts_with('(') && word.ends_with(')') {
            pieces.push(Piece::Place);
        } else if is_row && is_method(word) {
            pieces.push(Piece::Method);
        } else {
            numbers(&mut pieces, word);
        }
    }
    pieces
}

fn is_method(word: &str) -> bool {
    let in_names = |letter: char| letter.is_alphanumeric() || "._$<>/+".contains(letter);
    word.contains('.') && word.starts_with(char::is_alphabetic) && word.chars().all(in_names)
}

/// Numbers of a word, and what is between them.
fn numbers<'a>(pieces: &mut Vec<Piece<'a>>, word: &'a str) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = if is_number {
            let inside = |letter: char| letter.is_ascii_digit() || ".:".contains(letter);
            let end = rest.find(|letter| !inside(letter)).unwrap_or(rest.len());
            rest[..end].trim_end_matches(['.', ':']).len()
        } else {
            rest.find(|letter: char| letter.is_ascii_digit())
                .unwrap_or(rest.len())
        };
        let (piece, behind) = rest.split_at(end);
        pieces.push(if is_number {
            Piece::Number(piece)
        } else {
            Piece::Text(piece)
        });
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_left_out() {
        let all = |shown: &[&str], said: &[&str]| {
            let shown: Vec<String> = shown.iter().map(|line| (*line).to_owned()).collect();
            all_fits(&shown, said, "")
        };
        assert!(all(&["a 1", "…", "b"], &["a 2", "x", "y", "b"]));
        assert!(all(&["a", "…", "b"], &["a", "b"]) && all(&["a", "…"], &["a", "x"]));
        assert!(all(&[], &[]));
        for said in [&["a"][..], &["a", "c"], &["b", "a"], &["a", "b", "c"], &[]] {
            assert!(!all(&["a", "…", "b"], said), "{said:?}");
        }
        assert!(!all(&["a"], &["a", "b"]) && !all(&[], &["a"]) && !all(&["a"], &[]));
    }

    #[test]
    fn what_may_differ() {
        let command = "xrun java -Xrunx:interval=5,top=6";
        for (shown, said) in [
            ("753 in 10.19 s (every 5 ms)", "1 in 0.9 s (every 5 ms)"),
            (
                "   1    6.11%  46  a.B.c (native)",
                "   1   16.1%  4  d.<init> (D.java:7)",
            ),
            ("     a.B.c (native)", "     d.E$F.g (D.java:7)"),
            (
                "BEGIN (total = 659) Sun Nov 22 09:37:30 2026",
                "BEGIN (total = 7) Mon Dec 1 10:00:00 2027",
            ),
            ("done: java.hprof.txt", "done: java.hprof.txt"),
            ("", ""),
        ] {
            assert!(fits(shown, said, command), "{shown} / {said}");
        }
        for (shown, said) in [
            ("every 5 ms", "every 6 ms"),
            ("753 in 10 s", "753 of 10 s"),
            ("     a.B.c (native)", "   a.B.c (native)"),
            ("   1  46  a.B.c (native)", "   1  46  a.B.c"),
            ("   1  46  a.B.c", "   1  a.B.c"),
            ("at 09:37:30", "at 9"),
            ("done: java.hprof.txt", "done: java.hprof.html"),
            ("", "more"),
        ] {
            assert!(!fits(shown, said, command), "{shown} / {said}");
        }
    }
}
