//! Text that a terminal shows as it is.
//!
//! Names come from programs, agents and command lines, and messages go to terminals. An
//! escape sequence in a name would be obeyed there, a newline would begin a line that nobody
//! of ours has written, and U+202E would show the rest from right to left. Such characters
//! are shown by their numbers: `\u{202e}`.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Whether a terminal shows this character and does nothing else.
#[must_use]
pub const fn is_printable(character: char) -> bool {
    !matches!(character,
        // Control characters: C0, DEL and C1, which terminals obey, too.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Directions of text.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        // Ends of lines and paragraphs.
        | '\u{2028}' | '\u{2029}'
        // What is never seen: two names that look the same are not.
        | '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// The text as it can be shown.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    // Writing to a String does not fail.
    let _ = write_printable(&mut shown, text);
    Cow::Owned(shown)
}

/// The same, into what needs no memory for it.
///
/// # Errors
/// Those of `out`.
pub fn write_printable(out: &mut impl Write, text: &str) -> fmt::Result {
    for character in text.chars() {
        if is_printable(character) {
            out.write_char(character)?;
        } else {
            write!(out, "{}", character.escape_unicode())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_shown_is_left_alone() {
        for text in ["", "plain \u{e9} \u{4e2d} \u{1f600}", "a\u{200d}b"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_by_its_number() {
        for (text, shown) in [
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\nb\rc\td", "a\\u{a}b\\u{d}c\\u{9}d"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("\u{202e}gpj.exe", "\\u{202e}gpj.exe"),
            ("\u{2066}\u{2029}\u{feff}", "\\u{2066}\\u{2029}\\u{feff}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn nothing_that_is_shown_needs_it_again() {
        let all: String = ('\0'..=char::MAX).collect();
        let once = printable(&all).into_owned();
        assert!(once.chars().all(is_printable));
        assert_eq!(printable(&once), once);
    }
}
